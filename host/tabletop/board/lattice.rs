//! What the regular boards share: directions, metric, turning and mirroring of offsets.
use super::{hex, square};

/// The difference of two spaces of one regular board.
pub type Offset = (i32, i32);

/// A regular arrangement of spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lattice {
    Hex,
    /// Squares joined by edges only.
    Square4,
    /// Squares joined by edges and corners.
    Square8,
}

/// A rigid image of a set of offsets: first mirrored if `flip`, then turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Orientation {
    pub flip: bool,
    /// Sixths of a circle counterclockwise on hex boards, quarters clockwise on square ones.
    pub turn: u8,
}

impl Lattice {
    /// The offsets of the neighbours, in direction order.
    pub const fn directions(self) -> &'static [Offset] {
        match self {
            Self::Hex => &hex::DIRECTIONS,
            Self::Square4 => &square::DIRECTIONS_4,
            Self::Square8 => &square::DIRECTIONS_8,
        }
    }

    /// Steps along `offset`: hex distance, Manhattan (4 neighbours) or Chebyshev (8).
    pub fn length(self, offset: Offset) -> u32 {
        let (q, r) = (offset.0.unsigned_abs(), offset.1.unsigned_abs());
        match self {
            Self::Hex => hex::length(offset),
            Self::Square4 => q + r,
            Self::Square8 => q.max(r),
        }
    }

    /// Whether `offset` leads to a neighbour.
    #[inline]
    pub const fn joins(self, (q, r): Offset) -> bool {
        if q < -1 || q > 1 || r < -1 || r > 1 {
            return false;
        }
        match self {
            Self::Hex => q != r,
            Self::Square4 => (q == 0) != (r == 0),
            Self::Square8 => q != 0 || r != 0,
        }
    }

    /// How many turns make a full circle.
    pub const fn turns(self) -> u8 {
        match self {
            Self::Hex => 6,
            Self::Square4 | Self::Square8 => 4,
        }
    }

    /// The image of `offset`.
    pub fn orient(self, offset: Offset, orientation: Orientation) -> Offset {
        match self {
            Self::Hex => hex::turn(
                if orientation.flip {
                    hex::mirror(offset)
                } else {
                    offset
                },
                orientation.turn % 6,
            ),
            Self::Square4 | Self::Square8 => square::turn(
                if orientation.flip {
                    square::mirror(offset)
                } else {
                    offset
                },
                orientation.turn,
            ),
        }
    }

    /// The orientations that count, upright ones first, each group by turn.
    pub fn orientations(self, turned: bool, flipped: bool) -> Vec<Orientation> {
        let turns = if turned { self.turns() } else { 1 };
        let flips: &[bool] = if flipped { &[false, true] } else { &[false] };
        flips
            .iter()
            .flat_map(|&flip| (0..turns).map(move |turn| Orientation { flip, turn }))
            .collect()
    }

    /// The turn that a facing (a direction) means; `None` for a diagonal, which no turn reaches.
    pub fn turn_of(self, facing: u8) -> Option<u8> {
        match self {
            Self::Hex => (facing < 6).then_some(facing),
            Self::Square4 => (facing < 4).then_some(facing),
            Self::Square8 => (facing < 8 && facing.is_multiple_of(2)).then_some(facing / 2),
        }
    }

    /// The lowest and highest `r` within `n` steps of the origin in column `q`, for `|q| <= n`.
    pub(super) fn column(self, q: i32, n: i32) -> (i32, i32) {
        match self {
            Self::Hex => hex::column(q, n),
            Self::Square4 => (q.abs() - n, n - q.abs()),
            Self::Square8 => (-n, n),
        }
    }

    /// How many offsets have length `n`.
    pub(super) fn ring_count(self, n: u32) -> u64 {
        let per_step = match self {
            Self::Hex => 6,
            Self::Square4 => 4,
            Self::Square8 => 8,
        };
        if n == 0 { 1 } else { per_step * u64::from(n) }
    }

    /// How many offsets have length `n` or less.
    pub(super) fn within_count(self, n: u32) -> u64 {
        let n = u64::from(n);
        let per_step = self.ring_count(1);
        (per_step / 2).saturating_mul(n * (n + 1)).saturating_add(1)
    }

    /// The direction whose ray holds `offset` (`true`), or the one before it in direction order
    /// (`false`: strictly between `d` and `d + 1`). `None` for the zero offset.
    pub fn bearing(self, (q, r): Offset) -> Option<(u8, bool)> {
        let directions = self.directions();
        let det = |a: Offset, b: Offset| i64::from(a.0) * i64::from(b.1) - i64::from(a.1) * i64::from(b.0);
        (0..directions.len()).find_map(|index| {
            let (here, next) = (directions[index], directions[(index + 1) % directions.len()]);
            let unit = det(here, next);
            // Two directions in a row span the lattice (unit is 1 or -1), so the shares are integers.
            let (along, beside) = (det((q, r), next) * unit, det(here, (q, r)) * unit);
            (along > 0 && beside >= 0).then_some((index as u8, beside == 0))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Lattice; 3] = [Lattice::Hex, Lattice::Square4, Lattice::Square8];

    #[test]
    fn neighbours_are_what_joins() {
        for lattice in ALL {
            let joined = (-3..=3)
                .flat_map(|q| (-3..=3).map(move |r| (q, r)))
                .filter(|&offset| lattice.joins(offset))
                .collect::<Vec<_>>();
            let mut directions = lattice.directions().to_vec();
            directions.sort();
            assert_eq!(joined, directions);
            assert!(joined.iter().all(|&offset| lattice.length(offset) == 1));
        }
    }

    #[test]
    fn bearings_part_the_plane() {
        for lattice in ALL {
            for (index, &(q, r)) in lattice.directions().iter().enumerate() {
                assert_eq!(lattice.bearing((q * 7, r * 7)), Some((index as u8, true)));
                let next = lattice.directions()[(index + 1) % lattice.directions().len()];
                assert_eq!(
                    lattice.bearing((q * 5 + next.0, r * 5 + next.1)),
                    Some((index as u8, false))
                );
            }
            assert_eq!(lattice.bearing((0, 0)), None);
        }
    }

    #[test]
    fn orientations_keep_lengths_and_count_twelve_or_eight() {
        for lattice in ALL {
            let all = lattice.orientations(true, true);
            assert_eq!(all.len(), usize::from(lattice.turns()) * 2);
            let mut images: Vec<Offset> = all.iter().map(|&image| lattice.orient((1, 3), image)).collect();
            assert!(
                images
                    .iter()
                    .all(|&image| lattice.length(image) == lattice.length((1, 3)))
            );
            images.sort();
            images.dedup();
            assert_eq!(images.len(), all.len());
        }
    }
}
