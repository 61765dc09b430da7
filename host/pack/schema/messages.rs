//! What a violation of a schema says to people: what must be, what is, the nearest right name.
use std::collections::BTreeMap;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value as Json;

use super::lookup::{properties, resolve};
use super::place_of;
use super::pointer::{Found, find, parent};
use super::words::{describe, limit, pattern_words, plain, type_word, types};
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
                let allowed = names::either(allowed.iter().map(String::as_str));
                self.push(
                    "wrong-value",
                    place,
                    format!("{name} must be {allowed}, not {got}"),
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
                    Kind::MaxLength { limit } => {
                        let start: String = key.chars().take(20).collect();
                        format!("the name `{start}...` must have at most {limit} characters")
                    }
                    _ => format!("the name `{key}` doesn't fit here"),
                };
                // Words for a pattern say it all.
                let help = (!matches!(error.kind(), Kind::Pattern { .. }))
                    .then(|| self.description(parent(error.schema_path().as_str())))
                    .flatten();
                self.push("bad-name", place, message, help);
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.branches(context, &name, place, &got, pointer)
            }
            Kind::UniqueItems => {
                let mut seen: BTreeMap<String, Place> = BTreeMap::new();
                for item in node.items() {
                    let Some(first) = seen.insert(item.to_json().to_string(), item.place) else {
                        continue;
                    };
                    let message = format!("{name} has {} twice", describe(item));
                    let problem = Diagnostic::at(self.files, "duplicate-item", item.place, message);
                    self.problems
                        .push(problem.related(self.files, first, "the first"));
                }
            }
            kind => {
                let code = if matches!(kind, Kind::Pattern { .. }) {
                    "bad-name"
                } else {
                    "wrong-value"
                };
                let got = match (&node.data, kind) {
                    (Data::List(items), Kind::MinItems { .. } | Kind::MaxItems { .. }) => {
                        items.len().to_string()
                    }
                    _ => got,
                };
                let message = match limit(kind) {
                    Some(limit) => format!("{name} must {limit}, not {got}"),
                    None => format!("{name} doesn't fit the schema: {error}"),
                };
                let help = matches!(kind, Kind::Pattern { .. })
                    .then(|| self.description(parent(error.schema_path().as_str())))
                    .flatten();
                self.push(code, place, message, help);
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
        let text = self.description(&format!("{}/properties/{key}", parent(schema_path)))?;
        Some(format!("`{key}`: {text}"))
    }

    /// What the schema at `pointer` says about itself, or the one that it refers to.
    fn description(&self, pointer: &str) -> Option<String> {
        let schema = self.root.pointer(pointer)?;
        let text = schema
            .get("description")
            .or_else(|| resolve(self.root, schema).get("description"))?;
        text.as_str().map(str::to_owned)
    }

    fn push(&mut self, code: &'static str, place: Place, message: String, help: Option<String>) {
        self.problems
            .push(Diagnostic::at(self.files, code, place, message).maybe_help(help));
    }
}
