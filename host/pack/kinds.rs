//! Kinds: each folder of TOML definitions with its schema, overlays applied, references checked.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::abilities;
use super::diagnostic::Diagnostic;
use super::duplicates;
use super::files::{FileId, Place};
use super::model::{Catalogue, Entry, FieldDef, Kind};
use super::names;
use super::node::Node;
use super::overlay;
use super::placeholders;
use super::read::{Loaded, Reading};
use super::references;
use super::resolve::Selection;
use super::schema::{Marks, Schema, unit_fields};
use super::scripts;

/// Folders of a pack that hold no definitions.
pub const FOLDERS: [&str; 4] = ["overlay", "rules", "schema", "tests"];

/// A kind while it loads.
#[derive(Debug)]
pub struct Draft {
    pub pack: String,
    pub schema: Option<Schema>,
    /// The schema's file.
    pub file: FileId,
    fields: Vec<FieldDef>,
    /// In activation order, then by id.
    pub entries: Vec<EntryDraft>,
}

/// A definition while it loads.
#[derive(Debug)]
pub struct EntryDraft {
    pub pack: String,
    pub id: String,
    pub file: FileId,
    pub node: Node,
    pub scripts: Vec<String>,
    pub marks: Marks,
}

pub type Drafts = BTreeMap<String, Draft>;

/// Loads all kinds and their entries into the catalogue.
pub fn load(packs: &[Loaded], selection: &Selection, reading: &mut Reading, catalogue: &mut Catalogue) {
    let mut drafts = Drafts::new();
    for pack in packs {
        schemas(pack, reading, &mut drafts);
    }
    for pack in packs {
        entries(pack, reading, &mut drafts);
    }
    overlay::apply(packs, selection, reading, &mut drafts);
    let mut data = BTreeMap::new();
    for (kind, draft) in &mut drafts {
        for entry in &mut draft.entries {
            let json = entry.node.to_json();
            if let Some(schema) = &draft.schema {
                entry.marks = schema.check_marked(&reading.files, &entry.node, &json, &mut reading.problems);
            }
            data.insert((kind.clone(), entry.id.clone()), json);
        }
    }
    references::check_kinds(&drafts, reading);
    references::check(&drafts, reading);
    abilities::check_ids(&drafts, reading);
    placeholders::check(&drafts, &catalogue.scripts, reading);
    for (kind, draft) in drafts {
        let build = |entry: EntryDraft| {
            Arc::new(Entry {
                data: data.remove(&(kind.clone(), entry.id.clone())).unwrap_or_default(),
                pack: entry.pack,
                kind: kind.clone(),
                id: entry.id,
                scripts: entry.scripts,
                file: reading.files.name(entry.file).to_owned(),
                source: Arc::new(entry.node),
            })
        };
        let entries = draft.entries.into_iter().map(build).collect();
        let built = Kind {
            name: kind.clone(),
            unit_fields: draft.fields,
            pack: draft.pack,
            entries,
        };
        catalogue.kinds.insert(kind, built);
    }
}

fn schemas(pack: &Loaded, reading: &mut Reading, drafts: &mut Drafts) {
    let paths = pack.texts.keys().filter_map(|path| {
        let kind = path.strip_prefix("schema/")?.strip_suffix(".schema.json")?;
        Some((path, kind))
    });
    for (path, kind) in paths {
        let file = reading.file(pack, path);
        if !names::is_id(kind) || FOLDERS.contains(&kind) {
            let message = format!("`{kind}` can't be the name of a kind");
            let problem = Diagnostic::of_file("bad-id", &pack.id, &pack.show(path), message);
            reading
                .problem(problem.help("kinds are lower-case letters, digits and hyphens, such as `cards`"));
            continue;
        }
        if let Some(first) = drafts.get(kind) {
            let message = format!("the kind `{kind}` has two schemas");
            let (first, place) = (Place::new(first.file, 0..0), Place::new(file, 0..0));
            let problem = Diagnostic::at(&reading.files, "duplicate-kind", place, message);
            let problem = problem.related(&reading.files, first, "the other one");
            reading.problem(problem.help("rename one kind, or drop one pack"));
            continue;
        }
        let schema = match Schema::of(&reading.files, file) {
            Ok(schema) => Some(schema),
            Err(problem) => {
                reading.problem(*problem);
                None
            }
        };
        let root = schema.as_ref().map(Schema::root);
        let fields = root.map(|root| unit_fields(root, &reading.files, file, &mut reading.problems));
        let draft = Draft {
            pack: pack.id.clone(),
            schema,
            file,
            fields: fields.unwrap_or_default(),
            entries: Vec::new(),
        };
        drafts.insert(kind.to_owned(), draft);
    }
}

fn entries(pack: &Loaded, reading: &mut Reading, drafts: &mut Drafts) {
    let mut without_schema = BTreeSet::new();
    for path in pack.texts.keys() {
        let Some((kind, rest)) = path.split_once('/') else {
            continue;
        };
        let Some(id) = rest.strip_suffix(".toml").filter(|_| !FOLDERS.contains(&kind)) else {
            continue;
        };
        let shown = pack.show(path);
        let known = drafts.get(kind).is_some_and(|draft| pack.knows(&draft.pack));
        if !known {
            if without_schema.insert(kind) {
                reading.problem(no_schema(pack, kind, drafts));
            }
            continue;
        }
        if id.contains('/') {
            let message = format!("definitions lie directly in `{kind}/`, not in folders below it");
            reading.problem(Diagnostic::of_file("nested-entry", &pack.id, &shown, message));
            continue;
        }
        if !names::is_id(id) {
            let message = format!("`{id}` can't be an id");
            let problem = Diagnostic::of_file("bad-id", &pack.id, &shown, message);
            reading.problem(problem.help("name the file with lower-case letters, digits and hyphens"));
            continue;
        }
        let Some(node) = reading.toml(pack, path) else {
            continue;
        };
        duplicates::check(&reading.files, &node, &mut reading.problems);
        let Some(draft) = drafts.get_mut(kind) else {
            continue;
        };
        let file = node.place.file;
        if let Some(first) = draft.entries.iter().find(|entry| entry.id == id) {
            let message = format!("`{kind}/{id}` is defined twice");
            let (first, place) = (Place::new(first.file, 0..0), Place::new(file, 0..0));
            let problem = Diagnostic::at(&reading.files, "duplicate-id", place, message);
            let problem = problem.related(&reading.files, first, "the first");
            let help = "give one another id, or change the first by an overlay";
            reading.problem(problem.help(help));
            continue;
        }
        let beside = format!("{kind}/{id}.luau");
        let scripts: Vec<String> = pack
            .texts
            .contains_key(&beside)
            .then(|| scripts::key(&pack.id, &beside))
            .into_iter()
            .collect();
        draft.entries.push(EntryDraft {
            pack: pack.id.clone(),
            id: id.to_owned(),
            file,
            node,
            scripts,
            marks: Marks::default(),
        });
    }
    lone_scripts(pack, reading, drafts);
}

fn no_schema(pack: &Loaded, kind: &str, drafts: &Drafts) -> Diagnostic {
    let shown = pack.show(kind);
    let message = format!("nothing says what `{kind}` are: there is no `schema/{kind}.schema.json`");
    let problem = Diagnostic::of_file("unknown-kind", &pack.id, &shown, message);
    if let Some(draft) = drafts.get(kind) {
        let owner = &draft.pack;
        return problem.help(format!(
            "the schema is in `{owner}`: write `{owner}` under [depends] in pack.toml"
        ));
    }
    let known = drafts
        .iter()
        .filter(|(_, draft)| pack.knows(&draft.pack))
        .map(|(kind, _)| kind.as_str());
    match names::nearest(kind, known) {
        Some(near) => problem.help(format!("did you mean the folder `{near}`?")),
        None => problem.help(format!("write `schema/{kind}.schema.json`, or rename the folder")),
    }
}

/// A Luau file in a kind's folder without the definition that it should lie beside.
fn lone_scripts(pack: &Loaded, reading: &mut Reading, drafts: &Drafts) {
    for path in pack.texts.keys() {
        let Some((kind, rest)) = path.split_once('/') else {
            continue;
        };
        let (Some(id), Some(draft)) = (rest.strip_suffix(".luau"), drafts.get(kind)) else {
            continue;
        };
        if id.contains('/') || pack.texts.contains_key(&format!("{kind}/{id}.toml")) {
            continue;
        }
        let message = format!("no definition lies beside it: there is no `{kind}/{id}.toml`");
        let ids = draft
            .entries
            .iter()
            .filter(|entry| entry.pack == pack.id)
            .map(|entry| entry.id.as_str());
        let help = names::nearest(id, ids).map(|near| format!("did you mean `{near}.luau`?"));
        let problem = Diagnostic::of_file("lone-script", &pack.id, &pack.show(path), message).warning();
        reading.problem(problem.maybe_help(help.or(Some("modules for several belong in `rules/`".into()))));
    }
}
