//! Where sessions are kept: one file each, under the user's data directory unless `--save` names one.
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cli::common::Problem;
use crate::pack::data_folder;
use crate::session::recording::{Line, Recording, RecordingError};

const ENDING: &str = "ludex";

/// A new file's name for a game, not yet made. `None` without a data directory. It is a number that tells
/// nothing of the seed, which foretells all dice.
pub fn fresh(game: &str) -> Option<PathBuf> {
    let folder = data_folder()?.join("sessions").join(game);
    let number = |path: PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
    let taken = fs::read_dir(&folder).into_iter().flatten().flatten();
    let last = taken.filter_map(|entry| number(entry.path())).max().unwrap_or(0);
    let name = |number| folder.join(format!("{number}.{ENDING}"));
    (last.saturating_add(1)..).map(name).find(|path| !path.exists())
}

/// How many sessions of a game that are over are kept.
const FINISHED: usize = 50;
/// For how long a session that isn't over is kept.
const UNFINISHED: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Deletes a game's old sessions in the data directory. What is in use, or isn't known to be a session, stays.
pub fn prune(game: &str) {
    let Some(folder) = data_folder().map(|data| data.join("sessions").join(game)) else {
        return;
    };
    let now = SystemTime::now();
    let mut finished = Vec::new();
    for path in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
    {
        let file = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file);
        let changed = file.and_then(|file| file.modified().ok());
        let (Some(changed), true) = (changed, path.extension().is_some_and(|ending| ending == ENDING)) else {
            continue;
        };
        if is_over(&path) {
            finished.push((changed, path));
        } else if now.duration_since(changed).is_ok_and(|age| age > UNFINISHED)
            && Recording::read(&path).is_ok()
        {
            delete(&path);
        }
    }
    finished.sort();
    let old = finished.len().saturating_sub(FINISHED);
    finished[..old].iter().for_each(|(_, path)| delete(path));
}

/// Whether a recording's last line says that its game is over; the rest, which may be long, isn't read.
fn is_over(path: &Path) -> bool {
    const LONGEST: u64 = 4096;
    let read = || {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LONGEST)))?;
        let mut end = Vec::new();
        file.read_to_end(&mut end)?;
        io::Result::Ok(end)
    };
    let end = read().unwrap_or_default();
    let last = end.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    last.is_some_and(|line| matches!(serde_json::from_slice(line), Ok(Line::End { .. })))
}

/// Deletes a session that no process has open. One that can't be deleted is no matter of the game that begins.
fn delete(path: &Path) {
    let free = File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    if free {
        _ = fs::remove_file(path);
    }
}

/// A copy of a recording that can't be written, among the sessions of its game.
pub fn copy(path: &Path) -> Result<PathBuf, Problem> {
    let recording = Recording::read(path).map_err(Problem::failed)?;
    let setup = recording
        .segments()
        .last()
        .map(|(segment, _)| segment.setup.clone())
        .unwrap_or_default();
    let read_only = || RecordingError::ReadOnly { path: path.into() };
    loop {
        let copy = fresh(&setup.game).ok_or_else(|| Problem::wrong_use(read_only()))?;
        let written = fs::read(path).and_then(|text| {
            fs::create_dir_all(copy.parent().unwrap_or(&copy))?;
            // Not the permissions: they are what keeps the first from being written.
            File::create_new(&copy)?.write_all(&text)
        });
        match written {
            Ok(()) => return Ok(copy),
            // A game that begins at this moment has taken the number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Problem::wrong_use(format!(
                    "{}\n{}: it can't be copied there: {error}",
                    read_only(),
                    copy.display()
                )));
            }
        }
    }
}

/// The latest session that isn't over, of a game or of any.
pub fn unfinished(game: Option<&str>) -> Option<PathBuf> {
    let sessions = data_folder()?.join("sessions");
    let folders = match game {
        Some(game) => vec![sessions.join(game)],
        None => fs::read_dir(sessions)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .collect(),
    };
    let mut files: Vec<(SystemTime, PathBuf)> = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    files.sort();
    files
        .into_iter()
        .rev()
        .map(|(_, path)| path)
        .find(|path| is_open(path))
}

/// Whether the file holds a session that can go on.
fn is_open(path: &Path) -> bool {
    Recording::read(path).is_ok_and(|recording| !matches!(recording.lines.last(), Some(Line::End { .. })))
}
