//! Overlays: `overlay/<pack>/<kind>/<id>.toml` changes a definition of another pack.
use std::collections::BTreeMap;

use super::diagnostic::Diagnostic;
use super::duplicates;
use super::files::Place;
use super::kinds::{Drafts, EntryDraft};
use super::names;
use super::node::{Data, Node};
use super::read::{Loaded, Reading};
use super::resolve::Selection;
use super::scripts;

/// Who set which key of an entry, by `kind/id` and path.
type Settings = BTreeMap<(String, String), Setting>;

struct Setting {
    pack: String,
    place: Place,
    value: Option<Node>,
}

/// Applies the overlays of all packs, in activation order.
pub fn apply(packs: &[Loaded], selection: &Selection, reading: &mut Reading, drafts: &mut Drafts) {
    let mut settings = Settings::new();
    for pack in packs {
        for path in pack.texts.keys() {
            let Some(rest) = path.strip_prefix("overlay/") else {
                continue;
            };
            let Some((rest, is_toml)) = rest
                .strip_suffix(".toml")
                .map(|rest| (rest, true))
                .or_else(|| Some((rest.strip_suffix(".luau")?, false)))
            else {
                continue;
            };
            match target(pack, packs, path, rest, drafts) {
                Ok(entry) if is_toml => {
                    let Some(mut over) = reading.toml(pack, path) else {
                        continue;
                    };
                    duplicates::check(&reading.files, &over, &mut reading.problems);
                    let mut merge = Merge {
                        pack,
                        selection,
                        reading,
                        settings: &mut settings,
                        entry: rest,
                    };
                    merge.removals(&mut entry.node, &mut over);
                    merge.merge(&mut entry.node, &over, "");
                }
                Ok(entry) => entry.scripts.push(scripts::key(&pack.id, path)),
                Err(problem) => reading.problem(*problem),
            }
        }
    }
}

/// The entry that an overlay file changes.
fn target<'a>(
    pack: &Loaded,
    packs: &[Loaded],
    path: &str,
    rest: &str,
    drafts: &'a mut Drafts,
) -> Result<&'a mut EntryDraft, Box<Diagnostic>> {
    let shown = pack.show(path);
    let problem = |message: String, help: Option<String>| {
        Box::new(Diagnostic::of_file("bad-overlay", &pack.id, &shown, message).maybe_help(help))
    };
    let parts: Vec<&str> = rest.split('/').collect();
    let [owner, kind, id] = parts[..] else {
        let help = "an overlay is `overlay/<pack>/<kind>/<id>.toml`".to_owned();
        return Err(problem("the path doesn't say what it changes".into(), Some(help)));
    };
    if !pack.needs.contains(owner) {
        let known = packs
            .iter()
            .map(|pack| pack.id.as_str())
            .filter(|id| pack.needs.contains(*id));
        let help = match names::nearest(owner, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write `{owner}` under [depends] in pack.toml"),
        };
        return Err(problem(
            format!("the pack doesn't depend on `{owner}`, which this changes"),
            Some(help),
        ));
    }
    if !drafts.contains_key(kind) {
        let help = names::did_you_mean(kind, drafts.keys().map(String::as_str));
        return Err(problem(format!("there is no kind `{kind}`"), help));
    }
    let entries = &mut drafts
        .get_mut(kind)
        .map(|draft| &mut draft.entries)
        .into_iter()
        .flatten();
    let mut ids = Vec::new();
    for entry in entries.filter(|entry| entry.pack == owner) {
        if entry.id == id {
            return Ok(entry);
        }
        ids.push(entry.id.as_str());
    }
    let help = names::did_you_mean(id, ids);
    Err(problem(format!("`{owner}` has no `{kind}/{id}`"), help))
}

struct Merge<'a> {
    pack: &'a Loaded,
    selection: &'a Selection,
    reading: &'a mut Reading,
    settings: &'a mut Settings,
    /// `pack/kind/id`.
    entry: &'a str,
}

impl Merge<'_> {
    /// Takes the paths that `remove` lists out of the definition, and `remove` out of the overlay.
    fn removals(&mut self, base: &mut Node, over: &mut Node) {
        let Data::Table(pairs) = &mut over.data else {
            return;
        };
        let Some(at) = pairs.iter().position(|pair| pair.key == "remove") else {
            return;
        };
        let list = pairs.remove(at).value;
        if !matches!(list.data, Data::List(_)) {
            let message = format!(
                "`remove` must be a list of texts, not {}",
                super::schema::describe(&list)
            );
            let problem = Diagnostic::at(&self.reading.files, "wrong-type", list.place, message);
            return self
                .reading
                .problem(problem.help("write remove = [\"ability.scorch\"]"));
        }
        for item in list.items() {
            let path = item.text().unwrap_or_default();
            match remove(base, path) {
                Ok(()) => self.note(path, item.place, None),
                Err(known) => {
                    let message = format!("there is no `{path}` to remove");
                    let last = path.rsplit('.').next().unwrap_or(path);
                    let help = names::did_you_mean(last, known.iter().map(String::as_str));
                    let problem =
                        Diagnostic::at(&self.reading.files, "nothing-to-remove", item.place, message);
                    self.reading.problem(problem.maybe_help(help));
                }
            }
        }
    }

    fn merge(&mut self, base: &mut Node, over: &Node, path: &str) {
        let below = |name: &str| {
            if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            }
        };
        match (&mut base.data, &over.data) {
            (Data::Table(pairs), Data::Table(changes)) => {
                for change in changes {
                    let path = below(&change.key);
                    match pairs.iter_mut().find(|pair| pair.key == change.key) {
                        Some(pair) => {
                            if !is_container(&change.value) {
                                pair.place = change.place;
                            }
                            self.merge(&mut pair.value, &change.value, &path);
                        }
                        None => {
                            self.note(&path, change.place, Some(&change.value));
                            pairs.push(change.clone());
                        }
                    }
                }
            }
            (Data::List(items), Data::List(changes)) if has_ids(items) && has_ids(changes) => {
                for change in changes {
                    let id = change.get("id").and_then(Node::text).unwrap_or_default();
                    let path = below(id);
                    match items
                        .iter_mut()
                        .find(|item| item.get("id").and_then(Node::text) == Some(id))
                    {
                        Some(item) => self.merge(item, change, &path),
                        None => {
                            self.note(&path, change.place, Some(change));
                            items.push(change.clone());
                        }
                    }
                }
            }
            _ => {
                // An item's own id is the way to it, not a change.
                if !base.same(over) {
                    self.note(path, over.place, Some(over));
                    *base = over.clone();
                }
            }
        }
    }

    /// Notes that this pack set a key, and reports an unrelated pack that set it too.
    fn note(&mut self, path: &str, place: Place, value: Option<&Node>) {
        let touches = |other: &str| {
            other == path
                || other.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
                || path.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'))
        };
        let settled = self.selection.with.contains(&self.pack.id);
        let clash = self.settings.iter().find(|((entry, other), setting)| {
            entry == self.entry
                && touches(other)
                && !self.pack.knows(&setting.pack)
                && !settled
                && !matches!((&setting.value, value), (Some(a), Some(b)) if a.same(b))
        });
        if let Some((_, first)) = clash {
            let (mine, theirs) = (&self.pack.id, &first.pack);
            let (_, target) = self.entry.split_once('/').unwrap_or_default();
            let message = format!("`{mine}` and `{theirs}` both set `{path}` of `{target}`");
            let help = format!(
                "let one depend on the other, or name the later one last: --with {theirs} --with {mine}"
            );
            let problem = Diagnostic::at(&self.reading.files, "overlay-conflict", place, message);
            let problem = problem.related(
                &self.reading.files,
                first.place,
                format!("`{theirs}` sets it here"),
            );
            self.reading.problem(problem.help(help));
        }
        let setting = Setting {
            pack: self.pack.id.clone(),
            place,
            value: value.cloned(),
        };
        self.settings
            .insert((self.entry.to_owned(), path.to_owned()), setting);
    }
}

fn is_container(node: &Node) -> bool {
    matches!(node.data, Data::Table(_)) || has_ids(node.items())
}

fn has_ids(items: &[Node]) -> bool {
    !items.is_empty()
        && items
            .iter()
            .all(|item| item.get("id").and_then(Node::text).is_some())
}

/// Removes what a dotted path leads to; else gives the names that there are at the last part found.
fn remove(base: &mut Node, path: &str) -> Result<(), Vec<String>> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    match &mut base.data {
        Data::Table(pairs) => match (pairs.iter().position(|pair| pair.key == first), rest) {
            (Some(at), None) => _ = pairs.remove(at),
            (Some(at), Some(rest)) => return remove(&mut pairs[at].value, rest),
            (None, _) => return Err(pairs.iter().map(|pair| pair.key.clone()).collect()),
        },
        Data::List(items) => {
            let id = |item: &Node| item.get("id").and_then(Node::text).map(str::to_owned);
            match (
                items.iter().position(|item| id(item).as_deref() == Some(first)),
                rest,
            ) {
                (Some(at), None) => _ = items.remove(at),
                (Some(at), Some(rest)) => return remove(&mut items[at], rest),
                (None, _) => return Err(items.iter().filter_map(id).collect()),
            }
        }
        _ => return Err(Vec::new()),
    }
    Ok(())
}
