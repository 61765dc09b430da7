//! Closes the objects of a kind's schema: a key that no schema lists is an error, unless the schema
//! says `additionalProperties` or `unevaluatedProperties` itself.
use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

/// Keywords whose schemas apply to the same object, so that only their sum can be closed.
const BRANCHES: [&str; 8] = [
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "$ref",
];

/// Closes every object that lists its properties.
pub fn close(root: &mut Json) {
    let mut shared = BTreeSet::new();
    find_shared(root, &mut shared);
    if let Some(defs) = root.get_mut("$defs").and_then(Json::as_object_mut) {
        for (name, schema) in defs {
            if shared.contains(&format!("#/$defs/{name}")) {
                inside(schema, &shared);
            } else {
                position(schema, &shared);
            }
        }
    }
    position(root, &shared);
}

/// A schema that has branches next to listed properties, or `allOf`: its branches can't be closed alone.
fn is_sum(schema: &Map<String, Json>) -> bool {
    let branches = BRANCHES.iter().any(|word| schema.contains_key(*word));
    let lists = schema.contains_key("properties") || schema.contains_key("patternProperties");
    let states = schema.contains_key("additionalProperties") || schema.contains_key("unevaluatedProperties");
    branches && (lists || states || schema.contains_key("allOf") || schema.contains_key("if"))
}

/// References made where the target is only one part of a sum.
fn find_shared(schema: &Json, shared: &mut BTreeSet<String>) {
    match schema {
        Json::Object(map) => {
            if is_sum(map) {
                for word in BRANCHES {
                    map.get(word)
                        .into_iter()
                        .for_each(|branch| references(branch, shared));
                }
            }
            map.values().for_each(|value| find_shared(value, shared));
        }
        Json::Array(list) => list.iter().for_each(|value| find_shared(value, shared)),
        _ => {}
    }
}

fn references(branch: &Json, shared: &mut BTreeSet<String>) {
    match branch {
        Json::String(target) => _ = shared.insert(target.clone()),
        Json::Array(list) => list.iter().for_each(|value| references(value, shared)),
        Json::Object(map) => {
            for word in BRANCHES {
                map.get(word)
                    .into_iter()
                    .for_each(|branch| references(branch, shared));
            }
        }
        _ => {}
    }
}

/// A schema that alone decides about its value.
fn position(schema: &mut Json, shared: &BTreeSet<String>) {
    let Some(map) = schema.as_object_mut() else { return };
    let states = map.contains_key("additionalProperties") || map.contains_key("unevaluatedProperties");
    let lists = map.contains_key("properties") || map.contains_key("patternProperties");
    let part_of_sum = map
        .get("$ref")
        .and_then(Json::as_str)
        .is_some_and(|target| shared.contains(target));
    if is_sum(map) || part_of_sum {
        if !states {
            map.insert("unevaluatedProperties".into(), json!(false));
        }
        return inside(schema, shared);
    }
    if lists && !states {
        map.insert("additionalProperties".into(), json!(false));
    }
    children(map, shared);
    for word in ["anyOf", "oneOf"] {
        let branches = map.get_mut(word).and_then(Json::as_array_mut);
        branches
            .into_iter()
            .flatten()
            .for_each(|branch| position(branch, shared));
    }
}

/// A part of a sum: it stays open, the values below it don't.
fn inside(schema: &mut Json, shared: &BTreeSet<String>) {
    let Some(map) = schema.as_object_mut() else { return };
    children(map, shared);
    for word in BRANCHES {
        match map.get_mut(word) {
            Some(Json::Array(list)) => list.iter_mut().for_each(|branch| inside(branch, shared)),
            Some(Json::Object(branches)) if word == "dependentSchemas" => {
                branches.values_mut().for_each(|branch| inside(branch, shared));
            }
            Some(branch) => inside(branch, shared),
            None => {}
        }
    }
}

/// The schemas of the values below.
fn children(map: &mut Map<String, Json>, shared: &BTreeSet<String>) {
    for (word, value) in map {
        match (word.as_str(), value) {
            ("properties" | "patternProperties", Json::Object(list)) => {
                list.values_mut().for_each(|schema| position(schema, shared));
            }
            ("prefixItems", Json::Array(list)) => list.iter_mut().for_each(|schema| position(schema, shared)),
            ("items" | "additionalProperties" | "unevaluatedProperties" | "contains", schema) => {
                position(schema, shared);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(mut schema: Json) -> Json {
        close(&mut schema);
        schema
    }

    #[test]
    fn an_object_that_lists_its_keys_is_closed() {
        let schema = json!({"properties": {"a": {"properties": {"b": {}}}, "c": {"type": "object"}}});
        let expected = json!({"additionalProperties": false, "properties": {
            "a": {"properties": {"b": {}}, "additionalProperties": false}, "c": {"type": "object"}}});
        assert_eq!(closed(schema), expected);
    }

    #[test]
    fn a_sum_is_closed_as_a_whole() {
        let schema = json!({"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {}}}],
            "$defs": {"base": {"properties": {"a": {}}}, "one": {"properties": {"x": {}}}}});
        let expected = json!({"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {}}}],
            "unevaluatedProperties": false,
            "$defs": {"base": {"properties": {"a": {}}},
                "one": {"properties": {"x": {}}, "additionalProperties": false}}});
        assert_eq!(closed(schema), expected);
    }

    #[test]
    fn an_open_object_stays_open() {
        let schema = json!({"properties": {"a": {}}, "additionalProperties": {"type": "number"}});
        assert_eq!(closed(schema.clone()), schema);
    }

    #[test]
    fn alternatives_are_closed_one_by_one() {
        let schema = json!({"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]});
        let expected = json!({"oneOf": [{"properties": {"a": {}}, "additionalProperties": false},
            {"properties": {"b": {}}, "additionalProperties": false}]});
        assert_eq!(closed(schema), expected);
    }
}
