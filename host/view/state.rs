//! A tabletop as JSON: the wire's `state`.
use serde_json::{Map, Value as Json, json};

use super::{Viewer, pieces, value};
use crate::pack::model::Catalogue;
use crate::tabletop::declared::FieldDecl;
use crate::tabletop::{GAME, Place, Tabletop, UnitId, Value};

/// What the viewer sees: fields of the game, units, piles, marked spaces; the hash only if it sees all.
pub fn json(tabletop: &Tabletop, catalogue: &Catalogue, viewer: &Viewer) -> Json {
    let declared = tabletop.declared();
    let game = tabletop
        .unit(GAME)
        .map(|game| fields(tabletop, viewer, &declared.kinds[0].fields, &game.fields));
    let units: Vec<Json> = tabletop
        .units()
        .filter(|(id, unit)| !matches!(unit.place, Place::Pile(_)) && viewer.sees(tabletop, *id))
        .map(|(id, _)| unit(tabletop, catalogue, viewer, id))
        .collect();
    let piles: Map<String, Json> = declared
        .piles
        .iter()
        .enumerate()
        .map(|(index, pile)| {
            let cards = viewer.pile(tabletop, index as u16);
            let cards: Vec<Json> =
                cards.iter().map(|card| card.map_or(Json::Null, |id| unit(tabletop, catalogue, viewer, id))).collect();
            let told = json!({"count": cards.len(), "visibility": tabletop.visibility(index as u16).name(), "cards": cards});
            (pile.name.to_string(), told)
        })
        .collect();
    let mut state = json!({
        "type": "state",
        "view": viewer.name(),
        "seats": declared.seats.iter().map(|s| s.to_string()).collect::<Vec<_>>(),
        "game": game,
        "units": units,
        "piles": piles,
        "spaces": spaces(tabletop, viewer),
    });
    if *viewer == Viewer::All {
        state["hash"] = json!(format!("{:016x}", tabletop.hash()));
    }
    state
}

fn fields(tabletop: &Tabletop, viewer: &Viewer, declared: &[FieldDecl], values: &[Value]) -> Json {
    let pairs = declared.iter().zip(values);
    Json::Object(
        pairs
            .map(|(f, v)| (f.name.to_string(), value::json(tabletop, viewer, v)))
            .collect(),
    )
}

fn unit(tabletop: &Tabletop, catalogue: &Catalogue, viewer: &Viewer, id: UnitId) -> Json {
    let Some(unit) = tabletop.unit(id) else {
        return Json::Null;
    };
    let kind = &tabletop.declared().kinds[unit.kind as usize];
    let mut told = json!({
        "key": tabletop.unit_key(id),
        "kind": &*kind.name,
        "name": pieces::name(tabletop, catalogue, id),
        "glyph": pieces::glyph(tabletop, catalogue, unit),
        "fields": fields(tabletop, viewer, &kind.fields, &unit.fields),
    });
    let tells = pieces::tells(tabletop, catalogue, unit);
    if !tells.is_empty() {
        told["tells"] = json!(tells);
    }
    if let Some(definition) = unit.definition {
        told["definition"] = json!(&*tabletop.declared().definitions[definition as usize].reference);
    }
    if let Some(side) = &unit.side {
        told["side"] = json!(&**side);
    }
    if let Place::Board(space) = unit.place {
        told["space"] = json!(value::space(tabletop, space));
    }
    if unit.facing != 0 {
        told["facing"] = json!(unit.facing);
    }
    match kind.faces.get(unit.face as usize) {
        Some(face) => told["face"] = json!(&**face),
        None if unit.face != 0 => told["face"] = json!(unit.face),
        None => {}
    }
    told
}

/// Spaces with fields that aren't at their defaults, by text key.
fn spaces(tabletop: &Tabletop, viewer: &Viewer) -> Json {
    let declared = tabletop.declared();
    let mut told = Map::new();
    for (space, slot, value) in tabletop.marked_spaces() {
        let field = &declared.boards[space.board as usize].fields[slot as usize].name;
        let entry = told
            .entry(value::space(tabletop, space))
            .or_insert_with(|| json!({}));
        entry[&**field] = value::json(tabletop, viewer, value);
    }
    Json::Object(told)
}
