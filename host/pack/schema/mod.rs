//! JSON Schemas (draft 2020-12) of the host's formats and of kinds, with the keywords `x-ref`,
//! `x-unit` and `x-text`. Validation is `jsonschema`'s; places and messages are ours.
mod annotations;
mod close;
mod lookup;
mod messages;
mod pointer;
mod sound;
mod unit_fields;
mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value as Json;

pub use annotations::{Mark, Marks, kind_names};
pub use lookup::each_object;
pub use pointer::{Found, find, locate};
pub use unit_fields::unit_fields;
pub use words::describe;

use super::diagnostic::Diagnostic;
use super::files::{FileId, Files, Place};
use super::node::Node;

/// How many compiled schemas are kept for the next load.
const KNOWN_LIMIT: usize = 64;

/// A compiled schema; clones share it.
#[derive(Clone, Debug)]
pub struct Schema {
    validator: Validator,
    root: Arc<Json>,
    /// Whether it has `x-ref` or `x-text` anywhere, so that it is worth evaluating in full.
    marked: bool,
    /// Whether it leads back to itself, so that how long a value takes must be found before.
    recursive: bool,
}

impl Schema {
    /// One of the host's own schemas, which a test compiles.
    ///
    /// # Panics
    /// If the text isn't a schema.
    pub fn own(text: &str) -> Self {
        let root = serde_json::from_str(text).expect("an own schema is JSON");
        Self::build(root, false)
            .map_err(|(_, message)| message)
            .expect("an own schema is sound")
    }

    /// The schema of a text that compiled before, else compiles it: most reloads change no schema.
    pub fn of(files: &Files, file: FileId) -> Result<Self, Box<Diagnostic>> {
        static KNOWN: Mutex<BTreeMap<Arc<str>, Schema>> = Mutex::new(BTreeMap::new());
        let Some(source) = files.get(file) else {
            return Self::compile(files, file);
        };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = known.get(&source.text) {
            return Ok(schema.clone());
        }
        let schema = Self::compile(files, file)?;
        if known.len() >= KNOWN_LIMIT {
            known.clear();
        }
        known.insert(source.text.clone(), schema.clone());
        Ok(schema)
    }

    /// Compiles a pack's schema; objects whose keys it lists are closed unless it says otherwise.
    pub fn compile(files: &Files, file: FileId) -> Result<Self, Box<Diagnostic>> {
        let Some(source) = files.get(file) else {
            return Self::build(Json::Bool(true), false).map_err(bug);
        };
        if source.text.trim().is_empty() {
            let problem = Diagnostic::of_file("empty-file", &source.pack, &source.name, "the file is empty");
            return Err(problem.help("write a JSON Schema, or delete it").into());
        }
        let mut root: Json = serde_json::from_str(&source.text).map_err(|error| {
            let before: usize = source
                .text
                .split_inclusive('\n')
                .take(error.line() - 1)
                .map(str::len)
                .sum();
            let at = (before + error.column().saturating_sub(1)).min(source.text.trim_end().len());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Box::new(Diagnostic::in_text(source, "bad-json", at..at + 1, message))
        })?;
        let at = |pointer: &str, message: String| {
            let span = pointer::locate(&source.text, pointer);
            Diagnostic::in_text(source, "bad-schema", span, message)
        };
        if !root.is_object() {
            return Err(at("", "a schema is a JSON object".into()).into());
        }
        if let Some(draft) = root.get("$schema").and_then(Json::as_str)
            && !draft.starts_with("https://json-schema.org/draft/2020-12/schema")
        {
            let message = format!("the schema is of another draft: `{draft}`");
            let help = "write \"https://json-schema.org/draft/2020-12/schema\"";
            return Err(at("/$schema", message).help(help).into());
        }
        sound::references(&root).map_err(|fault| at(&fault.pointer, fault.message).maybe_help(fault.help))?;
        let recursive =
            sound::weight(&root).map_err(|fault| at(&fault.pointer, fault.message).maybe_help(fault.help))?;
        let plain = root.clone();
        close::close(&mut root);
        Self::build(root, recursive).map_err(|(pointer, message)| {
            let fault = sound::fault(&plain, pointer, &message);
            at(&fault.pointer, fault.message).maybe_help(fault.help).into()
        })
    }

    fn build(mut root: Json, recursive: bool) -> Result<Self, (String, String)> {
        // With an id of its own the paths in errors would be absolute addresses.
        root.as_object_mut().map(|root| root.remove("$id"));
        let options = jsonschema::options()
            .with_draft(Draft::Draft202012)
            // Linear in the text's length, whatever the pattern.
            .with_pattern_options(PatternOptions::regex());
        match options.build(&root) {
            Ok(validator) => Ok(Self {
                marked: is_marked(&root),
                recursive,
                root: Arc::new(root),
                validator,
            }),
            Err(error) => Err((error.instance_path().to_string(), error.to_string())),
        }
    }

    /// Reports every violation at its key or value. Returns whether there was none.
    pub fn check(&self, files: &Files, node: &Node, problems: &mut Vec<Diagnostic>) -> bool {
        let json = node.to_json();
        self.check_json(files, node, &json, problems)
    }

    fn check_json(&self, files: &Files, node: &Node, json: &Json, problems: &mut Vec<Diagnostic>) -> bool {
        if !self.is_light(json) {
            let message = "its schema leads back to itself so often that comparing them would take too long";
            let help = "nest less deep, or let each part of the schema refer to itself only once";
            problems.push(Diagnostic::at(files, "heavy-schema", node.place, message).help(help));
            return false;
        }
        if self.validator.is_valid(json) {
            return true;
        }
        let errors: Vec<_> = self.validator.iter_errors(json).collect();
        messages::report(&self.root, files, node, &errors, problems);
        false
    }

    /// Like [`Schema::check`], and lists the values that `x-ref` and `x-text` mark.
    /// `json` is the table's plain value.
    pub fn check_marked(
        &self,
        files: &Files,
        node: &Node,
        json: &Json,
        problems: &mut Vec<Diagnostic>,
    ) -> Marks {
        self.check_json(files, node, json, problems);
        if self.marked && self.is_light(json) {
            annotations::marks(&self.root, &self.validator.evaluate(json))
        } else {
            Marks::default()
        }
    }

    fn is_light(&self, json: &Json) -> bool {
        !self.recursive || sound::is_light(&self.root, json)
    }

    pub fn root(&self) -> &Json {
        &self.root
    }

    /// The names that the schema at `pointer` lists as properties, through references and branches.
    pub fn properties(&self, pointer: &str) -> Vec<String> {
        lookup::properties(&self.root, pointer)
    }
}

fn is_marked(schema: &Json) -> bool {
    let mut marked = false;
    each_object(schema, "", &mut |_, map| {
        marked |= map.contains_key("x-ref") || map.contains_key("x-text")
    });
    marked
}

fn bug((_, message): (String, String)) -> Box<Diagnostic> {
    Diagnostic::of_file("bad-schema", "", "", message).into()
}

/// The place of a value, or for the whole table of a file, its first line.
fn place_of(node: &Node, found: Option<&Found<'_>>) -> Place {
    found.map_or(node.place, |found| found.node.place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_schemas_compile() {
        for text in [
            include_str!("../../../schema/pack.schema.json"),
            include_str!("../../../schema/game.schema.json"),
            include_str!("../../../schema/rules.schema.json"),
        ] {
            assert!(Schema::own(text).root().is_object());
        }
    }
}
