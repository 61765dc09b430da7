//! Steps to goals in a graph of named states that is only known forwards: edges are kept turned round.
use std::collections::{HashMap, VecDeque};

/// States by canonical bytes, with the edges that lead to each.
pub struct Reverse {
    /// Only asked, never listed.
    numbers: HashMap<Box<[u8]>, u32>,
    /// `(to, from)`.
    edges: Vec<(u32, u32)>,
    goals: Vec<u32>,
    steps: Vec<Option<u32>>,
    limit: usize,
}

/// More states or edges were named than may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// Edges that may be kept for each state.
const EDGES: usize = 64;

impl Reverse {
    pub fn new(limit: usize) -> Self {
        Self {
            numbers: HashMap::new(),
            edges: Vec::new(),
            goals: Vec::new(),
            steps: Vec::new(),
            limit,
        }
    }

    /// How many states were named.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number of a state, and whether it is named for the first time.
    ///
    /// # Errors
    /// There are too many.
    pub fn name(&mut self, key: &[u8]) -> Result<(u32, bool), Full> {
        if let Some(&number) = self.numbers.get(key) {
            return Ok((number, false));
        }
        if self.numbers.len() >= self.limit {
            return Err(Full);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(key.into(), number);
        Ok((number, true))
    }

    /// One step leads from a state to another.
    ///
    /// # Errors
    /// There are too many.
    pub fn link(&mut self, from: u32, to: u32) -> Result<(), Full> {
        if self.edges.len() >= self.limit.saturating_mul(EDGES) {
            return Err(Full);
        }
        self.edges.push((to, from));
        Ok(())
    }

    pub fn add_goal(&mut self, state: u32) {
        self.goals.push(state);
    }

    /// Finds the steps, once all edges are known.
    pub fn finish(&mut self) {
        self.edges.sort_unstable();
        self.edges.dedup();
        self.steps = vec![None; self.numbers.len()];
        let mut open = VecDeque::new();
        for &goal in &self.goals {
            if self.steps[goal as usize].replace(0).is_none() {
                open.push_back(goal);
            }
        }
        while let Some(state) = open.pop_front() {
            let steps = self.steps[state as usize].map(|steps| steps + 1);
            let first = self.edges.partition_point(|&(to, _)| to < state);
            for &(_, from) in self.edges[first..].iter().take_while(|&&(to, _)| to == state) {
                if self.steps[from as usize].is_none() {
                    self.steps[from as usize] = steps;
                    open.push_back(from);
                }
            }
        }
        self.edges = Vec::new();
    }

    /// The fewest steps from a state to a goal; `None` if there is no way, or no such state.
    pub fn of(&self, key: &[u8]) -> Option<u32> {
        let number = *self.numbers.get(key)?;
        self.steps.get(number as usize).copied().flatten()
    }

    /// How many states are no step away, one, two and so on.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = Vec::new();
        for steps in self.steps.iter().flatten() {
            let steps = *steps as usize;
            if counts.len() <= steps {
                counts.resize(steps + 1, 0);
            }
            counts[steps] += 1;
        }
        counts
    }
}
