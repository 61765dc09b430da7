//! A TOML value that remembers where each key and value stands.
use serde_json::{Map, Value as Json};

use super::files::Place;

#[derive(Clone, Debug, Default)]
pub struct Node {
    pub place: Place,
    pub data: Data,
}

#[derive(Clone, Debug)]
pub enum Data {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// In order of declaration.
    Table(Vec<Pair>),
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub struct Pair {
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    pub value: Node,
}

impl Default for Data {
    fn default() -> Self {
        Self::Table(Vec::new())
    }
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.pair(key).map(|pair| &pair.value)
    }

    pub fn pair(&self, key: &str) -> Option<&Pair> {
        self.pairs().iter().find(|pair| pair.key == key)
    }

    /// The pairs of a table; none for anything else.
    pub fn pairs(&self) -> &[Pair] {
        match &self.data {
            Data::Table(pairs) => pairs,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self.data {
            Data::Integer(number) => Some(number as f64),
            Data::Float(number) => Some(number),
            _ => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self.data {
            Data::Integer(number) => Some(number),
            Data::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(number as i64),
            _ => None,
        }
    }

    pub fn boolean(&self) -> Option<bool> {
        match self.data {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// What it is, in the words of TOML.
    pub const fn type_name(&self) -> &'static str {
        match self.data {
            Data::Bool(_) => "boolean",
            Data::Integer(_) | Data::Float(_) => "number",
            Data::Text(_) => "text",
            Data::List(_) => "list",
            Data::Table(_) => "table",
        }
    }

    /// The plain value.
    pub fn to_json(&self) -> Json {
        match &self.data {
            Data::Bool(value) => Json::from(*value),
            Data::Integer(number) => Json::from(*number),
            Data::Float(number) => Json::from(*number),
            Data::Text(text) => Json::from(text.as_str()),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Table(pairs) => {
                let pairs = pairs.iter().map(|pair| (pair.key.clone(), pair.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// Whether two values are alike, wherever they stand.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Text(a), Data::Text(b)) => a == b,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Data::Table(a), Data::Table(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|a| b.iter().any(|b| a.key == b.key && a.value.same(&b.value)))
            }
            _ => self.number().is_some() && self.number() == other.number(),
        }
    }
}
