//! What makes a schema unsound, in words: a reference to nowhere, a type that isn't one.
use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::lookup::{each_object, follow};
use crate::pack::names;

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

pub struct Fault {
    /// Where in the schema.
    pub pointer: String,
    pub message: String,
    pub help: Option<String>,
}

/// Every `$ref` must lead to a place in the same schema: nothing is fetched.
pub fn references(root: &Json) -> Result<(), Fault> {
    let mut fault = None;
    each_object(root, "", &mut |pointer, map| {
        let Some(target) = map.get("$ref").and_then(Json::as_str) else {
            return;
        };
        // `#name` leads to an `$anchor`, which the compiler looks up.
        let is_pointer = target == "#" || target.starts_with("#/");
        if fault.is_some() || (target.starts_with('#') && (!is_pointer || follow(root, target).is_some())) {
            return;
        }
        let (message, help) = if is_pointer {
            let defs = root.get("$defs").and_then(Json::as_object);
            let last = target.rsplit('/').next().unwrap_or_default();
            let names = defs.into_iter().flatten().map(|(name, _)| name.as_str());
            (
                format!("`{target}` leads nowhere"),
                names::did_you_mean(last, names),
            )
        } else {
            let help = "write the other schema under `$defs` and refer to `#/$defs/<name>`";
            (
                format!("`{target}` is outside of the schema, and nothing is fetched"),
                Some(help.to_owned()),
            )
        };
        fault = Some(Fault {
            pointer: format!("{pointer}/$ref"),
            message,
            help,
        });
    });
    fault.map_or(Ok(()), Err)
}

/// How many schemas are looked at for one value, with references followed: doubled at each level, a few
/// lines would take for ever.
const HEAVIEST: u64 = 100_000;

/// That references don't multiply beyond all bounds.
pub fn weight(root: &Json) -> Result<(), Fault> {
    let mut known = BTreeMap::new();
    let weight = weigh(root, root, &mut known);
    if weight <= HEAVIEST {
        return Ok(());
    }
    Err(Fault {
        pointer: String::new(),
        message: format!("with its references followed the schema has more than {HEAVIEST} parts"),
        help: Some("refer to each definition from fewer places".into()),
    })
}

/// Schemas within one, references followed; one that leads back to where it is counts once. `known` holds
/// what targets weigh, nothing while they are weighed.
fn weigh<'a>(root: &'a Json, schema: &'a Json, known: &mut BTreeMap<&'a str, u64>) -> u64 {
    match schema {
        Json::Object(map) => {
            let mut weight = map
                .values()
                .fold(1, |sum: u64, value| sum.saturating_add(weigh(root, value, known)));
            if let Some(target) = map.get("$ref").and_then(Json::as_str)
                && let Some(found) = follow(root, target)
            {
                let of_target = match known.get(target) {
                    Some(&weight) => weight,
                    None => {
                        known.insert(target, 0);
                        let weight = weigh(root, found, known);
                        known.insert(target, weight);
                        weight
                    }
                };
                weight = weight.saturating_add(of_target);
            }
            weight
        }
        Json::Array(list) => list
            .iter()
            .fold(0, |sum: u64, value| sum.saturating_add(weigh(root, value, known))),
        _ => 0,
    }
}

/// What the compiler found at `pointer`.
pub fn fault(root: &Json, pointer: String, message: &str) -> Fault {
    let word = root.pointer(&pointer).and_then(Json::as_str);
    match word {
        Some(word) if pointer.ends_with("/type") => Fault {
            message: format!("`{word}` isn't a type"),
            help: names::did_you_mean(word, TYPES),
            pointer,
        },
        _ => Fault {
            pointer,
            message: format!("this isn't a sound schema: {message}"),
            help: None,
        },
    }
}
