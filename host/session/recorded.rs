//! A session that is on disk: every accepted answer is recorded and synced before anything follows.
use std::fmt;
use std::path::{Path, PathBuf};

use super::content::{Content, LoadError};
use super::decision::Refusal;
use super::recorder::{Recorder, may_hold};
use super::recording::{Line, Recording, RecordingError, Setup, hash_text, stamps, stamps_of};
use super::reload::Reloaded;
use super::run::{Memory, Session, Status, TapeEntry};

/// A session with what made it and where it is written.
pub struct Recorded {
    pub(super) session: Session,
    pub(super) setup: Setup,
    pub(super) content: Content,
    pub(super) recorder: Option<Recorder>,
    /// Answers that stand, over all segments.
    pub(super) answers: usize,
    /// Fewer answers than this can't be undone within the segment: going below starts a new one.
    pub(super) floor: usize,
}

/// Why an answer or a command did not take effect.
#[derive(Debug)]
pub enum Fault {
    /// The decision stands.
    Refused(Refusal),
    /// It could not be written; the session must not go on as if it were.
    Recording(RecordingError),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<RecordingError> for Fault {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Recording(error) => error.fmt(f),
        }
    }
}

/// Why a session can't be started.
#[derive(Debug)]
pub enum StartError {
    Load(LoadError),
    Recording(RecordingError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Recording(error) => error.fmt(f),
        }
    }
}

/// Why a reload did not happen; the old rules go on.
#[derive(Debug)]
pub enum ReloadError {
    Load(LoadError),
    /// What of the living tabletop the new rules can't take over.
    Obstacles(Vec<String>),
    Recording(RecordingError),
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Obstacles(all) => f.write_str(&all.join("\n")),
            Self::Recording(error) => error.fmt(f),
        }
    }
}

impl Recorded {
    /// Begins a game; with a path its recording begins there, where nothing may be yet.
    pub fn start(content: Content, setup: Setup, path: Option<&Path>) -> Result<Self, StartError> {
        let program = content.load(&setup).map_err(StartError::Load)?;
        let session = Session::new(program, Memory::All);
        let mut table = Self {
            session,
            setup,
            content,
            recorder: None,
            answers: 0,
            floor: 0,
        };
        if let Some(path) = path {
            table.record_to(path).map_err(StartError::Recording)?;
        }
        Ok(table)
    }

    fn record_to(&mut self, path: &Path) -> Result<(), RecordingError> {
        self.recorder = Some(Recorder::create(path)?);
        self.segment("start")
    }

    /// From now on a crash may lose answers: for a recording that can be made anew.
    pub fn hasten(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.hasten();
        }
    }

    /// Begins a segment at the present state.
    pub(super) fn segment(&mut self, reason: &str) -> Result<(), RecordingError> {
        self.floor = self.session.undoable().saturating_sub(self.session.tape().len());
        match &mut self.recorder {
            Some(recorder) => recorder.segment(&self.session, &self.setup, reason),
            None => Ok(()),
        }
    }

    /// The session, for questions about it. Answers go through this type.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    pub fn status(&self) -> &Status {
        self.session.status()
    }

    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Answers that stand, over all segments: with the seed they determine what a bot does.
    pub fn answers(&self) -> usize {
        self.answers
    }

    /// Where the session is written, if it is.
    pub fn path(&self) -> Option<&Path> {
        self.recorder.as_ref().map(Recorder::path)
    }

    /// Answers the open decision; on disk when this returns.
    pub fn answer(&mut self, seat: &str, keys: &[String]) -> Result<(), Fault> {
        let decision = self.session.decision()?.key.clone();
        self.session.answer(seat, keys)?;
        self.answers += 1;
        let entry = TapeEntry {
            seat: seat.into(),
            decision,
            offered: Vec::new(),
            answer: keys.to_vec(),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.answer(&self.session, &entry)?;
        }
        Ok(())
    }

    /// Takes back the last `count` answers. `free` goes back over dice and seen cards too, and is marked.
    pub fn undo(&mut self, count: usize, free: bool) -> Result<(), Fault> {
        if count == 0 {
            return Ok(());
        }
        let marked = free && !self.session.undo_is_free(count);
        self.session.undo(count, free)?;
        self.answers = self.answers.saturating_sub(count);
        if self.session.undoable() < self.floor {
            // It went back behind the segment's start: its snapshot can't be reached by undoing.
            self.segment("undo")?;
            return Ok(());
        }
        let hash = hash_text(&self.session);
        self.event(Line::Undo {
            count,
            free: marked,
            hash,
        })
    }

    /// Gives the game up for a seat.
    pub fn concede(&mut self, seat: &str) -> Result<(), Fault> {
        self.session.concede(seat)?;
        let hash = hash_text(&self.session);
        self.event(Line::Concede {
            seat: seat.into(),
            hash,
        })
    }

    fn event(&mut self, line: Line) -> Result<(), Fault> {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(&self.session, line)?;
        }
        Ok(())
    }

    /// Loads the content anew and goes on under it, in a new segment. `None` if it is what it was: then a
    /// failed step runs once more. On failure nothing changes.
    pub fn reload(&mut self) -> Result<Option<Reloaded>, ReloadError> {
        let catalogue = self.content.catalogue(&self.setup).map_err(ReloadError::Load)?;
        if stamps_of(&catalogue) == stamps(&self.session) {
            if let Status::Failed(_) = self.session.status() {
                self.session.retry();
            }
            return Ok(None);
        }
        let program = self
            .content
            .program(&catalogue, &self.setup)
            .map_err(ReloadError::Load)?;
        let done = self.session.reload(program).map_err(ReloadError::Obstacles)?;
        self.answers = self.answers.saturating_sub(done.discarded.len());
        self.segment("reload").map_err(ReloadError::Recording)?;
        Ok(Some(done))
    }

    /// The folders that the session's content lies in, for watching.
    pub fn folders(&self) -> Vec<PathBuf> {
        let catalogue = self.session.catalogue();
        let packs = catalogue.packs.iter().chain(&catalogue.libraries);
        packs.filter_map(|pack| pack.folder.clone()).collect()
    }

    /// Writes the session so far into another file, which can be resumed on its own. Nothing that is there
    /// already is overwritten.
    pub fn save_copy(&self, path: &Path) -> Result<(), RecordingError> {
        let wrap = |error| RecordingError::File {
            path: path.into(),
            error,
        };
        // By its real path: a rename over the live file would lose every later answer.
        let real = std::fs::canonicalize(path).ok();
        if let Some(own) = self.path()
            && (own == path || real.is_some() && real == std::fs::canonicalize(own).ok())
        {
            return Ok(());
        }
        may_hold(path)?;
        match self.path() {
            Some(own) => {
                // Whole lines only: they were synced one by one. The file is ours, so none lacks its end.
                let recording = Recording::read(own)?;
                let text = std::fs::read(own).map_err(wrap)?;
                crate::session::file::replace(path, &text[..recording.whole as usize]).map_err(wrap)
            }
            None => {
                let mut recorder = Recorder::create(path)?;
                recorder.segment(&self.session, &self.setup, "save")
            }
        }
    }

    /// The packs that the session runs on.
    pub fn stamps(&self) -> Vec<super::recording::PackStamp> {
        stamps(&self.session)
    }
}
