//! The fields that a kind's schema gives to units: its `x-unit` properties.
use serde_json::Value as Json;

use super::lookup::resolve;
use super::pointer::locate;
use crate::pack::diagnostic::Diagnostic;
use crate::pack::files::{FileId, Files};
use crate::pack::model::FieldDef;
use crate::pack::names;
use crate::pack::values::{self, UNIT_BUILTINS};
use crate::tabletop::ValueType;

/// Reads the `x-unit` properties of a schema, in order of name.
pub fn unit_fields(
    root: &Json,
    files: &Files,
    file: FileId,
    problems: &mut Vec<Diagnostic>,
) -> Vec<FieldDef> {
    let mut fields = Vec::new();
    let properties = root.get("properties").and_then(Json::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if schema.get("x-unit").and_then(Json::as_bool) != Some(true) {
            continue;
        }
        let mut problem = |message: String, help: &str| {
            let Some(source) = files.get(file) else { return };
            let span = locate(&source.text, &format!("/properties/{name}"));
            problems.push(Diagnostic::in_text(source, "bad-schema", span, message).help(help));
        };
        if UNIT_BUILTINS.contains(&name.as_str()) {
            problem(
                format!("every unit has `{name}` already"),
                "give the field another name",
            );
            continue;
        }
        if !names::is_snake(name) {
            let message = format!("`{name}` can't be a unit's field");
            problem(
                message,
                "a field's name is lower-case letters, digits and underscores",
            );
            continue;
        }
        let schema = resolve(root, schema);
        let Some(kind) = schema.get("type").and_then(Json::as_str).and_then(value_type) else {
            let message = format!("the unit's field `{name}` has no single type");
            problem(
                message,
                "give it one `type`: boolean, number, integer, string, array or object",
            );
            continue;
        };
        let default = schema
            .get("default")
            .map_or_else(|| kind.zero(), values::from_json);
        if !kind.admits(&default) {
            problem(
                format!("the default of `{name}` isn't a {}", kind.name()),
                "mend `default`",
            );
            continue;
        }
        let doc = schema
            .get("description")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned();
        fields.push(FieldDef {
            name: name.clone(),
            kind,
            default,
            doc,
        });
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    fields
}

fn value_type(name: &str) -> Option<ValueType> {
    Some(match name {
        "boolean" => ValueType::Boolean,
        "number" | "integer" => ValueType::Number,
        "string" => ValueType::Text,
        "array" => ValueType::List,
        "object" => ValueType::Map,
        _ => return None,
    })
}
