//! Which packs are active: the game's, its dependencies, the scenario's, those named, with theirs.
use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::Diagnostic;
use super::files::{Files, Place};
use super::folder::Folder;
use super::manifest::{self, Manifest};
use super::names;
use super::sources::{Origin, Sources};

/// What to activate.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Id of the game's pack.
    pub game: Option<String>,
    /// A scenario: `id` or `pack:id`. Its pack becomes active too.
    pub scenario: Option<String>,
    /// Further packs; where two set one key of a definition the later wins.
    pub with: Vec<String>,
}

impl Selection {
    /// A game's pack with its dependencies.
    pub fn game(id: impl Into<String>) -> Self {
        Self {
            game: Some(id.into()),
            ..Self::default()
        }
    }
}

/// A pack that is there and has a sound manifest.
#[derive(Clone, Debug)]
pub struct Pack {
    pub origin: Origin,
    pub folder: Folder,
    pub manifest: Manifest,
}

/// A folder whose manifest is at fault, or whose id another pack has.
#[derive(Clone, Debug)]
pub struct Broken {
    pub origin: Origin,
    pub folder: Folder,
    /// The pack's id if it could be read, else the folder's name.
    pub id: String,
    pub problems: Vec<Diagnostic>,
}

/// Every pack that the sources hold, by id, and what is wrong with others.
#[derive(Debug, Default)]
pub struct Installed {
    pub packs: BTreeMap<String, Pack>,
    /// Folders that hold no sound pack, in the order they were looked at.
    pub broken: Vec<Broken>,
    pub files: Files,
}

/// Reads the manifests of all packs. A broken one hides no other.
pub fn installed(sources: &Sources) -> Installed {
    let mut all = Installed::default();
    for (origin, folder) in sources.packs() {
        match manifest::read(&folder, origin == Origin::Content, &mut all.files) {
            Ok(manifest) => match all.packs.get(&manifest.id) {
                Some(first) if first.origin == origin => {
                    let message = format!("there are two packs with the id `{}`", manifest.id);
                    let problem = Diagnostic::at(&all.files, "duplicate-pack", manifest.place, message)
                        .related(&all.files, first.manifest.place, "the other one")
                        .help("change the id of one, or leave one away");
                    all.broken.push(Broken {
                        origin,
                        folder,
                        id: manifest.id,
                        problems: vec![problem],
                    });
                }
                Some(_) => {}
                None => {
                    _ = all.packs.insert(
                        manifest.id.clone(),
                        Pack {
                            origin,
                            folder,
                            manifest,
                        },
                    )
                }
            },
            Err(problems) => {
                let id = folder.name.clone();
                all.broken.push(Broken {
                    origin,
                    folder,
                    id,
                    problems,
                });
            }
        }
    }
    all
}

/// The active packs in activation order, and which of them is the game.
#[derive(Debug)]
pub struct Active {
    pub packs: Vec<String>,
    pub game: Option<String>,
    /// Dependencies of each active pack, direct and indirect.
    pub needs: BTreeMap<String, BTreeSet<String>>,
}

/// Resolves a selection; `libraries` are the ids that `scripts/` offers.
pub fn resolve(
    all: &Installed,
    selection: &Selection,
    libraries: &BTreeSet<String>,
) -> Result<Active, Vec<Diagnostic>> {
    let mut walk = Walk {
        all,
        libraries,
        problems: Vec::new(),
        done: BTreeMap::new(),
        trail: Vec::new(),
    };
    let mut roots: Vec<String> = selection.game.iter().chain(&selection.with).cloned().collect();
    // A folder that was named one by one counts even if nothing needs what is in it.
    let named = all.broken.iter().filter(|broken| broken.origin == Origin::Named);
    // That there are two of one id matters only to who needs it.
    let broken: Vec<Diagnostic> = named
        .flat_map(|broken| broken.problems.iter().cloned())
        .filter(|problem| problem.code != "duplicate-pack")
        .collect();
    if !broken.is_empty() {
        return Err(broken);
    }
    for root in &roots {
        walk.visit(root, None);
    }
    if let Some(scenario) = &selection.scenario
        && let Some(pack) = walk.scenario_pack(scenario, selection.game.as_deref())
    {
        walk.visit(&pack, None);
        roots.push(pack);
    }
    if !walk.problems.is_empty() {
        return Err(walk.problems);
    }
    let needs = walk.done;
    let mut rest: BTreeSet<&String> = needs.keys().collect();
    let mut packs: Vec<String> = Vec::new();
    // `--with` order counts after dependencies, then depth, then id.
    let with = |id: &str| {
        selection
            .with
            .iter()
            .position(|with| with == id)
            .map_or(0, |at| at + 1)
    };
    while let Some(next) = rest
        .iter()
        .filter(|id| needs[**id].iter().all(|need| packs.contains(need)))
        .min_by_key(|id| (with(id), depth(&needs, id), (**id).clone()))
        .copied()
    {
        rest.remove(next);
        packs.push(next.clone());
    }
    let game = find_game(all, &packs, selection, &needs)?;
    Ok(Active { packs, game, needs })
}

/// How many packs lie below at most, along one line of dependencies.
fn depth(needs: &BTreeMap<String, BTreeSet<String>>, id: &str) -> usize {
    needs[id]
        .iter()
        .map(|need| depth(needs, need) + 1)
        .max()
        .unwrap_or(0)
}

/// The pack whose `game.toml` counts: the game's own, else the only one that it builds on.
fn find_game(
    all: &Installed,
    packs: &[String],
    selection: &Selection,
    needs: &BTreeMap<String, BTreeSet<String>>,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let has = |id: &str| all.packs.get(id).is_some_and(|pack| pack.folder.has("game.toml"));
    let Some(game) = &selection.game else {
        // A pack over another game has the last word; two unrelated games leave none.
        let games: Vec<&String> = packs.iter().filter(|id| has(id)).collect();
        let last = games
            .last()
            .filter(|last| games.iter().all(|id| id == *last || needs[**last].contains(*id)));
        return Ok(last.map(|id| (*id).clone()));
    };
    if has(game) {
        return Ok(Some(game.clone()));
    }
    let below: Vec<&String> = packs
        .iter()
        .filter(|id| needs[game].contains(*id) && has(id))
        .collect();
    match below[..] {
        [one] => Ok(Some(one.clone())),
        _ => {
            let pack = &all.packs[game];
            let message = match below.len() {
                0 => {
                    format!("`{game}` isn't a game: it has no `game.toml`, nor has a pack that it depends on")
                }
                _ => format!("`{game}` has no `game.toml`, and it depends on several games"),
            };
            Err(vec![
                Diagnostic::at(&all.files, "no-game", pack.manifest.place, message)
                    .help("name a pack that has `game.toml`"),
            ])
        }
    }
}

struct Walk<'a> {
    all: &'a Installed,
    libraries: &'a BTreeSet<String>,
    problems: Vec<Diagnostic>,
    /// Packs that were visited, with all that they need.
    done: BTreeMap<String, BTreeSet<String>>,
    trail: Vec<String>,
}

impl Walk<'_> {
    /// Activates a pack and what it needs. `from` is the place that names it, if a pack does.
    fn visit(&mut self, id: &str, from: Option<Place>) {
        if self.done.contains_key(id) {
            return;
        }
        let Some(pack) = self.all.packs.get(id) else {
            return self.missing(id, from);
        };
        if self.libraries.contains(id) {
            // Its modules would be taken for those of the library.
            let message = format!("`{id}` is the name of a library, so that no pack can have it");
            let problem = Diagnostic::at(&self.all.files, "reserved-id", pack.manifest.place, message);
            self.problems.push(problem.help("choose another id"));
        }
        // Which of two packs with one id is meant can't be known.
        let twins = self
            .all
            .broken
            .iter()
            .filter(|broken| broken.id == id && broken.origin == pack.origin);
        self.problems
            .extend(twins.flat_map(|twin| twin.problems.iter().cloned()));
        self.trail.push(id.to_owned());
        let mut needs = BTreeSet::new();
        for (need, wanted) in &pack.manifest.depends {
            if self.libraries.contains(need) {
                let ours = manifest::ludex_version();
                if !wanted.versions.matches(&ours) {
                    self.too_old(id, need, &ours, wanted);
                }
                continue;
            }
            if let Some(start) = self.trail.iter().position(|above| above == need) {
                let mut cycle = self.trail[start..].to_vec();
                cycle.push(need.clone());
                let message = format!("packs depend on each other in a circle: {}", cycle.join(" -> "));
                self.problems.push(
                    Diagnostic::at(&self.all.files, "dependency-cycle", wanted.place, message)
                        .help("take one of these dependencies away"),
                );
                continue;
            }
            if let Some(found) = self.all.packs.get(need)
                && !wanted.versions.matches(&found.manifest.version)
            {
                self.too_old(id, need, &found.manifest.version, wanted);
            }
            self.visit(need, Some(wanted.place));
            needs.insert(need.clone());
            needs.extend(self.done.get(need).into_iter().flatten().cloned());
        }
        self.trail.pop();
        self.done.insert(id.to_owned(), needs);
    }

    fn too_old(&mut self, id: &str, need: &str, found: &semver::Version, wanted: &manifest::Need) {
        let wants = &wanted.versions;
        let message = format!("`{id}` needs `{need}` {wants}, and version {found} is installed");
        self.problems.push(
            Diagnostic::at(&self.all.files, "wrong-version", wanted.place, message)
                .help(format!("install a version of `{need}` that matches {wants}")),
        );
    }

    fn missing(&mut self, id: &str, from: Option<Place>) {
        // It may be any of those that were named by folder, for its id can't be read.
        let broken = self
            .all
            .broken
            .iter()
            .filter(|broken| broken.id == id || broken.origin == Origin::Named);
        let told: Vec<Diagnostic> = broken
            .flat_map(|broken| broken.problems.iter().cloned())
            .collect();
        if !told.is_empty() {
            return self.problems.extend(told);
        }
        let help = names::did_you_mean(id, self.all.packs.keys().map(String::as_str));
        let problem = match from {
            Some(place) => {
                let message = format!("the pack `{id}` isn't installed");
                Diagnostic::at(&self.all.files, "missing-pack", place, message)
            }
            None => Diagnostic::of_file("missing-pack", id, "", format!("there is no pack `{id}`")),
        };
        self.problems.push(problem.maybe_help(help));
    }

    /// The pack that holds a scenario: an active one, else one that builds on the game.
    fn scenario_pack(&mut self, scenario: &str, game: Option<&str>) -> Option<String> {
        let (pack, id) = match scenario.split_once(':') {
            Some((pack, id)) => (Some(pack), id),
            None => (None, scenario),
        };
        let id = id.strip_prefix("scenarios/").unwrap_or(id);
        let file = format!("scenarios/{id}.toml");
        let holds = |name: &&String| {
            pack.is_none_or(|pack| pack == name.as_str()) && self.all.packs[*name].folder.has(&file)
        };
        let active: Vec<&String> = self
            .done
            .keys()
            .filter(|name| self.all.packs.contains_key(*name))
            .collect();
        let mut found: Vec<&String> = active.iter().copied().filter(holds).collect();
        if found.is_empty() {
            let over = |name: &&String| game.is_none_or(|game| self.builds_on(name, game));
            found = self.all.packs.keys().filter(over).filter(holds).collect();
        }
        let problem = match found[..] {
            [one] => return Some(one.clone()),
            [] => {
                let packs = self.all.packs.iter().filter(|(name, _)| {
                    game.is_none_or(|game| name.as_str() == game || self.builds_on(name, game))
                        || active.contains(name)
                });
                let mut ids: Vec<String> = packs.flat_map(|(_, pack)| scenario_ids(&pack.folder)).collect();
                ids.sort();
                Diagnostic::of_file(
                    "missing-scenario",
                    "",
                    "",
                    format!("there is no scenario `{scenario}`"),
                )
                .maybe_help(names::did_you_mean(id, ids.iter().map(String::as_str)))
            }
            _ => {
                let message = format!("several packs have a scenario `{id}`");
                let full: Vec<String> = found.iter().map(|pack| format!("{pack}:{id}")).collect();
                Diagnostic::of_file("ambiguous-scenario", "", "", message).help(format!(
                    "name one of {}",
                    names::list(full.iter().map(String::as_str))
                ))
            }
        };
        self.problems.push(problem);
        None
    }

    fn builds_on(&self, name: &str, game: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![name];
        while let Some(next) = open.pop() {
            if next == game {
                return true;
            }
            if seen.insert(next)
                && let Some(pack) = self.all.packs.get(next)
            {
                open.extend(pack.manifest.depends.keys().map(String::as_str));
            }
        }
        false
    }
}

/// The ids of a folder's scenarios.
pub fn scenario_ids(folder: &Folder) -> Vec<String> {
    let names = folder.names("scenarios");
    names
        .iter()
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect()
}
