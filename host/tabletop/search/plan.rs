//! Plans: what can become of a layout together with the means that changes use up.
//!
//! Means (cards, points, turns) are states that a game's rules name; the caller lists the edges between
//! them on demand, once for each state. An edge says which changes of the layout go with it and what it
//! costs. A search runs over pairs of state and layout, and stops to ask for edges that it lacks.
use std::rc::Rc;

use super::distances::Distances;
use super::grid::Grid;
use super::ground::Ground;
use super::means::Means;
use super::moves::Way;
use super::target::Target;

/// The most states of one plan.
pub const STATES: usize = u16::MAX as usize;

/// What an edge or a path costs; earlier numbers outweigh all later ones.
pub type Cost = [u8; 3];

/// Kinds of cost are capped at 127, so that the rank keeps its order.
#[inline]
pub(super) fn add(cost: u32, more: Cost) -> u32 {
    let [_, first, second, third] = cost.to_be_bytes();
    let sum = |a: u8, b: u8| a.saturating_add(b).min(127);
    u32::from_be_bytes([0, sum(first, more[0]), sum(second, more[1]), sum(third, more[2])])
}

/// A way from one state of means to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    pub to: u16,
    /// The set of changes of which one is made; `None` leaves the layout.
    pub moves: Option<u16>,
    /// Only if these pieces are neighbours, and only if these are not.
    pub near: Option<(u8, u8)>,
    pub apart: Option<(u8, u8)>,
    /// Only if this pattern is there, and only if this one is not.
    pub when: Option<u16>,
    pub unless: Option<u16>,
    /// Only if the pattern of this number among those of the search is there.
    pub fits: Option<u8>,
    pub cost: Cost,
    /// The caller's number, given back with a path.
    pub label: u32,
}

/// What a state is worth beside others: of two with one class it can do all that the other can, at the same
/// cost, if its amount is no less and it has all that the other wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    pub class: u16,
    pub amount: u8,
    /// Sets, as bits.
    pub has: u32,
    pub wants: u32,
}

/// A state of means.
#[derive(Clone, Debug)]
pub struct Node {
    /// What can still be done from here at most; unknown until [`Plan::measure`].
    pub means: Option<Means>,
    /// Of a class of its own until [`Plan::weigh`].
    pub worth: Worth,
    /// Unknown until [`Plan::expand`].
    pub edges: Option<Box<[Edge]>>,
}

/// Layouts of pieces on a grid, declared changes and patterns, and the states known so far.
pub struct Plan {
    pub(super) ground: Rc<Ground>,
    pub(super) nodes: Vec<Node>,
}

impl Plan {
    pub fn new(grid: Grid, count: u8) -> Self {
        Self {
            ground: Rc::new(Ground::new(grid, count)),
            nodes: Vec::new(),
        }
    }

    pub fn grid(&self) -> &Grid {
        &self.ground.grid
    }

    pub fn count(&self) -> u8 {
        self.ground.count
    }

    /// Declares a set of changes; its number goes into edges.
    pub fn add_moves(&mut self, ways: impl Into<Box<[Way]>>) -> u16 {
        let ground = Rc::make_mut(&mut self.ground);
        ground.moves.push(ways.into());
        (ground.moves.len() - 1) as u16
    }

    pub fn add_pattern(&mut self, pattern: Target) -> u16 {
        let ground = Rc::make_mut(&mut self.ground);
        ground.add_pattern(pattern);
        (ground.patterns.len() - 1) as u16
    }

    pub fn patterns(&self) -> usize {
        self.ground.patterns.len()
    }

    /// Says that all steps that aren't free are changes of this set.
    pub fn set_paid(&mut self, moves: u16) {
        Rc::make_mut(&mut self.ground).paid = Some(moves);
    }

    /// What is declared, for [`Plan::share`].
    pub fn ground(&self) -> &Rc<Ground> {
        &self.ground
    }

    /// Shares what is found out about layouts with plans on this ground; tells whether they declare the same.
    pub fn share(&mut self, ground: &Rc<Ground>) -> bool {
        let same = *self.ground == **ground;
        if same {
            self.ground = ground.clone();
        }
        same
    }

    /// Distances of all layouts to a pattern by a set of changes, to be found by [`Distances::run`].
    pub fn distances(&self, moves: u16, target: u16, limit: usize) -> Option<Distances> {
        Distances::new(&self.ground, moves, target, limit)
    }

    /// A new state; `None` when there are too many.
    pub fn add_state(&mut self) -> Option<u16> {
        let number = self.nodes.len();
        (number < STATES).then(|| {
            self.nodes.push(Node {
                means: None,
                worth: Worth {
                    class: number as u16,
                    amount: 0,
                    has: 0,
                    wants: 0,
                },
                edges: None,
            });
        })?;
        Some(number as u16)
    }

    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all states, so that a plan doesn't grow for ever. Not while a search runs.
    pub fn forget(&mut self) {
        self.nodes.clear();
    }

    pub fn node(&self, state: u16) -> &Node {
        &self.nodes[usize::from(state)]
    }

    /// Tells the worth of a state; either of all states of a plan or of none.
    pub fn weigh(&mut self, state: u16, worth: Worth) {
        self.nodes[usize::from(state)].worth = worth;
    }

    /// Whether a state can do all that another can.
    #[inline]
    pub(super) fn outdoes(&self, state: u16, other: u16) -> bool {
        let (own, other) = (self.node(state).worth, self.node(other).worth);
        own.class == other.class && own.amount >= other.amount && other.wants & !own.has == 0
    }

    pub fn measure(&mut self, state: u16, means: Means) {
        self.nodes[usize::from(state)].means = Some(means);
    }

    /// The edges' targets must be measured before a search goes on.
    pub fn expand(&mut self, state: u16, edges: impl Into<Box<[Edge]>>) {
        self.nodes[usize::from(state)].edges = Some(edges.into());
    }
}
