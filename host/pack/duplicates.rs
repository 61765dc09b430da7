//! Lists of tables with an `id` have each id once.
use super::diagnostic::Diagnostic;
use super::files::Files;
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
    let ids: Vec<&Node> = node.items().iter().filter_map(|item| item.get("id")).collect();
    for (index, id) in ids.iter().enumerate() {
        if let Some(first) = ids[..index].iter().find(|first| first.same(id)) {
            let name = id.text().unwrap_or_default();
            let message = format!("the id `{name}` is used twice in `{key}`");
            let problem = Diagnostic::at(files, "duplicate-id", id.place, message);
            problems.push(
                problem
                    .related(files, first.place, "the first")
                    .help("give one another id"),
            );
        }
    }
}
