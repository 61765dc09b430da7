//! Looking things up in a schema, through references and branches.
use std::collections::BTreeSet;

use serde_json::Value as Json;

/// The names that the schema at `pointer` lists as properties, through references and branches.
pub fn properties(root: &Json, pointer: &str) -> Vec<String> {
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    if let Some(schema) = root.pointer(pointer) {
        collect(root, schema, &mut names, &mut seen);
    }
    names.into_iter().collect()
}

/// `seen` holds the references that were followed: schemas may lead in circles.
fn collect<'a>(root: &'a Json, schema: &'a Json, names: &mut BTreeSet<String>, seen: &mut BTreeSet<&'a str>) {
    let Some(map) = schema.as_object() else { return };
    if let Some(list) = map.get("properties").and_then(Json::as_object) {
        names.extend(list.keys().cloned());
    }
    if let Some(target) = map.get("$ref").and_then(Json::as_str)
        && seen.insert(target)
        && let Some(target) = follow(root, target)
    {
        collect(root, target, names, seen);
    }
    for word in ["allOf", "anyOf", "oneOf", "if", "then", "else"] {
        match map.get(word) {
            Some(Json::Array(list)) => list.iter().for_each(|branch| collect(root, branch, names, seen)),
            Some(branch) => collect(root, branch, names, seen),
            None => {}
        }
    }
}

/// What a reference within the schema leads to: by a pointer, or by the name of an `$anchor`.
pub fn follow<'a>(root: &'a Json, target: &str) -> Option<&'a Json> {
    match target.strip_prefix('#')? {
        pointer if pointer.is_empty() || pointer.starts_with('/') => root.pointer(pointer),
        name => anchored(root, name),
    }
}

fn anchored<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    match schema {
        Json::Object(map) => {
            let is_here = |word| map.get(word).and_then(Json::as_str) == Some(name);
            if is_here("$anchor") || is_here("$dynamicAnchor") {
                return Some(schema);
            }
            map.values().find_map(|value| anchored(value, name))
        }
        Json::Array(list) => list.iter().find_map(|value| anchored(value, name)),
        _ => None,
    }
}

/// The schema itself, or the one that its `$ref` leads to.
pub fn resolve<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let target = schema.get("$ref").and_then(Json::as_str);
    target.and_then(|target| follow(root, target)).unwrap_or(schema)
}

/// Calls `visit` with the pointer and value of every object in a schema.
pub fn each_object(
    schema: &Json,
    pointer: &str,
    visit: &mut dyn FnMut(&str, &serde_json::Map<String, Json>),
) {
    match schema {
        Json::Object(map) => {
            visit(pointer, map);
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                each_object(value, &format!("{pointer}/{key}"), visit);
            }
        }
        Json::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                each_object(value, &format!("{pointer}/{index}"), visit);
            }
        }
        _ => {}
    }
}
