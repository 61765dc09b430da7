//! Where a piece can go: reach, cheapest path, nearest goals.
use std::collections::BTreeMap;

use pathfinding::prelude::dijkstra_reach;

use super::{SPACES_LIMIT, TooMany, Topology};
use crate::tabletop::Space;

/// How a piece may travel. Passing, stopping and cost are separate questions.
pub struct Travel<C, P, S> {
    /// The most that all steps together may cost.
    pub budget: u32,
    /// What the step from a space to a neighbour costs; `None` if it can't be made.
    pub cost: C,
    /// Whether one may go on from this space. Not asked of the start; asked once for each space.
    pub may_pass: P,
    /// Whether one may end on this space. Not asked of the start; asked once for each space.
    pub may_stop: S,
}

/// A space and the least that getting there costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    pub space: Space,
    pub cost: u32,
}

/// A path from the start to a goal, both included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub spaces: Vec<Space>,
    pub cost: u32,
}

/// Cost and number of steps in one number, the cost first; steps stay below `1 << STEP_BITS`.
const STEP_BITS: u32 = 20;
const _: () = assert!(SPACES_LIMIT < 1 << STEP_BITS);

impl<C, P, S> Travel<C, P, S>
where
    C: FnMut(Space, Space) -> Option<u32>,
    P: FnMut(Space) -> bool,
    S: FnMut(Space) -> bool,
{
    /// The spaces where one may stop, sorted, with their costs. The start is always among them, at 0.
    ///
    /// # Errors
    /// [`TooMany`] if the budget leads past more spaces than can be looked at.
    pub fn reach(&mut self, board: &Topology, start: Space) -> Result<Vec<Reached>, TooMany> {
        let mut found = Vec::new();
        self.explore(board, start, |space, cost, stops, _| {
            if stops {
                found.push(Reached { space, cost });
            }
            true
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// All goals that cost least to get to, sorted: where rules let a player choose among equals.
    /// Empty if there is none; the start alone if it is a goal.
    ///
    /// # Errors
    /// [`TooMany`] as for [`Travel::reach`].
    pub fn nearest(
        &mut self,
        board: &Topology,
        start: Space,
        mut goal: impl FnMut(Space) -> bool,
    ) -> Result<Vec<Reached>, TooMany> {
        let mut found: Vec<Reached> = Vec::new();
        self.explore(board, start, |space, cost, stops, _| {
            let open = found.first().is_none_or(|first| first.cost == cost);
            if open && stops && goal(space) {
                found.push(Reached { space, cost });
            }
            open && (found.is_empty() || space != start)
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// A cheapest path to a goal where one may stop; of equally cheap ones the one of fewest steps,
    /// then the one to the smallest goal, then the one whose spaces read from the start are smallest.
    ///
    /// # Errors
    /// [`TooMany`] as for [`Travel::reach`].
    pub fn path(
        &mut self,
        board: &Topology,
        start: Space,
        mut goal: impl FnMut(Space) -> bool,
    ) -> Result<Option<Path>, TooMany> {
        let mut best: Option<(u64, Space)> = None;
        let mut weights = BTreeMap::new();
        let edges = self.explore(board, start, |space, _, stops, weight| {
            if best.is_some_and(|(least, _)| weight > least) {
                return false;
            }
            weights.insert(space, weight);
            if stops && best.is_none_or(|(_, other)| space < other) && goal(space) {
                best = Some((weight, space));
            }
            true
        })?;
        let Some((weight, end)) = best else {
            return Ok(None);
        };
        let spaces = smallest_path(&weights, edges, start, end);
        Ok(Some(Path {
            spaces,
            cost: (weight >> STEP_BITS) as u32,
        }))
    }

    /// Visits spaces by cost, then steps: `visit(space, cost, may stop, weight)` until it says false.
    /// Returns every step looked at, with its weight.
    fn explore(
        &mut self,
        board: &Topology,
        start: Space,
        mut visit: impl FnMut(Space, u32, bool, u64) -> bool,
    ) -> Result<Vec<(Space, Space, u64)>, TooMany> {
        let Self {
            budget,
            cost,
            may_pass,
            may_stop,
        } = self;
        let mut edges = Vec::new();
        let steps = |&here: &Space| {
            let from = edges.len();
            if here == start || may_pass(here) {
                edges.extend(board.neighbours(here).filter_map(|near| {
                    let weight = (u64::from(cost(here, near)?) << STEP_BITS) + 1;
                    Some((here, near, weight))
                }));
            }
            edges[from..]
                .iter()
                .map(|&(_, near, weight)| (near, weight))
                .collect::<Vec<_>>()
        };
        for (count, item) in dijkstra_reach(&start, steps).enumerate() {
            let cost = item.total_cost >> STEP_BITS;
            if cost > u64::from(*budget) {
                break;
            }
            if count >= SPACES_LIMIT {
                return Err(TooMany);
            }
            let stops = item.node == start || may_stop(item.node);
            if !visit(item.node, cost as u32, stops, item.total_cost) {
                break;
            }
        }
        Ok(edges)
    }
}

/// Of the lightest paths from `start` to `end` the one whose spaces, read from the start, are smallest.
fn smallest_path(
    weights: &BTreeMap<Space, u64>,
    mut edges: Vec<(Space, Space, u64)>,
    start: Space,
    end: Space,
) -> Vec<Space> {
    edges.retain(|(from, to, weight)| match (weights.get(from), weights.get(to)) {
        (Some(before), Some(after)) => before + weight == *after,
        _ => false,
    });
    // Every step weighs something, so going back from the heaviest space meets each step once.
    edges.sort_unstable_by_key(|&(from, to, _)| (std::cmp::Reverse(weights[&to]), from));
    let mut onward: BTreeMap<Space, Space> = BTreeMap::from([(end, end)]);
    for (from, to, _) in edges {
        if onward.contains_key(&to) && from != end {
            let next = onward.entry(from).or_insert(to);
            *next = to.min(*next);
        }
    }
    let mut spaces = vec![start];
    let mut here = start;
    while here != end {
        here = onward[&here];
        spaces.push(here);
    }
    spaces
}
