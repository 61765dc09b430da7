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

/// That references don't multiply beyond all bounds. Answers whether one leads back to where it is.
pub fn weight(root: &Json) -> Result<bool, Fault> {
    let (mut known, mut recursive) = (BTreeMap::from([("#", None)]), false);
    let weight = weigh(root, root, &mut known, &mut recursive);
    if weight <= HEAVIEST {
        return Ok(recursive);
    }
    Err(Fault {
        pointer: String::new(),
        message: format!("with its references followed the schema has more than {HEAVIEST} parts"),
        help: Some("refer to each definition from fewer places".into()),
    })
}

/// Schemas within one, references followed; one that leads back to where it is counts once. `known` holds
/// what targets weigh, nothing while they are weighed.
fn weigh<'a>(
    root: &'a Json,
    schema: &'a Json,
    known: &mut BTreeMap<&'a str, Option<u64>>,
    recursive: &mut bool,
) -> u64 {
    match schema {
        Json::Object(map) => {
            let mut weight = 1_u64;
            for value in map.values() {
                weight = weight.saturating_add(weigh(root, value, known, recursive));
            }
            for target in targets(map) {
                let Some(found) = follow(root, target) else {
                    continue;
                };
                let of_target = match known.get(target) {
                    Some(weight) => {
                        *recursive |= weight.is_none();
                        weight.unwrap_or(0)
                    }
                    None => {
                        known.insert(target, None);
                        let weight = weigh(root, found, known, recursive);
                        known.insert(target, Some(weight));
                        weight
                    }
                };
                weight = weight.saturating_add(of_target);
            }
            weight
        }
        Json::Array(list) => list.iter().fold(0, |sum: u64, value| {
            sum.saturating_add(weigh(root, value, known, recursive))
        }),
        _ => 0,
    }
}

/// Where the references of a schema itself lead.
fn targets(schema: &serde_json::Map<String, Json>) -> impl Iterator<Item = &str> {
    let words = ["$ref", "$dynamicRef"].into_iter();
    words.filter_map(|word| schema.get(word).and_then(Json::as_str))
}

/// How many pairs of a value and a schema that it must fit a definition may take.
const MOST_WORK: u32 = 200_000;

/// How many schemas may follow from each other for one value; a longer chain leads in a circle.
const LONGEST_CHAIN: u32 = 128;

/// Whether a value fits the schema within bounds: a schema that leads back to itself twice at each level takes
/// for ever with a few nested tables.
pub fn is_light(root: &Json, value: &Json) -> bool {
    let mut left = MOST_WORK;
    spend(root, root, value, 0, &mut left).is_some()
}

fn spend(root: &Json, schema: &Json, value: &Json, chain: u32, left: &mut u32) -> Option<()> {
    *left = left.checked_sub(1)?;
    let Some(map) = schema.as_object().filter(|_| chain < LONGEST_CHAIN) else {
        return Some(());
    };
    // What is left over is found by looking at the branches once more.
    let rounds = 1 + usize::from(map.keys().any(|word| word.starts_with("unevaluated")));
    for _ in 0..rounds {
        for target in targets(map).filter_map(|target| follow(root, target)) {
            spend(root, target, value, chain + 1, left)?;
        }
        for word in ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] {
            let branch = map.get(word);
            let list = branch.and_then(Json::as_array).map(Vec::as_slice);
            for branch in list.unwrap_or_else(|| branch.map(std::slice::from_ref).unwrap_or_default()) {
                spend(root, branch, value, chain + 1, left)?;
            }
        }
        let depend = map.get("dependentSchemas").and_then(Json::as_object);
        for (_, branch) in depend.into_iter().flatten() {
            spend(root, branch, value, chain + 1, left)?;
        }
    }
    let listed = |word: &str| map.get(word).and_then(Json::as_object);
    let one = |word: &str| map.get(word).into_iter();
    match value {
        Json::Object(fields) => {
            for (key, field) in fields {
                let named = listed("properties").and_then(|all| all.get(key)).into_iter();
                let matched = listed("patternProperties").into_iter().flatten().map(|(_, s)| s);
                let others = one("additionalProperties").chain(one("unevaluatedProperties"));
                for part in named.chain(matched).chain(others) {
                    spend(root, part, field, 0, left)?;
                }
            }
        }
        Json::Array(items) => {
            let first = map.get("prefixItems").and_then(Json::as_array);
            for (index, item) in items.iter().enumerate() {
                let placed = first.and_then(|list| list.get(index)).into_iter();
                let others = one("items").chain(one("contains")).chain(one("unevaluatedItems"));
                for part in placed.chain(others) {
                    spend(root, part, item, 0, left)?;
                }
            }
        }
        _ => {}
    }
    Some(())
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
