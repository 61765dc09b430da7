//! Walking a pack's folder on disk and reading its files, with limits.
use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;
/// The most files in one pack, and the deepest folder.
const COUNT_LIMIT: usize = 10_000;
const DEPTH_LIMIT: usize = 16;

/// A code and a message.
pub type Fault = (&'static str, String);

/// Why a link isn't followed: a pack that nobody read could show any file of its user's.
pub const LEAVES: (&str, &str) = (
    "link-leaves-pack",
    "the link leads out of the pack's folder, and nothing is read there",
);

/// The files of a folder and of those below it.
pub struct Walk {
    /// The pack's folder by its real path, which no link may leave.
    root: Option<PathBuf>,
    /// The folders that the walk is in, outermost first.
    trail: Vec<PathBuf>,
    /// Relative paths, and whether the file is plain rather than a link or a device.
    files: Vec<(String, bool)>,
    /// What is wrong, by relative path.
    pub faults: Vec<(String, Fault)>,
}

impl Walk {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.canonicalize().ok(),
            trail: vec![root.to_path_buf()],
            files: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// The files that were found, in path order.
    pub fn into_files(mut self) -> Vec<(String, bool)> {
        self.files.sort();
        self.files
    }

    /// Walks a folder; `relative` is empty or ends in a slash.
    pub fn folder(&mut self, folder: &Path, relative: &str) {
        let names = match entries(folder) {
            Ok(names) => names,
            Err(error) => {
                let name = relative.strip_suffix('/').unwrap_or(relative);
                return self.fault(
                    name,
                    "unreadable-file",
                    format!("the folder can't be read: {error}"),
                );
            }
        };
        for (name, kind) in names {
            let (path, file) = (folder.join(&name), format!("{relative}{name}"));
            // Only a link must be followed to know what it is; that saves a question for each file.
            let is_folder = if kind.is_symlink() {
                if self.leaves(&path) {
                    self.fault(&file, LEAVES.0, LEAVES.1.into());
                    continue;
                }
                match fs::metadata(&path) {
                    Ok(meta) => meta.is_dir(),
                    Err(_) if is_content(&name) => {
                        self.fault(&file, "unreadable-file", "the link leads nowhere".into());
                        continue;
                    }
                    Err(_) => continue,
                }
            } else {
                kind.is_dir()
            };
            if is_folder {
                self.below(&path, &name, &file, kind.is_symlink());
            } else if is_content(&name) {
                if self.files.len() >= COUNT_LIMIT {
                    let message = format!("the pack has more than {COUNT_LIMIT} files");
                    return self.fault("", "too-many-files", message);
                }
                self.files.push((file, kind.is_file()));
            }
        }
    }

    fn below(&mut self, path: &Path, name: &str, file: &str, is_link: bool) {
        if is_content(name) {
            self.fault(
                file,
                "not-a-file",
                "this is a folder, where a file should be".into(),
            );
        } else if is_link && self.is_loop(path) {
            self.fault(
                file,
                "symlink-loop",
                "the link leads back to a folder that it lies in".into(),
            );
        } else if self.trail.len() > DEPTH_LIMIT {
            self.fault(
                file,
                "too-deep",
                format!("folders are nested more than {DEPTH_LIMIT} deep"),
            );
        } else {
            self.trail.push(path.to_path_buf());
            self.folder(path, &format!("{file}/"));
            self.trail.pop();
        }
    }

    /// Whether a link leads out of the pack. One that leads nowhere is told elsewhere.
    fn leaves(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return false;
        };
        self.root.as_ref().is_none_or(|root| !real.starts_with(root))
    }

    fn is_loop(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return true;
        };
        self.trail
            .iter()
            .any(|above| above.canonicalize().is_ok_and(|above| above == real))
    }

    fn fault(&mut self, file: &str, code: &'static str, message: String) {
        self.faults.push((file.to_owned(), (code, message)));
    }
}

/// The scripts of a pack's folder, by path; those of packs inside it (its tests may hold some) are left out, and what
/// loading can't read either.
pub fn scripts(root: &Path) -> Vec<(String, String)> {
    let mut walk = Walk::new(root);
    walk.folder(root, "");
    let files = walk.into_files();
    let inner = files
        .iter()
        .filter_map(|(file, _)| file.strip_suffix("/pack.toml"));
    let inner: Vec<String> = inner.map(|folder| format!("{folder}/")).collect();
    let own = files
        .iter()
        .filter(|(file, _)| file.ends_with(".luau") && !inner.iter().any(|folder| file.starts_with(folder)));
    own.filter_map(|(file, plain)| {
        let bytes = read_bytes(&root.join(file), *plain).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        Some((
            file.clone(),
            text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
        ))
    })
    .collect()
}

/// Reads a file; `plain` says that it is known to be one.
pub fn read_bytes(path: &Path, plain: bool) -> Result<Vec<u8>, Fault> {
    let unreadable = |error: std::io::Error| ("unreadable-file", format!("the file can't be read: {error}"));
    if !plain {
        // Asked before opening: a pipe or device would block or never end.
        let meta = fs::metadata(path).map_err(unreadable)?;
        if meta.is_dir() {
            return Err(("not-a-file", "this is a folder, where a file should be".into()));
        }
        if !meta.is_file() {
            return Err(("not-a-file", "this isn't a plain file".into()));
        }
    }
    let mut bytes = Vec::with_capacity(4096);
    let file = fs::File::open(path).map_err(unreadable)?;
    file.take(FILE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err((
            "huge-file",
            format!("the file is too large: at most {FILE_LIMIT} bytes are read"),
        ));
    }
    Ok(bytes)
}

/// The names in a folder that may be a pack's, sorted, and what each is.
pub fn entries(folder: &Path) -> std::io::Result<Vec<(String, FileType)>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A name that isn't Unicode can be no id and no path of a module.
        if let Ok(name) = entry.file_name().into_string()
            && !is_ignored(&name)
        {
            names.push((name, entry.file_type()?));
        }
    }
    names.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(names)
}

/// Whether a name is that of a file that packs are made of.
pub fn is_content(path: &str) -> bool {
    [".toml", ".luau", ".json"].iter().any(|end| path.ends_with(end))
}

/// Whether a name is hidden or an editor's backup: never part of a pack, for watching too.
pub fn is_ignored(name: &str) -> bool {
    name.starts_with(['.', '#'])
        || name.ends_with('~')
        || [".swp", ".swo", ".tmp", ".bak", ".orig"]
            .iter()
            .any(|end| name.ends_with(end))
}
