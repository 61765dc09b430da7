//! `rules.toml`: the rules as people cite them, and refusal codes.
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::diagnostic::Diagnostic;
use super::files::Place;
use super::model::{Catalogue, Refusal, RuleText};
use super::names;
use super::node::Node;
use super::read::{Loaded, Reading};
use super::schema::Schema;

/// Reads every active pack's rules into the catalogue.
pub fn load(packs: &[Loaded], reading: &mut Reading, catalogue: &mut Catalogue) {
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    let mut codes: BTreeMap<String, Place> = BTreeMap::new();
    let mut cited: Vec<(String, Place)> = Vec::new();
    for pack in packs.iter().filter(|pack| pack.texts.contains_key("rules.toml")) {
        let Some(node) = reading.toml(pack, "rules.toml") else {
            continue;
        };
        schema().check(&reading.files, &node, &mut reading.problems);
        for rule in node.get("rule").map(Node::items).unwrap_or_default() {
            let text = |key| rule.get(key).and_then(Node::text).unwrap_or_default().to_owned();
            let (id, Some(at)) = (text("id"), rule.get("id")) else {
                continue;
            };
            if !duplicate(reading, &mut places, &id, at.place, "duplicate-rule", "rule") {
                let ruling = rule.get("ruling").and_then(Node::boolean).unwrap_or(false);
                catalogue.rules.insert(
                    id.clone(),
                    RuleText {
                        id,
                        text: text("text"),
                        ruling,
                    },
                );
            }
        }
        for pair in node.get("refusals").map(Node::pairs).unwrap_or_default() {
            let text = |key| {
                pair.value
                    .get(key)
                    .and_then(Node::text)
                    .unwrap_or_default()
                    .to_owned()
            };
            if duplicate(
                reading,
                &mut codes,
                &pair.key,
                pair.place,
                "duplicate-refusal",
                "refusal",
            ) {
                continue;
            }
            if let Some(rule) = pair.value.get("rule") {
                cited.push((text("rule"), rule.place));
            }
            let refusal = Refusal {
                code: pair.key.clone(),
                rule: text("rule"),
                text: text("text"),
            };
            catalogue.refusals.insert(pair.key.clone(), refusal);
        }
    }
    for (id, place) in cited {
        if !catalogue.rules.contains_key(&id) {
            let help = names::did_you_mean(&id, catalogue.rules.keys().map(String::as_str));
            let problem = Diagnostic::at(
                &reading.files,
                "unknown-rule",
                place,
                format!("there is no rule `{id}`"),
            );
            reading.problem(problem.maybe_help(help));
        }
    }
}

fn duplicate(
    reading: &mut Reading,
    places: &mut BTreeMap<String, Place>,
    id: &str,
    place: Place,
    code: &'static str,
    noun: &str,
) -> bool {
    let Some(first) = places.get(id) else {
        places.insert(id.to_owned(), place);
        return false;
    };
    let message = format!("the {noun} `{id}` is defined twice");
    let problem = Diagnostic::at(&reading.files, code, place, message);
    let problem = problem
        .related(&reading.files, *first, "the first")
        .help("give one another id, or delete it");
    reading.problem(problem);
    true
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::own(include_str!("../../schema/rules.schema.json")))
}
