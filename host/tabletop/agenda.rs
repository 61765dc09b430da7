//! The agenda: steps to come, a stack of named steps with plain arguments.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Value;

/// A step to come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Full name, such as `rove.turn`.
    pub name: Arc<str>,
    /// Sorted by name, so that two ways of writing one step hash alike.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<Arc<str>, Value>,
}
