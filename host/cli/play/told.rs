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

/// The last choice that rules made by themselves, explained; to a `seat` only if that tells it nothing hidden.
pub fn why(game: &mut Game, seat: Option<&str>) -> String {
    if let Status::Failed(error) = game.table.status() {
        let error = error.clone();
        let catalogue = game.table.session().catalogue().clone();
        return format!("A step failed.\n{}", failure(&error, &catalogue));
    }
    let ended = matches!(game.table.status(), Status::Ended(_));
    let last = game.table.session().program().world_mut().last_explanation();
    let Some((mark, explanation)) = last else {
        return if ended {
            ended_by_log(game)
        } else if game.midway {
            "The rules have chosen nothing by themselves since the session was resumed; what they chose before is not known any more.".into()
        } else {
            "The rules have chosen nothing by themselves.".into()
        };
    };
    let since = match game.table.session().answers_since(mark) {
        0 => String::new(),
        1 => "Before your last answer: ".to_owned(),
        count => format!("{count} answers ago: "),
    };
    if ended && !since.is_empty() {
        return ended_by_log(game);
    }
    let text = match &explanation {
        Value::Map(map) => map.get("text"),
        _ => None,
    };
    match text {
        Some(Value::Text(text)) if seat.is_some_and(|seat| names_hidden(game, seat, text)) => {
            "The rules chose by something that you can't see.".into()
        }
        Some(Value::Text(text)) => format!("{since}{text}"),
        _ => format!("{since}a choice came without a word of explanation."),
    }
}

/// Why the game ended as it did, if it explains that.
pub fn why_ended(game: &mut Game) -> Option<String> {
    let last = game.table.session().program().world_mut().last_explanation();
    let (mark, explanation) = last?;
    let Value::Map(map) = &explanation else {
        return None;
    };
    match map.get("text") {
        Some(Value::Text(text)) if game.table.session().answers_since(mark) == 0 => Some(text.to_string()),
        _ => None,
    }
}

/// How a game ended that doesn't explain it: what it logged last.
fn ended_by_log(game: &mut Game) -> String {
    let log = game.table.session().tabletop().log();
    match log.last() {
        Some(line) => format!(
            "The game doesn't explain its end; the last line of its log is: {}",
            line.text
        ),
        None => "The game doesn't explain its end.".into(),
    }
}

/// Whether a text names a card that lies where the seat can't see it.
fn names_hidden(game: &mut Game, seat: &str, text: &str) -> bool {
    let tabletop = game.table.session().tabletop();
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let words: Vec<&str> = text.split(|c| !is_part(c)).collect();
    let hidden = tabletop
        .units()
        .filter(|(id, _)| !tabletop.sees_unit(Some(seat), *id));
    hidden
        .map(|(id, unit)| (tabletop.unit_key(id), tabletop.unit_name(unit).clone()))
        .any(|(key, name)| words.contains(&key.as_str()) || words.contains(&&*name))
}

/// As many rules as fit on a screen.
const LIST: usize = 25;

/// What rules there are by the beginnings of their ids, each with its first.
fn chapters(catalogue: &Catalogue) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut rules = catalogue.rules.values().peekable();
    let chapter = |id: &str| id.rsplit_once('-').map_or(id, |(chapter, _)| chapter).to_owned();
    while let Some(first) = rules.next() {
        let name = chapter(&first.id);
        let mut count = 1;
        while rules.next_if(|next| chapter(&next.id) == name).is_some() {
            count += 1;
        }
        let rules = if count == 1 { "rule" } else { "rules" };
        lines.push(format!("{name}  {count} {rules}: {}", first.text));
    }
    lines.push("`rules` with a chapter, an id or a word shows those rules.".into());
    lines.join("\n")
}

/// A rule by id, the rules of a chapter or with a word in them, or what there is.
pub fn rules(catalogue: &Catalogue, id: &str) -> String {
    if catalogue.rules.is_empty() {
        return "This game lists no rules.".into();
    }
    if id.is_empty() && catalogue.rules.len() > LIST {
        return chapters(catalogue);
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
    // A code may also be a word of rules: both are told.
    let refusal = catalogue.refusals.get(id).map_or(String::new(), |refusal| {
        format!("{id} (a refusal, {}): {}\n", refusal.rule, refusal.text)
    });
    let upper = id.to_uppercase();
    let under: Vec<String> = catalogue
        .rules
        .values()
        .filter(|rule| rule.id.to_uppercase().starts_with(&upper))
        .map(|rule| format!("{}  {}", rule.id, rule.text))
        .collect();
    if !under.is_empty() {
        return refusal + &under.join("\n");
    }
    let lower = id.to_lowercase();
    let with_word: Vec<String> = catalogue
        .rules
        .values()
        .filter(|rule| rule.text.to_lowercase().contains(&lower))
        .map(|rule| format!("{}  {}", rule.id, rule.text))
        .collect();
    if !with_word.is_empty() {
        return refusal + &with_word.join("\n");
    }
    if !refusal.is_empty() {
        return refusal.trim_end().to_owned();
    }
    let help = names::nearest(id, catalogue.rules.keys().map(String::as_str));
    match help {
        Some(near) => format!("There is no rule `{id}`; did you mean `{near}`?"),
        None => format!("There is no rule `{id}`; `rules` lists them."),
    }
}
