//! The journal: each change with what undoes it.
use std::sync::Arc;

use super::agenda::Step;
use super::declared::Visibility;
use super::unit::{Place, Unit};
use super::value::UnitId;
use super::{Space, Value};

/// A place in the journal to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(pub(super) usize);

impl Mark {
    /// For scripts, which see a number.
    pub const fn index(self) -> usize {
        self.0
    }

    pub const fn at(index: usize) -> Self {
        Self(index)
    }
}

/// One change; it holds what was there before.
#[derive(Clone, Debug)]
pub enum Entry {
    Field {
        unit: UnitId,
        slot: u16,
        old: Value,
    },
    /// `position` is counted from the bottom of the pile that it was in.
    Place {
        unit: UnitId,
        old: Place,
        position: u32,
    },
    /// The place of a unit that a new order of piles brought to another pile.
    Carried {
        unit: UnitId,
        old: Place,
    },
    Facing {
        unit: UnitId,
        old: u8,
    },
    Face {
        unit: UnitId,
        old: u8,
    },
    Side {
        unit: UnitId,
        old: Option<Arc<str>>,
    },
    Created {
        unit: UnitId,
    },
    Removed {
        unit: UnitId,
        old: Box<Unit>,
    },
    Order {
        pile: u16,
        old: Box<[UnitId]>,
    },
    Visibility {
        pile: u16,
        old: Visibility,
    },
    Drawn {
        stream: u16,
        old: u64,
    },
    StreamKey {
        stream: u16,
        old: Box<([u8; 32], u64)>,
    },
    SpaceField {
        space: Space,
        slot: u16,
        old: Option<Value>,
    },
    /// A step was put at this index of the agenda.
    Pushed {
        index: u32,
    },
    Popped {
        old: Box<Step>,
    },
    Log,
    Result {
        old: Option<Arc<str>>,
    },
}
