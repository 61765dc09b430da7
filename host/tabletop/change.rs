//! Every change of a tabletop. Each writes what undoes it to the journal.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::agenda::Step;
use super::declared::Visibility;
use super::journal::Entry;
use super::state::{AGENDA_LIMIT, GAME, LogLine, SPACE_DATA_LIMIT, TEXT_LIMIT, Tabletop, UNIT_LIMIT};
use super::unit::Place;
use super::value::UnitId;
use super::{Space, Value};

/// Why a change is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    Gone,
    TooManyUnits,
    TooManySpaces,
    TooManySteps,
    TextTooLong,
    NotOnBoard(Space),
    NotInPile,
    Collision(Space),
    Twice,
    Game,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => write!(f, "the unit no longer exists"),
            Self::TooManyUnits => write!(f, "a tabletop holds at most {UNIT_LIMIT} units"),
            Self::TooManySpaces => write!(f, "a tabletop holds data for at most {SPACE_DATA_LIMIT} spaces"),
            Self::TooManySteps => {
                write!(
                    f,
                    "the agenda holds at most {AGENDA_LIMIT} steps; a step seems to push itself twice"
                )
            }
            Self::TextTooLong => write!(f, "a text holds at most {TEXT_LIMIT} bytes"),
            Self::NotOnBoard(s) => write!(f, "({},{}) is not a space of its board", s.q, s.r),
            Self::NotInPile => write!(f, "the unit is not in that pile"),
            Self::Collision(s) => write!(f, "two units would end on ({},{})", s.q, s.r),
            Self::Twice => write!(f, "one unit is moved twice"),
            Self::Game => write!(f, "the game itself is not a unit that can be moved or removed"),
        }
    }
}

type Change<T = ()> = Result<T, Refused>;

impl Tabletop {
    /// Writes a field; its type was checked by the caller.
    #[inline]
    pub fn set_field(&mut self, id: UnitId, slot: u16, value: Value) -> Change {
        let unit = self
            .units
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(Refused::Gone)?;
        let old = std::mem::replace(&mut unit.fields[slot as usize], value);
        if matches!(old, Value::List(_) | Value::Map(_)) {
            self.versions.lists += 1;
        }
        self.note(Entry::Field { unit: id, slot, old });
        Ok(())
    }

    /// Makes a unit off the table; its id is the next free number.
    pub fn make_unit(&mut self, kind: u16, definition: Option<u32>) -> Change<UnitId> {
        if self.alive >= UNIT_LIMIT || self.units.len() >= UNIT_LIMIT * 10 {
            return Err(Refused::TooManyUnits);
        }
        let mut unit = self.blank_unit(kind, definition);
        let name = self.name_index(kind, definition);
        self.made[name] += 1;
        unit.number = self.made[name];
        let id = self.units.len() as UnitId;
        self.units.push(Some(unit));
        self.alive += 1;
        self.versions.units += 1;
        self.note(Entry::Created { unit: id });
        Ok(id)
    }

    pub(super) fn name_index(&self, kind: u16, definition: Option<u32>) -> usize {
        match definition {
            Some(d) => d as usize,
            None => self.declared.definitions.len() + kind as usize,
        }
    }

    /// Takes a unit out of the game; handles of it raise from now on.
    pub fn remove_unit(&mut self, id: UnitId) -> Change {
        self.place(id, Place::Off)?;
        let old = self.units[id as usize].take().ok_or(Refused::Gone)?;
        self.alive -= 1;
        self.versions.units += 1;
        self.note(Entry::Removed {
            unit: id,
            old: Box::new(old),
        });
        Ok(())
    }

    /// Moves a unit; into a pile it goes on top.
    pub fn place(&mut self, id: UnitId, place: Place) -> Change {
        self.place_at(id, place, u32::MAX)
    }

    /// Moves a unit; into a pile it goes to `position`, counted from the bottom.
    pub fn place_at(&mut self, id: UnitId, place: Place, position: u32) -> Change {
        if id == GAME {
            return Err(Refused::Game);
        }
        let old = self.unit(id).ok_or(Refused::Gone)?.place;
        if let Place::Board(space) = place
            && !self.declared.has_space(space)
        {
            return Err(Refused::NotOnBoard(space));
        }
        if let Place::Pile(from) = old
            && self.reveals(id, from, place)
        {
            self.note_chance();
        }
        let touches = |wanted: fn(&Place) -> bool| wanted(&old) || wanted(&place);
        if touches(|place| matches!(place, Place::Pile(_))) {
            self.versions.piles += 1;
        }
        if touches(|place| matches!(place, Place::Board(_))) {
            self.versions.board += 1;
        }
        let was_at = self.lift(id, old);
        self.lay(id, place, position);
        self.note(Entry::Place {
            unit: id,
            old,
            position: was_at,
        });
        Ok(())
    }

    /// Takes the unit from where it is; answers its position, counted from the bottom, in a pile.
    pub(super) fn lift(&mut self, id: UnitId, from: Place) -> u32 {
        match from {
            Place::Off => 0,
            Place::Board(space) => {
                if let Some(here) = self.occupied.get_mut(&space) {
                    here.retain(|u| *u != id);
                    if here.is_empty() {
                        self.occupied.remove(&space);
                    }
                }
                0
            }
            Place::Pile(pile) => {
                let cards = &mut self.piles[pile as usize].units;
                // From both ends: what is moved to one is found as fast when it is taken back.
                let last = cards.len().wrapping_sub(1);
                let found = (0..cards.len().div_ceil(2)).find_map(|i| {
                    let at = |place: usize| (cards[place] == id).then_some(place);
                    at(last - i).or_else(|| at(i))
                });
                match found {
                    Some(at) => {
                        cards.remove(at);
                        at as u32
                    }
                    None => 0,
                }
            }
        }
    }

    pub(super) fn lay(&mut self, id: UnitId, place: Place, position: u32) {
        match place {
            Place::Off => {}
            Place::Board(space) => self.occupied.entry(space).or_default().push(id),
            Place::Pile(pile) => {
                let cards = &mut self.piles[pile as usize].units;
                let at = (position as usize).min(cards.len());
                cards.insert(at, id);
            }
        }
        if let Some(unit) = self.units[id as usize].as_mut() {
            unit.place = place;
        }
    }

    /// Moves several units at once; refuses if two of them, or one and a unit that stays, would share a space.
    pub fn shift(&mut self, moves: &[(UnitId, Space)]) -> Change {
        for (i, (id, to)) in moves.iter().enumerate() {
            self.unit(*id).ok_or(Refused::Gone)?;
            if moves[..i].iter().any(|(other, _)| other == id) {
                return Err(Refused::Twice);
            }
            if moves[..i].iter().any(|(_, space)| space == to) {
                return Err(Refused::Collision(*to));
            }
            let stays = |u: &UnitId| !moves.iter().any(|(m, _)| m == u);
            if self.occupied.get(to).is_some_and(|here| here.iter().any(stays)) {
                return Err(Refused::Collision(*to));
            }
        }
        for (id, to) in moves {
            self.place(*id, Place::Board(*to))?;
        }
        Ok(())
    }

    pub fn set_facing(&mut self, id: UnitId, facing: u8) -> Change {
        let unit = self
            .units
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(Refused::Gone)?;
        let old = std::mem::replace(&mut unit.facing, facing);
        self.versions.board += 1;
        self.note(Entry::Facing { unit: id, old });
        Ok(())
    }

    pub fn set_face(&mut self, id: UnitId, face: u8) -> Change {
        let unit = self
            .units
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(Refused::Gone)?;
        let old = std::mem::replace(&mut unit.face, face);
        self.versions.board += 1;
        self.note(Entry::Face { unit: id, old });
        Ok(())
    }

    pub fn set_side(&mut self, id: UnitId, side: Option<Arc<str>>) -> Change {
        let unit = self
            .units
            .get_mut(id as usize)
            .and_then(Option::as_mut)
            .ok_or(Refused::Gone)?;
        let old = std::mem::replace(&mut unit.side, side);
        self.versions.board += 1;
        self.note(Entry::Side { unit: id, old });
        Ok(())
    }

    pub fn set_space_field(&mut self, space: Space, slot: u16, value: Value) -> Change {
        if !self.declared.has_space(space) {
            return Err(Refused::NotOnBoard(space));
        }
        if self.space_fields.len() >= SPACE_DATA_LIMIT {
            return Err(Refused::TooManySpaces);
        }
        let old = self.space_fields.insert((space, slot), value);
        self.versions.board += 1;
        self.note(Entry::SpaceField { space, slot, old });
        Ok(())
    }

    /// Replaces the order of a pile, bottom first; it must hold the same units.
    pub(super) fn reorder(&mut self, pile: u16, order: Vec<UnitId>) {
        let old = std::mem::replace(&mut self.piles[pile as usize].units, order);
        self.versions.piles += 1;
        self.note(Entry::Order {
            pile,
            old: old.into(),
        });
    }

    pub fn set_visibility(&mut self, pile: u16, visibility: Visibility) {
        let old = std::mem::replace(&mut self.piles[pile as usize].visibility, visibility);
        if old != visibility && visibility != Visibility::None && !self.pile(pile).is_empty() {
            self.note_chance();
        }
        self.note(Entry::Visibility { pile, old });
    }

    /// Shuffles a pile with a stream.
    pub fn shuffle_pile(&mut self, pile: u16, stream: u16) {
        let mut order = self.piles[pile as usize].units.clone();
        self.with_stream(stream, |s| s.shuffle(&mut order));
        self.reorder(pile, order);
    }

    /// Draws from a stream; the journal takes the stream back on rollback.
    pub fn with_stream<T>(&mut self, stream: u16, draw: impl FnOnce(&mut super::dice::Stream) -> T) -> T {
        let old = self.streams[stream as usize].drawn();
        self.note(Entry::Drawn { stream, old });
        self.note_chance();
        draw(&mut self.streams[stream as usize])
    }

    /// Puts steps on the agenda in reading order, after those that this step has pushed before.
    pub fn push_steps(&mut self, steps: Vec<Step>) -> Change {
        if self.agenda.len() + steps.len() > AGENDA_LIMIT {
            return Err(Refused::TooManySteps);
        }
        for step in steps {
            let index = self.push_at.min(self.agenda.len());
            self.agenda.insert(index, step);
            self.note(Entry::Pushed { index: index as u32 });
        }
        Ok(())
    }

    /// Takes the next step; what it pushes comes before all that waits.
    pub fn pop_step(&mut self) -> Option<Step> {
        let step = self.agenda.pop()?;
        self.note(Entry::Popped {
            old: Box::new(step.clone()),
        });
        self.push_at = self.agenda.len();
        Some(step)
    }

    pub fn add_log(&mut self, text: Arc<str>) -> Change {
        if text.len() > TEXT_LIMIT {
            return Err(Refused::TextTooLong);
        }
        let before = self.log.last().map_or(0, |l| l.hash);
        let hash = xxh3_64_with_seed(text.as_bytes(), before);
        self.log.push(LogLine { text, hash });
        self.note(Entry::Log);
        Ok(())
    }

    /// Ends the game: the agenda is left as it is, but no step runs any more.
    pub fn set_result(&mut self, result: Option<Arc<str>>) {
        let old = std::mem::replace(&mut self.result, result);
        self.note(Entry::Result { old });
    }

    /// Begins a session: the first step goes on the agenda.
    pub fn begin(&mut self, name: &str) {
        let step = Step {
            name: name.into(),
            arguments: BTreeMap::new(),
        };
        self.push_at = 0;
        self.agenda.push(step);
        self.note(Entry::Pushed { index: 0 });
    }

    pub(super) fn note_chance(&mut self) {
        if self.imagining == 0 {
            self.chance += 1;
        }
    }
}
