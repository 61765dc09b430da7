//! What is declared before play: kinds of units, definitions, piles, streams, dice, boards.
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Value, ValueType};

/// A typed field. Its index in the declaration is its slot.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDecl {
    pub name: Arc<str>,
    pub kind: ValueType,
    pub default: Value,
}

/// A kind of unit. Kind 0 is the game itself, whose only unit is unit 0.
#[derive(Clone, Debug, Default)]
pub struct KindDecl {
    pub name: Arc<str>,
    pub fields: Vec<FieldDecl>,
    /// Names of the faces; a unit starts on face 0.
    pub faces: Vec<Arc<str>>,
}

/// A definition that units may be made from.
#[derive(Clone, Debug)]
pub struct DefinitionDecl {
    pub kind: u16,
    pub id: Arc<str>,
    /// `pack:kind/id`.
    pub reference: Arc<str>,
    /// Start values of the kind's fields, by slot, where the definition sets them.
    pub values: Vec<(u16, Value)>,
}

/// Who sees the cards of a pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    All,
    None,
    Owner,
    /// Everybody sees the top card only.
    Top,
}

impl Visibility {
    /// The word used in TOML and scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::None => "none",
            Self::Owner => "owner",
            Self::Top => "top",
        }
    }

    /// The visibility that `name` stands for.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::All, Self::None, Self::Owner, Self::Top]
            .into_iter()
            .find(|v| v.name() == name)
    }
}

#[derive(Clone, Debug)]
pub struct PileDecl {
    pub name: Arc<str>,
    pub visibility: Visibility,
    pub owner: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct DieDecl {
    pub name: Arc<str>,
    pub faces: Vec<Value>,
}

#[derive(Clone, Debug)]
pub struct BoardDecl {
    pub name: Arc<str>,
    pub fields: Vec<FieldDecl>,
}

/// All declarations of a session's content. Immutable; a reload builds a new one.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    pub kinds: Vec<KindDecl>,
    pub definitions: Vec<DefinitionDecl>,
    pub piles: Vec<PileDecl>,
    pub dice: Vec<DieDecl>,
    pub streams: Vec<Arc<str>>,
    pub boards: Vec<BoardDecl>,
    /// The boards' topologies, in the same order.
    pub topologies: Vec<super::board::Topology>,
    pub seats: Vec<Arc<str>>,
    /// Indices of `definitions` by `pack:kind/id`.
    pub by_reference: BTreeMap<Arc<str>, u32>,
}

impl Declarations {
    /// Whether the space is one of its board.
    #[inline]
    pub fn has_space(&self, space: super::Space) -> bool {
        self.topologies
            .get(space.board as usize)
            .is_some_and(|t| t.contains(space))
    }

    /// The index of the kind called `name`.
    pub fn kind(&self, name: &str) -> Option<u16> {
        self.kinds.iter().position(|k| &*k.name == name).map(|i| i as u16)
    }

    /// The index of the pile called `name`.
    pub fn pile(&self, name: &str) -> Option<u16> {
        self.piles.iter().position(|p| &*p.name == name).map(|i| i as u16)
    }

    /// The index of the stream called `name`.
    pub fn stream(&self, name: &str) -> Option<u16> {
        self.streams.iter().position(|s| &**s == name).map(|i| i as u16)
    }
}

impl KindDecl {
    /// The slot of the field called `name`.
    pub fn slot(&self, name: &str) -> Option<u16> {
        self.fields
            .iter()
            .position(|f| &*f.name == name)
            .map(|i| i as u16)
    }
}
