//! A tabletop as data: names instead of indices, with a format version.
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agenda::Step;
use super::board::{Shape, Topology};
use super::declared::{BoardDecl, Declarations, DefinitionDecl, FieldDecl, KindDecl, PileDecl, Visibility};
use super::dice::{self, Stream};
use super::state::{LogLine, Pile, Tabletop};
use super::unit::{Place, Unit};
use super::value::UnitId;
use super::{Space, Value, ValueType};

/// The version of this format. A reader refuses a later one.
pub const FORMAT: u32 = 1;

/// A whole tabletop. It holds the names and types of what was declared, so that it can be opened
/// with other content: see `migrate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    pub format: u32,
    pub dice: String,
    pub seed: u64,
    kinds: Vec<SavedKind>,
    definitions: Vec<(u16, String)>,
    boards: Vec<(String, Vec<SavedField>)>,
    seats: Vec<Arc<str>>,
    units: Vec<Option<SavedUnit>>,
    piles: Vec<SavedPile>,
    streams: Vec<SavedStream>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spaces: Vec<(Space, u16, Value)>,
    agenda: Vec<Step>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    log: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<Arc<str>>,
    made: Vec<u32>,
    chance: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedKind {
    name: Arc<str>,
    fields: Vec<SavedField>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faces: Vec<Arc<str>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedField {
    name: Arc<str>,
    #[serde(rename = "type")]
    kind: ValueType,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedUnit {
    kind: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<u32>,
    number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Space>,
    #[serde(default, skip_serializing_if = "is_zero")]
    facing: u8,
    #[serde(default, skip_serializing_if = "is_zero")]
    face: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedPile {
    name: Arc<str>,
    visibility: Visibility,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Arc<str>>,
    /// Bottom first.
    units: Vec<UnitId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedStream {
    name: Arc<str>,
    /// Hex; absent for the stream that the seed and the name give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    drawn: u64,
}

fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// Why a saved tabletop can't be opened at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Damaged {
    #[error("this save has format {0}; this version of Ludex reads up to {FORMAT}")]
    Later(u32),
    #[error(
        "this save rolls dice by `{found}`; this version of Ludex rolls by `{ours}` and can't go on with it"
    )]
    Dice { found: String, ours: &'static str },
    #[error("the save contradicts itself: {0}")]
    Contradiction(String),
}

impl Tabletop {
    /// The tabletop as data.
    pub fn save(&self) -> Saved {
        let fields = |list: &[FieldDecl]| {
            list.iter()
                .map(|f| SavedField {
                    name: f.name.clone(),
                    kind: f.kind,
                })
                .collect()
        };
        let mut spaces: Vec<_> = self
            .space_fields
            .iter()
            .map(|((s, f), v)| (*s, *f, v.clone()))
            .collect();
        spaces.sort_unstable_by_key(|(s, f, _)| (*s, *f));
        Saved {
            format: FORMAT,
            dice: dice::ALGORITHM.into(),
            seed: self.seed,
            kinds: self
                .declared
                .kinds
                .iter()
                .map(|k| SavedKind {
                    name: k.name.clone(),
                    fields: fields(&k.fields),
                    faces: k.faces.clone(),
                })
                .collect(),
            definitions: self
                .declared
                .definitions
                .iter()
                .map(|d| (d.kind, d.reference.to_string()))
                .collect(),
            boards: self
                .declared
                .boards
                .iter()
                .map(|b| (b.name.to_string(), fields(&b.fields)))
                .collect(),
            seats: self.declared.seats.clone(),
            units: self.units.iter().map(|u| u.as_ref().map(save_unit)).collect(),
            piles: self
                .piles
                .iter()
                .zip(&self.declared.piles)
                .map(|(p, d)| SavedPile {
                    name: d.name.clone(),
                    visibility: p.visibility,
                    owner: d.owner.clone(),
                    units: p.units.clone(),
                })
                .collect(),
            streams: self
                .streams
                .iter()
                .zip(&self.declared.streams)
                .map(|(s, name)| {
                    let (key, drawn) = s.state();
                    let plain = key == dice::derive_key(self.seed, name, "");
                    SavedStream {
                        name: name.clone(),
                        key: (!plain).then(|| hex(&key)),
                        drawn,
                    }
                })
                .collect(),
            spaces,
            agenda: self.agenda.clone(),
            log: self.log.iter().map(|l| l.text.clone()).collect(),
            result: self.result.clone(),
            made: self.made.clone(),
            chance: self.chance,
        }
    }

    /// The saved tabletop under the declarations that the save itself names; `migrate` brings it
    /// under the present ones.
    pub fn open(saved: &Saved) -> Result<Self, Damaged> {
        if saved.format > FORMAT {
            return Err(Damaged::Later(saved.format));
        }
        if saved.dice != dice::ALGORITHM {
            return Err(Damaged::Dice {
                found: saved.dice.clone(),
                ours: dice::ALGORITHM,
            });
        }
        let declared = Arc::new(saved.declarations()?);
        let mut tabletop = Self::new(declared, saved.seed);
        tabletop.units.clear();
        let mut names = HashSet::new();
        for (id, unit) in saved.units.iter().enumerate() {
            let unit = match unit {
                Some(unit) if !names.insert((unit.kind, unit.definition, unit.number)) => {
                    return Err(Damaged::Contradiction(format!(
                        "unit {id} has the name of another"
                    )));
                }
                Some(unit) => Some(open_unit(unit, &tabletop, id)?),
                None => None,
            };
            tabletop.units.push(unit);
        }
        if tabletop.units.first().is_none_or(Option::is_none) {
            return Err(Damaged::Contradiction("it has no unit 0, the game".into()));
        }
        tabletop.alive = tabletop.units.iter().flatten().count() - 1;
        for (id, unit) in saved.units.iter().enumerate() {
            if let Some(space) = unit.as_ref().and_then(|u| u.space) {
                tabletop.lay(id as UnitId, Place::Board(space), 0);
            }
        }
        for (index, pile) in saved.piles.iter().enumerate() {
            for unit in &pile.units {
                let known = tabletop.units.get(*unit as usize).is_some_and(Option::is_some);
                if !known
                    || *unit == 0
                    || tabletop.units[*unit as usize]
                        .as_ref()
                        .is_some_and(|u| u.place != Place::Off)
                {
                    return Err(Damaged::Contradiction(format!(
                        "pile `{}` holds unit {unit}",
                        pile.name
                    )));
                }
                tabletop.lay(*unit, Place::Pile(index as u16), u32::MAX);
            }
            tabletop.piles[index] = Pile {
                units: pile.units.clone(),
                visibility: pile.visibility,
            };
        }
        for (index, stream) in saved.streams.iter().enumerate() {
            let key = match &stream.key {
                Some(text) => unhex(text).ok_or_else(|| {
                    Damaged::Contradiction(format!("stream `{}` has a bad key", stream.name))
                })?,
                None => dice::derive_key(saved.seed, &stream.name, ""),
            };
            tabletop.streams[index] = Stream::at(key, stream.drawn);
        }
        for (space, slot, value) in &saved.spaces {
            let known = tabletop
                .declared
                .boards
                .get(space.board as usize)
                .is_some_and(|b| (*slot as usize) < b.fields.len());
            if !known {
                return Err(Damaged::Contradiction(
                    "it has data for a space of no board".into(),
                ));
            }
            tabletop.space_fields.insert((*space, *slot), value.clone());
        }
        for text in &saved.log {
            let before = tabletop.log.last().map_or(0, |l: &LogLine| l.hash);
            let hash = xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), before);
            tabletop.log.push(LogLine {
                text: text.clone(),
                hash,
            });
        }
        if saved.made.len() != tabletop.made.len() {
            return Err(Damaged::Contradiction(
                "it counts other names than it declares".into(),
            ));
        }
        tabletop.agenda = saved.agenda.clone();
        tabletop.result = saved.result.clone();
        tabletop.made = saved.made.clone();
        tabletop.chance = saved.chance;
        Ok(tabletop)
    }
}

impl Saved {
    fn declarations(&self) -> Result<Declarations, Damaged> {
        let fields = |list: &[SavedField]| {
            list.iter()
                .map(|f| FieldDecl {
                    name: f.name.clone(),
                    kind: f.kind,
                    default: f.kind.zero(),
                })
                .collect()
        };
        let mut by_reference = BTreeMap::new();
        let mut definitions = Vec::new();
        for (kind, reference) in &self.definitions {
            if *kind as usize >= self.kinds.len() {
                return Err(Damaged::Contradiction(format!("`{reference}` has no kind")));
            }
            let id = reference.rsplit('/').next().unwrap_or(reference);
            let reference: Arc<str> = reference.as_str().into();
            by_reference.insert(reference.clone(), definitions.len() as u32);
            definitions.push(DefinitionDecl {
                kind: *kind,
                id: id.into(),
                reference,
                values: Vec::new(),
            });
        }
        if self.kinds.is_empty() {
            return Err(Damaged::Contradiction("it declares no kind".into()));
        }
        // The shape of a board is content; a stand-in holds any space until the present one takes over.
        let anywhere = Shape::Square {
            diagonal: true,
            spaces: None,
        };
        let topologies = self
            .boards
            .iter()
            .enumerate()
            .map(|(i, (name, _))| Topology::new(i as u8, name.as_str(), anywhere.clone()))
            .collect::<Result<_, _>>()
            .map_err(|e| Damaged::Contradiction(e.to_string()))?;
        Ok(Declarations {
            kinds: self
                .kinds
                .iter()
                .map(|k| KindDecl {
                    name: k.name.clone(),
                    fields: fields(&k.fields),
                    faces: k.faces.clone(),
                })
                .collect(),
            definitions,
            by_reference,
            piles: self
                .piles
                .iter()
                .map(|p| PileDecl {
                    name: p.name.clone(),
                    visibility: p.visibility,
                    owner: p.owner.clone(),
                })
                .collect(),
            dice: Vec::new(),
            streams: self.streams.iter().map(|s| s.name.clone()).collect(),
            boards: self
                .boards
                .iter()
                .map(|(name, list)| BoardDecl {
                    name: name.as_str().into(),
                    fields: fields(list),
                })
                .collect(),
            topologies,
            seats: self.seats.clone(),
        })
    }
}

fn save_unit(unit: &Unit) -> SavedUnit {
    SavedUnit {
        kind: unit.kind,
        definition: unit.definition,
        number: unit.number,
        side: unit.side.clone(),
        space: match unit.place {
            Place::Board(space) => Some(space),
            _ => None,
        },
        facing: unit.facing,
        face: unit.face,
        fields: unit.fields.to_vec(),
    }
}

fn open_unit(saved: &SavedUnit, tabletop: &Tabletop, id: usize) -> Result<Unit, Damaged> {
    let declared = &tabletop.declared;
    let kind = declared.kinds.get(saved.kind as usize);
    let wrong = |what: &str| Damaged::Contradiction(format!("unit {id} has {what}"));
    let kind = kind.ok_or_else(|| wrong("no kind"))?;
    if kind.fields.len() != saved.fields.len() {
        return Err(wrong("other fields than its kind"));
    }
    if let Some(field) = kind
        .fields
        .iter()
        .zip(&saved.fields)
        .find(|(f, v)| !f.kind.admits(v))
    {
        return Err(wrong(&format!(
            "a {} in field `{}`",
            field.1.type_name(),
            field.0.name
        )));
    }
    if saved.definition.is_some_and(|d| {
        declared
            .definitions
            .get(d as usize)
            .is_none_or(|d| d.kind != saved.kind)
    }) {
        return Err(wrong("a definition of another kind"));
    }
    if saved
        .space
        .is_some_and(|s| s.board as usize >= declared.boards.len())
    {
        return Err(wrong("a place on no board"));
    }
    if saved.face != 0 && usize::from(saved.face) >= kind.faces.len() {
        return Err(wrong("a face that its kind lacks"));
    }
    if saved.facing >= 8 {
        return Err(wrong("a facing beyond the eighth direction"));
    }
    Ok(Unit {
        kind: saved.kind,
        definition: saved.definition,
        number: saved.number,
        side: saved.side.clone(),
        place: Place::Off,
        facing: saved.facing,
        face: saved.face,
        fields: saved.fields.clone().into(),
        born: tabletop.epoch,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut out = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(out)
}
