//! The values that fields, step arguments and log lines hold.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Space;

/// The number of a unit: its place in the tabletop's list of units. Reused after a rollback.
pub type UnitId = u32;

/// A value of the tabletop. Lists and maps have value semantics: they are replaced whole.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    #[default]
    Nil,
    Bool(bool),
    Number(f64),
    Text(Arc<str>),
    Space(Space),
    Unit(UnitId),
    List(Arc<[Value]>),
    Map(Arc<BTreeMap<Arc<str>, Value>>),
}

/// The declared type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    Boolean,
    Number,
    Text,
    Space,
    Unit,
    List,
    Map,
}

impl ValueType {
    /// The word used in TOML, messages and docs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::Text => "text",
            Self::Space => "space",
            Self::Unit => "unit",
            Self::List => "list",
            Self::Map => "map",
        }
    }

    /// The value of a field that has no declared default.
    pub fn zero(self) -> Value {
        match self {
            Self::Boolean => Value::Bool(false),
            Self::Number => Value::Number(0.0),
            Self::Text => Value::Text("".into()),
            Self::Space | Self::Unit => Value::Nil,
            Self::List => Value::List(Arc::from([])),
            Self::Map => Value::Map(Arc::default()),
        }
    }

    /// Whether a field of this type may hold `value`; only spaces and units may be `nil`.
    pub fn admits(self, value: &Value) -> bool {
        matches!(
            (self, value),
            (Self::Boolean, Value::Bool(_))
                | (Self::Number, Value::Number(_))
                | (Self::Text, Value::Text(_))
                | (Self::Space, Value::Space(_) | Value::Nil)
                | (Self::Unit, Value::Unit(_) | Value::Nil)
                | (Self::List, Value::List(_))
                | (Self::Map, Value::Map(_))
        )
    }
}

impl Value {
    /// The type's word, for messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::Space(_) => "space",
            Self::Unit(_) => "unit",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
