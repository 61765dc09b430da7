//! A unit's glyph, its colour and what one says of it.
use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthChar;

use super::Viewer;
use super::clean::clean_line;
use super::style::Style;
use super::value;
use crate::pack::model::{Catalogue, Entry, UnitDef};
use crate::pack::template;
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
    let template = look(tabletop, catalogue, unit).map_or("", |look| look.glyph.of(face(tabletop, unit)));
    let filled = match template {
        "" => initials(tabletop.unit_name(unit)),
        template => fill(tabletop, catalogue, unit, template),
    };
    let cut = cut(&clean_line(&filled), GLYPH_WIDTH);
    if cut.is_empty() { "?".into() } else { cut }
}

/// What the game tells of a unit beside its name; may be empty.
pub fn tells(tabletop: &Tabletop, catalogue: &Catalogue, unit: &Unit) -> String {
    let template = look(tabletop, catalogue, unit).map_or("", |look| look.tells.of(face(tabletop, unit)));
    clean_line(fill(tabletop, catalogue, unit, template).trim())
}

fn look<'a>(tabletop: &Tabletop, catalogue: &'a Catalogue, unit: &Unit) -> Option<&'a UnitDef> {
    let kind = &tabletop.declared().kinds[unit.kind as usize].name;
    catalogue.game.as_ref()?.units.get(&**kind)
}

fn face<'a>(tabletop: &'a Tabletop, unit: &Unit) -> Option<&'a str> {
    let faces = &tabletop.declared().kinds[unit.kind as usize].faces;
    faces.get(unit.face as usize).map(|face| &**face)
}

/// The template with a unit's values; one that is wrong is shown as it stands, which `check` reports.
fn fill(tabletop: &Tabletop, catalogue: &Catalogue, unit: &Unit, template: &str) -> String {
    match template::parse(template) {
        Ok(parts) => value::fill(&parts, &|field| look_up(tabletop, catalogue, unit, field)),
        Err(_) => template.to_owned(),
    }
}

fn look_up(tabletop: &Tabletop, catalogue: &Catalogue, unit: &Unit, field: &str) -> Json {
    let kind = &tabletop.declared().kinds[unit.kind as usize];
    match field {
        "side" => json!(unit.side.as_deref().unwrap_or("")),
        "number" => json!(unit.number),
        "id" => json!(&**tabletop.unit_name(unit)),
        "face" => face(tabletop, unit).map_or_else(|| json!(unit.face), |face| json!(face)),
        _ => {
            if let Some(slot) = kind.slot(field) {
                return value::json(tabletop, &Viewer::Common, &unit.fields[slot as usize]);
            }
            let entry = entry(tabletop, catalogue, unit);
            entry
                .and_then(|entry| entry.data.get(field))
                .cloned()
                .unwrap_or_default()
        }
    }
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
    let Some(game) = &catalogue.game else { return "" };
    match look(tabletop, catalogue, unit).map(|look| look.colour.of(face(tabletop, unit))) {
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
    let name = name(tabletop, catalogue, id);
    let mut text = style.paint(colour(tabletop, catalogue, unit), &clean_line(&key));
    if !name.replace(' ', "-").eq_ignore_ascii_case(&key) {
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
    let tells = tells(tabletop, catalogue, unit);
    if !tells.is_empty() {
        text += if facts.is_empty() { ": " } else { "; " };
        text += &tells;
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
