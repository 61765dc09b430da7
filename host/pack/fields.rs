//! Tables of declared fields: of the game, of spaces, of units.
use super::diagnostic::Diagnostic;
use super::model::FieldDef;
use super::node::Node;
use super::read::Reading;
use super::schema::describe;
use super::values;
use crate::tabletop::{Value, ValueType};

/// Reads declared fields in their order; `reserved` names are refused.
pub fn read(table: Option<&Node>, reserved: &[&str], reading: &mut Reading) -> Vec<FieldDef> {
    let mut fields = Vec::new();
    for pair in table.map(Node::pairs).unwrap_or_default() {
        if reserved.contains(&pair.key.as_str()) {
            let message = format!("every unit has `{}` already", pair.key);
            let problem = Diagnostic::at(&reading.files, "reserved-name", pair.place, message);
            reading.problem(problem.help("give the field another name"));
            continue;
        }
        let Some(kind) = pair.value.get("type").and_then(Node::text).and_then(value_type) else {
            continue;
        };
        let default = match pair.value.get("default") {
            Some(node) => default(kind, &pair.key, values::from_node(node), node, reading),
            None => kind.zero(),
        };
        let doc = pair
            .value
            .get("doc")
            .and_then(Node::text)
            .unwrap_or_default()
            .to_owned();
        fields.push(FieldDef {
            name: pair.key.clone(),
            kind,
            default,
            doc,
        });
    }
    fields
}

fn default(kind: ValueType, name: &str, value: Value, node: &Node, reading: &mut Reading) -> Value {
    if kind.admits(&value) {
        return value;
    }
    let message = match kind {
        ValueType::Space | ValueType::Unit => format!("`{name}` is a {} and starts as nil", kind.name()),
        _ => format!(
            "the default of `{name}` must be a {}, not {}",
            kind.name(),
            describe(node)
        ),
    };
    reading.problem(Diagnostic::at(&reading.files, "wrong-type", node.place, message));
    kind.zero()
}

fn value_type(name: &str) -> Option<ValueType> {
    use ValueType::{Boolean, List, Map, Number, Space, Text, Unit};
    [Boolean, Number, Text, Space, Unit, List, Map]
        .into_iter()
        .find(|kind| kind.name() == name)
}
