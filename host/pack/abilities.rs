//! Abilities of a definition and functions of the Luau beside it, matched both ways.
use super::diagnostic::Diagnostic;
use super::kinds::Drafts;
use super::model::{Catalogue, Entry};
use super::names;
use super::node::{Data, Node};
use super::read::Reading;

/// Ability ids are names of Luau functions, whatever the schema says of them.
pub fn check_ids(drafts: &Drafts, reading: &mut Reading) {
    for entry in drafts.values().flat_map(|draft| &draft.entries) {
        for item in entry.node.get("ability").map(Node::items).unwrap_or_default() {
            let Some((id, name)) = item.get("id").and_then(|id| Some((id, id.text()?))) else {
                continue;
            };
            if !names::is_snake(name) && !reading.told_at(id.place) {
                let message = format!("`{name}` can't be an ability's id");
                let problem = Diagnostic::at(&reading.files, "bad-id", id.place, message);
                let help = "it names a function: lower-case letters, digits and underscores, a letter first";
                reading.problem(problem.help(help));
            }
        }
    }
}

/// Reports abilities (`[[ability]]` with an `id`) without a function and functions without an ability.
///
/// An ability that has a list of tables, such as action lists, needs no function. `functions` are the
/// names in the table that the entry's scripts return; `is_hook` says which of them answer a timing point.
/// An entry without scripts has nothing to match.
pub fn ability_matches(
    catalogue: &Catalogue,
    entry: &Entry,
    functions: &[String],
    is_hook: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let Some(script) = entry.scripts.first().and_then(|key| catalogue.scripts.get(key)) else {
        return problems;
    };
    let abilities: Vec<(&Node, &Node, &str)> = entry
        .source
        .get("ability")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(|item| item.get("id").and_then(|id| Some((item, id, id.text()?))))
        .collect();
    let free = |name: &&String| !abilities.iter().any(|(_, _, id)| id == *name) && !is_hook(name);
    for (item, id, name) in &abilities {
        if functions.iter().any(|function| function == name) || acts(item) {
            continue;
        }
        let near = names::nearest(name, functions.iter().filter(free).map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{near}`, which is in {}?", script.file),
            None => format!("write `function ...{name}(...)` in {}", script.file),
        };
        let message = format!("the ability `{name}` has no function in the script beside it");
        problems
            .push(Diagnostic::at(&catalogue.files, "ability-without-function", id.place, message).help(help));
    }
    for name in functions.iter().filter(free) {
        let near = names::nearest(name, abilities.iter().map(|(_, _, id)| *id));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "add an [[ability]] with the id `{name}` to {}, or make it local",
                entry.file
            ),
        };
        let message = format!(
            "the function `{name}` belongs to no ability of `{}/{}`",
            entry.kind, entry.id
        );
        let mut problem =
            Diagnostic::of_file("function-without-ability", &script.pack, &script.file, message);
        (problem.line, problem.column, problem.end_column, problem.excerpt) =
            definition(&script.source, name);
        problems.push(problem.help(help));
    }
    problems
}

fn acts(ability: &Node) -> bool {
    let is_table = |node: &Node| matches!(node.data, Data::Table(_));
    ability
        .pairs()
        .iter()
        .any(|pair| pair.value.items().iter().any(is_table))
}

/// Where a source defines a function, as line, columns and text; zeros if it isn't plain to see.
fn definition(source: &str, name: &str) -> (usize, usize, usize, String) {
    for (index, line) in source.lines().enumerate() {
        let found = [
            format!(".{name}("),
            format!("{name} = function"),
            format!("[\"{name}\"]"),
        ];
        if let Some(at) = found
            .iter()
            .filter_map(|text| Some(line.find(text)? + text.find(name)?))
            .min()
        {
            let column = line[..at].chars().count() + 1;
            return (index + 1, column, column + name.chars().count(), line.to_owned());
        }
    }
    (0, 0, 0, String::new())
}
