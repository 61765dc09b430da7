//! Pieces that cover several spaces.
use super::paths::{Reached, Travel};
use super::{Offset, Orientation, TooMany, Topology};
use crate::tabletop::{Space, effort};

/// The spaces that a piece covers, as offsets from its anchor at facing 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint(Vec<Offset>);

impl Footprint {
    /// Order and repetition don't matter; the anchor `(0, 0)` need not be covered.
    pub fn new(offsets: impl IntoIterator<Item = Offset>) -> Self {
        let mut offsets: Vec<Offset> = offsets.into_iter().collect();
        offsets.sort_unstable();
        offsets.dedup();
        Self(offsets)
    }

    pub fn offsets(&self) -> &[Offset] {
        &self.0
    }

    /// The places covered, sorted, on the board or not. `facing` is a direction that turns the shape.
    /// `None` if the shape can't be turned so: a diagonal facing, or any shape of several spaces on a graph.
    pub fn places(&self, board: &Topology, anchor: Space, facing: u8) -> Option<Vec<Space>> {
        let Some(lattice) = board.lattice() else {
            return (self.0 == [(0, 0)]).then(|| vec![anchor]);
        };
        let turned = Orientation {
            flip: false,
            turn: lattice.turn_of(facing)?,
        };
        let place = |&offset: &Offset| {
            let (q, r) = lattice.orient(offset, turned);
            anchor.offset(q, r)
        };
        let mut places: Vec<Space> = self.0.iter().map(place).collect();
        places.sort_unstable();
        Some(places)
    }

    /// The places covered if all are on the board and `free`.
    pub fn fits(
        &self,
        board: &Topology,
        anchor: Space,
        facing: u8,
        mut free: impl FnMut(Space) -> bool,
    ) -> Option<Vec<Space>> {
        let places = self.places(board, anchor, facing)?;
        places
            .iter()
            .all(|&space| board.contains(space) && free(space))
            .then_some(places)
    }

    /// The anchors where the piece may stop, sorted, with their costs, when it moves step by step
    /// without turning and stays on the board whole. `travel.cost` gets the anchors before and after
    /// and the spaces newly covered (sorted); `may_pass` and `may_stop` get all spaces covered.
    ///
    /// # Errors
    /// [`TooMany`] as for [`Travel::reach`].
    pub fn reach<C, P, S>(
        &self,
        board: &Topology,
        anchor: Space,
        facing: u8,
        travel: Travel<C, P, S>,
    ) -> Result<Vec<Reached>, TooMany>
    where
        C: FnMut(Space, Space, &[Space]) -> Option<u32>,
        P: FnMut(&[Space]) -> bool,
        S: FnMut(&[Space]) -> bool,
    {
        let Travel {
            budget,
            mut cost,
            mut may_pass,
            mut may_stop,
        } = travel;
        let covered = |anchor| self.places(board, anchor, facing).unwrap_or_default();
        let mut single = Travel {
            budget,
            cost: |from: Space, to: Space| {
                let mut entered = self.fits(board, to, facing, |_| true)?;
                let before = covered(from);
                entered.retain(|space| before.binary_search(space).is_err());
                cost(from, to, &entered)
            },
            may_pass: |anchor| may_pass(&covered(anchor)),
            may_stop: |anchor| may_stop(&covered(anchor)),
        };
        single.reach(board, anchor)
    }
}

/// The distance between the nearest spaces of two sets, and all pairs `(of a, of b)` at it, sorted.
/// `None` if a set is empty or no two spaces have a distance.
pub fn nearest_pairs(board: &Topology, a: &[Space], b: &[Space]) -> Option<(u32, Vec<(Space, Space)>)> {
    let mut best = u32::MAX;
    let mut pairs = Vec::new();
    for &from in a {
        if effort::is_spent() {
            break;
        }
        for &to in b {
            match board.distance(from, to) {
                Some(distance) if distance < best || pairs.is_empty() => {
                    best = distance;
                    pairs = vec![(from, to)];
                }
                Some(distance) if distance == best => pairs.push((from, to)),
                _ => {}
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    (!pairs.is_empty()).then_some((best, pairs))
}

/// The distance between the nearest spaces of two sets.
pub fn distance(board: &Topology, a: &[Space], b: &[Space]) -> Option<u32> {
    a.iter()
        .flat_map(|&from| b.iter().filter_map(move |&to| board.distance(from, to)))
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabletop::board::Shape;

    fn at(q: i32, r: i32) -> Space {
        Space::new(q, r, 0)
    }

    fn rhombus() -> Footprint {
        Footprint::new([(0, 0), (1, 0), (0, 1), (1, 1)])
    }

    #[test]
    fn a_shape_turns_with_its_facing() {
        let hex = Topology::new(
            0,
            "map",
            Shape::Hex {
                flat: false,
                spaces: None,
            },
        )
        .unwrap();
        let bar = Footprint::new([(0, 0), (1, 0)]);
        assert_eq!(bar.places(&hex, at(2, 2), 1), Some(vec![at(2, 2), at(3, 1)]));
        assert_eq!(bar.places(&hex, at(2, 2), 6), None);
        let square = Topology::new(
            0,
            "grid",
            Shape::Square {
                diagonal: true,
                spaces: None,
            },
        )
        .unwrap();
        assert_eq!(bar.places(&square, at(0, 0), 2), Some(vec![at(0, 0), at(0, 1)]));
        assert_eq!(bar.places(&square, at(0, 0), 1), None);
    }

    #[test]
    fn distance_is_measured_between_nearest_spaces() {
        let hex = Topology::new(
            0,
            "map",
            Shape::Hex {
                flat: false,
                spaces: None,
            },
        )
        .unwrap();
        let covered = rhombus().places(&hex, at(0, 0), 0).unwrap();
        assert_eq!(distance(&hex, &[at(3, 0)], &covered), Some(2));
        assert_eq!(
            nearest_pairs(&hex, &[at(2, 2)], &covered),
            Some((2, vec![(at(2, 2), at(1, 1))]))
        );
        assert_eq!(nearest_pairs(&hex, &[], &covered), None);
    }

    #[test]
    fn each_newly_covered_space_can_cost_and_block() {
        let hex = Topology::new(
            0,
            "map",
            Shape::Hex {
                flat: false,
                spaces: None,
            },
        )
        .unwrap();
        let costly = [at(2, 0), at(2, 1)];
        let wall = at(-1, 1);
        let reached = rhombus()
            .reach(
                &hex,
                at(0, 0),
                0,
                Travel {
                    budget: 3,
                    cost: |_, _, entered: &[Space]| {
                        let extra = entered.iter().filter(|space| costly.contains(space)).count();
                        (!entered.contains(&wall)).then_some(1 + extra as u32)
                    },
                    may_pass: |_: &[Space]| true,
                    may_stop: |_: &[Space]| true,
                },
            )
            .unwrap();
        let cost = |space| {
            reached
                .iter()
                .find(|reached| reached.space == space)
                .map(|reached| reached.cost)
        };
        assert_eq!(cost(at(1, 0)), Some(3));
        assert_eq!(cost(at(-1, 0)), None);
        assert_eq!(cost(at(0, -1)), Some(1));
    }

    #[test]
    fn a_shape_stays_on_the_board() {
        let spaces = (0..3).flat_map(|q| (0..3).map(move |r| (q, r))).collect();
        let board = Topology::new(
            0,
            "grid",
            Shape::Hex {
                flat: false,
                spaces: Some(spaces),
            },
        )
        .unwrap();
        let travel = Travel {
            budget: 9,
            cost: |_, _, _: &[Space]| Some(1),
            may_pass: |_: &[Space]| true,
            may_stop: |_: &[Space]| true,
        };
        let reached = rhombus().reach(&board, at(0, 0), 0, travel).unwrap();
        let anchors: Vec<Space> = reached.iter().map(|reached| reached.space).collect();
        assert_eq!(anchors, [at(0, 0), at(0, 1), at(1, 0), at(1, 1)]);
        assert!(
            rhombus()
                .fits(&board, at(0, 0), 0, |space| space != at(1, 1))
                .is_none()
        );
    }
}
