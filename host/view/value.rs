//! Values as JSON and as text.
use serde_json::{Value as Json, json};

use super::Viewer;
use crate::tabletop::board::key;
use crate::tabletop::{Space, Tabletop, UnitId, Value};

/// A space's text key: `(3,-1)`, a region's id.
pub fn space(tabletop: &Tabletop, space: Space) -> String {
    key::format(&tabletop.declared().topologies, space)
}

/// The value as JSON: spaces and units as their text keys, a unit that the viewer can't see as null.
pub fn json(tabletop: &Tabletop, viewer: &Viewer, value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Number(n) => number(*n),
        Value::Text(text) => json!(&**text),
        Value::Space(at) => json!(space(tabletop, *at)),
        Value::Unit(id) => unit(tabletop, viewer, *id),
        Value::List(items) => items.iter().map(|item| json(tabletop, viewer, item)).collect(),
        Value::Map(map) => Json::Object(
            map.iter()
                .map(|(k, v)| (k.to_string(), json(tabletop, viewer, v)))
                .collect(),
        ),
    }
}

fn number(n: f64) -> Json {
    if n.fract() == 0.0 && n.abs() < 9e15 {
        json!(n as i64)
    } else {
        json!(n)
    }
}

fn unit(tabletop: &Tabletop, viewer: &Viewer, id: UnitId) -> Json {
    if viewer.sees(tabletop, id) {
        json!(tabletop.unit_key(id))
    } else {
        Json::Null
    }
}

/// The value as a person reads it.
pub fn text(tabletop: &Tabletop, viewer: &Viewer, value: &Value) -> String {
    match json(tabletop, viewer, value) {
        Json::String(text) => text,
        Json::Null => "-".into(),
        other => other.to_string(),
    }
}
