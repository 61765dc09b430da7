//! Texts with `{placeholders}`: each names a key beside it, and each parameter is used.
use std::collections::BTreeMap;

use super::diagnostic::Diagnostic;
use super::files::Place;
use super::kinds::Drafts;
use super::model::Script;
use super::names;
use super::node::Node;
use super::read::Reading;
use super::schema::find;

/// The placeholders of a text, with their byte offsets: `{name}`; `{{` is a plain brace.
pub fn placeholders(text: &str) -> Vec<(usize, &str)> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|found| at + found) {
        if text[open..].starts_with("{{") {
            at = open + 2;
            continue;
        }
        let inner = &text[open + 1..];
        let Some(close) = inner.find(['}', '{']) else {
            break;
        };
        // Anything but a name, such as `{M: +1}`, is text for the game to read.
        if inner[close..].starts_with('}') && names::is_snake(&inner[..close]) {
            list.push((open, &inner[..close]));
        }
        at = open + 1 + close;
    }
    list
}

/// Checks every text that a schema marks with `x-text`.
pub fn check(drafts: &Drafts, scripts: &BTreeMap<String, Script>, reading: &mut Reading) {
    for entry in drafts.values().flat_map(|draft| &draft.entries) {
        // Per table: the texts in it, and the keys that its schema lists.
        let mut tables: BTreeMap<&str, (Vec<&Node>, Vec<&String>)> = BTreeMap::new();
        for mark in &entry.marks.texts {
            let Some(found) = find(&entry.node, &mark.pointer) else {
                continue;
            };
            let table = mark.pointer.rsplit_once('/').map_or("", |(table, _)| table);
            let (texts, listed) = tables.entry(table).or_default();
            texts.push(found.node);
            listed.extend(&mark.names);
        }
        for (pointer, (texts, listed)) in tables {
            let Some(table) = find(&entry.node, pointer).map(|found| found.node) else {
                continue;
            };
            // A misspelt placeholder also means the parameter that it is like.
            let mut used = Vec::new();
            for text in texts {
                for (_, name) in placeholders(text.text().unwrap_or_default()) {
                    used.push(match table.get(name) {
                        Some(_) => name,
                        None => missing(table, text, name, reading).unwrap_or(name),
                    });
                }
            }
            let is_read = |name: &str| {
                scripts
                    .values()
                    .any(|script| !script.test && mentions(&script.source, name))
            };
            for pair in table.pairs() {
                let name = &pair.key;
                let plain = used.contains(&name.as_str()) || listed.contains(&name);
                // What the schema refused already needs no second word.
                if plain || !pair.value.pairs().is_empty() || reading.told_at(pair.place) || is_read(name) {
                    continue;
                }
                let message = format!("nothing uses the parameter `{name}`: no text beside it, no script");
                let problem = Diagnostic::at(&reading.files, "unused-parameter", pair.place, message);
                let help = format!("write `{{{name}}}` in the text, read it in Luau, or delete it");
                reading.problem(problem.help(help));
            }
        }
    }
}

/// Reports a placeholder without a key beside it; gives the key that was meant, if one is near.
fn missing<'a>(table: &'a Node, text: &Node, name: &str, reading: &mut Reading) -> Option<&'a str> {
    let keys = table
        .pairs()
        .iter()
        .filter(|pair| !std::ptr::eq(&raw const pair.value, text));
    let keys: Vec<&str> = keys.map(|pair| pair.key.as_str()).collect();
    let message = format!("the text names `{{{name}}}`, and no key beside it does");
    let place = inside(reading, text.place, name);
    let problem = Diagnostic::at(&reading.files, "missing-parameter", place, message);
    reading.problem(problem.maybe_help(names::did_you_mean(name, keys.iter().copied())));
    names::nearest(name, keys)
}

/// The place of a placeholder in the quoted text, which may hold escapes.
pub fn inside(reading: &Reading, place: Place, name: &str) -> Place {
    let written = format!("{{{name}}}");
    match reading.files.text(place).find(&written) {
        Some(at) => {
            let start = place.start + at as u32;
            Place {
                start,
                end: start + written.len() as u32,
                ..place
            }
        }
        None => place,
    }
}

/// Whether a source has `name` as a whole word.
fn mentions(source: &str, name: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = source.as_bytes();
    source.match_indices(name).any(|(at, _)| {
        !is_part(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && !is_part(bytes.get(at + name.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_names_in_braces() {
        let names = |text| {
            placeholders(text)
                .into_iter()
                .map(|(_, name)| name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("Within {reach} lose {heat} charges."), ["reach", "heat"]);
        assert_eq!(names("{{reach}} {M: +1} {Reach} { x } {a{b}"), ["b"]);
        assert!(names("{").is_empty() && names("{{").is_empty() && names("é{").is_empty());
    }

    #[test]
    fn a_mention_is_a_whole_word() {
        assert!(mentions("card.reach + 1", "reach"));
        assert!(!mentions("reaches outreach reach_", "reach"));
    }
}
