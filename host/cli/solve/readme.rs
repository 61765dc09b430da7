//! The part of a pack's README that `ludex solve --cards --write` keeps.
use std::fs;
use std::path::PathBuf;

use crate::cli::common::Problem;
use crate::pack::model::Catalogue;
use crate::pack::trouble;

/// The comment that opens the part, up to the definitions' hash, and the one that closes it.
pub const OPEN: &str = "<!-- ludex solve --cards, from ";
const CLOSE: &str = "<!-- ludex solve --cards: end -->";

/// A README with the two comments.
pub struct Readme {
    pub path: PathBuf,
    text: String,
}

/// The file of a name in the pack's folder.
pub fn find(catalogue: &Catalogue, game: &str, name: &str) -> Result<Readme, Problem> {
    let name = if name.ends_with(".md") {
        name.to_owned()
    } else {
        format!("{name}.md")
    };
    if name.contains(['/', '\\']) {
        return Err(Problem::wrong_use(format!(
            "--write {name}: name a file of the pack's own folder, such as README"
        )));
    }
    let pack = catalogue.packs.iter().find(|pack| pack.id == game);
    let Some(folder) = pack.and_then(|pack| pack.folder.as_ref()) else {
        return Err(Problem::wrong_use(format!(
            "--write {name}: `{game}` comes with the binary and lies in no folder; run this in a checkout, or name one by --root"
        )));
    };
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(|error| {
        Problem::wrong_use(format!(
            "--write: {}: {}",
            path.display(),
            trouble::with_file(&error)
        ))
    })?;
    let readme = Readme { path, text };
    readme.place()?;
    Ok(readme)
}

impl Readme {
    /// Where the part begins, with its comment, and where the closing comment begins.
    fn place(&self) -> Result<(usize, usize), Problem> {
        let place = self.text.find(OPEN).and_then(|open| {
            let close = self.text[open..].find(CLOSE)?;
            Some((open, open + close))
        });
        place.ok_or_else(|| {
            Problem::wrong_use(format!(
                "--write: {} lacks the comments between which the tables go; add these two lines:\n{OPEN}nothing -->\n{CLOSE}",
                self.path.display()
            ))
        })
    }

    /// The definitions' hash that the part bears, and its tables.
    #[cfg(test)]
    pub fn tables(&self) -> Result<(String, &str), Problem> {
        let (open, close) = self.place()?;
        let (from, tables) = self.text[open + OPEN.len()..close]
            .split_once(" -->\n")
            .unwrap_or_default();
        Ok((from.to_owned(), tables))
    }

    /// Puts the tables between the comments; tells whether that changes anything. The file is whole at any time.
    pub fn write(&self, from: &str, tables: &str) -> Result<bool, Problem> {
        let (open, close) = self.place()?;
        let text = format!(
            "{}{OPEN}{from} -->\n{tables}{}",
            &self.text[..open],
            &self.text[close..]
        );
        if text == self.text {
            return Ok(false);
        }
        let part = self.path.with_extension("md.part");
        fs::write(&part, text)
            .and_then(|()| fs::rename(&part, &self.path))
            .map_err(|error| Problem::failed(format!("{} can't be written: {error}", self.path.display())))?;
        Ok(true)
    }
}
