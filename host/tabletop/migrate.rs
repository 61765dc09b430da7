//! Bringing a living tabletop under other declarations: after a reload, or from a save.
//!
//! The journal comes along, so that undo reaches back over a reload.
use std::sync::Arc;

use super::board::key;
use super::declared::{Declarations, FieldDecl};
use super::dice::Stream;
use super::journal::Entry;
use super::state::{Pile, Tabletop};
use super::unit::{Place, Unit};
use super::{Value, ValueType};

/// What a migration did, for the person to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(pub String);

/// Why a migration can't be done; the old tabletop is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obstacle {
    pub text: String,
    /// The reference of the definition that is gone, if that is it.
    pub definition: Option<Arc<str>>,
}

impl Obstacle {
    fn new(text: String) -> Self {
        Self {
            text,
            definition: None,
        }
    }
}

/// Where each old index goes.
struct Maps {
    kinds: Vec<Option<u16>>,
    /// By old kind, then old slot: the new slot and the new type.
    slots: Vec<Vec<Option<(u16, ValueType)>>>,
    definitions: Vec<Option<u32>>,
    piles: Vec<Option<u16>>,
    streams: Vec<Option<u16>>,
    boards: Vec<Option<u8>>,
    space_slots: Vec<Vec<Option<(u16, ValueType)>>>,
}

impl Tabletop {
    /// The same tabletop under `declared`. New fields take their defaults, removed ones are dropped,
    /// retyped ones converted; every such change is listed. Definitions and kinds in play must exist.
    pub fn migrate(&self, declared: Arc<Declarations>) -> Result<(Self, Vec<Note>), Vec<Obstacle>> {
        let mut notes = Vec::new();
        let mut obstacles = Vec::new();
        let maps = Maps::new(&self.declared, &declared, &mut notes);
        self.compare_seats(&declared, &mut notes, &mut obstacles);
        let mut next = Self::new(declared, self.seed);
        next.epoch = self.epoch.wrapping_add(1).max(1);
        next.chance = self.chance;
        next.versions = self.versions;
        next.units.clear();
        for (id, unit) in self.units.iter().enumerate() {
            let unit = unit
                .as_ref()
                .and_then(|u| self.carry_unit(&next, u, &maps, id, &mut obstacles));
            next.units.push(unit);
        }
        next.alive = next.units.iter().flatten().count().saturating_sub(1);
        self.carry_piles(&mut next, &maps, &mut obstacles);
        self.carry_spaces(&mut next, &maps, &mut obstacles);
        for (old, stream) in self.streams.iter().enumerate() {
            if let Some(new) = maps.streams[old] {
                let (key, drawn) = stream.state();
                next.streams[new as usize] = Stream::at(key, drawn);
            }
        }
        next.agenda = self.agenda.clone();
        next.log = self.log.clone();
        next.result = self.result.clone();
        self.carry_counts(&mut next, &maps);
        if !obstacles.is_empty() {
            obstacles.sort();
            obstacles.dedup();
            return Err(obstacles);
        }
        next.journal = self
            .journal
            .iter()
            .filter_map(|e| self.carry_entry(&next, e, &maps))
            .collect();
        if next.journal.len() != self.journal.len() {
            // A gap would make a rollback wrong: history ends here.
            next.journal.clear();
            notes.push(Note("undo can't go back over this reload".into()));
        }
        next.push_at = self.push_at.min(next.agenda.len());
        Ok((next, notes))
    }

    /// A seat in play must stay: units, piles and steps name it.
    fn compare_seats(&self, next: &Declarations, notes: &mut Vec<Note>, obstacles: &mut Vec<Obstacle>) {
        let (old, new) = (&self.declared.seats, &next.seats);
        for seat in old.iter().filter(|seat| !new.contains(seat)) {
            obstacles.push(Obstacle::new(format!("the seat `{seat}` plays, but it is gone")));
        }
        for seat in new.iter().filter(|seat| !old.contains(seat)) {
            notes.push(Note(format!("the seat `{seat}` is new")));
        }
        let stay = |of: &[Arc<str>], in_other: &[Arc<str>]| -> Vec<Arc<str>> {
            of.iter()
                .filter(|seat| in_other.contains(seat))
                .cloned()
                .collect()
        };
        if stay(old, new) != stay(new, old) {
            notes.push(Note(format!(
                "the seats' order is {} now",
                new.iter().map(|seat| &**seat).collect::<Vec<_>>().join(", ")
            )));
        }
    }

    fn carry_unit(
        &self,
        next: &Self,
        unit: &Unit,
        maps: &Maps,
        id: usize,
        obstacles: &mut Vec<Obstacle>,
    ) -> Option<Unit> {
        let key = self.unit_key(id as u32);
        let Some(kind) = maps.kinds[unit.kind as usize] else {
            let name = &self.declared.kinds[unit.kind as usize].name;
            obstacles.push(Obstacle::new(format!(
                "`{key}` is in play{}, but the kind `{name}` is gone",
                self.place_of(unit)
            )));
            return None;
        };
        let definition = match unit.definition.map(|d| (d, maps.definitions[d as usize])) {
            None => None,
            Some((_, Some(new))) => Some(new),
            Some((old, None)) => {
                let reference = &self.declared.definitions[old as usize].reference;
                obstacles.push(Obstacle {
                    text: format!(
                        "`{key}` is in play{}, but its definition `{reference}` is gone",
                        self.place_of(unit)
                    ),
                    definition: Some(reference.clone()),
                });
                return None;
            }
        };
        let mut fields: Box<[Value]> = next.declared.kinds[kind as usize]
            .fields
            .iter()
            .map(|f| f.default.clone())
            .collect();
        for (slot, value) in unit.fields.iter().enumerate() {
            let Some((new, wanted)) = maps.slots[unit.kind as usize][slot] else {
                continue;
            };
            match convert(value, wanted) {
                Some(value) => fields[new as usize] = value,
                None => {
                    let field = &self.declared.kinds[unit.kind as usize].fields[slot].name;
                    obstacles.push(Obstacle::new(format!(
                        "`{field}` of `{key}` is {} and can't become a {}",
                        show(value),
                        wanted.name()
                    )));
                }
            }
        }
        Some(Unit {
            kind,
            definition,
            fields,
            place: Place::Off,
            born: next.epoch,
            ..unit.clone()
        })
    }

    /// Where a unit is, as a message goes on: ` on (0,1)`, ` in the pile hand`.
    fn place_of(&self, unit: &Unit) -> String {
        match unit.place {
            Place::Board(space) => format!(" on {}", key::format(&self.declared.topologies, space)),
            Place::Pile(pile) => format!(" in the pile `{}`", self.declared.piles[pile as usize].name),
            Place::Off => String::new(),
        }
    }

    fn carry_piles(&self, next: &mut Self, maps: &Maps, obstacles: &mut Vec<Obstacle>) {
        for (old, pile) in self.piles.iter().enumerate() {
            match maps.piles[old] {
                Some(new) => {
                    next.piles[new as usize] = Pile {
                        units: pile.units.clone(),
                        visibility: pile.visibility,
                    };
                    for id in &pile.units {
                        if let Some(unit) = next.units[*id as usize].as_mut() {
                            unit.place = Place::Pile(new);
                        }
                    }
                }
                None if pile.units.is_empty() => {}
                None => obstacles.push(Obstacle::new(format!(
                    "the pile `{}` is gone, but it holds {} units",
                    self.declared.piles[old].name,
                    pile.units.len()
                ))),
            }
        }
    }

    fn carry_spaces(&self, next: &mut Self, maps: &Maps, obstacles: &mut Vec<Obstacle>) {
        for (id, unit) in self.units.iter().enumerate() {
            let Some(Place::Board(space)) = unit.as_ref().map(|u| u.place) else {
                continue;
            };
            let new = maps.boards[space.board as usize].map(|b| super::Space { board: b, ..space });
            match new.filter(|s| next.declared.has_space(*s)) {
                Some(space) if next.units[id].is_some() => next.lay(id as u32, Place::Board(space), 0),
                Some(_) => {}
                None => obstacles.push(Obstacle::new(format!(
                    "`{}` stands on {}, which is no longer a space",
                    self.unit_key(id as u32),
                    key::format(&self.declared.topologies, space)
                ))),
            }
        }
        for ((space, old_slot), value) in &self.space_fields {
            let board = maps.boards[space.board as usize];
            let new_slot = maps.space_slots[space.board as usize][*old_slot as usize];
            let (Some(board), Some((slot, wanted))) = (board, new_slot) else {
                continue;
            };
            match convert(value, wanted) {
                Some(value) => {
                    _ = next
                        .space_fields
                        .insert((super::Space { board, ..*space }, slot), value)
                }
                None => {
                    let field = &self.declared.boards[space.board as usize].fields[*old_slot as usize].name;
                    obstacles.push(Obstacle::new(format!(
                        "`{field}` of {} is {} and can't become a {}",
                        key::format(&self.declared.topologies, *space),
                        show(value),
                        wanted.name()
                    )));
                }
            }
        }
    }

    fn carry_counts(&self, next: &mut Self, maps: &Maps) {
        let old_definitions = self.declared.definitions.len();
        for (index, count) in self.made.iter().enumerate() {
            let new = match index.checked_sub(old_definitions) {
                None => maps.definitions[index].map(|d| d as usize),
                Some(kind) => maps.kinds[kind].map(|k| next.declared.definitions.len() + k as usize),
            };
            if let Some(new) = new {
                next.made[new] = *count;
            }
        }
    }

    fn carry_entry(&self, next: &Self, entry: &Entry, maps: &Maps) -> Option<Entry> {
        let place = |place: Place| match place {
            Place::Off => Some(Place::Off),
            Place::Pile(p) => maps.piles[p as usize].map(Place::Pile),
            Place::Board(s) => {
                maps.boards[s.board as usize].map(|board| Place::Board(super::Space { board, ..s }))
            }
        };
        Some(match entry {
            Entry::Field { unit, slot, old } => {
                // A unit that was removed since has its kind in the entry that removed it.
                let kind = self.kind_ever(*unit)?;
                match maps.slots[kind as usize][*slot as usize] {
                    Some((slot, wanted)) => Entry::Field {
                        unit: *unit,
                        slot,
                        old: convert(old, wanted)?,
                    },
                    // A dropped field: its entry becomes one that changes nothing.
                    None => Entry::Facing {
                        unit: *unit,
                        old: self.unit(*unit)?.facing,
                    },
                }
            }
            Entry::Place { unit, old, position } => Entry::Place {
                unit: *unit,
                old: place(*old)?,
                position: *position,
            },
            Entry::Carried { unit, old } => Entry::Carried {
                unit: *unit,
                old: place(*old)?,
            },
            Entry::Removed { unit, old } => {
                let mut nothing = Vec::new();
                let carried = self.carry_unit(next, old, maps, *unit as usize, &mut nothing)?;
                Entry::Removed {
                    unit: *unit,
                    old: Box::new(carried),
                }
            }
            Entry::Order { pile, old } => Entry::Order {
                pile: maps.piles[*pile as usize]?,
                old: old.clone(),
            },
            Entry::Visibility { pile, old } => Entry::Visibility {
                pile: maps.piles[*pile as usize]?,
                old: *old,
            },
            Entry::Drawn { stream, old } => Entry::Drawn {
                stream: maps.streams[*stream as usize]?,
                old: *old,
            },
            Entry::StreamKey { stream, old } => Entry::StreamKey {
                stream: maps.streams[*stream as usize]?,
                old: old.clone(),
            },
            Entry::SpaceField { space, slot, old } => {
                let board = maps.boards[space.board as usize]?;
                let (slot, wanted) = maps.space_slots[space.board as usize][*slot as usize]?;
                let old = match old {
                    Some(value) => Some(convert(value, wanted)?),
                    None => None,
                };
                Entry::SpaceField {
                    space: super::Space { board, ..*space },
                    slot,
                    old,
                }
            }
            other => other.clone(),
        })
    }

    fn kind_ever(&self, id: u32) -> Option<u16> {
        self.unit(id).map(|u| u.kind).or_else(|| {
            self.journal.iter().rev().find_map(|e| match e {
                Entry::Removed { unit, old } if *unit == id => Some(old.kind),
                _ => None,
            })
        })
    }
}

impl Maps {
    fn new(old: &Declarations, new: &Declarations, notes: &mut Vec<Note>) -> Self {
        let kinds: Vec<_> = old.kinds.iter().map(|k| new.kind(&k.name)).collect();
        let none: &[FieldDecl] = &[];
        let mut slots = Vec::new();
        for (kind, target) in old.kinds.iter().zip(&kinds) {
            let fields = target.map_or(none, |k| &new.kinds[k as usize].fields);
            slots.push(field_map(
                &kind.fields,
                fields,
                &kind.name,
                target.is_some().then_some(notes),
            ));
        }
        let boards: Vec<_> = old
            .boards
            .iter()
            .map(|b| new.boards.iter().position(|n| n.name == b.name).map(|i| i as u8))
            .collect();
        let mut space_slots = Vec::new();
        for (board, target) in old.boards.iter().zip(&boards) {
            let fields = target.map_or(none, |b| &new.boards[b as usize].fields);
            space_slots.push(field_map(
                &board.fields,
                fields,
                &board.name,
                target.is_some().then_some(notes),
            ));
        }
        for stream in new.streams.iter().filter(|s| old.stream(s).is_none()) {
            notes.push(Note(format!("the dice stream `{stream}` is new")));
        }
        Self {
            kinds,
            slots,
            definitions: old
                .definitions
                .iter()
                .map(|d| new.by_reference.get(&d.reference).copied())
                .collect(),
            piles: old.piles.iter().map(|p| new.pile(&p.name)).collect(),
            streams: old.streams.iter().map(|s| new.stream(s)).collect(),
            boards,
            space_slots,
        }
    }
}

fn field_map(
    old: &[FieldDecl],
    new: &[FieldDecl],
    owner: &str,
    notes: Option<&mut Vec<Note>>,
) -> Vec<Option<(u16, ValueType)>> {
    if let Some(notes) = notes {
        for field in new.iter().filter(|f| !old.iter().any(|o| o.name == f.name)) {
            notes.push(Note(format!(
                "`{}` of `{owner}` is new: {}",
                field.name,
                show(&field.default)
            )));
        }
        for field in old {
            match new.iter().find(|n| n.name == field.name) {
                None => notes.push(Note(format!("`{}` of `{owner}` is dropped", field.name))),
                Some(n) if n.kind != field.kind => notes.push(Note(format!(
                    "`{}` of `{owner}` is a {} now, no longer a {}",
                    field.name,
                    n.kind.name(),
                    field.kind.name()
                ))),
                Some(_) => {}
            }
        }
    }
    old.iter()
        .map(|f| {
            let slot = new.iter().position(|n| n.name == f.name)?;
            Some((slot as u16, new[slot].kind))
        })
        .collect()
}

/// The value as one of another type, if that loses nothing.
fn convert(value: &Value, wanted: ValueType) -> Option<Value> {
    if wanted.admits(value) {
        return Some(value.clone());
    }
    match (value, wanted) {
        (Value::Number(n), ValueType::Text) => Some(Value::Text(n.to_string().into())),
        (Value::Bool(b), ValueType::Text) => Some(Value::Text(b.to_string().into())),
        (Value::Bool(b), ValueType::Number) => Some(Value::Number(f64::from(u8::from(*b)))),
        (Value::Text(t), ValueType::Number) => {
            t.parse().ok().filter(|n: &f64| n.is_finite()).map(Value::Number)
        }
        (Value::Number(n), ValueType::Boolean) if *n == 0.0 || *n == 1.0 => Some(Value::Bool(*n == 1.0)),
        (Value::Text(t), ValueType::Boolean) => t.parse().ok().map(Value::Bool),
        (Value::Nil, _) => Some(wanted.zero()),
        _ => None,
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::Text(t) => format!("\"{t}\""),
        Value::Space(s) => format!("({},{})", s.q, s.r),
        Value::Unit(id) => format!("unit {id}"),
        Value::List(items) => format!("a list of {}", items.len()),
        Value::Map(items) => format!("a map of {}", items.len()),
    }
}
