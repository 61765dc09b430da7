//! Loading: from sources and a selection to a catalogue, or to every problem there is.
use std::collections::BTreeSet;
use std::sync::Arc;

use super::diagnostic::{self, Diagnostic};
use super::files::Files;
use super::folder::Content;
use super::model::{Catalogue, PackInfo};
use super::read::{Loaded, Reading};
use super::resolve::{self, Active, Installed, Selection};
use super::sources::Sources;
use super::{exports, game, kinds, manifest, rules, scripts};

/// Loads what a selection activates. A pure function of the files.
///
/// # Errors
/// Every problem of the active packs, sorted; none of them is a warning alone.
pub fn load(sources: &Sources, selection: &Selection) -> Result<Catalogue, Vec<Diagnostic>> {
    let mut all = resolve::installed(sources);
    let libraries = sources.libraries();
    let ids: BTreeSet<String> = libraries.iter().map(|folder| folder.name.clone()).collect();
    let active = resolve::resolve(&all, selection, &ids).map_err(sorted)?;
    let files = std::mem::take(&mut all.files);
    let mut reading = Reading {
        files,
        problems: Vec::new(),
    };
    let mut catalogue = Catalogue::default();
    for folder in libraries {
        let content = folder.read(&folder.name);
        let library = Loaded {
            id: folder.name.clone(),
            texts: content.files,
            folder,
            needs: BTreeSet::new(),
        };
        reading.problems.extend(content.problems);
        scripts::collect(&library, &mut catalogue.scripts);
        catalogue.libraries.push(PackInfo {
            id: library.id.clone(),
            version: manifest::ludex_version().to_string(),
            title: library.id.clone(),
            hash: content.hash,
            folder: library.folder.path().map(Into::into),
            ..PackInfo::default()
        });
    }
    let packs = read_packs(&all, &active, &mut reading, &mut catalogue);
    for pack in &packs {
        scripts::collect(pack, &mut catalogue.scripts);
    }
    exports::check(&all, &packs, &mut reading);
    rules::load(&packs, &mut reading, &mut catalogue);
    kinds::load(&packs, selection, &mut reading, &mut catalogue);
    game::load(&packs, active.game.as_deref(), &mut reading, &mut catalogue);
    finish(reading, &all, catalogue)
}

fn read_packs(
    all: &Installed,
    active: &Active,
    reading: &mut Reading,
    catalogue: &mut Catalogue,
) -> Vec<Loaded> {
    let mut packs = Vec::new();
    for id in &active.packs {
        let pack = &all.packs[id];
        let Content {
            files,
            hash,
            problems,
        } = pack.folder.read(id);
        reading.problems.extend(problems);
        let manifest = &pack.manifest;
        catalogue.packs.push(PackInfo {
            id: id.clone(),
            version: manifest.version.to_string(),
            title: manifest.title.clone(),
            authors: manifest.authors.clone(),
            licence: manifest.licence.clone(),
            hash,
            depends: manifest.depends.keys().cloned().collect(),
            exports: manifest.exports.iter().map(|(path, _)| path.clone()).collect(),
            folder: pack.folder.path().map(Into::into),
        });
        let needs = active.needs.get(id).cloned().unwrap_or_default();
        packs.push(Loaded {
            id: id.clone(),
            folder: pack.folder.clone(),
            texts: files,
            needs,
        });
    }
    packs
}

fn finish(reading: Reading, all: &Installed, mut catalogue: Catalogue) -> Result<Catalogue, Vec<Diagnostic>> {
    let Reading { files, mut problems } = reading;
    if problems.iter().any(Diagnostic::is_error) {
        return Err(sorted(problems));
    }
    // A broken pack that isn't active harms nobody, but its owner wants to know.
    problems.extend(
        all.broken
            .iter()
            .flat_map(|broken| broken.problems.iter().cloned().map(Diagnostic::warning)),
    );
    catalogue.warnings = sorted(problems);
    catalogue.files = Arc::new(files);
    Ok(catalogue)
}

fn sorted(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostic::sort(&mut problems);
    problems
}

impl Catalogue {
    /// The texts of the load, for places in entries.
    pub fn texts(&self) -> &Files {
        &self.files
    }
}
