//! Where packs come from: `content/`, folders named one by one, the user's data directory, the binary.
use std::env;
use std::path::{Path, PathBuf};

use super::diagnostic::Diagnostic;
use super::embedded::Table;
use super::folder::Folder;
use super::walk::entries;

/// Where to look for packs and libraries. Only paths: what they hold is read anew by each load.
#[derive(Clone, Debug)]
pub struct Sources {
    root: Root,
    packs: Vec<PathBuf>,
    data: Option<PathBuf>,
}

#[derive(Clone, Debug)]
enum Root {
    Disk(PathBuf),
    Embedded(Table),
}

/// Which of the sources a pack came from. Of two packs with one id the earlier kind wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Named by `--pack DIR`.
    Named,
    Content,
    Data,
}

impl Sources {
    /// Packs under `root/content`, libraries under `root/scripts`.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self {
            root: Root::Disk(root.into()),
            packs: Vec::new(),
            data: None,
        }
    }

    /// The files of a table, by default those that the binary carries.
    pub const fn embedded(table: Table) -> Self {
        Self {
            root: Root::Embedded(table),
            packs: Vec::new(),
            data: None,
        }
    }

    /// As the commands look: `root` if given, else the current folder or the nearest one above that
    /// has `content/` and `scripts/std/`, else the files in the binary; and the user's packs.
    pub fn find(root: Option<&Path>, packs: &[PathBuf]) -> Result<Self, Box<Diagnostic>> {
        let base = match root {
            Some(root) if root.is_dir() => Self::at(root),
            Some(root) => {
                let shown = root.display().to_string();
                let problem = Diagnostic::of_file("no-folder", "", &shown, "there is no such folder");
                return Err(problem
                    .help("--root names a folder that has `content/` and `scripts/`")
                    .into());
            }
            None => match checkout(&env::current_dir().unwrap_or_default()) {
                Some(root) => Self::at(root),
                None if Table::own().0.is_empty() => {
                    let message = "this build of Ludex carries no games and no library (a debug build doesn't), and no checkout of Ludex is here or above";
                    let problem = Diagnostic::of_file("no-library", "", "", message);
                    return Err(problem
                        .help("name a checkout by --root DIR, or use a release build")
                        .into());
                }
                None => Self::embedded(Table::own()),
            },
        };
        let base = packs.iter().fold(base, |sources, pack| sources.with_pack(pack));
        Ok(match data_folder() {
            Some(data) => base.with_data(data),
            None => base,
        })
    }

    /// Adds the folder of one pack, unless it is there already.
    pub fn with_pack(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        if self.packs.iter().all(|known| real(known) != real(&folder)) {
            self.packs.push(folder);
        }
        self
    }

    /// The folders of packs that were named one by one.
    pub fn named(&self) -> &[PathBuf] {
        &self.packs
    }

    /// Adds the packs under `folder/packs`.
    pub fn with_data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// The folder that `content/` and `scripts/` are read from, unless they are in the binary.
    pub fn root(&self) -> Option<&Path> {
        match &self.root {
            Root::Disk(root) => Some(root),
            Root::Embedded(_) => None,
        }
    }

    /// Every folder that may hold a pack, in order of origin, then as given or by name.
    pub fn packs(&self) -> Vec<(Origin, Folder)> {
        let named = self.packs.iter().map(|path| {
            let shown = show(path);
            let shown = shown.strip_prefix("./").unwrap_or(&shown);
            (
                Origin::Named,
                Folder::disk(path.clone(), if shown == "." { "" } else { shown }),
            )
        });
        let content = self
            .under("content")
            .into_iter()
            .map(|folder| (Origin::Content, folder));
        let data = self.data.iter().flat_map(|data| {
            let path = data.join("packs");
            folders(&path, &show(&path))
        });
        named
            .chain(content)
            .chain(data.map(|folder| (Origin::Data, folder)))
            .collect()
    }

    /// The folders of `scripts/`, by name: their names are no packs'.
    pub fn libraries(&self) -> Vec<Folder> {
        self.under("scripts")
    }

    fn under(&self, name: &str) -> Vec<Folder> {
        match &self.root {
            Root::Disk(root) => folders(&root.join(name), name),
            Root::Embedded(table) => {
                let names = table.folders(name).into_iter();
                names
                    .map(|id| Folder::embedded(*table, format!("{name}/{id}")))
                    .collect()
            }
        }
    }
}

/// The id of the pack in a folder, if there is a readable one.
pub fn pack_id(folder: &Path) -> Option<String> {
    let text = Folder::disk(folder.to_owned(), "")
        .read_one("", "pack.toml")
        .ok()?;
    let table: toml::Table = toml::from_str(&text).ok()?;
    table.get("id")?.as_str().map(str::to_owned)
}

/// The folders in a folder, by name.
fn folders(path: &Path, shown: &str) -> Vec<Folder> {
    let names = entries(path).unwrap_or_default().into_iter();
    let names = names.filter(|(name, kind)| kind.is_dir() || (kind.is_symlink() && path.join(name).is_dir()));
    names
        .map(|(name, _)| Folder::disk(path.join(&name), format!("{shown}/{name}")))
        .collect()
}

fn show(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// The checkout that a folder lies in.
fn checkout(from: &Path) -> Option<PathBuf> {
    let is_root = |folder: &&Path| folder.join("content").is_dir() && folder.join("scripts/std").is_dir();
    from.ancestors().find(is_root).map(Path::to_path_buf)
}

/// The user's data directory: `$LUDEX_DATA`, or `ludex` in the platform's place for such data.
pub fn data_folder() -> Option<PathBuf> {
    let folder = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    folder("LUDEX_DATA")
        .or_else(|| folder("XDG_DATA_HOME").map(|data| data.join("ludex")))
        .or_else(|| folder("APPDATA").map(|data| data.join("ludex")))
        .or_else(|| folder("HOME").map(|home| home.join(".local/share/ludex")))
}
