//! Between TOML, JSON and the tabletop's values.
use std::sync::Arc;

use serde_json::Value as Json;

use super::node::{Data, Node};
use crate::tabletop::Value;

/// What every unit has: no declared field may bear such a name.
pub const UNIT_BUILTINS: [&str; 12] = [
    "id", "key", "kind", "def", "name", "side", "space", "pile", "position", "facing", "face", "pack",
];

/// Methods of units, which no field may hide.
pub const UNIT_METHODS: [&str; 2] = ["remove", "exists"];

/// A plain value of the tabletop; spaces and units have no JSON form.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or_default()),
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| (Arc::from(key.as_str()), from_json(value)));
            Value::Map(Arc::new(pairs.collect()))
        }
    }
}

/// A plain value of the tabletop.
pub fn from_node(node: &Node) -> Value {
    match &node.data {
        Data::Bool(value) => Value::Bool(*value),
        Data::Integer(number) => Value::Number(*number as f64),
        Data::Float(number) => Value::Number(*number),
        Data::Text(text) => Value::Text(text.as_str().into()),
        Data::List(items) => Value::List(items.iter().map(from_node).collect()),
        Data::Table(pairs) => {
            let pairs = pairs
                .iter()
                .map(|pair| (Arc::from(pair.key.as_str()), from_node(&pair.value)));
            Value::Map(Arc::new(pairs.collect()))
        }
    }
}
