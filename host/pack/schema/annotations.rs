//! The values of a definition that `x-ref` and `x-text` mark, found by evaluating its schema, so that
//! only branches that apply count.
use jsonschema::Evaluation;
use serde_json::Value as Json;

use super::lookup::properties;
use super::pointer::parent;

/// Marked values of one definition.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// References and the kinds that they may lead to.
    pub refs: Vec<Mark>,
    /// Texts with placeholders, and the keys beside them that the schema lists.
    pub texts: Vec<Mark>,
}

#[derive(Clone, Debug)]
pub struct Mark {
    /// JSON pointer into the definition.
    pub pointer: String,
    pub names: Vec<String>,
}

/// The kinds that an `x-ref` names: one, or a list.
pub fn kind_names(kinds: &Json) -> impl Iterator<Item = &str> {
    kinds
        .as_str()
        .into_iter()
        .chain(kinds.as_array().into_iter().flatten().filter_map(Json::as_str))
}

pub fn marks(root: &Json, evaluation: &Evaluation) -> Marks {
    let mut marks = Marks::default();
    visit(root, evaluation.root(), &mut marks);
    // One value may be met on several ways through the schema.
    for list in [&mut marks.refs, &mut marks.texts] {
        list.sort_by(|a, b| a.pointer.cmp(&b.pointer));
        list.dedup_by(|a, b| a.pointer == b.pointer && a.names == b.names);
    }
    marks
}

fn visit(root: &Json, unit: jsonschema::OutputUnit<'_>, marks: &mut Marks) {
    // A fault elsewhere drops annotations, but its author wants every problem in one run.
    if let Some(notes) = unit.annotations().or_else(|| unit.dropped_annotations()) {
        let pointer = || unit.instance_location().as_str().to_owned();
        if let Some(kinds) = notes.value().get("x-ref") {
            let names = kind_names(kinds).map(str::to_owned).collect();
            marks.refs.push(Mark {
                pointer: pointer(),
                names,
            });
        }
        if notes.value().get("x-text").and_then(Json::as_bool) == Some(true) {
            let schema = unit.schema_location().trim_start_matches('#');
            let names = properties(root, parent(parent(schema)));
            marks.texts.push(Mark {
                pointer: pointer(),
                names,
            });
        }
    }
    let path = unit.evaluation_path().as_str();
    let choice = ["/oneOf", "/anyOf", "/if", "/not"]
        .iter()
        .any(|word| path.ends_with(word));
    let some_fit = choice && unit.children().any(|child| child.valid());
    for child in unit.children() {
        // Of alternatives only those that fit speak of the value; if none does, none.
        if !choice || (some_fit && child.valid()) {
            visit(root, child, marks);
        }
    }
}
