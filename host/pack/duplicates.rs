//! Lists of tables with an `id` have each id once.
use std::collections::BTreeMap;

use super::diagnostic::Diagnostic;
use super::files::{Files, Place};
use super::node::{Data, Node};

/// Reports every `id` that a list of tables has twice, anywhere below `node`.
pub fn check(files: &Files, node: &Node, problems: &mut Vec<Diagnostic>) {
    match &node.data {
        Data::Table(pairs) => {
            for pair in pairs {
                check(files, &pair.value, problems);
                list(files, &pair.key, &pair.value, problems);
            }
        }
        Data::List(items) => items.iter().for_each(|item| check(files, item, problems)),
        _ => {}
    }
}

fn list(files: &Files, key: &str, node: &Node, problems: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for id in node.items().iter().filter_map(|item| item.get("id")) {
        let Some(name) = id.text() else { continue };
        if let Some(first) = seen.insert(name, id.place) {
            let message = format!("the id `{name}` is used twice in `{key}`");
            let problem = Diagnostic::at(files, "duplicate-id", id.place, message);
            problems.push(
                problem
                    .related(files, first, "the first")
                    .help("give one another id"),
            );
        }
    }
}
