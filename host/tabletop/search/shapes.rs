//! All shapes that linked pieces can have, and numbers for their layouts.
use rustc_hash::FxHashMap;

use super::grid::{CORNER, Grid, PIECES, Pieces};

/// Shapes by what they are: bits of an 8 by 8 window, shifted into its corner.
pub struct Shapes {
    numbers: FxHashMap<u64, u32>,
    count: u8,
    /// Labelled layouts of one shape: the factorial of the count.
    each: usize,
}

impl Shapes {
    /// Every shape of so many linked pieces; `None` for more than [`PIECES`], or more layouts than `limit`.
    pub fn new(grid: &Grid, count: u8, limit: usize) -> Option<Self> {
        if !(1..=PIECES as u8).contains(&count) {
            return None;
        }
        let each: usize = (1..=usize::from(count)).product();
        let mut shapes = vec![1u64];
        for pieces in 1..count {
            let mut larger = Vec::new();
            for shape in shapes {
                for spot in spots(shape) {
                    for more in grid.around(spot) {
                        if let Some(grown) = with(shape, more) {
                            larger.push(grown);
                        }
                    }
                }
            }
            larger.sort_unstable();
            larger.dedup();
            shapes = larger;
            if pieces + 1 == count && shapes.len().checked_mul(each)? > limit {
                return None;
            }
        }
        let numbers = shapes.into_iter().zip(0..).collect();
        Some(Self { numbers, count, each })
    }

    /// How many there are.
    pub fn shapes(&self) -> usize {
        self.numbers.len()
    }

    /// How many layouts they have: which piece stands where counts, not where on the grid.
    pub fn layouts(&self) -> usize {
        self.numbers.len() * self.each
    }

    /// The number of a packed layout, below [`Self::layouts`]; `None` if its pieces aren't linked.
    #[inline]
    pub fn number(&self, layout: u64) -> Option<usize> {
        let mut shape = 0u64;
        for piece in 0..self.count {
            shape |= 1 << place(layout, piece);
        }
        let number = *self.numbers.get(&shape)? as usize;
        // Which of the places not taken yet each piece takes, in mixed base.
        let (mut left, mut order) = (shape, 0);
        for piece in 0..self.count {
            let bit = 1u64 << place(layout, piece);
            order = order * usize::from(self.count - piece) + (left & (bit - 1)).count_ones() as usize;
            left &= !bit;
        }
        Some(number * self.each + order)
    }
}

#[inline]
fn place(layout: u64, piece: u8) -> u64 {
    layout >> (6 * piece) & 63
}

fn spots(shape: u64) -> impl Iterator<Item = u8> {
    (0..64u8)
        .filter(move |place| shape >> place & 1 == 1)
        .map(|place| ((place >> 3) + CORNER) << 4 | ((place & 7) + CORNER))
}

/// The shape with one more piece on a spot beside it; `None` if one is there.
fn with(shape: u64, spot: u8) -> Option<u64> {
    let mut pieces = Pieces {
        at: [0; PIECES],
        count: 0,
    };
    for at in spots(shape).chain([spot]) {
        if pieces.spots().contains(&at) {
            return None;
        }
        pieces.at[usize::from(pieces.count)] = at;
        pieces.count += 1;
    }
    let layout = pieces.pack();
    Some((0..pieces.count).fold(0, |shape, piece| shape | 1 << place(layout, piece)))
}
