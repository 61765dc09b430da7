//! What makes a schema unsound, in words: a reference to nowhere, a type that isn't one.
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
