//! The straight line of spaces between two spaces.
use super::lattice::Lattice;
use super::{SPACES_LIMIT, TooMany, Topology, hex, square};
use crate::tabletop::Space;

impl Topology {
    /// The spaces from `a` to `b` in order, each a neighbour of the one before, `distance + 1` in all
    /// when none is missing; those off the board are left out.
    ///
    /// The line from `b` to `a` is the same in reverse. Where the straight line runs between two
    /// spaces, a hex board takes the one towards `(1, 2)`, a square board the one further east, and
    /// with eight neighbours further south. On a graph it is a shortest path, of equal ones the
    /// one whose regions were declared first, and empty if there is none.
    ///
    /// # Errors
    /// [`TooMany`] if the spaces are too far apart.
    pub fn line(&self, a: Space, b: Space) -> Result<Vec<Space>, TooMany> {
        let Some(distance) = self.distance(a, b) else {
            return Ok(Vec::new());
        };
        if distance as usize >= SPACES_LIMIT {
            return Err(TooMany);
        }
        let Some(lattice) = self.lattice() else {
            return Ok(self.hops_towards(a, b, distance));
        };
        let n = i64::from(distance);
        let scale = n.max(1);
        // The point `step / n` of the way, times `scale`.
        let between = |from: i32, to: i32, step: i64| i64::from(from) * (scale - step) + i64::from(to) * step;
        let place = |step: i64| {
            let (q, r) = (between(a.q, b.q, step), between(a.r, b.r, step));
            let (q, r) = match lattice {
                Lattice::Hex => hex::round(q, r, scale),
                Lattice::Square8 => (square::nearest(q, scale), square::nearest(r, scale)),
                Lattice::Square4 => {
                    let q = square::nearest(q, scale);
                    let rows = step as i32 - (q - a.q).abs();
                    (q, a.r + rows * (b.r - a.r).signum())
                }
            };
            Space::new(q, r, a.board)
        };
        Ok((0..=n).map(place).filter(|&space| self.contains(space)).collect())
    }

    fn hops_towards(&self, a: Space, b: Space, distance: u32) -> Vec<Space> {
        let Some(graph) = self.graph() else {
            return Vec::new();
        };
        let hops = graph.hops(b.q);
        let mut line = vec![a];
        let mut here = a;
        for left in (0..distance).rev() {
            let next = self
                .neighbours(here)
                .find(|near| hops[near.q as usize] == Some(left));
            let Some(next) = next else { break };
            line.push(next);
            here = next;
        }
        line
    }
}
