//! What a violation of a schema says to people: what must be, what is, the nearest right name.
use std::collections::BTreeSet;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value as Json;

use super::place_of;
use super::pointer::{Found, find, parent};
use crate::pack::diagnostic::Diagnostic;
use crate::pack::files::{Files, Place};
use crate::pack::names;
use crate::pack::node::{Data, Node};

/// Turns violations into diagnostics.
pub fn report(
    root: &Json,
    files: &Files,
    node: &Node,
    errors: &[ValidationError<'_>],
    problems: &mut Vec<Diagnostic>,
) {
    let mut report = Report {
        root,
        files,
        node,
        problems,
    };
    for error in errors {
        // A part that doesn't hold hides the keys that it would have listed.
        let hidden = matches!(error.kind(), Kind::UnevaluatedProperties { .. })
            && errors.iter().any(|other| {
                !matches!(other.kind(), Kind::UnevaluatedProperties { .. })
                    && other
                        .instance_path()
                        .as_str()
                        .starts_with(error.instance_path().as_str())
            });
        if !hidden {
            report.error(error);
        }
    }
}

/// The names that the schema at `pointer` lists as properties, through references and branches.
pub fn properties(root: &Json, pointer: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    if let Some(schema) = root.pointer(pointer) {
        collect(root, schema, &mut names, 8);
    }
    names.into_iter().collect()
}

fn collect(root: &Json, schema: &Json, names: &mut BTreeSet<String>, depth: usize) {
    let Some(map) = schema.as_object().filter(|_| depth > 0) else {
        return;
    };
    if let Some(list) = map.get("properties").and_then(Json::as_object) {
        names.extend(list.keys().cloned());
    }
    if map.contains_key("$ref") {
        let target = map["$ref"]
            .as_str()
            .and_then(|target| root.pointer(target.strip_prefix('#')?));
        target
            .into_iter()
            .for_each(|target| collect(root, target, names, depth - 1));
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        let branches = map.get(word).and_then(Json::as_array);
        branches
            .into_iter()
            .flatten()
            .for_each(|branch| collect(root, branch, names, depth - 1));
    }
    for word in ["if", "then", "else"] {
        map.get(word)
            .into_iter()
            .for_each(|branch| collect(root, branch, names, depth - 1));
    }
}

/// The schema itself, or the one that its `$ref` leads to.
pub fn resolve<'a>(root: &'a Json, schema: &'a Json) -> &'a Json {
    let target = schema
        .get("$ref")
        .and_then(Json::as_str)
        .and_then(|target| target.strip_prefix('#'));
    target.and_then(|target| root.pointer(target)).unwrap_or(schema)
}

struct Report<'a> {
    root: &'a Json,
    files: &'a Files,
    node: &'a Node,
    problems: &'a mut Vec<Diagnostic>,
}

impl Report<'_> {
    fn error(&mut self, error: &ValidationError<'_>) {
        let pointer = error.instance_path().as_str();
        let found = find(self.node, pointer);
        let node = found.as_ref().map_or(self.node, |found| found.node);
        let place = place_of(self.node, found.as_ref());
        let name = match found.as_ref().map(|found| found.path.as_str()) {
            None | Some("") => "the file".to_owned(),
            Some(path) => format!("`{path}`"),
        };
        let got = describe(node);
        match error.kind() {
            Kind::Type { kind } => {
                let expected = types(kind)
                    .into_iter()
                    .map(type_word)
                    .collect::<Vec<_>>()
                    .join(" or ");
                self.push(
                    "wrong-type",
                    place,
                    format!("{name} must be {expected}, not {got}"),
                    None,
                );
            }
            Kind::Enum { options } => {
                let allowed: Vec<String> = options.as_array().into_iter().flatten().map(plain).collect();
                let help = node
                    .text()
                    .and_then(|text| names::nearest(text, allowed.iter().map(String::as_str)));
                let help = help.map(|near| format!("did you mean `{near}`?"));
                let allowed = names::list(allowed.iter().map(String::as_str));
                let one = if allowed.contains(" and ") { "one of " } else { "" };
                self.push(
                    "wrong-value",
                    place,
                    format!("{name} must be {one}{allowed}, not {got}"),
                    help,
                );
            }
            Kind::Constant { expected_value } => {
                let message = format!("{name} must be `{}`, not {got}", plain(expected_value));
                self.push("wrong-value", place, message, None);
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let allowed = properties(self.root, parent(error.schema_path().as_str()));
                for key in unexpected {
                    self.unknown_key(found.as_ref(), node, key, &allowed);
                }
            }
            Kind::FalseSchema => {
                let place = found
                    .as_ref()
                    .and_then(|found| found.pair)
                    .map_or(place, |pair| pair.place);
                self.push("unknown-key", place, format!("{name} doesn't belong here"), None);
            }
            Kind::Required { property } => {
                let place = self.table_place(found.as_ref());
                let key = plain(property);
                let message = match found.as_ref().map(|found| found.path.as_str()) {
                    None | Some("") => format!("the key `{key}` is missing"),
                    Some(path) => format!("the key `{key}` is missing in `{path}`"),
                };
                let help = self.describe_key(error.schema_path().as_str(), &key);
                self.push("missing-key", place, message, help);
            }
            Kind::PropertyNames { error } => {
                let key = error.instance().as_str().unwrap_or_default();
                let place = node.pair(key).map_or(place, |pair| pair.place);
                let message = match error.kind() {
                    Kind::Pattern { pattern } => {
                        format!("the name `{key}` must be {}", pattern_words(pattern))
                    }
                    _ => format!("the name `{key}` doesn't fit here"),
                };
                self.push("bad-name", place, message, None);
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.branches(context, &name, place, &got, pointer)
            }
            Kind::UniqueItems => {
                let items = node.items();
                for (index, item) in items.iter().enumerate() {
                    if let Some(first) = items[..index].iter().find(|other| other.same(item)) {
                        let message = format!("{name} has {} twice", describe(item));
                        let problem = Diagnostic::at(self.files, "duplicate-item", item.place, message);
                        self.problems
                            .push(problem.related(self.files, first.place, "the first"));
                    }
                }
            }
            kind => {
                let code = if matches!(kind, Kind::Pattern { .. }) {
                    "bad-name"
                } else {
                    "wrong-value"
                };
                let message = match limit(kind) {
                    Some(limit) => format!("{name} must {limit}, not {got}"),
                    None => format!("{name} doesn't fit the schema: {error}"),
                };
                self.push(code, place, message, None);
            }
        }
    }

    /// None of several forms fits: the nearest form's faults, or the forms' types.
    fn branches(
        &mut self,
        context: &[Vec<ValidationError<'_>>],
        name: &str,
        place: Place,
        got: &str,
        pointer: &str,
    ) {
        let at_root = |error: &&ValidationError<'_>| error.instance_path().as_str() == pointer;
        let wrong_form = |errors: &[ValidationError<'_>]| {
            errors
                .iter()
                .filter(at_root)
                .any(|error| matches!(error.kind(), Kind::Type { .. }))
        };
        let other_word = |errors: &[ValidationError<'_>]| {
            errors
                .iter()
                .any(|error| matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. }))
        };
        let missing = |errors: &[ValidationError<'_>]| {
            errors
                .iter()
                .filter(at_root)
                .any(|error| matches!(error.kind(), Kind::Required { .. }))
        };
        let best = context
            .iter()
            .filter(|errors| !wrong_form(errors))
            .min_by_key(|errors| (other_word(errors), missing(errors), errors.len()));
        match best {
            Some(errors) => {
                for error in errors {
                    self.error(error);
                }
            }
            None => {
                let mut forms: Vec<&str> = Vec::new();
                for error in context.iter().flatten().filter(at_root) {
                    if let Kind::Type { kind } = error.kind() {
                        for word in types(kind).into_iter().map(type_word) {
                            if !forms.contains(&word) {
                                forms.push(word);
                            }
                        }
                    }
                }
                let message = format!("{name} must be {}, not {got}", forms.join(" or "));
                self.push("wrong-type", place, message, None);
            }
        }
    }

    fn unknown_key(&mut self, found: Option<&Found<'_>>, node: &Node, key: &str, allowed: &[String]) {
        let place = node
            .pair(key)
            .map_or_else(|| place_of(self.node, found), |pair| pair.place);
        let unused = allowed
            .iter()
            .map(String::as_str)
            .filter(|name| node.pair(name).is_none());
        let help = match names::nearest(key, unused) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if allowed.is_empty() => None,
            None => Some(format!(
                "known keys are {}",
                names::list(allowed.iter().map(String::as_str))
            )),
        };
        let message = match found.map(|found| found.path.as_str()) {
            None | Some("") => format!("unknown key `{key}`"),
            Some(path) => format!("unknown key `{key}` in `{path}`"),
        };
        self.push("unknown-key", place, message, help);
    }

    /// Where a table starts: its key or header.
    fn table_place(&self, found: Option<&Found<'_>>) -> Place {
        match found {
            Some(Found { pair: Some(pair), .. }) => pair.place,
            found => place_of(self.node, found),
        }
    }

    /// The schema's description of a key, as help.
    fn describe_key(&self, schema_path: &str, key: &str) -> Option<String> {
        let schema = self
            .root
            .pointer(parent(schema_path))?
            .get("properties")?
            .get(key)?;
        let text = resolve(self.root, schema)
            .get("description")
            .or_else(|| schema.get("description"))?;
        Some(format!("`{key}`: {}", text.as_str()?))
    }

    fn push(&mut self, code: &'static str, place: Place, message: String, help: Option<String>) {
        self.problems
            .push(Diagnostic::at(self.files, code, place, message).maybe_help(help));
    }
}

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

fn plain(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

fn types(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(one) => vec![*one],
        TypeKind::Multiple(set) => set.iter().collect(),
    }
}

const fn type_word(kind: JsonType) -> &'static str {
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
fn pattern_words(pattern: &str) -> String {
    match pattern {
        "^[a-z][a-z0-9-]*$" => "lower-case letters, digits and hyphens".into(),
        "^[a-z][a-z0-9_]*$" => "lower-case letters, digits and underscores".into(),
        _ => format!("of the form `{pattern}`"),
    }
}

/// What a limit demands, after "must".
fn limit(kind: &Kind) -> Option<String> {
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
