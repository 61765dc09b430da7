//! `:help` for what is no function: `game`, `options` and `piles` as the game declares them, and the API's types.
use crate::pack::model::{Catalogue, GameDef};
use crate::script::api::{records, types};
use crate::session::options::show;
use crate::view::{Style, clean_line};

/// Globals that hold what a game declares.
pub const GLOBALS: [&str; 3] = ["game", "options", "piles"];

/// Every name that there is a topic for.
pub fn names() -> Vec<String> {
    let definitions = types::definitions(records());
    let types = definitions.lines().filter_map(type_name).map(str::to_owned);
    GLOBALS.map(str::to_owned).into_iter().chain(types).collect()
}

/// What there is to say of a global or a type.
pub fn text(catalogue: &Catalogue, name: &str, style: Style) -> Option<String> {
    let definitions = types::definitions(records());
    let lines: Vec<&str> = definitions.lines().collect();
    if !GLOBALS.contains(&name) {
        let at = lines.iter().position(|line| type_name(line) == Some(name))?;
        let doc = doc_above(&lines, at);
        let indented = |line: &&str| format!("    {line}\n");
        let code: String = block(&lines[at..]).iter().map(indented).collect();
        return Some(format!("{name}\n{}{code}", told(&doc, style)));
    }
    let declared = format!("declare {name}: ");
    let at = lines.iter().position(|line| line.starts_with(&declared))?;
    let members = catalogue.game.as_ref().map(|game| members(game, name));
    let members: String = members
        .unwrap_or_default()
        .iter()
        .map(|m| told(m, style))
        .collect();
    Some(format!(
        "{name}\n{}{members}",
        told(&doc_above(&lines, at), style)
    ))
}

fn told(text: &str, style: Style) -> String {
    match text {
        "" => String::new(),
        text => style.wrap(&format!("  {}\n", clean_line(text.trim_end())), 4),
    }
}

/// The type that a line begins to declare.
fn type_name(line: &str) -> Option<&str> {
    let export = line.strip_prefix("export type ");
    export
        .or_else(|| line.strip_prefix("declare extern type "))?
        .split(' ')
        .next()
}

/// A declaration up to the line that closes it.
fn block<'a>(lines: &'a [&'a str]) -> &'a [&'a str] {
    let opens = lines[0].ends_with('{') || lines[0].ends_with(" with");
    let end = lines.iter().position(|line| matches!(*line, "}" | "end"));
    &lines[..end.filter(|_| opens).map_or(1, |at| at + 1)]
}

/// The comment above a line, as one text.
fn doc_above(lines: &[&str], at: usize) -> String {
    let above = lines[..at]
        .iter()
        .rev()
        .map_while(|line| line.strip_prefix("--- "));
    let mut doc: Vec<&str> = above.collect();
    doc.reverse();
    doc.join(" ")
}

/// What a game declares, an item each.
fn members(game: &GameDef, name: &str) -> Vec<String> {
    match name {
        "game" => game
            .fields
            .iter()
            .map(|f| format!("game.{}: {}  {}", f.name, f.kind.name(), f.doc))
            .collect(),
        "options" => game
            .options
            .iter()
            .map(|option| {
                let values: Vec<String> = option.values.iter().map(show).collect();
                let values = match values.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", values.join(", ")),
                };
                format!(
                    "options.{}: {}{values}  {}",
                    option.name,
                    option.kind.name(),
                    option.doc
                )
            })
            .collect(),
        _ => game
            .piles
            .iter()
            .map(|pile| format!("piles.{}", pile.name))
            .collect(),
    }
}
