//! `pack.toml`: what a pack is and needs.
use std::collections::BTreeMap;
use std::sync::OnceLock;

use semver::{Version, VersionReq};

use super::diagnostic::Diagnostic;
use super::files::{Files, Place, SourceFile};
use super::folder::Folder;
use super::node::Node;
use super::schema::Schema;
use super::{names, toml_file};

/// A checked `pack.toml`, with the places that later checks point at.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub id: String,
    pub version: Version,
    pub title: String,
    pub authors: Vec<String>,
    pub licence: String,
    pub depends: BTreeMap<String, Need>,
    pub exports: Vec<(String, Place)>,
    pub place: Place,
}

/// The versions of a dependency that will do.
#[derive(Clone, Debug)]
pub struct Need {
    pub versions: VersionReq,
    /// Where the dependency's id stands.
    pub place: Place,
}

/// The version of Ludex, which libraries have too.
pub fn ludex_version() -> Version {
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}

/// Reads and checks a pack's manifest. `strict` demands that the folder is named after the pack.
pub fn read(folder: &Folder, strict: bool, files: &mut Files) -> Result<Manifest, Vec<Diagnostic>> {
    let miscased: Vec<Diagnostic> = ["pack.toml", "game.toml", "rules.toml"]
        .iter()
        .filter_map(|file| {
            let there = folder.miscased(file)?;
            let shown = folder.show(&there);
            let message = format!("`{there}` isn't read: the file must be called `{file}`, in small letters");
            let problem = Diagnostic::of_file("wrong-case", &folder.name, &shown, message);
            Some(problem.help(format!("rename it to `{file}`")))
        })
        .collect();
    if !miscased.is_empty() {
        return Err(miscased);
    }
    let text = folder.read_one(&folder.name, "pack.toml").map_err(|problem| {
        let shown = folder.show("");
        let of_folder = |code, message| Diagnostic::of_file(code, &folder.name, &shown, message);
        vec![if folder.has("pack.toml") {
            *problem
        } else if folder.is_there() {
            of_folder("no-manifest", "the folder has no `pack.toml`")
                .help("a pack starts with `pack.toml`: `id`, `version` and `ludex`")
        } else {
            of_folder("no-folder", "there is no such folder")
        }]
    })?;
    let file = files.add(SourceFile::new(folder.show("pack.toml"), &*folder.name, text));
    let mut problems = Vec::new();
    let node = toml_file::parse(files, file, &mut problems).ok_or_else(|| std::mem::take(&mut problems))?;
    schema().check(files, &node, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut check = Check { files, problems };
    let manifest = check.manifest(&node, folder, strict);
    if check.problems.is_empty() {
        Ok(manifest)
    } else {
        Err(check.problems)
    }
}

struct Check<'a> {
    files: &'a Files,
    problems: Vec<Diagnostic>,
}

impl Check<'_> {
    fn manifest(&mut self, node: &Node, folder: &Folder, strict: bool) -> Manifest {
        let text = |key| node.get(key).and_then(Node::text).unwrap_or_default().to_owned();
        let place = |key| node.get(key).map_or(node.place, |value| value.place);
        let id = text("id");
        if strict && id != folder.name {
            let message = format!(
                "the pack's id is `{id}`, but its folder is named `{}`",
                &*folder.name
            );
            let help = format!("name both alike: rename the folder to `{id}` or change the id");
            self.problem("wrong-folder", place("id"), message, help);
        }
        if ["std", "ludex"].contains(&id.as_str()) {
            let message = format!("`{id}` is reserved");
            self.problem("reserved-id", place("id"), message, "choose another id".into());
        }
        let version = Version::parse(&text("version")).unwrap_or_else(|error| {
            let message = format!("`{}` isn't a version: {error}", text("version"));
            let help = "write three numbers, such as \"1.0.0\"".into();
            self.problem("bad-version", place("version"), message, help);
            Version::new(0, 0, 0)
        });
        let ludex = self.versions(&text("ludex"), place("ludex"));
        if ludex.is_some_and(|versions| !versions.matches(&ludex_version())) {
            let message = format!(
                "the pack was made for Ludex {}, and this is {}",
                text("ludex"),
                ludex_version()
            );
            let help = "look for a version of the pack for this Ludex, or adapt it and change `ludex`".into();
            self.problem("other-ludex", place("ludex"), message, help);
        }
        let depends = node
            .get("depends")
            .map(|table| self.depends(&id, table))
            .unwrap_or_default();
        let list = |key: &str| node.get(key).map(Node::items).unwrap_or_default();
        Manifest {
            title: if text("title").is_empty() {
                id.clone()
            } else {
                text("title")
            },
            version,
            authors: list("authors")
                .iter()
                .filter_map(|item| item.text().map(str::to_owned))
                .collect(),
            licence: text("licence"),
            depends,
            exports: list("exports")
                .iter()
                .filter_map(|item| Some((item.text()?.into(), item.place)))
                .collect(),
            place: place("id"),
            id,
        }
    }

    fn depends(&mut self, id: &str, table: &Node) -> BTreeMap<String, Need> {
        let mut depends = BTreeMap::new();
        for pair in table.pairs() {
            if pair.key == id {
                let message = "a pack can't depend on itself".to_owned();
                self.problem("dependency-cycle", pair.place, message, "delete the line".into());
            } else if !names::is_id(&pair.key) {
                let message = format!("`{}` isn't a pack's id", pair.key);
                let help = "ids are lower-case letters, digits and hyphens".into();
                self.problem("bad-id", pair.place, message, help);
            } else if let Some(versions) =
                self.versions(pair.value.text().unwrap_or_default(), pair.value.place)
            {
                depends.insert(
                    pair.key.clone(),
                    Need {
                        versions,
                        place: pair.place,
                    },
                );
            }
        }
        depends
    }

    fn versions(&mut self, text: &str, place: Place) -> Option<VersionReq> {
        match VersionReq::parse(text) {
            Ok(versions) => Some(versions),
            Err(error) => {
                let message = format!("`{text}` doesn't say which versions: {error}");
                let help = "write the least one that will do, such as \"1.2\"".into();
                self.problem("bad-version", place, message, help);
                None
            }
        }
    }

    fn problem(&mut self, code: &'static str, place: Place, message: String, help: String) {
        self.problems
            .push(Diagnostic::at(self.files, code, place, message).help(help));
    }
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::own(include_str!("../../schema/pack.schema.json")))
}
