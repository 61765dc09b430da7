//! Up to eight pieces by value: the state that a search copies, compares and hashes.
use std::ops::Deref;

use super::rays::Move;
use crate::tabletop::Space;

/// The most pieces that a layout holds.
pub const LAYOUT_PIECES: usize = 8;

/// The positions of a few pieces of one board, in the caller's order; reads as a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layout {
    spaces: [Space; LAYOUT_PIECES],
    count: u8,
}

impl Layout {
    /// `None` for more than [`LAYOUT_PIECES`] pieces.
    pub fn new(pieces: &[Space]) -> Option<Self> {
        let mut spaces = [Space::new(0, 0, 0); LAYOUT_PIECES];
        spaces.get_mut(..pieces.len())?.copy_from_slice(pieces);
        Some(Self {
            spaces,
            count: pieces.len() as u8,
        })
    }

    /// The layout once the move is made.
    pub fn after(mut self, made: &Move) -> Self {
        for (piece, space) in made.shifts() {
            self.spaces[piece] = space;
        }
        self
    }

    /// One number for the pieces' places relative to each other, in order: two layouts of as many
    /// pieces have the same key just when one is the other shifted. `None` if they lie too far apart
    /// (255 or more) to be packed.
    pub fn key(&self) -> Option<u128> {
        let low = |coordinate: fn(&Space) -> i32| self.iter().map(coordinate).min().unwrap_or(0);
        let (q, r) = (low(|space| space.q), low(|space| space.r));
        let mut key = 0;
        for space in self.iter() {
            let (dq, dr) = (space.q.abs_diff(q), space.r.abs_diff(r));
            if dq > 254 || dr > 254 {
                return None;
            }
            // One more than the offset, so that no piece reads like a missing one.
            key = key << 16 | u128::from((dq + 1) << 8 | (dr + 1));
        }
        Some(key)
    }
}

impl Deref for Layout {
    type Target = [Space];

    fn deref(&self) -> &[Space] {
        &self.spaces[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(spaces: &[(i32, i32)]) -> Layout {
        let spaces: Vec<Space> = spaces.iter().map(|&(q, r)| Space::new(q, r, 0)).collect();
        Layout::new(&spaces).unwrap()
    }

    #[test]
    fn keys_ignore_shifts_and_nothing_else() {
        let key = layout(&[(0, 0), (1, 0), (0, 1)]).key();
        assert_eq!(layout(&[(-7, 900_000), (-6, 900_000), (-7, 900_001)]).key(), key);
        assert_ne!(layout(&[(1, 0), (0, 0), (0, 1)]).key(), key);
        assert_ne!(layout(&[(0, 0), (1, 0)]).key(), key);
        assert_eq!(layout(&[(0, 0), (255, 0)]).key(), None);
        assert!(Layout::new(&[Space::new(0, 0, 0); 9]).is_none());
    }

    #[test]
    fn a_move_changes_all_its_pieces() {
        let pushed = vec![(1, Space::new(2, 0, 0))];
        let made = Move {
            piece: 0,
            direction: 2,
            length: 1,
            to: Space::new(1, 0, 0),
            pushed,
        };
        assert_eq!(
            layout(&[(0, 0), (1, 0), (0, 1)]).after(&made),
            layout(&[(1, 0), (2, 0), (0, 1)])
        );
    }
}
