//! Answers to `why` and `rules`.
use super::game::Game;
use crate::pack::model::Catalogue;
use crate::pack::{names, report};
use crate::script::problem_of;
use crate::script::vm::ScriptError;
use crate::session::run::Status;
use crate::tabletop::Value;

/// What a step raised, as `ludex check` tells faults, and the calls that led there.
pub fn failure(error: &ScriptError, catalogue: &Catalogue) -> String {
    let mut text = report::text(&[problem_of(error, catalogue)]);
    // The innermost frame is the error's own place.
    for frame in error.trace.iter().skip(1) {
        let module = frame.chunk.trim_end_matches(".luau");
        let file = catalogue
            .scripts
            .get(module)
            .map_or(&frame.chunk, |script| &script.file);
        let name = frame
            .function
            .as_deref()
            .map_or(String::new(), |name| format!(" in {name}"));
        text += &format!("  called at {file}:{}{name}\n", frame.line);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The last choice that rules made by themselves, explained.
pub fn why(game: &mut Game) -> String {
    if let Status::Failed(error) = game.table.status() {
        let error = error.clone();
        let catalogue = game.table.session().catalogue().clone();
        return format!("A step failed.\n{}", failure(&error, &catalogue));
    }
    let last = game.table.session().program().world_mut().explanations().last();
    match last {
        Some(Value::Map(map)) => match map.get("text") {
            Some(Value::Text(text)) => text.to_string(),
            _ => "The last choice came without a word of explanation.".into(),
        },
        _ if game.midway => {
            "The rules have chosen nothing by themselves since the session was resumed; what they chose before is not known any more.".into()
        }
        _ => "The rules have chosen nothing by themselves.".into(),
    }
}

/// A rule by id, or the list of all.
pub fn rules(catalogue: &Catalogue, id: &str) -> String {
    if catalogue.rules.is_empty() {
        return "This game lists no rules.".into();
    }
    if id.is_empty() {
        let all = catalogue
            .rules
            .values()
            .map(|rule| format!("{}  {}", rule.id, rule.text));
        return all.collect::<Vec<_>>().join("\n");
    }
    let found = catalogue
        .rules
        .values()
        .find(|rule| rule.id.eq_ignore_ascii_case(id));
    if let Some(rule) = found {
        let ruling = if rule.ruling { " (a ruling)" } else { "" };
        return format!("{}{ruling}: {}", rule.id, rule.text);
    }
    if let Some(refusal) = catalogue.refusals.get(id) {
        return format!("{id} ({}): {}", refusal.rule, refusal.text);
    }
    let upper = id.to_uppercase();
    let under: Vec<String> = catalogue
        .rules
        .values()
        .filter(|rule| rule.id.to_uppercase().starts_with(&upper))
        .map(|rule| format!("{}  {}", rule.id, rule.text))
        .collect();
    if !under.is_empty() {
        return under.join("\n");
    }
    let help = names::nearest(id, catalogue.rules.keys().map(String::as_str));
    match help {
        Some(near) => format!("There is no rule `{id}`; did you mean `{near}`?"),
        None => format!("There is no rule `{id}`; `rules` lists them."),
    }
}
