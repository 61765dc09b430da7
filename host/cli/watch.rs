//! Watching folders: tells which files have really changed, once they have come to rest.
//!
//! Notifications only wake it up; what counts is what the folders hold. So it survives saves by rename,
//! bursts, a folder that goes and comes back, and links, and it says nothing of writes that change nothing.
use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use xxhash_rust::xxh3::Xxh3;

use crate::pack::folder::is_ignored;

/// Quiet time after which a burst is over.
const REST: Duration = Duration::from_millis(40);
/// The longest that a burst can put a reload off.
const PATIENCE: Duration = Duration::from_millis(1_000);
/// How often it looks where no notification comes: network folders, links to elsewhere.
const LOOK: Duration = Duration::from_millis(1_000);
/// How far the times of files may lie behind the clock.
const LAG: Duration = Duration::from_millis(20);
const DEPTH: usize = 16;

/// Watches until it is dropped.
pub struct Watch {
    control: Sender<Signal>,
}

enum Signal {
    Stir,
    Folders(Vec<PathBuf>),
    Stop,
}

impl Watch {
    /// Watches folders; `changed` is called with the files (as paths) that differ from when it last was,
    /// on a thread of the watch. It is called at once with what was touched after `since`, when the folders
    /// began to be read.
    pub fn new(
        folders: Vec<PathBuf>,
        since: SystemTime,
        changed: impl FnMut(Vec<PathBuf>) -> bool + Send + 'static,
    ) -> Self {
        let (control, signals) = channel();
        let stir = control.clone();
        thread::spawn(move || run(folders, since, &signals, stir, changed));
        Self { control }
    }

    /// Watches other folders from now on.
    pub fn folders(&self, folders: Vec<PathBuf>) {
        // A watch that has ended needs no folders.
        _ = self.control.send(Signal::Folders(folders));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        _ = self.control.send(Signal::Stop);
    }
}

/// A file as last seen: when it was touched, and what it holds.
#[derive(Clone, PartialEq)]
struct Seen {
    touched: Option<Touched>,
    /// Whether it holds this as long as it isn't touched again. Not so if it was written while it was read, or
    /// shortly before: two writes within one tick of the clock look alike.
    is_settled: bool,
    hash: u64,
}

/// When a file was written, and how long it is.
type Touched = (SystemTime, u64);

type Shot = BTreeMap<PathBuf, Seen>;

fn run(
    mut folders: Vec<PathBuf>,
    since: SystemTime,
    signals: &Receiver<Signal>,
    stir: Sender<Signal>,
    mut changed: impl FnMut(Vec<PathBuf>) -> bool,
) {
    let mut known = look(&folders, &Shot::new());
    let mut notifier = notifier(&stir);
    let mut watched = Vec::new();
    watch_all(notifier.as_mut(), &folders, &mut watched);
    let since = since.checked_sub(LAG).unwrap_or(since);
    let mut fresh = touched(&known, &Shot::new(), since);
    fresh.extend(
        folders
            .iter()
            .filter(|folder| is_emptied(folder, DEPTH, since))
            .cloned(),
    );
    if !fresh.is_empty() && !changed(fresh) {
        return;
    }
    loop {
        let mut first = match signals.recv_timeout(LOOK) {
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Signal::Folders(next)) => {
                folders = next;
                let before = std::mem::take(&mut known);
                known = look(&folders, &before);
                // Whoever named the folders has read them shortly before.
                let lately = SystemTime::now() - PATIENCE;
                let fresh = touched(&known, &before, lately);
                for (path, seen) in &mut known {
                    if let Some(old) = before.get(path) {
                        seen.clone_from(old);
                    }
                }
                // One that is gone is told when it is looked for next.
                let gone = before
                    .into_iter()
                    .filter(|(path, _)| folders.iter().any(|f| path.starts_with(f)));
                for (path, seen) in gone {
                    known.entry(path).or_insert(seen);
                }
                watch_all(notifier.as_mut(), &folders, &mut watched);
                if !fresh.is_empty() && !changed(fresh) {
                    return;
                }
                None
            }
            Ok(Signal::Stir) => Some(Instant::now()),
            Err(RecvTimeoutError::Timeout) => None,
        };
        // Until the burst is over.
        while let Some(since) = first {
            match signals.recv_timeout(REST) {
                Ok(Signal::Stop) => return,
                Ok(Signal::Folders(next)) => {
                    folders = next;
                    watch_all(notifier.as_mut(), &folders, &mut watched);
                }
                Ok(Signal::Stir) if since.elapsed() < PATIENCE => {}
                _ => first = None,
            }
        }
        let now = look(&folders, &known);
        let differing = differences(&known, &now);
        known = now;
        if !differing.is_empty() {
            // A folder that came back has lost its notifications.
            watched.clear();
            notifier = self::notifier(&stir);
            watch_all(notifier.as_mut(), &folders, &mut watched);
            if !changed(differing) {
                return;
            }
        }
    }
}

fn notifier(stir: &Sender<Signal>) -> Option<RecommendedWatcher> {
    let stir = stir.clone();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is an event too.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            _ = stir.send(Signal::Stir);
        }
    });
    watcher.ok()
}

/// Watches each folder as it is, where links lead to, and the folder around it.
fn watch_all(notifier: Option<&mut RecommendedWatcher>, folders: &[PathBuf], watched: &mut Vec<PathBuf>) {
    let Some(notifier) = notifier else { return };
    for folder in folders {
        let real = folder.canonicalize().ok();
        for path in [Some(folder.clone()), real].into_iter().flatten() {
            if !watched.contains(&path) && notifier.watch(&path, RecursiveMode::Recursive).is_ok() {
                watched.push(path);
            }
        }
        if let Some(around) = folder.parent().filter(|around| !around.as_os_str().is_empty()) {
            let around = around.to_path_buf();
            if !watched.contains(&around) && notifier.watch(&around, RecursiveMode::NonRecursive).is_ok() {
                watched.push(around);
            }
        }
    }
}

/// What the folders hold now. Files that weren't touched since `known` aren't read again.
fn look(folders: &[PathBuf], known: &Shot) -> Shot {
    let mut shot = Shot::new();
    for folder in folders {
        walk(folder, DEPTH, known, &mut shot);
    }
    shot
}

fn walk(folder: &Path, depth: usize, known: &Shot, shot: &mut Shot) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !is_ignored(name)) else {
            continue;
        };
        let path = entry.path();
        let Ok(meta) = fs::metadata(&path) else { continue };
        if meta.is_dir() {
            if depth > 0 {
                walk(&path, depth - 1, known, shot);
            }
        } else if [".toml", ".luau", ".json"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            let touched = touched_at(&meta);
            let seen = match known.get(&path) {
                Some(seen) if seen.is_settled && seen.touched == touched => seen.clone(),
                _ => {
                    let hash = hash(&path);
                    let after = fs::metadata(&path).ok().and_then(|meta| touched_at(&meta));
                    Seen {
                        touched: after,
                        is_settled: after == touched && touched.is_some_and(is_old),
                        hash,
                    }
                }
            };
            shot.insert(path, seen);
        }
    }
}

fn touched_at(meta: &fs::Metadata) -> Option<Touched> {
    Some((meta.modified().ok()?, meta.len()))
}

fn is_old((at, _): Touched) -> bool {
    at.elapsed().is_ok_and(|age| age > Duration::from_secs(2))
}

fn hash(path: &Path) -> u64 {
    let mut hash = Xxh3::new();
    hash.write(&fs::read(path).unwrap_or_default());
    hash.finish()
}

/// Files not known before that were touched after a time.
fn touched(now: &Shot, before: &Shot, since: SystemTime) -> Vec<PathBuf> {
    let is_late = |seen: &Seen| seen.touched.is_none_or(|(at, _)| at >= since);
    now.iter()
        .filter(|(path, seen)| !before.contains_key(*path) && is_late(seen))
        .map(|(path, _)| path.clone())
        .collect()
}

/// Whether something may be gone since: a folder is, or one has lost or got entries.
fn is_emptied(folder: &Path, depth: usize, since: SystemTime) -> bool {
    let touched = fs::metadata(folder).and_then(|meta| meta.modified());
    if touched.map_or(true, |at| at >= since) {
        return true;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders = entries.filter(|entry| {
        let named = entry.file_name();
        named.to_str().is_some_and(|name| !is_ignored(name)) && entry.path().is_dir()
    });
    depth > 0 && folders.any(|entry| is_emptied(&entry.path(), depth - 1, since))
}

/// Files that are new, gone or other than they were.
fn differences(known: &Shot, now: &Shot) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = known
        .iter()
        .filter(|(path, seen)| now.get(*path).is_none_or(|other| other.hash != seen.hash))
        .map(|(path, _)| path.clone())
        .chain(now.keys().filter(|path| !known.contains_key(*path)).cloned())
        .collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
        told: Receiver<Vec<PathBuf>>,
        _watch: Watch,
    }

    fn scene() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("pack/rules");
        fs::create_dir_all(&pack).unwrap();
        let (sender, told) = channel();
        let begun = SystemTime::now();
        fs::write(pack.join("a.luau"), "1").unwrap();
        let watch = Watch::new(vec![folder.path().join("pack")], begun, move |files| {
            sender.send(files).is_ok()
        });
        // What was written while it was read is told once.
        told.recv_timeout(Duration::from_secs(5)).unwrap();
        thread::sleep(Duration::from_millis(150));
        Scene {
            folder,
            told,
            _watch: watch,
        }
    }

    impl Scene {
        fn file(&self, name: &str) -> PathBuf {
            self.folder.path().join("pack/rules").join(name)
        }

        fn names(&self) -> Vec<String> {
            let files = self.told.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
            files
                .iter()
                .map(|f| f.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        }

        fn quiet(&self) -> bool {
            self.told.recv_timeout(Duration::from_millis(1_500)).is_err()
        }
    }

    #[test]
    fn a_save_is_told_once_also_by_rename_and_after_it() {
        let scene = scene();
        for text in ["2", "3", "4"] {
            let beside = scene.file(".a.luau.swp");
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, scene.file("a.luau")).unwrap();
            assert_eq!(scene.names(), ["a.luau"]);
        }
        fs::write(scene.file("a.luau"), "4").unwrap();
        fs::write(scene.file("notes.txt"), "x").unwrap();
        assert!(scene.quiet(), "a write that changes nothing was told");
    }

    #[test]
    fn a_burst_is_told_a_few_times_at_most() {
        let scene = scene();
        for number in 0..1_000 {
            fs::write(scene.file("a.luau"), format!("number {number}")).unwrap();
        }
        // A busy machine may make pauses in it.
        let mut times = 0;
        while !scene.quiet() {
            times += 1;
        }
        assert!((1..20).contains(&times), "one burst was told {times} times");
    }

    #[test]
    fn a_folder_may_go_and_come_back() {
        let scene = scene();
        let pack = scene.folder.path().join("pack");
        let away = scene.folder.path().join("away");
        fs::rename(&pack, &away).unwrap();
        assert_eq!(scene.names(), ["a.luau"]);
        fs::rename(&away, &pack).unwrap();
        assert_eq!(scene.names(), ["a.luau"]);
        fs::write(scene.file("a.luau"), "5").unwrap();
        assert_eq!(scene.names(), ["a.luau"]);
    }

    /// A machine may sleep at any moment: only what was read long after it was written is known for good.
    #[test]
    fn what_was_read_while_it_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.luau");
        fs::write(&file, "1").unwrap();
        let folders = [folder.path().to_path_buf()];
        let first = look(&folders, &Shot::new());
        assert!(!first[&file].is_settled, "it was written just now");
        let past = SystemTime::now() - Duration::from_secs(60);
        let age = || {
            fs::File::options()
                .write(true)
                .open(&file)
                .unwrap()
                .set_modified(past)
                .unwrap()
        };
        age();
        let old = look(&folders, &first);
        assert!(old[&file].is_settled);
        // As long and with the same time: it isn't read again.
        fs::write(&file, "2").unwrap();
        age();
        assert!(look(&folders, &old) == old);
        assert!(look(&folders, &first)[&file].hash != old[&file].hash);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed() {
        let scene = scene();
        let real = scene.folder.path().join("real.luau");
        fs::write(&real, "1").unwrap();
        std::os::unix::fs::symlink(&real, scene.file("link.luau")).unwrap();
        assert_eq!(scene.names(), ["link.luau"]);
        fs::write(&real, "2").unwrap();
        assert_eq!(scene.names(), ["link.luau"]);
    }
}
