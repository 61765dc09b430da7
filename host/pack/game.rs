//! `game.toml`: seats, options, presets, piles, dice and units of the game that is played.
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::boards;
use super::diagnostic::Diagnostic;
use super::fields;
use super::files::Place;
use super::looks;
use super::model::{Catalogue, DieDef, GameDef, OptionDef, PileDef, UnitDef, Visibility};
use super::names;
use super::node::{Node, Pair};
use super::read::{Loaded, Reading};
use super::schema::{Schema, describe};
use super::values;
use crate::tabletop::{Value, ValueType};

/// Reads the game's `game.toml` into the catalogue, after its kinds.
pub fn load(packs: &[Loaded], game: Option<&str>, reading: &mut Reading, catalogue: &mut Catalogue) {
    let Some(pack) = packs.iter().find(|pack| Some(pack.id.as_str()) == game) else {
        return;
    };
    if !pack.texts.contains_key("game.toml") {
        return; // Not readable, which was reported.
    }
    let Some(node) = reading.toml(pack, "game.toml") else {
        return;
    };
    schema().check(&reading.files, &node, &mut reading.problems);
    let text = |key: &str| node.get(key).and_then(Node::text).unwrap_or_default().to_owned();
    let (seats, seat_range) = seats(&node, reading);
    let fields = fields::read(node.get("fields"), &[], reading);
    let options: Vec<OptionDef> = pairs(&node, "options")
        .iter()
        .filter_map(|pair| option(pair, reading))
        .collect();
    let concede = text("concede");
    let def = GameDef {
        pack: pack.id.clone(),
        title: text("title"),
        summary: text("summary"),
        start: text("start"),
        start_place: node.get("start").map(|start| start.place).unwrap_or_default(),
        presets: presets(&node, &options, reading),
        boards: boards::read(node.get("boards"), reading),
        piles: pairs(&node, "piles")
            .iter()
            .map(|pair| pile(pair, &seats, reading))
            .collect(),
        dice: pairs(&node, "dice").iter().map(die).collect(),
        streams: words(&node, "streams")
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
        units: units(&node, catalogue, reading),
        metrics: metrics(&node, &fields, reading),
        concede: if concede.is_empty() {
            "lost".into()
        } else {
            concede
        },
        seats,
        seat_range,
        options,
        fields,
    };
    catalogue.game = Some(def);
}

fn pairs<'a>(node: &'a Node, key: &str) -> &'a [Pair] {
    node.get(key).map(Node::pairs).unwrap_or_default()
}

fn words(node: &Node, key: &str) -> Vec<(String, Place)> {
    let items = node.get(key).map(Node::items).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| Some((item.text()?.to_owned(), item.place)))
        .collect()
}

/// Seat names, and the least and greatest number of them that may play.
fn seats(node: &Node, reading: &mut Reading) -> (Vec<String>, (usize, usize)) {
    let plain = words(node, "seats");
    let Some(table) = node.get("seats").filter(|_| plain.is_empty()) else {
        let names: Vec<String> = plain.into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        return (names, (count, count));
    };
    let names: Vec<String> = words(table, "names").into_iter().map(|(name, _)| name).collect();
    let number = |key| {
        table
            .get(key)
            .and_then(Node::integer)
            .map(|number| number.max(0) as usize)
    };
    let max = number("max").unwrap_or(names.len());
    let min = number("min").unwrap_or(max);
    if let Some(at) = table.get("max").filter(|_| max > names.len()) {
        let message = format!("`seats.max` is {max}, and there are names for {}", names.len());
        reading.problem(Diagnostic::at(&reading.files, "bad-seats", at.place, message));
    }
    if let Some(at) = table.get("min").filter(|_| min > max) {
        let message = format!("`seats.min` is {min}, more than the {max} that may play");
        reading.problem(Diagnostic::at(&reading.files, "bad-seats", at.place, message));
    }
    (names, (min, max))
}

fn option(pair: &Pair, reading: &mut Reading) -> Option<OptionDef> {
    let get = |key| pair.value.get(key);
    let kind = match get("type").and_then(Node::text) {
        Some("boolean") => ValueType::Boolean,
        Some("number") => ValueType::Number,
        Some("text") => ValueType::Text,
        _ => return None, // Which the schema told.
    };
    let mut values = Vec::new();
    for node in get("values").map(Node::items).unwrap_or_default() {
        if admits(kind, node, "a value", &pair.key, reading) {
            values.push(values::from_node(node));
        }
    }
    let default = match get("default") {
        Some(node) if admits(kind, node, "the default", &pair.key, reading) => {
            let value = values::from_node(node);
            allowed(&value, &values, node, &pair.key, reading);
            value
        }
        _ => kind.zero(),
    };
    let doc = get("doc").and_then(Node::text).unwrap_or_default().to_owned();
    Some(OptionDef {
        name: pair.key.clone(),
        kind,
        default,
        values,
        doc,
    })
}

fn admits(kind: ValueType, node: &Node, what: &str, name: &str, reading: &mut Reading) -> bool {
    let admits = kind.admits(&values::from_node(node));
    if !admits {
        let message = format!(
            "{what} of `{name}` must be a {}, not {}",
            kind.name(),
            describe(node)
        );
        reading.problem(Diagnostic::at(&reading.files, "wrong-type", node.place, message));
    }
    admits
}

fn allowed(value: &Value, values: &[Value], node: &Node, name: &str, reading: &mut Reading) {
    if values.is_empty() || values.contains(value) {
        return;
    }
    let shown: Vec<String> = values.iter().map(show).collect();
    let help = node
        .text()
        .and_then(|text| names::nearest(text, shown.iter().map(String::as_str)));
    let list = names::either(shown.iter().map(String::as_str));
    let message = format!("`{name}` must be {list}, not {}", describe(node));
    let problem = Diagnostic::at(&reading.files, "wrong-value", node.place, message);
    reading.problem(problem.maybe_help(help.map(|near| format!("did you mean `{near}`?"))));
}

fn show(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        other => other.type_name().to_owned(),
    }
}

fn presets(
    node: &Node,
    options: &[OptionDef],
    reading: &mut Reading,
) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut presets = BTreeMap::new();
    for preset in pairs(node, "presets") {
        let mut set = BTreeMap::new();
        for pair in preset.value.pairs() {
            let Some(option) = options.iter().find(|option| option.name == pair.key) else {
                let help = names::did_you_mean(&pair.key, options.iter().map(|option| option.name.as_str()));
                let message = format!("there is no option `{}` for the preset to set", pair.key);
                let problem = Diagnostic::at(&reading.files, "unknown-option", pair.place, message);
                reading.problem(problem.maybe_help(help));
                continue;
            };
            if admits(option.kind, &pair.value, "the value", &pair.key, reading) {
                let value = values::from_node(&pair.value);
                allowed(&value, &option.values, &pair.value, &pair.key, reading);
                set.insert(pair.key.clone(), value);
            }
        }
        presets.insert(preset.key.clone(), set);
    }
    presets
}

fn pile(pair: &Pair, seats: &[String], reading: &mut Reading) -> PileDef {
    let visibility = match pair.value.get("visibility").and_then(Node::text) {
        Some("none") => Visibility::None,
        Some("owner") => Visibility::Owner,
        Some("top") => Visibility::Top,
        _ => Visibility::All,
    };
    let owner = pair
        .value
        .get("owner")
        .and_then(|owner| Some((owner.text()?.to_owned(), owner.place)));
    match &owner {
        Some((seat, place)) if !seats.contains(seat) => {
            let help = names::did_you_mean(seat, seats.iter().map(String::as_str));
            let message = format!("there is no seat `{seat}`");
            let problem = Diagnostic::at(&reading.files, "unknown-seat", *place, message);
            reading.problem(problem.maybe_help(help));
        }
        None if visibility == Visibility::Owner => {
            let message = format!("`{}` is seen by its owner, and has none", pair.key);
            let problem = Diagnostic::at(&reading.files, "missing-key", pair.place, message);
            reading.problem(problem.help("write `owner = \"<seat>\"`"));
        }
        _ => {}
    }
    PileDef {
        name: pair.key.clone(),
        visibility,
        owner: owner.map(|(seat, _)| seat),
    }
}

fn die(pair: &Pair) -> DieDef {
    let faces = pair.value.get("faces").map(Node::items).unwrap_or_default();
    DieDef {
        name: pair.key.clone(),
        faces: faces.iter().map(values::from_node).collect(),
    }
}

fn metrics(node: &Node, fields: &[super::model::FieldDef], reading: &mut Reading) -> Vec<String> {
    let metrics = words(node, "metrics");
    for (name, place) in &metrics {
        if !fields.iter().any(|field| field.name == *name) {
            let help = names::did_you_mean(name, fields.iter().map(|field| field.name.as_str()));
            let message = format!("the metric `{name}` isn't a field of the game");
            let problem = Diagnostic::at(&reading.files, "unknown-field", *place, message);
            reading.problem(problem.maybe_help(help));
        }
    }
    metrics.into_iter().map(|(name, _)| name).collect()
}

/// Kinds of units: every kind of definition, and those that the game declares.
fn units(node: &Node, catalogue: &Catalogue, reading: &mut Reading) -> BTreeMap<String, UnitDef> {
    let mut units: BTreeMap<String, UnitDef> = BTreeMap::new();
    for kind in catalogue.kinds.values() {
        let def = UnitDef {
            name: kind.name.clone(),
            fields: kind.unit_fields.clone(),
            ..UnitDef::default()
        };
        units.insert(kind.name.clone(), def);
    }
    for pair in pairs(node, "units") {
        let get = |key| pair.value.get(key);
        let reserved: Vec<&str> = values::UNIT_BUILTINS
            .into_iter()
            .chain(values::UNIT_METHODS)
            .collect();
        let declared = fields::read(get("fields"), &reserved, reading);
        let unit = units.entry(pair.key.clone()).or_default();
        unit.name.clone_from(&pair.key);
        for field in declared {
            if unit.fields.iter().any(|known| known.name == field.name) {
                let place = get("fields")
                    .and_then(|fields| fields.pair(&field.name))
                    .map(|pair| pair.place);
                let message = format!(
                    "the schema of `{}` has the field `{}` already",
                    pair.key, field.name
                );
                let problem = Diagnostic::at(
                    &reading.files,
                    "duplicate-field",
                    place.unwrap_or(pair.place),
                    message,
                );
                reading.problem(problem.help("delete it here, or take `x-unit` away there"));
                continue;
            }
            unit.fields.push(field);
        }
        unit.faces = words(&pair.value, "faces")
            .into_iter()
            .map(|(face, _)| face)
            .collect();
        let entries = catalogue.kinds.get(&pair.key).map(|kind| &*kind.entries);
        looks::read(pair, unit, entries, reading);
    }
    units
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::own(include_str!("../../schema/game.schema.json")))
}
