//! From loaded content to the tabletop's declarations.
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::pack::model::{self, BoardShape, Catalogue, GameDef};
use crate::tabletop::board::{Region, Shape, Topology};
use crate::tabletop::declared::{
    BoardDecl, Declarations, DefinitionDecl, DieDecl, FieldDecl, KindDecl, PileDecl,
};
use crate::tabletop::{Value, ValueType, Visibility};

/// The declarations of a catalogue. Errors are texts for the person: they name what they are about.
pub fn declarations(catalogue: &Catalogue) -> Result<Declarations, Vec<String>> {
    let empty = GameDef::default();
    let game = catalogue.game.as_ref().unwrap_or(&empty);
    let mut problems = Vec::new();
    let mut kinds = vec![KindDecl {
        name: "game".into(),
        fields: fields(&game.fields),
        faces: Vec::new(),
    }];
    for name in kind_names(catalogue, game) {
        kinds.push(kind(catalogue, game, name));
    }
    let mut declared = Declarations {
        kinds,
        piles: game.piles.iter().map(pile).collect(),
        dice: game
            .dice
            .iter()
            .map(|d| DieDecl {
                name: d.name.as_str().into(),
                faces: d.faces.clone(),
            })
            .collect(),
        streams: game.streams.iter().map(|s| s.as_str().into()).collect(),
        seats: game.seats.iter().map(|s| s.as_str().into()).collect(),
        ..Declarations::default()
    };
    for (index, board) in game.boards.iter().enumerate() {
        match Topology::new(index as u8, board.name.as_str(), shape(&board.shape)) {
            Ok(topology) => {
                declared.topologies.push(topology);
                declared.boards.push(BoardDecl {
                    name: board.name.as_str().into(),
                    fields: fields(&board.fields),
                });
            }
            Err(problem) => problems.push(format!("board `{}`: {problem}", board.name)),
        }
    }
    definitions(catalogue, &mut declared);
    if problems.is_empty() {
        Ok(declared)
    } else {
        Err(problems)
    }
}

fn kind_names<'a>(catalogue: &'a Catalogue, game: &'a GameDef) -> Vec<&'a str> {
    let mut names: Vec<&str> = catalogue
        .kinds
        .keys()
        .chain(game.units.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn kind(catalogue: &Catalogue, game: &GameDef, name: &str) -> KindDecl {
    let mut all = catalogue
        .kinds
        .get(name)
        .map_or_else(Vec::new, |k| fields(&k.unit_fields));
    let mut faces = Vec::new();
    if let Some(unit) = game.units.get(name) {
        for field in fields(&unit.fields) {
            if !all.iter().any(|f| f.name == field.name) {
                all.push(field);
            }
        }
        faces = unit.faces.iter().map(|f| f.as_str().into()).collect();
    }
    KindDecl {
        name: name.into(),
        fields: all,
        faces,
    }
}

fn fields(list: &[model::FieldDef]) -> Vec<FieldDecl> {
    list.iter()
        .map(|f| FieldDecl {
            name: f.name.as_str().into(),
            kind: f.kind,
            default: f.default.clone(),
        })
        .collect()
}

fn pile(pile: &model::PileDef) -> PileDecl {
    let visibility = match pile.visibility {
        model::Visibility::All => Visibility::All,
        model::Visibility::None => Visibility::None,
        model::Visibility::Owner => Visibility::Owner,
        model::Visibility::Top => Visibility::Top,
    };
    PileDecl {
        name: pile.name.as_str().into(),
        visibility,
        owner: pile.owner.as_deref().map(Arc::from),
    }
}

fn shape(shape: &BoardShape) -> Shape {
    match shape {
        BoardShape::Hex { flat, spaces } => Shape::Hex {
            flat: *flat,
            spaces: spaces.clone(),
        },
        BoardShape::Square { neighbours, spaces } => Shape::Square {
            diagonal: *neighbours == 8,
            spaces: spaces.clone(),
        },
        BoardShape::Graph { regions, edges } => Shape::Graph {
            regions: regions
                .iter()
                .map(|r| Region {
                    id: r.id.clone(),
                    label: r.label.clone(),
                    at: r.at,
                })
                .collect(),
            edges: edges.clone(),
        },
    }
}

fn definitions(catalogue: &Catalogue, declared: &mut Declarations) {
    let mut by_reference = BTreeMap::new();
    for (name, kind) in &catalogue.kinds {
        let Some(index) = declared.kind(name) else {
            continue;
        };
        for entry in &kind.entries {
            let reference: Arc<str> = format!("{}:{}/{}", entry.pack, entry.kind, entry.id).into();
            let values = declared.kinds[index as usize]
                .fields
                .iter()
                .enumerate()
                .filter_map(|(slot, field)| {
                    let value = entry.data.get(&*field.name)?;
                    Some((slot as u16, plain(value, field.kind)?))
                })
                .collect();
            by_reference.insert(reference.clone(), declared.definitions.len() as u32);
            declared.definitions.push(DefinitionDecl {
                kind: index,
                id: entry.id.as_str().into(),
                reference,
                values,
            });
        }
    }
    declared.by_reference = by_reference;
}

/// The value of a field as a definition states it, if it has the field's type.
fn plain(json: &Json, kind: ValueType) -> Option<Value> {
    let value = from_json(json);
    kind.admits(&value).then_some(value)
}

/// Plain data as a value.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => Value::Number(n.as_f64().unwrap_or(0.0)),
        Json::String(s) => Value::Text(s.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(map) => Value::Map(Arc::new(
            map.iter()
                .map(|(k, v)| (k.as_str().into(), from_json(v)))
                .collect(),
        )),
    }
}
