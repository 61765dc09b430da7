//! What a plan's layouts are made of: pieces on a grid, declared changes and patterns.
use std::cell::OnceCell;

use super::grid::Grid;
use super::moves::Way;
use super::near::Near;
use super::target::Target;

/// The same for all plans that declare the same, so that what is found out about layouts serves them all.
#[derive(Clone)]
pub struct Ground {
    pub(super) grid: Grid,
    pub(super) count: u8,
    pub(super) moves: Vec<Box<[Way]>>,
    pub(super) patterns: Vec<Target>,
    /// The set of which all steps are that aren't free.
    pub(super) paid: Option<u16>,
    /// By pattern, what lies a few of these steps before it, once asked for.
    near: Vec<OnceCell<Option<Near>>>,
}

impl PartialEq for Ground {
    fn eq(&self, other: &Self) -> bool {
        self.grid == other.grid
            && (self.count, self.paid) == (other.count, other.paid)
            && self.moves == other.moves
            && self.patterns == other.patterns
    }
}

impl Ground {
    pub(super) fn new(grid: Grid, count: u8) -> Self {
        Self {
            grid,
            count,
            moves: Vec::new(),
            patterns: Vec::new(),
            paid: None,
            near: Vec::new(),
        }
    }

    pub(super) fn add_pattern(&mut self, pattern: Target) {
        self.patterns.push(pattern);
        self.near.push(OnceCell::new());
    }

    pub fn count(&self) -> u8 {
        self.count
    }

    /// A text that is the same for equal sets of changes and equal patterns only.
    pub fn describe(&self, moves: u16, pattern: u16) -> String {
        let (ways, target) = (
            &self.moves[usize::from(moves)],
            &self.patterns[usize::from(pattern)],
        );
        format!("{:?} {} {ways:?} {target:?}", self.grid, self.count)
    }

    /// What lies a few paid steps before a pattern, if it is known which steps are paid.
    #[inline]
    pub(super) fn near(&self, pattern: u16) -> Option<&Near> {
        let ways = &self.moves[usize::from(self.paid?)];
        let target = &self.patterns[usize::from(pattern)];
        self.near[usize::from(pattern)]
            .get_or_init(|| Near::new(&self.grid, self.count, ways, &self.moves, target))
            .as_ref()
    }
}
