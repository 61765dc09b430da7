//! Whose eyes a view is for.
use crate::tabletop::{Place, Tabletop, UnitId};

/// Who looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Designers: everything, hidden cards too.
    All,
    /// What everybody may see.
    Common,
    Seat(String),
}

impl Viewer {
    /// The word of the wire: `all`, `common` or the seat.
    pub fn name(&self) -> &str {
        match self {
            Self::All => "all",
            Self::Common => "common",
            Self::Seat(seat) => seat,
        }
    }

    fn seat(&self) -> Option<&str> {
        match self {
            Self::Seat(seat) => Some(seat),
            _ => None,
        }
    }

    /// The cards of a pile, top first; `None` where one is hidden.
    pub fn pile(&self, tabletop: &Tabletop, pile: u16) -> Vec<Option<UnitId>> {
        match self {
            Self::All => tabletop.pile(pile).iter().rev().map(|card| Some(*card)).collect(),
            _ => tabletop.seen(self.seat(), pile),
        }
    }

    /// Whether the unit is one that the viewer sees.
    pub fn sees(&self, tabletop: &Tabletop, unit: UnitId) -> bool {
        match (self, tabletop.unit(unit).map(|u| u.place)) {
            (_, None) => false,
            (Self::All, _) => true,
            (_, Some(Place::Pile(pile))) => {
                let cards = tabletop.pile(pile);
                let at = cards.iter().position(|card| *card == unit);
                at.is_some_and(|at| tabletop.sees(self.seat(), pile, at))
            }
            _ => true,
        }
    }
}
