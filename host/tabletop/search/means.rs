//! What a searcher can still do to a layout, and how far a layout is away from a target.
use super::grid::PIECES;

/// What a searcher can still do to a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// Steps and pushes at most.
    pub steps: u8,
    /// Of these, how many cost nothing of the first kind, and how many nothing at all.
    pub free: u8,
    pub gratis: u8,
    pub swaps: u8,
    /// Whether a step may be a push.
    pub pushes: bool,
    /// How many paid steps can surely follow, whatever the layout.
    pub sure: u8,
    pub aim: Aim,
}

/// What a state needs of a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// The target.
    #[default]
    Target,
    /// What it is that brings the target into reach: a target of its own, by number among those of a search,
    /// which every layout fits that fits the target.
    Other(u8),
    /// Nothing: whoever gets here is there.
    Nothing,
}

/// By whether pieces may be pushed, swaps, and places not taken and not taken rightly: the fewest steps.
static NEEDS: [[[[u8; SIDES]; SIDES]; SWAPS]; 2] = {
    let mut needs = [[[[0; SIDES]; SIDES]; SWAPS]; 2];
    let mut swaps = 0;
    while swaps < SWAPS {
        let mut empty = 0;
        while empty < SIDES {
            let mut wrong = 0;
            while wrong < SIDES {
                let mended = wrong.saturating_sub(2 * swaps);
                let pushed: u8 = if wrong > 0 && swaps == 0 { 1 } else { 0 };
                needs[0][swaps][empty][wrong] = if empty > mended { empty as u8 } else { mended as u8 };
                needs[1][swaps][empty][wrong] = if empty > pushed as usize {
                    empty as u8
                } else {
                    pushed
                };
                wrong += 1;
            }
            empty += 1;
        }
        swaps += 1;
    }
    needs
};

pub(super) const SIDES: usize = PIECES + 1;
/// More swaps than this mend no more.
const SWAPS: usize = PIECES / 2 + 1;

impl Means {
    /// The fewest steps for a layout with so many places not taken rightly, whichever they are.
    #[inline]
    pub fn least(self, wrong: u8) -> u8 {
        self.needs()[0][usize::from(wrong).min(PIECES)]
    }

    /// The swaps, as far as it matters how many they are.
    #[inline]
    pub(super) fn telling_swaps(self) -> u8 {
        self.swaps.min(SWAPS as u8 - 1)
    }

    #[inline]
    pub(super) fn needs(self) -> &'static [[u8; SIDES]; SIDES] {
        &NEEDS[usize::from(self.pushes)][usize::from(self.telling_swaps())]
    }
}

/// How far a layout is away from a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The fewest steps.
    pub need: u8,
    /// Places not taken rightly in the best laying: an estimate, and 0 just when the pattern is there.
    pub wrong: u8,
}

impl Gap {
    pub(super) const FAR: Self = Self {
        need: u8::MAX,
        wrong: u8::MAX,
    };

    #[inline]
    pub(super) fn least(self, other: Self) -> Self {
        Self {
            need: self.need.min(other.need),
            wrong: self.wrong.min(other.wrong),
        }
    }
}
