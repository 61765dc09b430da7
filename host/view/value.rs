//! Values as JSON and as text.
use serde_json::{Value as Json, json};

use super::Viewer;
use crate::pack::template::Part;
use crate::tabletop::board::key;
use crate::tabletop::{Space, Tabletop, UnitId, Value};

/// A space's text key: `(3,-1)`, a region's id.
pub fn space(tabletop: &Tabletop, space: Space) -> String {
    key::format(&tabletop.declared().topologies, space)
}

/// The value as JSON: spaces and units as their text keys, a unit that the viewer can't see as null.
pub fn json(tabletop: &Tabletop, viewer: &Viewer, value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Number(n) => number(*n),
        Value::Text(text) => json!(&**text),
        Value::Space(at) => json!(space(tabletop, *at)),
        Value::Unit(id) => unit(tabletop, viewer, *id),
        Value::List(items) => items.iter().map(|item| json(tabletop, viewer, item)).collect(),
        Value::Map(map) => Json::Object(
            map.iter()
                .map(|(k, v)| (k.to_string(), json(tabletop, viewer, v)))
                .collect(),
        ),
    }
}

fn number(n: f64) -> Json {
    if n.fract() == 0.0 && n.abs() < 9e15 {
        json!(n as i64)
    } else {
        json!(n)
    }
}

fn unit(tabletop: &Tabletop, viewer: &Viewer, id: UnitId) -> Json {
    if viewer.sees(tabletop, id) {
        json!(tabletop.unit_key(id))
    } else {
        Json::Null
    }
}

/// The value as a person reads it.
pub fn text(tabletop: &Tabletop, viewer: &Viewer, value: &Value) -> String {
    match json(tabletop, viewer, value) {
        Json::String(text) => text,
        Json::Null => "-".into(),
        other => other.to_string(),
    }
}

/// A template with the values that `look_up` gives for its fields.
pub fn fill(parts: &[Part], look_up: &dyn Fn(&str) -> Json) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Field { name, lower, inner } => {
            let shown = field(&look_up(name), inner.as_deref());
            if *lower { shown.to_lowercase() } else { shown }
        }
    };
    parts.iter().map(part).collect()
}

/// A field's value: lists of words side by side, each table of a list by the inner template.
fn field(value: &Json, inner: Option<&[Part]>) -> String {
    match (value, inner) {
        (Json::Null, _) => String::new(),
        (Json::String(text), _) => text.clone(),
        (Json::Array(items), _) => {
            let shown: Vec<String> = items.iter().map(|item| field(item, inner)).collect();
            shown.join(if inner.is_some() { ", " } else { " " })
        }
        (Json::Object(table), Some(inner)) => {
            fill(inner, &|name| table.get(name).cloned().unwrap_or_default())
        }
        (other, _) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::template::parse;

    #[test]
    fn templates_show_fields() {
        let unit = json!({
            "size": 3, "name": "Ox", "bites": [{"kind": "deep", "dice": ["a", "b"]}, {"kind": "mere", "dice": ["c"]}],
        });
        let shown = |template| {
            let parts = parse(template).expect("a template");
            fill(&parts, &|name| unit.get(name).cloned().unwrap_or_default())
        };
        assert_eq!(
            shown("{name|lower} {size}: {bites: {kind} {dice}}"),
            "ox 3: deep a b, mere c"
        );
        assert_eq!(shown("[{none}]"), "[]");
    }
}
