//! The state of one load: every text, every problem, every pack's files.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::files::{FileId, Files, Place, SourceFile};
use super::folder::Folder;
use super::node::Node;
use super::toml_file;

/// An active pack with its files' texts, by relative path.
#[derive(Debug)]
pub struct Loaded {
    pub id: String,
    pub folder: Folder,
    pub texts: BTreeMap<String, Arc<str>>,
    /// Packs that it needs, direct and indirect.
    pub needs: BTreeSet<String>,
}

impl Loaded {
    /// Whether this pack may build on what `other` defines.
    pub fn knows(&self, other: &str) -> bool {
        self.id == other || self.needs.contains(other)
    }

    /// A file as messages show it.
    pub fn show(&self, path: &str) -> String {
        self.folder.show(path)
    }
}

/// What one load has read and found wrong so far.
#[derive(Debug, Default)]
pub struct Reading {
    pub files: Files,
    pub problems: Vec<Diagnostic>,
}

impl Reading {
    /// Adds a pack's file, which must be among its texts.
    pub fn file(&mut self, pack: &Loaded, path: &str) -> FileId {
        let text = pack.texts.get(path).cloned().unwrap_or_default();
        self.files.add(SourceFile::new(pack.show(path), &*pack.id, text))
    }

    /// Parses a pack's TOML file.
    pub fn toml(&mut self, pack: &Loaded, path: &str) -> Option<Node> {
        let file = self.file(pack, path);
        toml_file::parse(&self.files, file, &mut self.problems)
    }

    /// Whether a problem was found at the start of a place already.
    pub fn told_at(&self, place: Place) -> bool {
        let Some(file) = self.files.get(place.file) else {
            return false;
        };
        let at = file.position(place.start as usize);
        self.problems
            .iter()
            .any(|told| told.file == file.name && (told.line, told.column) == (at.line, at.column))
    }

    pub fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }
}
