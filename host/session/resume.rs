//! Opening a recorded session again, with the content that it was played with or with other content.
use std::fmt;
use std::path::Path;

use super::content::{Content, LoadError};
use super::damage::{remedy, shortened};
use super::recorded::Recorded;
use super::recorder::Recorder;
use super::recording::{Line, PackStamp, Recording, RecordingError, Setup, stamps_of};
use super::replay::{Difference, open, replay};
use super::run::{Session, Status};

/// How to go on where content has changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// From the tabletop as it was saved last; later answers are given again as far as they fit.
    Saved,
    /// The segment once more from its start, up to the first difference.
    Replay,
}

/// One pack that isn't what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackChange {
    pub id: String,
    pub saved: Option<PackStamp>,
    pub now: Option<PackStamp>,
}

impl fmt::Display for PackChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits();
        let stamp = |s: &PackStamp| {
            let hash: String = s.hash.chars().take(digits).collect();
            format!("version {} ({hash})", shortened(&s.version))
        };
        match (&self.saved, &self.now) {
            (Some(saved), Some(now)) => write!(f, "`{}` was {} and is {}", self.id, stamp(saved), stamp(now)),
            (Some(saved), None) => write!(f, "`{}` was {} and is no longer active", self.id, stamp(saved)),
            (None, Some(now)) => write!(f, "`{}` was not active and is {}", self.id, stamp(now)),
            (None, None) => write!(f, "`{}`", self.id),
        }
    }
}

impl PackChange {
    /// So many digits of the hashes that they differ, a dozen at least.
    fn digits(&self) -> usize {
        let (Some(saved), Some(now)) = (&self.saved, &self.now) else {
            return 12;
        };
        let alike = saved.hash.chars().zip(now.hash.chars());
        let alike = alike.take_while(|(saved, now)| saved == now).count();
        (alike + 1).max(12)
    }
}

/// The packs that differ between a segment and what is at hand, by id.
pub fn changes(saved: &[PackStamp], now: &[PackStamp]) -> Vec<PackChange> {
    let find = |list: &[PackStamp], id: &str| list.iter().find(|s| s.id == id).cloned();
    let mut ids: Vec<&str> = saved.iter().chain(now).map(|s| s.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let both = ids.into_iter().map(|id| PackChange {
        id: id.into(),
        saved: find(saved, id),
        now: find(now, id),
    });
    both.filter(|change| change.saved != change.now).collect()
}

/// Why a session can't be resumed.
#[derive(Debug)]
pub enum ResumeError {
    Recording(RecordingError),
    Load(LoadError),
    /// The content differs, and nobody said how to go on.
    Changed {
        path: std::path::PathBuf,
        packs: Vec<PackChange>,
    },
    /// The present content can't take the saved tabletop over.
    Obstacles {
        /// The line of the recording that holds it.
        path: std::path::PathBuf,
        line: usize,
        texts: Vec<String>,
        /// Whether the content is what it was: then the file is damaged.
        same: bool,
    },
    /// With the same content the course differs: a fault of the rules or of Ludex, or a changed file.
    Differs {
        path: std::path::PathBuf,
        line: usize,
        difference: Difference,
    },
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
            Self::Changed { path, packs } => {
                writeln!(
                    f,
                    "{}: this session was played with other content:",
                    path.display()
                )?;
                for pack in packs {
                    writeln!(f, "  {pack}")?;
                }
                write!(
                    f,
                    "use `--changed saved` to go on with the tabletop as saved, or `--changed replay` to replay up to the first difference"
                )
            }
            Self::Obstacles {
                path,
                line,
                texts,
                same,
            } => {
                let why = if *same {
                    "the tabletop saved here is damaged"
                } else {
                    "the content of now can't go on with the tabletop saved here"
                };
                writeln!(f, "{}:{line}: {why}:", path.display())?;
                for text in texts {
                    writeln!(f, "  {}", shortened(text))?;
                }
                f.write_str(if *same {
                    remedy(*line)
                } else {
                    "mend the packs so that they fit, or play on with those that it was played with"
                })
            }
            Self::Differs {
                path,
                line,
                difference,
            } => write!(
                f,
                "{}:{line}: with the same content the course differs at {difference}; use `--changed saved` to go on with the tabletop as saved",
                path.display()
            ),
        }
    }
}

/// What resuming did.
#[derive(Debug, Default)]
pub struct Resumed {
    /// Packs that differ.
    pub packs: Vec<PackChange>,
    /// Fields that are new, dropped or retyped.
    pub notes: Vec<String>,
    /// Where the new course parts from the recorded one.
    pub difference: Option<Difference>,
    /// Answers of the recording that were not given again.
    pub dropped: usize,
    /// Whether it begins in the midst of the game: what rules explained before isn't known.
    pub midway: bool,
}

impl Recorded {
    /// Opens the session of a recording at its last answer.
    ///
    /// # Errors
    /// [`ResumeError::Changed`] names each pack that differs, unless `changed` says how to go on.
    pub fn resume(
        content: Content,
        path: &Path,
        changed: Option<Changed>,
    ) -> Result<(Self, Resumed), ResumeError> {
        // Locked before anything is read: two processes must not write one session.
        let (mut recorder, mut recording) = Recorder::resume(path).map_err(ResumeError::Recording)?;
        let mut given = Self::give(&content, &recording, changed);
        if recording.unended
            && let Err(ResumeError::Differs { difference, .. }) = &given
            && recording
                .segments()
                .last()
                .is_some_and(|(_, lines)| difference.line + 1 == lines.len())
        {
            // Its hash is wrong: it is torn after all.
            recording.lines.pop();
            recording.unended = false;
            given = Self::give(&content, &recording, changed);
        }
        let (session, setup, done) = given?;
        let same = done.packs.is_empty() && changed.is_none();
        recorder.mend(&recording).map_err(ResumeError::Recording)?;
        let answers = recording.answers().saturating_sub(done.dropped);
        let mut table = Self {
            session,
            setup,
            content,
            recorder: Some(recorder),
            answers,
            floor: 0,
        };
        if !same {
            table.segment("resume").map_err(ResumeError::Recording)?;
        }
        let last = recording.lines.last();
        // The process may have been killed between the last answer and the end that came of it.
        if let (Status::Ended(result), Some(recorder)) = (table.session.status(), &mut table.recorder)
            && !(same && matches!(last, Some(Line::End { .. })))
        {
            recorder
                .end(&table.session, result)
                .map_err(ResumeError::Recording)?;
        }
        Ok((table, done))
    }

    /// The session that a recording's last segment gives, with the setup that made it.
    fn give(
        content: &Content,
        recording: &Recording,
        changed: Option<Changed>,
    ) -> Result<(Session, Setup, Resumed), ResumeError> {
        let path = &recording.path;
        let segments = recording.segments();
        let Some((segment, lines)) = segments.last() else {
            return Err(ResumeError::Recording(RecordingError::Empty {
                path: path.into(),
            }));
        };
        // Where the segment's own line is among the recording's.
        let first = recording.lines.len() - lines.len() - 1;
        let setup = segment.setup.clone();
        let catalogue = content.catalogue(&setup).map_err(ResumeError::Load)?;
        let packs = changes(&segment.packs, &stamps_of(&catalogue));
        let mut done = Resumed {
            packs,
            ..Resumed::default()
        };
        if !done.packs.is_empty() && changed.is_none() {
            return Err(ResumeError::Changed {
                path: path.into(),
                packs: done.packs,
            });
        }
        let (base, from) = match changed {
            Some(Changed::Saved) => last_state(lines),
            _ => None,
        }
        .map_or((&segment.state, 0), |(checkpoint, at)| (checkpoint, at + 1));
        done.midway = from > 0 || segment.reason != "start";
        let program = content.program(&catalogue, &setup).map_err(ResumeError::Load)?;
        let is_unchanged = done.packs.is_empty();
        let obstacles = |texts| ResumeError::Obstacles {
            path: path.into(),
            line: recording.number(first + from),
            texts,
            same: is_unchanged,
        };
        let (mut session, notes) = open(base, program).map_err(obstacles)?;
        done.notes = notes.into_iter().map(|note| note.0).collect();
        if is_unchanged && !done.notes.is_empty() {
            // Nothing was to be brought along: the save isn't of the content that it names.
            return Err(obstacles(done.notes));
        }
        let taped = session.take_discarded().len();
        let same = is_unchanged && changed.is_none();
        let rest = &lines[from..];
        if let Err(difference) = replay(
            &mut session,
            rest,
            same || changed == Some(Changed::Replay),
            |_, _| {},
        ) {
            if same {
                return Err(ResumeError::Differs {
                    path: path.into(),
                    line: recording.number(first + 1 + from + difference.line),
                    difference,
                });
            }
            done.dropped = rest[difference.line..]
                .iter()
                .filter(|l| matches!(l, Line::Answer { .. }))
                .count();
            if after_the_line(&session, &rest[difference.line]) {
                done.dropped -= 1;
            }
            done.difference = Some(difference);
        }
        done.dropped += taped;
        Ok((session, setup, done))
    }
}

/// Whether an answer took effect though its hash differs.
fn after_the_line(session: &Session, line: &Line) -> bool {
    matches!(line, Line::Answer { answer, decision, .. }
        if session.last_answer().is_some_and(|last| last.answer == *answer && last.decision == *decision))
}

/// The last state that later lines never undo beyond.
fn last_state(lines: &[Line]) -> Option<(&super::recording::Checkpoint, usize)> {
    (0..lines.len()).rev().find_map(|at| {
        let Line::State(checkpoint) = &lines[at] else {
            return None;
        };
        let mut depth = checkpoint.tape.len();
        for line in &lines[at + 1..] {
            match line {
                Line::Answer { .. } => depth += 1,
                Line::Undo { count, .. } => depth = depth.checked_sub(*count)?,
                _ => {}
            }
        }
        Some((&**checkpoint, at))
    })
}
