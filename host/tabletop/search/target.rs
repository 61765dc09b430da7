//! Patterns of packed layouts, and how many steps a layout is away from one at least.
//!
//! A pattern laid anywhere gets a vote from each of its places that is taken, and a second one if the
//! right piece stands there. A step, a push of a whole line too, takes one space more at most; a step of
//! one piece mends one place, a swap two. The best laying bounds the steps from below.
use super::grid::{CORNER, Pieces, Spot};
use super::moves::Expansion;

/// One place of a pattern, by row and column, and the piece that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub row: u8,
    pub column: u8,
    pub needs: Option<u8>,
}

/// A pattern that may be laid anywhere, not turned.
#[derive(Clone, Debug)]
pub struct Target {
    places: Vec<Place>,
    /// Pieces that some place needs fit nowhere else.
    needed: u8,
    /// Too large or too far spread for linked pieces.
    never: bool,
}

/// What a searcher can still do to a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// Steps and pushes at most.
    pub steps: u8,
    /// Of these, how many cost nothing of the first kind.
    pub free: u8,
    pub swaps: u8,
    /// Whether a step may be a push.
    pub pushes: bool,
}

impl Means {
    /// The fewest steps for a laying with so many places not taken and so many not taken rightly.
    #[inline]
    fn need(self, empty: u8, wrong: u8) -> u8 {
        if self.pushes {
            empty.max(u8::from(wrong > 0 && self.swaps == 0))
        } else {
            empty.max(wrong.saturating_sub(self.swaps.saturating_mul(2)))
        }
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
    const FAR: Self = Self {
        need: u8::MAX,
        wrong: u8::MAX,
    };

    #[inline]
    fn least(self, other: Self) -> Self {
        Self {
            need: self.need.min(other.need),
            wrong: self.wrong.min(other.wrong),
        }
    }
}

impl Target {
    /// `exact`: every piece of `count` stands on a place of the pattern.
    pub fn new(places: &[Place], count: u8, exact: bool) -> Self {
        let mut places = places.to_vec();
        let row = places.iter().map(|p| p.row).min().unwrap_or(0);
        let column = places.iter().map(|p| p.column).min().unwrap_or(0);
        for place in &mut places {
            place.row -= row;
            place.column -= column;
        }
        let twice = (1..places.len()).any(|i| {
            places[..i].iter().any(|p| {
                (p.row, p.column) == (places[i].row, places[i].column)
                    || (p.needs.is_some() && p.needs == places[i].needs)
            })
        });
        let count = usize::from(count);
        let never = places.is_empty()
            || twice
            || places.len() > count
            || (exact && places.len() != count)
            || places
                .iter()
                .any(|p| p.row > 7 || p.column > 7 || p.needs.is_some_and(|n| usize::from(n) >= count));
        let needed = if never {
            0
        } else {
            places
                .iter()
                .filter_map(|p| p.needs)
                .fold(0, |bits, n| bits | 1 << n)
        };
        Self {
            places,
            needed,
            never,
        }
    }

    /// Whether the pattern is found among the pieces.
    pub fn is_in(&self, layout: &Expansion) -> bool {
        if self.never {
            return false;
        }
        let hook = self
            .places
            .iter()
            .find(|p| p.needs.is_some())
            .unwrap_or(&self.places[0]);
        let laid = |hung: Spot| {
            self.places.iter().all(|place| {
                let row = (hung >> 4) as i16 + i16::from(place.row) - i16::from(hook.row);
                let column = (hung & 15) as i16 + i16::from(place.column) - i16::from(hook.column);
                if !(0..16).contains(&row) || !(0..16).contains(&column) {
                    return false;
                }
                let on = layout.on((row << 4 | column) as Spot);
                on != 0 && place.needs.map_or(on & self.needed == 0, |n| on == 1 << n)
            })
        };
        match hook.needs {
            Some(piece) => laid(layout.pieces.at[usize::from(piece)]),
            None => layout.pieces.spots().iter().any(|&spot| laid(spot)),
        }
    }
}

/// Layings are numbered by where the pattern's corner lies; rows are 32 wide, so that none coincide.
const ROW: usize = 32;
const LAYINGS: usize = (16 + 7) * ROW;

#[inline]
fn laying(spot: Spot, place: &Place) -> usize {
    let (row, column) = (usize::from(spot >> 4), usize::from(spot & 15));
    (row + 7 - usize::from(place.row)) * ROW + column + 7 - usize::from(place.column)
}

/// The votes for one layout and target.
pub struct Votes {
    /// By laying: places that are taken, and those taken rightly.
    taken: [u8; LAYINGS],
    right: [u8; LAYINGS],
    /// The layings with votes.
    laid: Vec<u16>,
}

impl Default for Votes {
    fn default() -> Self {
        Self {
            taken: [0; LAYINGS],
            right: [0; LAYINGS],
            laid: Vec::with_capacity(64),
        }
    }
}

impl Votes {
    pub fn count(&mut self, target: &Target, pieces: &Pieces) {
        for &laying in &self.laid {
            self.taken[usize::from(laying)] = 0;
            self.right[usize::from(laying)] = 0;
        }
        self.laid.clear();
        if target.never {
            return;
        }
        for piece in 0..pieces.count {
            for place in &target.places {
                let at = laying(pieces.at[usize::from(piece)], place);
                if self.taken[at] == 0 {
                    self.laid.push(at as u16);
                }
                self.taken[at] += 1;
                self.right[at] += u8::from(fits(target, place, piece));
            }
        }
    }

    pub fn gap(&self, target: &Target, means: Means) -> Gap {
        let count = target.places.len() as u8;
        let all = self.laid.iter().map(|&at| {
            let (taken, right) = (self.taken[usize::from(at)], self.right[usize::from(at)]);
            Gap {
                need: means.need(count - taken, count - right),
                wrong: count - right,
            }
        });
        all.fold(Gap::FAR, Gap::least)
    }

    /// Takes the votes of a piece away, so that its steps can be judged.
    pub fn lift(&mut self, target: &Target, pieces: &Pieces, piece: u8) {
        for place in self.places(target) {
            let at = laying(pieces.at[usize::from(piece)], place);
            self.taken[at] -= 1;
            self.right[at] -= u8::from(fits(target, place, piece));
        }
    }

    pub fn put_back(&mut self, target: &Target, pieces: &Pieces, piece: u8) {
        for place in self.places(target) {
            let at = laying(pieces.at[usize::from(piece)], place);
            self.taken[at] += 1;
            self.right[at] += u8::from(fits(target, place, piece));
        }
    }

    fn places<'a>(&self, target: &'a Target) -> &'a [Place] {
        if target.never { &[] } else { &target.places }
    }

    /// The gap once the lifted piece stands on `to`, from the gap without it.
    #[inline]
    pub fn gap_at(&self, target: &Target, means: Means, lifted: Gap, piece: u8, to: Spot) -> Gap {
        let count = target.places.len() as u8;
        let all = self.places(target).iter().map(|place| {
            let at = laying(to, place);
            let (taken, right) = (
                self.taken[at] + 1,
                self.right[at] + u8::from(fits(target, place, piece)),
            );
            Gap {
                need: means.need(count - taken, count - right),
                wrong: count - right,
            }
        });
        all.fold(lifted, Gap::least)
    }
}

#[inline]
fn fits(target: &Target, place: &Place, piece: u8) -> bool {
    match place.needs {
        Some(needed) => needed == piece,
        None => target.needed >> piece & 1 == 0,
    }
}

const _: () = assert!((CORNER as usize + 8 + 7) < 16 + 7, "a landing's layings fit");
