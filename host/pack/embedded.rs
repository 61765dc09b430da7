//! The files that a release binary carries: `content/`, `scripts/` and `schema/`, put in by `build.rs`.

/// Paths and texts, sorted by path.
#[derive(Clone, Copy, Debug)]
pub struct Table(pub &'static [(&'static str, &'static str)]);

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

impl Table {
    /// What this binary carries; empty in a debug build.
    pub const fn own() -> Self {
        Self(EMBEDDED)
    }

    pub fn get(self, path: &str) -> Option<&'static str> {
        let at = self.0.binary_search_by(|(name, _)| (*name).cmp(path)).ok()?;
        Some(self.0[at].1)
    }

    /// The files under a folder, by path relative to it.
    pub fn under(self, folder: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
        let prefix = format!("{folder}/");
        self.0
            .iter()
            .filter_map(move |(path, text)| Some((path.strip_prefix(prefix.as_str())?, *text)))
    }

    /// The names of the folders in a folder, sorted.
    pub fn folders(self, folder: &str) -> Vec<&'static str> {
        let mut names: Vec<_> = self
            .under(folder)
            .filter_map(|(path, _)| Some(path.split_once('/')?.0))
            .collect();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_found_by_path() {
        let table = Table(&[
            ("content/a/pack.toml", "1"),
            ("content/a/x/y.toml", "2"),
            ("content/b/pack.toml", "3"),
        ]);
        assert_eq!(table.folders("content"), ["a", "b"]);
        assert_eq!(
            table.under("content/a").collect::<Vec<_>>(),
            [("pack.toml", "1"), ("x/y.toml", "2")]
        );
        assert_eq!(table.get("content/b/pack.toml"), Some("3"));
        assert!(table.get("content").is_none());
    }

    #[test]
    fn what_the_binary_carries_is_sorted() {
        assert!(Table::own().0.is_sorted_by(|a, b| a.0 < b.0));
    }
}
