//! Values, types and limits of a schema in people's words.
use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value as Json;

use crate::pack::node::{Data, Node};

/// A value in few words.
pub fn describe(node: &Node) -> String {
    match &node.data {
        Data::Bool(value) => value.to_string(),
        Data::Integer(number) => number.to_string(),
        Data::Float(number) => format!("{number:?}"),
        Data::Text(text) if text.chars().count() > 40 => {
            format!("\"{}...\"", text.chars().take(37).collect::<String>())
        }
        Data::Text(text) => format!("{text:?}"),
        Data::List(items) if items.len() == 1 => "a list of 1 item".into(),
        Data::List(items) => format!("a list of {} items", items.len()),
        Data::Table(_) => "a table".into(),
    }
}

pub fn plain(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

pub fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(set) => set.iter().collect(),
    }
}

pub const fn type_word(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "nothing",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a text",
        JsonType::Array => "a list",
        JsonType::Object => "a table",
    }
}

/// What a name must look like, in words for the patterns that ids use.
pub fn pattern_words(pattern: &str) -> String {
    match pattern {
        "^[a-z][a-z0-9-]*$" => "lower-case letters, digits and hyphens, a letter first".into(),
        "^[a-z][a-z0-9_]*$" => "lower-case letters, digits and underscores, a letter first".into(),
        _ => format!("of the form `{pattern}`"),
    }
}

/// What a limit demands, after "must".
pub fn limit(kind: &Kind) -> Option<String> {
    let items = |count: &u64, noun: &str| format!("{count} {noun}{}", if *count == 1 { "" } else { "s" });
    Some(match kind {
        Kind::Minimum { limit } => format!("be at least {limit}"),
        Kind::Maximum { limit } => format!("be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("be a multiple of {multiple_of}"),
        Kind::MinLength { limit: 1 } => "have some text".into(),
        Kind::MinLength { limit } => format!("have at least {}", items(limit, "character")),
        Kind::MaxLength { limit } => format!("have at most {}", items(limit, "character")),
        Kind::MinItems { limit } => format!("have at least {}", items(limit, "item")),
        Kind::MaxItems { limit } => format!("have at most {}", items(limit, "item")),
        Kind::MinProperties { limit } => format!("have at least {}", items(limit, "key")),
        Kind::MaxProperties { limit } => format!("have at most {}", items(limit, "key")),
        Kind::AdditionalItems { limit } => format!("have at most {}", items(&(*limit as u64), "item")),
        Kind::Pattern { pattern } => format!("be {}", pattern_words(pattern)),
        _ => return None,
    })
}
