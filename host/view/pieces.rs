//! A unit's glyph, its colour and what one says of it.
use unicode_width::UnicodeWidthChar;

use super::Viewer;
use super::clean::clean_line;
use super::style::Style;
use super::value;
use crate::pack::model::{Catalogue, Entry};
use crate::tabletop::{Place, Tabletop, Unit, UnitId, Value};

/// Columns that a glyph may take.
pub const GLYPH_WIDTH: usize = 3;

/// The entry that a unit was made from.
pub fn entry<'a>(tabletop: &Tabletop, catalogue: &'a Catalogue, unit: &Unit) -> Option<&'a Entry> {
    let definition = tabletop.declared().definitions.get(unit.definition? as usize)?;
    let kind = &tabletop.declared().kinds[unit.kind as usize].name;
    let entries = &catalogue.kinds.get(&**kind)?.entries;
    let entry = entries
        .iter()
        .find(|e| e.id == *definition.id && definition.reference.starts_with(&e.pack))?;
    Some(entry)
}

/// The name that people read: that of the definition, else the text key.
pub fn name(tabletop: &Tabletop, catalogue: &Catalogue, id: UnitId) -> String {
    let named = tabletop
        .unit(id)
        .and_then(|unit| entry(tabletop, catalogue, unit));
    let named = named.and_then(|entry| entry.data.get("name")?.as_str());
    named.map_or_else(|| tabletop.unit_key(id), clean_line)
}

/// At most three columns that stand for a unit, without colour.
pub fn glyph(tabletop: &Tabletop, catalogue: &Catalogue, unit: &Unit) -> String {
    let kind = &tabletop.declared().kinds[unit.kind as usize];
    let declared = catalogue
        .game
        .as_ref()
        .and_then(|game| game.units.get(&*kind.name));
    let template = declared.map_or("", |d| d.glyph.as_str());
    let filled = match template {
        "" => initials(tabletop.unit_name(unit)),
        template => fill(template, |field| look_up(tabletop, catalogue, unit, field)),
    };
    let cut = cut(&clean_line(&filled), GLYPH_WIDTH);
    if cut.is_empty() { "?".into() } else { cut }
}

fn look_up(tabletop: &Tabletop, catalogue: &Catalogue, unit: &Unit, field: &str) -> String {
    let kind = &tabletop.declared().kinds[unit.kind as usize];
    match field {
        "side" => unit.side.as_deref().unwrap_or("").to_owned(),
        "number" => unit.number.to_string(),
        "id" => tabletop.unit_name(unit).to_string(),
        "face" => kind
            .faces
            .get(unit.face as usize)
            .map_or_else(|| unit.face.to_string(), ToString::to_string),
        _ => {
            if let Some(slot) = kind.slot(field) {
                return value::text(tabletop, &Viewer::Common, &unit.fields[slot as usize]);
            }
            match entry(tabletop, catalogue, unit).and_then(|entry| entry.data.get(field)) {
                Some(serde_json::Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            }
        }
    }
}

fn fill(template: &str, look_up: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((field, after)) = after.split_once('}') else {
            rest = after;
            break;
        };
        out.push_str(&look_up(field));
        rest = after;
    }
    out + rest
}

fn initials(name: &str) -> String {
    let words: Vec<&str> = name.split(['-', '_', ' ']).filter(|w| !w.is_empty()).collect();
    match words[..] {
        [one] => one.chars().take(2).collect(),
        _ => words.iter().filter_map(|w| w.chars().next()).take(2).collect(),
    }
}

fn cut(text: &str, columns: usize) -> String {
    let mut left = columns;
    let fits = |c: &char| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    };
    text.chars().take_while(fits).collect()
}

/// The colour that the game gives a unit's kind; a side of the game's seats has one of its own where the
/// kind names none.
pub fn colour<'a>(tabletop: &Tabletop, catalogue: &'a Catalogue, unit: &Unit) -> &'a str {
    let kind = &tabletop.declared().kinds[unit.kind as usize].name;
    let Some(game) = &catalogue.game else { return "" };
    match game.units.get(&**kind).map(|d| d.colour.as_str()) {
        Some("") | None => {
            let seats = ["cyan", "yellow", "magenta", "green", "blue", "red"];
            let seat = unit
                .side
                .as_deref()
                .and_then(|side| game.seats.iter().position(|s| s == side));
            seat.map_or("", |at| seats[at % seats.len()])
        }
        Some(colour) => colour,
    }
}

/// One line about a unit: key, name, side, face and fields that aren't at their defaults.
pub fn describe(
    tabletop: &Tabletop,
    catalogue: &Catalogue,
    viewer: &Viewer,
    style: Style,
    id: UnitId,
) -> String {
    let Some(unit) = tabletop.unit(id) else {
        return String::new();
    };
    let kind = &tabletop.declared().kinds[unit.kind as usize];
    let key = tabletop.unit_key(id);
    let mut text = style.paint(colour(tabletop, catalogue, unit), &clean_line(&key));
    let name = name(tabletop, catalogue, id);
    if name != key {
        text += &format!(" ({name})");
    }
    let mut facts = Vec::new();
    if let Some(side) = &unit.side {
        facts.push(clean_line(side));
    }
    if let Some(face) = kind.faces.get(unit.face as usize) {
        facts.push(clean_line(face));
    }
    for (field, value) in kind.fields.iter().zip(&unit.fields) {
        if *value != field.default && !matches!(value, Value::List(_) | Value::Map(_)) {
            facts.push(format!(
                "{} {}",
                field.name,
                clean_line(&value::text(tabletop, viewer, value))
            ));
        }
    }
    if !facts.is_empty() {
        text += &format!(": {}", facts.join(", "));
    }
    text
}

/// Units on no board and in no pile, in order of id.
pub fn aside(tabletop: &Tabletop) -> Vec<UnitId> {
    tabletop
        .units()
        .filter(|(_, unit)| unit.place == Place::Off)
        .map(|(id, _)| id)
        .collect()
}
