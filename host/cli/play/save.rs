//! Where sessions are kept: one file each, under the user's data directory unless `--save` names one.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cli::common::Problem;
use crate::pack::data_folder;
use crate::session::recording::{Line, Recording, RecordingError};

const ENDING: &str = "ludex";

/// A new file's name for a game, not yet made. `None` without a data directory.
pub fn fresh(game: &str, seed: u64) -> Option<PathBuf> {
    let folder = data_folder()?.join("sessions").join(game);
    let name = |number: u32| match number {
        1 => folder.join(format!("{seed}.{ENDING}")),
        n => folder.join(format!("{seed}-{n}.{ENDING}")),
    };
    (1..).map(name).find(|path| !path.exists())
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
    let copy = fresh(&setup.game, setup.seed).ok_or_else(|| Problem::wrong_use(read_only()))?;
    let written = fs::read(path).and_then(|text| {
        fs::create_dir_all(copy.parent().unwrap_or(&copy))?;
        // Not the permissions: they are what keeps the first from being written.
        fs::write(&copy, text)
    });
    match written {
        Ok(()) => Ok(copy),
        Err(error) => Err(Problem::wrong_use(format!(
            "{}\n{}: it can't be copied there: {error}",
            read_only(),
            copy.display()
        ))),
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
