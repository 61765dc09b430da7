//! A unit: any piece, be it a standee, a card, a die or a token.
use std::sync::Arc;

use super::{Space, Value};

/// Where a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Place {
    /// Nowhere: set aside.
    #[default]
    Off,
    Board(Space),
    /// In a pile; the pile knows the position.
    Pile(u16),
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: u16,
    /// Index of its definition, if it was made from one.
    pub definition: Option<u32>,
    /// The how manieth unit of its name: with the name it makes the text key.
    pub number: u32,
    pub side: Option<Arc<str>>,
    pub place: Place,
    pub facing: u8,
    pub face: u8,
    /// By slot of the kind.
    pub fields: Box<[Value]>,
    /// The tabletop's epoch when it was made: tells a handle of a unit that a rollback took away.
    pub born: u32,
}
