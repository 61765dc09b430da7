//! Best-first search over states that the caller names and expands: ordering, bounding and telling
//! states apart is done here.
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// How many kinds of cost there are; earlier ones outweigh all later ones.
pub const KINDS: usize = 4;

/// A cost or a lower bound of one; none is negative or not a number.
pub type Costs = [f64; KINDS];

struct Entry<S, L> {
    state: S,
    label: Option<L>,
    parent: Option<usize>,
    cost: Costs,
    depth: u32,
}

#[derive(PartialEq)]
struct Turn {
    estimate: Costs,
    /// Among equals the one that is nearest to its end, then the earliest.
    cost: Costs,
    order: u64,
    entry: usize,
}

impl Eq for Turn {}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.estimate, &other.estimate)
            .then_with(|| compare(&other.cost, &self.cost))
            .then(self.order.cmp(&other.order))
    }
}

fn compare(a: &Costs, b: &Costs) -> Ordering {
    let kinds = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    kinds.fold(Ordering::Equal, Ordering::then)
}

/// What may not be exceeded.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// States that are kept.
    pub states: usize,
    pub cost: Option<Costs>,
    /// `u32::MAX` for no bound.
    pub depth: u32,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The entry whose turn it is: see [`Frontier::state`].
    Entry(usize),
    /// Everything within the bounds was seen.
    Exhausted,
    /// More states than the bounds allow were named.
    Limit,
}

/// The states that were named and not expanded yet, and all that were seen.
pub struct Frontier<S, L> {
    entries: Vec<Entry<S, L>>,
    /// By canonical bytes of the state; only asked, never listed.
    known: HashMap<Box<[u8]>, usize>,
    open: BinaryHeap<Reverse<Turn>>,
    bounds: Bounds,
    named: u64,
    overrun: bool,
}

impl<S, L> Frontier<S, L> {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            entries: Vec::new(),
            known: HashMap::new(),
            open: BinaryHeap::new(),
            bounds,
            named: 0,
            overrun: false,
        }
    }

    /// How many states are kept.
    pub fn kept(&self) -> usize {
        self.entries.len()
    }

    /// Names a state that can be reached from an entry. `key` tells states apart; `bound` is what the
    /// goal costs from it at least. A state that was reached as cheaply before is passed over.
    pub fn add(
        &mut self,
        key: &[u8],
        state: S,
        label: Option<L>,
        parent: Option<usize>,
        step: Costs,
        bound: Costs,
    ) {
        let from = parent.map_or([0.0; KINDS], |p| self.entries[p].cost);
        let depth = parent.map_or(0, |p| self.entries[p].depth + 1);
        let cost = sum(&from, &step);
        let estimate = sum(&cost, &bound);
        let too_much = self
            .bounds
            .cost
            .is_some_and(|most| compare(&estimate, &most).is_gt());
        if too_much || depth > self.bounds.depth {
            return;
        }
        // Where depth is bounded, a dearer way may be the only one that is short enough.
        let mut with_depth = Vec::new();
        let key = if self.bounds.depth == u32::MAX {
            key
        } else {
            with_depth.extend(key);
            with_depth.extend(depth.to_le_bytes());
            &with_depth
        };
        let entry = match self.known.get(key) {
            Some(&entry) => {
                if compare(&self.entries[entry].cost, &cost).is_le() {
                    return;
                }
                self.entries[entry] = Entry {
                    state,
                    label,
                    parent,
                    cost,
                    depth,
                };
                entry
            }
            None if self.entries.len() >= self.bounds.states => {
                self.overrun = true;
                return;
            }
            None => {
                let entry = self.entries.len();
                self.known.insert(key.into(), entry);
                self.entries.push(Entry {
                    state,
                    label,
                    parent,
                    cost,
                    depth,
                });
                entry
            }
        };
        self.named += 1;
        self.open.push(Reverse(Turn {
            estimate,
            cost,
            order: self.named,
            entry,
        }));
    }

    /// The entry with the lowest estimate: if it is a goal, none is cheaper.
    pub fn cheapest(&mut self) -> Next {
        while let Some(Reverse(turn)) = self.open.pop() {
            // It may have been reached more cheaply since.
            if compare(&turn.cost, &self.entries[turn.entry].cost).is_eq() {
                return Next::Entry(turn.entry);
            }
        }
        if self.overrun {
            Next::Limit
        } else {
            Next::Exhausted
        }
    }

    pub fn state(&self, entry: usize) -> &S {
        &self.entries[entry].state
    }

    pub fn cost(&self, entry: usize) -> Costs {
        self.entries[entry].cost
    }

    /// States and labels from the start to an entry; the start has no label.
    pub fn path(&self, entry: usize) -> Vec<(&S, Option<&L>)> {
        let mut path = Vec::new();
        let mut at = Some(entry);
        while let Some(entry) = at {
            let entry = &self.entries[entry];
            path.push((&entry.state, entry.label.as_ref()));
            at = entry.parent;
        }
        path.reverse();
        path
    }
}

fn sum(a: &Costs, b: &Costs) -> Costs {
    std::array::from_fn(|kind| a[kind] + b[kind])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        states: 1000,
        cost: None,
        depth: u32::MAX,
    };

    fn costs(first: f64, second: f64) -> Costs {
        [first, second, 0.0, 0.0]
    }

    /// Counts from 1 to a goal: doubling costs (1, 0), adding one costs (0, 1).
    fn count(goal: u32, bounds: Bounds) -> Option<(Vec<u32>, Costs)> {
        let mut frontier = Frontier::new(bounds);
        frontier.add(
            &1u32.to_le_bytes(),
            1u32,
            None,
            None,
            costs(0.0, 0.0),
            costs(0.0, 0.0),
        );
        loop {
            let Next::Entry(entry) = frontier.cheapest() else {
                return None;
            };
            let at = *frontier.state(entry);
            if at == goal {
                let path = frontier
                    .path(entry)
                    .into_iter()
                    .map(|(state, _)| *state)
                    .collect();
                return Some((path, frontier.cost(entry)));
            }
            for (to, label, cost) in [
                (at * 2, "double", costs(1.0, 0.0)),
                (at + 1, "add", costs(0.0, 1.0)),
            ] {
                if to <= goal {
                    frontier.add(
                        &to.to_le_bytes(),
                        to,
                        Some(label),
                        Some(entry),
                        cost,
                        costs(0.0, 0.0),
                    );
                }
            }
        }
    }

    #[test]
    fn earlier_kinds_of_cost_outweigh_later_ones() {
        assert_eq!(count(5, BOUNDS), Some((vec![1, 2, 3, 4, 5], costs(0.0, 4.0))));
        let few = Bounds { depth: 3, ..BOUNDS };
        assert_eq!(count(5, few), Some((vec![1, 2, 4, 5], costs(1.0, 2.0))));
        let less = Bounds {
            cost: Some(costs(0.0, 3.0)),
            ..BOUNDS
        };
        assert_eq!(count(5, less), None);
    }

    #[test]
    fn running_out_of_room_is_not_having_seen_all() {
        let mut frontier: Frontier<u32, ()> = Frontier::new(Bounds { states: 1, ..BOUNDS });
        frontier.add(b"a", 0, None, None, costs(0.0, 0.0), costs(0.0, 0.0));
        assert_eq!(frontier.cheapest(), Next::Entry(0));
        assert_eq!(frontier.cheapest(), Next::Exhausted);
        frontier.add(b"a", 0, None, Some(0), costs(1.0, 0.0), costs(0.0, 0.0));
        assert_eq!(
            frontier.cheapest(),
            Next::Exhausted,
            "a state that was seen needs no room"
        );
        frontier.add(b"b", 1, None, Some(0), costs(1.0, 0.0), costs(0.0, 0.0));
        assert_eq!(frontier.cheapest(), Next::Limit);
    }
}
