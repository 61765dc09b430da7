//! The tabletop's state and the questions about it.
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;
use smallvec::SmallVec;

use super::agenda::Step;
use super::declared::{Declarations, Visibility};
use super::dice::{self, Stream};
use super::journal::Entry;
use super::unit::{Place, Unit};
use super::value::UnitId;
use super::{Space, Value};

/// Unit 0: its fields are the game's own.
pub const GAME: UnitId = 0;
pub const UNIT_LIMIT: usize = 100_000;
pub const SPACE_DATA_LIMIT: usize = 1_000_000;
pub const TEXT_LIMIT: usize = 1 << 20;
pub const AGENDA_LIMIT: usize = 2_000;

/// A pile as it is: the top card is the last.
#[derive(Clone, Debug)]
pub(super) struct Pile {
    pub units: Vec<UnitId>,
    pub visibility: Visibility,
}

/// One line of the log. `hash` runs over all lines up to this one.
#[derive(Clone, Debug)]
pub struct LogLine {
    pub text: Arc<str>,
    pub(super) hash: u64,
}

/// Counters that rise whenever something of a kind may have changed, also by rollback: what caches check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    /// Lists and maps in fields.
    pub lists: u64,
    /// Which units exist.
    pub units: u64,
    /// Contents and order of piles.
    pub piles: u64,
    /// What stands where on the boards and how, and what spaces hold; not the fields of units.
    pub board: u64,
    /// Anything at all.
    pub any: u64,
}

/// Boards, units, piles, dice streams, fields, log and agenda: all that a session's state is.
#[derive(Clone, Debug)]
pub struct Tabletop {
    pub(super) declared: Arc<Declarations>,
    pub(super) seed: u64,
    pub(super) units: Vec<Option<Unit>>,
    pub(super) piles: Vec<Pile>,
    pub(super) streams: Vec<Stream>,
    pub(super) agenda: Vec<Step>,
    pub(super) space_fields: HashMap<(Space, u16), Value>,
    pub(super) log: Vec<LogLine>,
    pub(super) result: Option<Arc<str>>,
    pub(super) journal: Vec<Entry>,
    /// How many units of each name were made: definitions first, then kinds.
    pub(super) made: Vec<u32>,
    pub(super) occupied: HashMap<Space, SmallVec<[UnitId; 4]>>,
    pub(super) alive: usize,
    /// Rises at each rollback; never saved or hashed.
    pub(super) epoch: u32,
    /// How often dice were rolled or hidden cards seen; never falls.
    pub(super) chance: u64,
    pub(super) versions: Versions,
    /// Above 0 while rules imagine: what they roll and see there is nobody's knowledge.
    pub(super) imagining: u32,
    /// How many numbers imagined policies drew since imagining began.
    pub(super) guesses: u64,
    /// Where this step's pushes go, so that several calls keep reading order.
    pub(super) push_at: usize,
    /// How far back the journal was rolled since somebody asked.
    pub(super) lowest: usize,
}

impl Tabletop {
    /// An empty tabletop: the game's unit alone, every field at its default.
    pub fn new(declared: Arc<Declarations>, seed: u64) -> Self {
        let streams = declared
            .streams
            .iter()
            .map(|n| Stream::at(dice::derive_key(seed, n, ""), 0))
            .collect();
        let piles = declared
            .piles
            .iter()
            .map(|p| Pile {
                units: Vec::new(),
                visibility: p.visibility,
            })
            .collect();
        let made = vec![0; declared.definitions.len() + declared.kinds.len()];
        let mut tabletop = Self {
            seed,
            units: Vec::new(),
            piles,
            streams,
            agenda: Vec::new(),
            space_fields: HashMap::default(),
            log: Vec::new(),
            result: None,
            journal: Vec::new(),
            made,
            occupied: HashMap::default(),
            alive: 0,
            epoch: 1,
            chance: 0,
            versions: Versions::default(),
            imagining: 0,
            guesses: 0,
            push_at: 0,
            lowest: usize::MAX,
            declared,
        };
        let game = tabletop.blank_unit(0, None);
        tabletop.units.push(Some(game));
        tabletop
    }

    /// A tabletop for what may depend on no game: nothing is on it, and the game's fields hold nothing. Its
    /// versions are those of no other tabletop.
    pub fn bare(declared: Arc<Declarations>) -> Self {
        let mut tabletop = Self::new(declared, 0);
        if let Some(Some(game)) = tabletop.units.first_mut() {
            game.fields.iter_mut().for_each(|field| *field = Value::Nil);
        }
        let apart = 1 << 52;
        tabletop.versions = Versions {
            lists: apart,
            units: apart,
            piles: apart,
            board: apart,
            any: apart,
        };
        tabletop
    }

    pub(super) fn blank_unit(&self, kind: u16, definition: Option<u32>) -> Unit {
        let mut fields: Box<[Value]> = self.declared.kinds[kind as usize]
            .fields
            .iter()
            .map(|f| f.default.clone())
            .collect();
        if let Some(index) = definition {
            for (slot, value) in &self.declared.definitions[index as usize].values {
                fields[*slot as usize] = value.clone();
            }
        }
        Unit {
            kind,
            definition,
            number: 0,
            side: None,
            place: Place::Off,
            facing: 0,
            face: 0,
            fields,
            born: self.epoch,
        }
    }

    /// Writes what undoes a change.
    #[inline]
    pub(super) fn note(&mut self, entry: Entry) {
        self.versions.any += 1;
        self.journal.push(entry);
    }

    pub fn declared(&self) -> &Arc<Declarations> {
        &self.declared
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The unit, unless it is gone.
    #[inline]
    pub fn unit(&self, id: UnitId) -> Option<&Unit> {
        self.units.get(id as usize)?.as_ref()
    }

    /// Every unit but the game, in order of id.
    pub fn units(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units
            .iter()
            .enumerate()
            .skip(1)
            .filter_map(|(i, u)| Some((i as UnitId, u.as_ref()?)))
    }

    /// The units of a kind, in order of id.
    pub fn units_of(&self, kind: u16) -> impl Iterator<Item = UnitId> {
        self.units()
            .filter(move |(_, u)| u.kind == kind)
            .map(|(id, _)| id)
    }

    /// The units on a space, in order of id.
    pub fn units_at(&self, space: Space) -> SmallVec<[UnitId; 4]> {
        let mut here = self.occupied.get(&space).cloned().unwrap_or_default();
        here.sort_unstable();
        here
    }

    /// The unit with the lowest id on a space.
    #[inline]
    pub fn first_at(&self, space: Space) -> Option<UnitId> {
        self.occupied.get(&space)?.iter().min().copied()
    }

    /// Whether any unit is on the space.
    #[inline]
    pub fn is_occupied(&self, space: Space) -> bool {
        self.occupied.get(&space).is_some_and(|u| !u.is_empty())
    }

    /// The name that a unit's text key begins with: its definition's id, or its kind.
    pub fn unit_name(&self, unit: &Unit) -> &Arc<str> {
        match unit.definition {
            Some(d) => &self.declared.definitions[d as usize].id,
            None => &self.declared.kinds[unit.kind as usize].name,
        }
    }

    /// The stable text key of a unit: `galeling`, then `galeling-2`.
    pub fn unit_key(&self, id: UnitId) -> String {
        match self.unit(id) {
            None => format!("unit-{id}"),
            Some(_) if id == GAME => "game".into(),
            Some(unit) if unit.number <= 1 => self.unit_name(unit).to_string(),
            Some(unit) => format!("{}-{}", self.unit_name(unit), unit.number),
        }
    }

    /// The unit that a text key names.
    pub fn unit_by_key(&self, key: &str) -> Option<UnitId> {
        self.units()
            .find(|(id, _)| self.unit_key(*id) == key)
            .map(|(id, _)| id)
    }

    /// The cards of a pile, from the bottom to the top.
    pub fn pile(&self, pile: u16) -> &[UnitId] {
        &self.piles[pile as usize].units
    }

    pub fn visibility(&self, pile: u16) -> Visibility {
        self.piles[pile as usize].visibility
    }

    /// Where in its pile a unit lies, counted from the top, 1 first.
    pub fn position(&self, id: UnitId) -> Option<usize> {
        let Place::Pile(pile) = self.unit(id)?.place else {
            return None;
        };
        let cards = &self.piles[pile as usize].units;
        cards.iter().position(|u| *u == id).map(|i| cards.len() - i)
    }

    /// The field of a space, its default where it was never set. `slot` is the board's.
    pub fn space_field(&self, space: Space, slot: u16) -> Value {
        match self.space_fields.get(&(space, slot)) {
            Some(value) => value.clone(),
            None => self.declared.boards[space.board as usize].fields[slot as usize]
                .default
                .clone(),
        }
    }

    /// Every field of a space that was set, in order of space and slot.
    pub fn marked_spaces(&self) -> Vec<(Space, u16, &Value)> {
        let mut all: Vec<_> = self
            .space_fields
            .iter()
            .map(|((space, slot), value)| (*space, *slot, value))
            .collect();
        all.sort_unstable_by_key(|(space, slot, _)| (*space, *slot));
        all
    }

    pub fn agenda(&self) -> &[Step] {
        &self.agenda
    }

    pub fn log(&self) -> &[LogLine] {
        &self.log
    }

    /// The result, once the game has ended.
    pub fn result(&self) -> Option<&Arc<str>> {
        self.result.as_ref()
    }

    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// How often dice were rolled or hidden cards were seen so far: what undo may not take back freely.
    pub fn chance(&self) -> u64 {
        self.chance
    }

    /// Forgets chance that showed nothing new, such as a step run again with its tape.
    pub fn set_chance(&mut self, chance: u64) {
        self.chance = chance;
    }

    pub fn versions(&self) -> Versions {
        self.versions
    }

    pub fn journal_len(&self) -> usize {
        self.journal.len()
    }
}
