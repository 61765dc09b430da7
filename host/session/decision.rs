//! A decision: what a step asks, as people, recordings and the wire see it.
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::tabletop::board::{Topology, key};

/// How many of the options an answer names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    One,
    Some,
    Ordered,
    /// One of the next spaces, `done` or `back`.
    Path,
}

impl Kind {
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "one" => Self::One,
            "some" => Self::Some,
            "ordered" => Self::Ordered,
            "path" => Self::Path,
            _ => return None,
        })
    }
}

/// One option: a stable text key, and what a person reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub key: String,
    pub label: String,
    /// What a person needs to read only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether the key says what the label says, so that one of them is enough among many.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brief: bool,
    /// Options of one group belong together, such as the moves of one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The seat that alone may answer with this option, where several seats are asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
}

/// An open decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Rises with every decision of a session.
    pub id: u64,
    /// `rove.turn#0`: the step and the how manieth decision of it.
    pub key: String,
    /// Any of them may answer.
    pub seats: Vec<String>,
    pub kind: Kind,
    pub prompt: String,
    pub min: usize,
    pub max: usize,
    pub options: Vec<Choice>,
}

/// Why an answer is refused; the decision stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// A code of the game's `rules.toml`, or the host's own: `not_offered`, `ambiguous`, `too_few`,
    /// `too_many`, `twice`, `wrong_seat`, `busy`, `game_over`.
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub message: String,
}

impl Refusal {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            rule: None,
            message: message.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Some(rule) => write!(f, "{} ({}, {rule})", self.message, self.code),
            None => write!(f, "{} ({})", self.message, self.code),
        }
    }
}

impl Decision {
    /// The numbers (from 1) of the options that the keys name, or why they don't make an answer.
    /// Nobody is told that a space of `boards` is misspelt.
    pub fn indices(&self, keys: &[String], boards: &[Topology]) -> Result<Vec<usize>, Refusal> {
        let mut indices = Vec::with_capacity(keys.len());
        for key in keys {
            let Some(index) = self.options.iter().position(|o| o.key == *key) else {
                return Err(Refusal::new("not_offered", self.not_offered(key, boards)));
            };
            if indices.contains(&(index + 1)) {
                return Err(Refusal::new("twice", format!("`{key}` is named twice")));
            }
            indices.push(index + 1);
        }
        if indices.len() < self.min {
            let wanted = if self.min == self.max {
                format!("{}", self.min)
            } else {
                format!("at least {}", self.min)
            };
            return Err(Refusal::new(
                "too_few",
                format!("choose {wanted}, not {}", indices.len()),
            ));
        }
        if indices.len() > self.max {
            let wanted = if self.min == self.max {
                format!("{}", self.max)
            } else {
                format!("at most {}", self.max)
            };
            return Err(Refusal::new(
                "too_many",
                format!("choose {wanted}, not {}", indices.len()),
            ));
        }
        Ok(indices)
    }

    fn not_offered(&self, key: &str, boards: &[Topology]) -> String {
        let shown: String = key.chars().take(60).collect();
        if key::parse(boards, key).is_ok() {
            return format!("`{shown}` is not among what can be chosen now");
        }
        let near = crate::script::vm::hint(key, self.options.iter().map(|o| o.key.as_str()));
        format!("`{shown}` is not offered{near}")
    }
}
