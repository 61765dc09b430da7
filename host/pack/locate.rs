//! From an entry's field to its place, for problems that scripts report.
use super::diagnostic::Diagnostic;
use super::files::Place;
use super::model::{Catalogue, Entry};
use super::node::{Data, Node, Pair};

/// A field of an entry: the key's place if a table holds it, else the value's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    pub place: Place,
    /// Whether the whole path was there; if not, this is the place of as much as was.
    pub whole: bool,
}

/// Finds `movement.rows`, `ability.scorch.reach` (items by id) or `tags[2]` (by number from 1).
/// An empty path is the definition as a whole.
pub fn locate(entry: &Entry, path: &str) -> Located {
    let mut node: &Node = &entry.source;
    let mut place = node.place;
    for part in path
        .split(['.', '['])
        .map(|part| part.trim_end_matches(']'))
        .filter(|part| !part.is_empty())
    {
        match step(node, part) {
            Some((next, at)) => (node, place) = (next, at),
            None => return Located { place, whole: false },
        }
    }
    Located { place, whole: true }
}

fn step<'a>(node: &'a Node, part: &str) -> Option<(&'a Node, Place)> {
    match &node.data {
        Data::Table(_) => node.pair(part).map(|Pair { place, value, .. }| (value, *place)),
        Data::List(items) => {
            let by_id = items
                .iter()
                .find(|item| item.get("id").and_then(Node::text) == Some(part));
            let by_number = || items.get(part.parse::<usize>().ok()?.checked_sub(1)?);
            by_id.or_else(by_number).map(|item| (item, item.place))
        }
        _ => None,
    }
}

impl Catalogue {
    /// A problem at an entry's field, as `report(entry, field, message)` makes it.
    pub fn problem_at(
        &self,
        entry: &Entry,
        path: &str,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        let located = locate(entry, path);
        let message = message.into();
        // A field that isn't there is told by name, since no place shows it.
        let message = if located.whole {
            message
        } else {
            format!("`{path}`: {message}")
        };
        Diagnostic::at(&self.files, code, located.place, message)
    }
}
