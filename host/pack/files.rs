//! The texts that were read, and where a byte lies in them.
use std::sync::{Arc, OnceLock};

/// Index of a file in [`Files`].
pub type FileId = u32;

/// A stretch of a file, in bytes of its text (a byte order mark isn't part of it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Place {
    pub fn new(file: FileId, span: std::ops::Range<usize>) -> Self {
        Self {
            file,
            start: span.start as u32,
            end: span.end as u32,
        }
    }
}

/// A file's name, pack and text.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// As messages show it: `content/ember/cards/gate.toml`.
    pub name: String,
    pub pack: String,
    pub text: Arc<str>,
    lines: OnceLock<Vec<u32>>,
}

/// A line and column, both from 1; columns count characters (Unicode scalar values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, pack: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            pack: pack.into(),
            text: text.into(),
            lines: OnceLock::new(),
        }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0)
                .chain(breaks.map(|(at, _)| at as u32 + 1))
                .collect()
        })
    }

    /// The position of a byte; past the end it is that of the end.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines().partition_point(|start| *start as usize <= offset);
        let start = self.lines()[line - 1] as usize;
        Position {
            line,
            column: self.text[start..offset].chars().count() + 1,
        }
    }

    /// The text of a line (from 1) without its end; empty for a line that isn't there.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = line.checked_sub(1).and_then(|index| self.lines().get(index)) else {
            return "";
        };
        let rest = &self.text[*start as usize..];
        let line = rest.split('\n').next().unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }
}

/// All texts of a load, by [`FileId`].
#[derive(Clone, Debug, Default)]
pub struct Files {
    list: Vec<SourceFile>,
}

impl Files {
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.list.push(file);
        (self.list.len() - 1) as FileId
    }

    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.list.get(file as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = &SourceFile> {
        self.list.iter()
    }

    pub fn name(&self, file: FileId) -> &str {
        self.get(file).map_or("", |file| &file.name)
    }

    pub fn text(&self, place: Place) -> &str {
        self.get(place.file)
            .and_then(|file| file.text.get(place.start as usize..place.end as usize))
            .unwrap_or_default()
    }

    /// Finds a file by the name that messages show.
    /// A file by its pack and its path there.
    pub fn of_pack(&self, pack: &str, path: &str) -> Option<&SourceFile> {
        let is_it = |name: &str| {
            name.strip_suffix(path)
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        self.list
            .iter()
            .find(|file| file.pack == pack && is_it(&file.name))
    }

    pub fn find(&self, name: &str) -> Option<&SourceFile> {
        self.list.iter().find(|file| file.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> (usize, usize) {
        let file = SourceFile::new("a.toml", "a", text);
        let position = file.position(text.find(needle).unwrap());
        (position.line, position.column)
    }

    #[test]
    fn columns_count_characters_in_lines_of_either_kind() {
        assert_eq!(at("a = 1\nb = 2\n", "b"), (2, 1));
        assert_eq!(at("a = 1\r\nbb = 2\r\n", "2"), (2, 6));
        assert_eq!(at("a = \"äöü🎲\" # x", "x"), (1, 14));
        assert_eq!(at("", ""), (1, 1));
    }

    #[test]
    fn a_line_is_given_without_its_end() {
        let file = SourceFile::new("a.toml", "a", "one\r\ntwo\nthree");
        assert_eq!(
            [
                file.line(0),
                file.line(1),
                file.line(2),
                file.line(3),
                file.line(4)
            ],
            ["", "one", "two", "three", ""]
        );
    }
}
