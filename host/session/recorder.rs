//! Writing a recording: line by line, each on disk before anything follows from it.
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::recording::{
    FORMAT, Line, Recording, RecordingError, Segment, Setup, checkpoint, hash_text, stamps,
};
use super::run::{Session, Status, TapeEntry};

/// Writes a session's lines as they come.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: File,
    /// Bytes that the file has if nobody else wrote to it.
    length: u64,
    /// Bytes since the last state was written, and its size: states cost a fraction of the whole.
    since: usize,
    state_size: usize,
    synced: bool,
}

impl Recorder {
    /// A new recording. The file is new, or empty and nobody has it open.
    pub fn create(path: &Path) -> Result<Self, RecordingError> {
        let wrap = |error| RecordingError::File {
            path: path.into(),
            error,
        };
        may_hold(path)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(wrap)?;
        }
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(wrap)?;
        lock(&file, path)?;
        // Whoever had the lock before may have written a game in the meantime, and ended.
        if file.metadata().map_err(wrap)?.len() > 0 {
            return Err(RecordingError::Taken { path: path.into() });
        }
        Ok(Self {
            path: path.into(),
            file,
            length: 0,
            since: 0,
            state_size: 0,
            synced: true,
        })
    }

    /// Lines are no longer synced one by one: for a recording that can be made anew.
    pub fn hasten(&mut self) {
        self.synced = false;
    }

    /// Goes on with a recording, which `mend` makes ready. It is locked before it is read: what another
    /// process still writes must not be cut.
    pub fn resume(path: &Path) -> Result<(Self, Recording), RecordingError> {
        let read_only = || RecordingError::ReadOnly { path: path.into() };
        if path.is_dir() {
            return Err(RecordingError::NoFile { path: path.into() });
        }
        let mut file = match OpenOptions::new().write(true).open(path) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) && File::open(path).is_ok() =>
            {
                return Err(read_only());
            }
            // Some may write whatever the file says; they don't mean to.
            Ok(file) if file.metadata().is_ok_and(|meta| meta.permissions().readonly()) => {
                return Err(read_only());
            }
            other => other.map_err(|error| RecordingError::File {
                path: path.into(),
                error,
            })?,
        };
        lock(&file, path)?;
        let recording = Recording::read(path)?;
        let length = file
            .seek(io::SeekFrom::End(0))
            .map_err(|error| RecordingError::File {
                path: path.into(),
                error,
            })?;
        Ok((
            Self {
                path: path.into(),
                file,
                length,
                since: 0,
                state_size: 0,
                synced: true,
            },
            recording,
        ))
    }

    /// Ends the file with the recording's last line: what is torn after it is cut off.
    pub fn mend(&mut self, recording: &Recording) -> Result<(), RecordingError> {
        let mended = if recording.unended {
            self.file.write_all(b"\n").and_then(|()| self.file.sync_data())
        } else {
            self.file.set_len(recording.whole)
        };
        let mended = mended.and_then(|()| self.file.seek(io::SeekFrom::End(0)));
        self.length = mended.map_err(|error| RecordingError::File {
            path: self.path.clone(),
            error,
        })?;
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, line: &Line) -> Result<usize, RecordingError> {
        let wrap = |error| RecordingError::File {
            path: self.path.clone(),
            error,
        };
        let mut text = serde_json::to_vec(line).map_err(|e| wrap(io::Error::other(e)))?;
        text.push(b'\n');
        // A file that was deleted or replaced takes answers that nobody will find again.
        if !std::fs::metadata(&self.path).is_ok_and(|meta| meta.is_file() && meta.len() == self.length) {
            return Err(RecordingError::Lost {
                path: self.path.clone(),
            });
        }
        self.file.write_all(&text).map_err(wrap)?;
        self.length += text.len() as u64;
        if self.synced {
            // On disk before anything that follows from it is shown.
            self.file.sync_data().map_err(wrap)?;
        }
        Ok(text.len())
    }

    /// Begins a segment at the session's present state.
    pub fn segment(&mut self, session: &Session, setup: &Setup, reason: &str) -> Result<(), RecordingError> {
        let segment = Segment {
            format: FORMAT,
            ludex: env!("CARGO_PKG_VERSION").into(),
            reason: reason.into(),
            setup: setup.clone(),
            packs: stamps(session),
            state: checkpoint(session),
        };
        self.state_size = self.write(&Line::Segment(Box::new(segment)))?;
        self.since = 0;
        Ok(())
    }

    /// Writes an accepted answer.
    pub fn answer(&mut self, session: &Session, entry: &TapeEntry) -> Result<(), RecordingError> {
        let hash = hash_text(session);
        self.event(
            session,
            Line::Answer {
                seat: entry.seat.clone(),
                decision: entry.decision.clone(),
                answer: entry.answer.clone(),
                hash,
            },
        )
    }

    /// Writes any other event of a session, and what follows from it.
    pub fn event(&mut self, session: &Session, line: Line) -> Result<(), RecordingError> {
        self.since += self.write(&line)?;
        if let Status::Ended(result) = session.status() {
            self.end(session, result)?;
        } else if self.since * 4 >= self.state_size {
            self.state(session)?;
        }
        Ok(())
    }

    /// Writes that the game is over.
    pub fn end(&mut self, session: &Session, result: &str) -> Result<(), RecordingError> {
        self.write(&Line::End {
            result: result.into(),
            hash: hash_text(session),
        })?;
        Ok(())
    }

    /// Writes the present state, so that the session can go on with other content.
    pub fn state(&mut self, session: &Session) -> Result<(), RecordingError> {
        self.state_size = self.write(&Line::State(Box::new(checkpoint(session))))?;
        self.since = 0;
        Ok(())
    }
}

/// Whether a new session may be kept there, as far as can be told without opening it: a pipe would wait for a reader.
pub fn may_hold(path: &Path) -> Result<(), RecordingError> {
    let path = path.to_owned();
    match std::fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => Err(RecordingError::Folder { path }),
        Ok(meta) if !meta.is_file() => Err(RecordingError::Special { path }),
        Ok(meta) if meta.len() > 0 => Err(RecordingError::Taken { path }),
        _ => Ok(()),
    }
}

fn lock(file: &File, path: &Path) -> Result<(), RecordingError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(RecordingError::Locked { path: path.into() }),
        Err(std::fs::TryLockError::Error(error)) => Err(RecordingError::File {
            path: path.into(),
            error,
        }),
    }
}
