//! Arcs around a facing: which of a piece's sides another space lies on.
use thiserror::Error;

use super::Topology;
use crate::tabletop::Space;

/// A division of the directions around a piece into arcs, told for facing 0 and turned with it.
/// Arcs are numbers of the caller's choice, such as 0 front, 1 left, 2 right, 3 rear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arcs {
    /// The arc of each direction, counted from the facing in the board's direction order.
    along: Vec<u8>,
    /// The arc of the places strictly between each direction and the next.
    between: Vec<u8>,
}

/// What arcs must look like.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArcsError {
    #[error(
        "a board with {directions} directions needs {directions} arcs along and between them, not {along} and {between}"
    )]
    Count {
        directions: usize,
        along: usize,
        between: usize,
    },
}

impl Arcs {
    /// Says for every direction and every gap between two which arc it belongs to.
    ///
    /// # Errors
    /// If the lists don't have one entry for each direction of `board`.
    pub fn new(board: &Topology, along: Vec<u8>, between: Vec<u8>) -> Result<Self, ArcsError> {
        let directions = board.direction_names().len();
        if along.len() != directions || between.len() != directions {
            return Err(ArcsError::Count {
                directions,
                along: along.len(),
                between: between.len(),
            });
        }
        Ok(Self { along, between })
    }

    /// Places between two directions belong with the one further from the facing, so every arc that
    /// holds the facing ends on directions, and the rear takes what lies strictly behind.
    ///
    /// # Errors
    /// If `along` doesn't have one entry for each direction of `board`.
    pub fn outward(board: &Topology, along: Vec<u8>) -> Result<Self, ArcsError> {
        let count = along.len();
        let between = (0..count).map(|gap| along[if 2 * gap < count { (gap + 1) % count } else { gap }]);
        let between = between.collect();
        Self::new(board, along, between)
    }

    /// The arc in which `target` lies for a piece on `from` that faces `facing`.
    /// `None` for the same space, an unknown facing, another board or a graph.
    pub fn arc(&self, board: &Topology, from: Space, facing: u8, target: Space) -> Option<u8> {
        let count = self.along.len();
        if from.board != board.board() || target.board != board.board() || usize::from(facing) >= count {
            return None;
        }
        let (direction, exact) = board.lattice()?.bearing((target.q - from.q, target.r - from.r))?;
        let turned = (usize::from(direction) + count - usize::from(facing)) % count;
        let arcs = if exact { &self.along } else { &self.between };
        arcs.get(turned).copied()
    }

    /// The directions that belong to `arc` for `facing`, in direction order.
    pub fn directions(&self, facing: u8, arc: u8) -> Vec<u8> {
        let count = self.along.len();
        let turned =
            |direction: &usize| self.along[(direction + count - usize::from(facing) % count) % count];
        (0..count)
            .filter(|direction| turned(direction) == arc)
            .map(|direction| direction as u8)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabletop::board::Shape;

    const FRONT: u8 = 0;
    const LEFT: u8 = 1;
    const RIGHT: u8 = 2;
    const REAR: u8 = 3;

    fn hex() -> (Topology, Arcs) {
        let board = Topology::new(
            0,
            "map",
            Shape::Hex {
                flat: false,
                spaces: None,
            },
        )
        .unwrap();
        let arcs = Arcs::outward(&board, vec![FRONT, FRONT, LEFT, REAR, RIGHT, FRONT]).unwrap();
        (board, arcs)
    }

    #[test]
    fn a_wide_front_of_a_hex() {
        let (board, arcs) = hex();
        let origin = Space::new(0, 0, 0);
        let arc = |facing, q, r| arcs.arc(&board, origin, facing, Space::new(q, r, 0));
        for (q, r) in [(1, 0), (1, -1), (0, 1), (2, -2), (0, 2), (5, -3)] {
            assert_eq!(arc(0, q, r), Some(FRONT), "({q},{r})");
        }
        assert_eq!([arc(0, 0, -1), arc(0, 0, -2), arc(0, 1, -2)], [Some(LEFT); 3]);
        assert_eq!(
            [arc(0, -1, 1), arc(0, -2, 1), arc(0, -1, 0)],
            [Some(RIGHT), Some(REAR), Some(REAR)]
        );
        for (q, r) in [(1, -1), (0, -1), (-1, 0)] {
            assert_eq!(arc(2, q, r), Some(FRONT), "({q},{r})");
        }
        assert_eq!(
            [arc(2, 0, 1), arc(2, -1, 1), arc(2, 1, 0)],
            [Some(REAR), Some(LEFT), Some(RIGHT)]
        );
        assert_eq!(arc(0, 0, 0), None);
        assert_eq!(arc(6, 1, 0), None);
    }

    #[test]
    fn arcs_part_the_spaces_around_a_piece() {
        let (board, arcs) = hex();
        let origin = Space::new(0, 0, 0);
        for (n, sizes) in [(2, [8, 3, 3, 4]), (3, [15, 6, 6, 9])] {
            for facing in 0..6 {
                let mut found = [0; 4];
                for space in board.within(origin, n).unwrap() {
                    if let Some(arc) = arcs.arc(&board, origin, facing, space) {
                        found[usize::from(arc)] += 1;
                    }
                }
                assert_eq!(found, sizes);
            }
        }
    }

    #[test]
    fn a_square_front_with_eight_directions() {
        let board = Topology::new(
            0,
            "grid",
            Shape::Square {
                diagonal: true,
                spaces: None,
            },
        )
        .unwrap();
        let arcs = Arcs::outward(&board, vec![0, 0, 1, 3, 3, 3, 2, 0]).unwrap();
        assert_eq!(arcs.directions(2, 0), [1, 2, 3]);
        let origin = Space::new(0, 0, 0);
        assert_eq!(arcs.arc(&board, origin, 2, Space::new(3, -2, 0)), Some(0));
        assert_eq!(arcs.arc(&board, origin, 2, Space::new(-1, 0, 0)), Some(3));
        assert_eq!(
            Arcs::outward(&board, vec![0; 6]).unwrap_err().to_string(),
            "a board with 8 directions needs 8 arcs along and between them, not 6 and 6"
        );
    }
}
