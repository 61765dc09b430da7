//! The recording: segments, each a snapshot, the packs' hashes and the answers that follow. One JSON
//! object a line, each on disk before the next decision is shown.
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::damage::{self, Damage};
use super::run::{Session, Status, TapeEntry};
use crate::pack::model::Catalogue;
use crate::pack::{data_folder, trouble};
use crate::tabletop::Value;
use crate::tabletop::save::Saved;

/// The version of this format.
pub const FORMAT: u32 = 1;

/// Which content a segment was played with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackStamp {
    pub id: String,
    pub version: String,
    pub hash: String,
}

/// How a session was set up; with the packs it determines everything but the answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    pub game: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// Folders of packs that were named one by one, so that resuming finds them again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// How many of the game's seats play; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
    pub seed: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// Seats that a bot plays, by seat.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bots: BTreeMap<String, String>,
}

/// The start of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Segment {
    pub format: u32,
    /// The version of Ludex that wrote it.
    pub ludex: String,
    /// `start`, `reload`, `resume` or `edit`.
    pub reason: String,
    pub setup: Setup,
    pub packs: Vec<PackStamp>,
    pub state: Checkpoint,
}

/// A tabletop at the start of its open step, with the step's tape.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    pub tabletop: Saved,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tape: Vec<TapeEntry>,
}

/// One line of a recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Line {
    Segment(Box<Segment>),
    /// `hash` is the state's hash after the answer, at the next decision or the end.
    Answer {
        seat: String,
        decision: String,
        answer: Vec<String>,
        hash: String,
    },
    Undo {
        count: usize,
        /// Whether it went back over dice or seen cards, which needs `--free-undo`.
        #[serde(default)]
        free: bool,
        hash: String,
    },
    Concede {
        seat: String,
        hash: String,
    },
    /// A way to go on where content has changed since.
    State(Box<Checkpoint>),
    End {
        result: String,
        hash: String,
    },
}

/// Why a recording can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error("{}: {}", path.display(), with_file(error))]
    File { path: PathBuf, error: io::Error },
    #[error("{}:{line}{}: this is no line of a recording: {}; {}", path.display(), column(damage), damage.message, damage::remedy(*line))]
    Line {
        path: PathBuf,
        line: usize,
        damage: Damage,
    },
    #[error("{}: the recording is empty", path.display())]
    Empty { path: PathBuf },
    #[error("{}: this is no file, so it holds no recording", path.display())]
    NoFile { path: PathBuf },
    #[error("{}: this is a folder; name a file in it, such as {}", path.display(), path.join("game.ludex").display())]
    Folder { path: PathBuf },
    #[error("{}: the session's file was deleted or changed by something else while it was played; what was answered last is not saved", path.display())]
    Lost { path: PathBuf },
    #[error("{}:{line}: it has format {found}; this version of Ludex reads up to {FORMAT}", path.display())]
    Later { path: PathBuf, line: usize, found: u32 },
    #[error("{}: this recording can't be written, so that a session can't go on in it; copy it, or change its permissions", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{0}: there is something already; go on with it by --resume {0}, or name another file", path.display())]
    Taken { path: PathBuf },
    #[error("{}: this is a pipe or a device, which keeps no session; name a file", path.display())]
    Special { path: PathBuf },
    #[error("{}: another Ludex has this session open", path.display())]
    Locked { path: PathBuf },
}

fn column(damage: &Damage) -> String {
    damage.column.map_or(String::new(), |column| format!(":{column}"))
}

/// What the system says, and where recordings are if there is none.
fn with_file(error: &io::Error) -> String {
    let told = trouble::with_file(error);
    match data_folder() {
        Some(data) if error.kind() == io::ErrorKind::NotFound => format!(
            "{told}; games that were played are kept in {}",
            data.join("sessions").display()
        ),
        _ => told,
    }
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Recording {
    pub path: PathBuf,
    pub lines: Vec<Line>,
    /// Their numbers in the file, from 1.
    numbers: Vec<usize>,
    /// Bytes of lines with their end; what follows was torn by a crash, or is `unended`.
    pub whole: u64,
    /// Whether the last of `lines` lacks its end: it is true only if its hash is.
    pub unended: bool,
}

impl Recording {
    /// Reads a recording. A last line that isn't whole was being written when the machine stopped: its
    /// answer was never acknowledged, and it is left out. One that lacks only its end counts.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let wrap = |error| RecordingError::File {
            path: path.into(),
            error,
        };
        // Asked first: a pipe or a device would block or never end.
        if !std::fs::metadata(path).map_err(wrap)?.is_file() {
            return Err(RecordingError::NoFile { path: path.into() });
        }
        let bytes = std::fs::read(path).map_err(wrap)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let unended = serde_json::from_slice::<Line>(&bytes[whole..]).is_ok();
        let read = if unended { bytes.len() } else { whole };
        let wrong = |line, damage| RecordingError::Line {
            path: path.into(),
            line,
            damage,
        };
        let (mut lines, mut numbers) = (Vec::new(), Vec::new());
        for (index, line) in bytes[..read].split(|b| *b == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let parsed: Line =
                serde_json::from_slice(line).map_err(|_| wrong(index + 1, damage::of_line(line)))?;
            if let Line::Segment(segment) = &parsed
                && segment.format > FORMAT
            {
                return Err(RecordingError::Later {
                    path: path.into(),
                    line: index + 1,
                    found: segment.format,
                });
            }
            if let Line::Segment(segment) = &parsed
                && segment.setup.seed != segment.state.tabletop.seed
            {
                let seeds = format!(
                    "the setup has seed {}, the tabletop seed {}",
                    segment.setup.seed, segment.state.tabletop.seed
                );
                return Err(wrong(index + 1, Damage::whole(seeds)));
            }
            if lines.is_empty() && !matches!(parsed, Line::Segment(_)) {
                return Err(wrong(
                    index + 1,
                    Damage::whole("a recording begins with a segment"),
                ));
            }
            lines.push(parsed);
            numbers.push(index + 1);
        }
        if lines.is_empty() && !bytes.trim_ascii().is_empty() {
            let what = "the only line is not whole, or this is no recording";
            return Err(wrong(1, Damage::whole(what)));
        }
        if lines.is_empty() {
            return Err(RecordingError::Empty { path: path.into() });
        }
        Ok(Self {
            path: path.into(),
            lines,
            numbers,
            whole: whole as u64,
            unended,
        })
    }

    /// The segments, each with the lines that follow it.
    pub fn segments(&self) -> Vec<(&Segment, &[Line])> {
        let mut segments = Vec::new();
        let mut rest = &self.lines[..];
        while let Some((Line::Segment(segment), after)) = rest.split_first() {
            let end = after
                .iter()
                .position(|l| matches!(l, Line::Segment(_)))
                .unwrap_or(after.len());
            segments.push((&**segment, &after[..end]));
            rest = &after[end..];
        }
        segments
    }

    /// The number in the file of one of `lines`.
    pub fn number(&self, line: usize) -> usize {
        self.numbers.get(line).copied().unwrap_or_default()
    }

    /// How many answers stand at the end, undone ones not counted.
    pub fn answers(&self) -> usize {
        self.lines.iter().fold(0, |count: usize, line| match line {
            Line::Answer { .. } => count + 1,
            Line::Undo { count: undone, .. } => count.saturating_sub(*undone),
            _ => count,
        })
    }
}

/// The hash of a session's state in hex; empty where a limit ended the step, which elsewhere may go well.
pub fn hash_text(session: &Session) -> String {
    if let Status::Failed(error) = session.status()
        && error.kill.is_some()
    {
        return String::new();
    }
    format!("{:016x}", session.tabletop().hash())
}

/// The tabletop at the start of the open step, and the tape.
pub fn checkpoint(session: &Session) -> Checkpoint {
    Checkpoint {
        tabletop: session.at_step_start().save(),
        tape: session.tape().to_vec(),
    }
}

/// What a session's packs are.
pub fn stamps(session: &Session) -> Vec<PackStamp> {
    stamps_of(session.catalogue())
}

/// The active packs and the libraries that they use.
pub fn stamps_of(catalogue: &Catalogue) -> Vec<PackStamp> {
    let used = |id: &str| id == "std" || catalogue.packs.iter().any(|p| p.depends.iter().any(|d| d == id));
    let libraries = catalogue.libraries.iter().filter(|l| used(&l.id));
    libraries
        .chain(&catalogue.packs)
        .map(|p| PackStamp {
            id: p.id.clone(),
            version: p.version.clone(),
            hash: p.hash.clone(),
        })
        .collect()
}
