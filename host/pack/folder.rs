//! Reading a pack's folder, from disk or from the binary.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::diagnostic::Diagnostic;
use super::embedded::Table;
use super::files::SourceFile;
pub use super::walk::is_ignored;
use super::walk::{Fault, LEAVES, Walk, entries, is_content, read_bytes};

/// Where a pack's files are.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The folder's own name.
    pub name: String,
    /// The folder in messages: `content/ember`, or empty for the current one.
    pub shown: String,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Disk(PathBuf),
    /// The files of a table under `shown`.
    Embedded(Table),
}

/// A folder's files by relative path, and what couldn't be read.
#[derive(Debug, Default)]
pub struct Content {
    pub files: BTreeMap<String, Arc<str>>,
    /// Hex SHA-256 over paths and contents.
    pub hash: String,
    pub problems: Vec<Diagnostic>,
}

/// Whether a file is a link out of its folder.
fn leaves(folder: &Path, file: &str) -> bool {
    let path = folder.join(file);
    if !fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
        return false;
    }
    match (folder.canonicalize(), path.canonicalize()) {
        (Ok(folder), Ok(real)) => !real.starts_with(folder),
        _ => false,
    }
}

impl Folder {
    pub fn disk(path: PathBuf, shown: impl Into<String>) -> Self {
        let last = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        // `.` and `..` have a name only once they are followed.
        let name = last(&path)
            .or_else(|| last(&path.canonicalize().ok()?))
            .unwrap_or_default();
        Self {
            name,
            shown: shown.into(),
            place: Place::Disk(path),
        }
    }

    /// The folder `shown`, such as `content/ember`, of a table.
    pub fn embedded(table: Table, shown: impl Into<String>) -> Self {
        let shown = shown.into();
        let name = shown.rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            name,
            shown,
            place: Place::Embedded(table),
        }
    }

    /// Where it is on disk, unless the binary carries it.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Disk(path) => Some(path),
            Place::Embedded(_) => None,
        }
    }

    /// A file as messages show it.
    pub fn show(&self, file: &str) -> String {
        let shown = self.shown.strip_suffix('/').unwrap_or(&self.shown);
        match (shown, file) {
            ("", "") if self.shown.is_empty() => ".".to_owned(),
            ("", _) => format!("{}{file}", self.shown),
            (_, "") => shown.to_owned(),
            _ => format!("{shown}/{file}"),
        }
    }

    /// Whether the folder itself is there.
    pub fn is_there(&self) -> bool {
        self.path().is_none_or(Path::is_dir)
    }

    /// Whether the file is there at all, readable or not.
    pub fn has(&self, file: &str) -> bool {
        match &self.place {
            Place::Disk(path) => fs::symlink_metadata(path.join(file)).is_ok(),
            Place::Embedded(table) => table.get(&self.show(file)).is_some(),
        }
    }

    /// What lies there in place of the file, its name in letters of another case.
    pub fn miscased(&self, file: &str) -> Option<String> {
        if self.has(file) {
            return None;
        }
        let names = self.names("").into_iter();
        let mut alike = names.filter(|name| name.eq_ignore_ascii_case(file));
        alike.next()
    }

    /// Reads one file.
    pub fn read_one(&self, pack: &str, file: &str) -> Result<Arc<str>, Box<Diagnostic>> {
        match &self.place {
            Place::Disk(path) => {
                if leaves(path, file) {
                    return Err(self.fault(pack, file, (LEAVES.0, LEAVES.1.into())).into());
                }
                let bytes = read_bytes(&path.join(file), false)
                    .map_err(|fault| Box::new(self.fault(pack, file, fault)))?;
                self.decode(pack, file, &bytes)
            }
            Place::Embedded(table) => {
                let text = table.get(&self.show(file));
                text.map(strip_mark).map(Arc::from).ok_or_else(|| {
                    self.fault(pack, file, ("unreadable-file", "the file isn't there".into()))
                        .into()
                })
            }
        }
    }

    /// The names of the files in a folder below, sorted.
    pub fn names(&self, below: &str) -> Vec<String> {
        match &self.place {
            Place::Disk(path) => {
                let names = entries(&path.join(below)).unwrap_or_default().into_iter();
                names.map(|(name, _)| name).collect()
            }
            Place::Embedded(table) => {
                let below = self.show(below);
                let names = table.under(&below).map(|(name, _)| name.to_owned());
                names.filter(|name| !name.contains('/')).collect()
            }
        }
    }

    /// Reads every `.toml`, `.luau` and `.json` file, in path order. Hidden files and editors'
    /// backups aren't part of a pack.
    pub fn read(&self, pack: &str) -> Content {
        let mut content = Content::default();
        let mut hash = Sha256::new();
        let mut feed = |path: &str, bytes: &[u8]| {
            for part in [path.as_bytes(), bytes] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        };
        match &self.place {
            Place::Embedded(table) => {
                for (path, text) in table.under(&self.shown) {
                    if is_content(path) {
                        feed(path, text.as_bytes());
                        content.files.insert(path.into(), strip_mark(text).into());
                    }
                }
            }
            Place::Disk(path) => {
                let mut walk = Walk::new(path);
                walk.folder(path, "");
                for (file, fault) in std::mem::take(&mut walk.faults) {
                    content.problems.push(self.fault(pack, &file, fault));
                }
                for (file, plain) in walk.into_files() {
                    match read_bytes(&path.join(&file), plain) {
                        Ok(bytes) => {
                            feed(&file, &bytes);
                            match self.decode(pack, &file, &bytes) {
                                Ok(text) => _ = content.files.insert(file, text),
                                Err(problem) => content.problems.push(*problem),
                            }
                        }
                        Err(fault) => content.problems.push(self.fault(pack, &file, fault)),
                    }
                }
            }
        }
        content.hash = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        content
    }

    fn decode(&self, pack: &str, file: &str, bytes: &[u8]) -> Result<Arc<str>, Box<Diagnostic>> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(strip_mark(text).into()),
            Err(error) => {
                let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let good = strip_mark(&good);
                let source = SourceFile::new(self.show(file), pack, good);
                let message = format!("the file isn't UTF-8: byte 0x{:02x}", bytes[error.valid_up_to()]);
                let problem = Diagnostic::in_text(&source, "not-utf8", good.len()..good.len(), message);
                Err(problem.help("save the file as UTF-8").into())
            }
        }
    }

    fn fault(&self, pack: &str, file: &str, (code, message): Fault) -> Diagnostic {
        Diagnostic::of_file(code, pack, &self.show(file), message)
    }
}

fn strip_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
