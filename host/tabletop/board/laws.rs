//! Laws of the boards, tried on random boards and spaces from fixed seeds: metric, lines, paths.
use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::paths::{Reached, Travel};
use super::{Region, Shape, Topology};
use crate::tabletop::Space;

pub(super) struct Luck(ChaCha8Rng);

impl Luck {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, n: u32) -> u32 {
        (self.0.next_u64() % u64::from(n)) as u32
    }

    pub(super) fn within(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as u32) as i32
    }

    pub(super) fn space(&mut self, size: i32) -> Space {
        Space::new(self.within(-size, size), self.within(-size, size), 0)
    }

    pub(super) fn spaces(&mut self, count: usize, size: i32) -> Vec<Space> {
        let mut found = BTreeSet::new();
        while found.len() < count {
            found.insert(self.space(size));
        }
        let mut found: Vec<Space> = found.into_iter().collect();
        for index in (1..found.len()).rev() {
            found.swap(index, self.below(index as u32 + 1) as usize);
        }
        found
    }

    pub(super) fn pick(&mut self, spaces: &[Space]) -> Space {
        spaces[self.below(spaces.len() as u32) as usize]
    }
}

fn shapes(spaces: Option<Vec<(i32, i32)>>) -> [Shape; 3] {
    [
        Shape::Hex {
            flat: false,
            spaces: spaces.clone(),
        },
        Shape::Square {
            diagonal: false,
            spaces: spaces.clone(),
        },
        Shape::Square {
            diagonal: true,
            spaces,
        },
    ]
}

pub(super) fn endless() -> [Topology; 3] {
    shapes(None).map(|shape| Topology::new(0, "map", shape).unwrap())
}

/// Boards of 7 by 7 with about a fifth of the spaces missing.
pub(super) fn holed(luck: &mut Luck) -> [Topology; 3] {
    let all = (-3..=3).flat_map(|q| (-3..=3).map(move |r| (q, r)));
    let spaces = all.filter(|_| luck.below(5) > 0).collect();
    shapes(Some(spaces)).map(|shape| Topology::new(0, "map", shape).unwrap())
}

fn graph(luck: &mut Luck) -> Topology {
    let region = |index: usize| Region {
        id: format!("r{index}"),
        label: String::new(),
        at: (0.0, 0.0),
    };
    let mut edges = Vec::new();
    for _ in 0..11 {
        let (a, b) = (luck.below(10) as usize, luck.below(10) as usize);
        if a != b {
            edges.push((a, b));
        }
    }
    Topology::new(
        0,
        "isle",
        Shape::Graph {
            regions: (0..10).map(region).collect(),
            edges,
        },
    )
    .unwrap()
}

#[test]
fn distances_are_a_metric_and_count_steps() {
    let mut luck = Luck::new(1);
    for board in endless() {
        for _ in 0..300 {
            let [a, b, c] = [luck.space(12), luck.space(12), luck.space(12)];
            let d = |from, to| board.distance(from, to).unwrap();
            assert_eq!(d(a, b), d(b, a));
            assert_eq!(d(a, b) == 0, a == b);
            assert!(d(a, c) <= d(a, b) + d(b, c));
            if a != b {
                let nearer = board.neighbours(a).map(|near| d(near, b)).min();
                assert_eq!(nearer, Some(d(a, b) - 1), "a step leads nearer");
            }
            for near in board.neighbours(a) {
                let direction = board.direction_between(a, near).unwrap();
                assert_eq!(board.step(a, direction, 1), Some(near));
                assert_eq!(board.direction_between(near, a), board.opposite(direction));
            }
        }
    }
    for _ in 0..50 {
        let board = graph(&mut luck);
        let all = board.spaces().unwrap();
        for &a in &all {
            for &b in &all {
                assert_eq!(board.distance(a, b), board.distance(b, a));
                assert_eq!(board.adjacent(a, b), board.distance(a, b) == Some(1));
                if let (Some(d), Some(line)) = (board.distance(a, b), board.line(a, b).ok()) {
                    assert_eq!((line.len() as u32, line[0], line[d as usize]), (d + 1, a, b));
                }
            }
        }
    }
}

#[test]
fn rings_are_what_lies_at_a_distance() {
    let mut luck = Luck::new(2);
    for round in 0..20 {
        let boards = if round == 0 { endless() } else { holed(&mut luck) };
        for board in boards.iter().chain([&graph(&mut luck)]) {
            let start = luck.space(3);
            let start = if board.lattice().is_some() {
                start
            } else {
                Space::new(start.q + 3, 0, 0)
            };
            let around = (-12..=12).flat_map(|q| (-12..=12).map(move |r| Space::new(q, r, 0)));
            let known: Vec<Space> = around.filter(|&space| board.contains(space)).collect();
            for n in 0..6 {
                let at = |keep: &dyn Fn(u32) -> bool| -> Vec<Space> {
                    let near = |&space: &Space| board.distance(start, space).is_some_and(keep);
                    known.iter().copied().filter(near).collect()
                };
                assert_eq!(board.ring(start, n).unwrap(), at(&|distance| distance == n));
                assert_eq!(board.within(start, n).unwrap(), at(&|distance| distance <= n));
            }
        }
    }
    assert!(endless()[0].within(Space::new(0, 0, 0), u32::MAX).is_err());
    assert!(endless()[0].ring(Space::new(0, 0, 0), u32::MAX).is_err());
}

#[test]
fn lines_lead_from_end_to_end_and_back_the_same_way() {
    let mut luck = Luck::new(3);
    for size in [3, 10, 400_000] {
        for board in endless() {
            for _ in 0..if size > 10 { 1 } else { 300 } {
                let a = luck.space(size);
                let b = if size > 10 {
                    a.offset(luck.within(-90, 90), luck.within(-90, 90))
                } else {
                    luck.space(size)
                };
                let line = board.line(a, b).unwrap();
                assert_eq!(line.len() as u32, board.distance(a, b).unwrap() + 1);
                assert_eq!((line[0], line[line.len() - 1]), (a, b));
                assert!(
                    line.windows(2).all(|pair| board.adjacent(pair[0], pair[1])),
                    "{line:?}"
                );
                let mut back = board.line(b, a).unwrap();
                back.reverse();
                assert_eq!(line, back);
            }
        }
    }
}

/// Relaxes until nothing changes.
fn slow_reach(
    board: &Topology,
    start: Space,
    cost: impl Fn(Space, Space) -> Option<u32>,
    pass: impl Fn(Space) -> bool,
) -> BTreeMap<Space, u32> {
    let mut best = BTreeMap::from([(start, 0)]);
    loop {
        let before = best.clone();
        for (&here, &spent) in &before {
            if here != start && !pass(here) {
                continue;
            }
            for near in board.neighbours(here) {
                if let Some(step) = cost(here, near) {
                    let total = best.entry(near).or_insert(u32::MAX);
                    *total = (*total).min(spent + step);
                }
            }
        }
        if before == best {
            return best;
        }
    }
}

#[test]
fn reach_and_paths_agree_with_a_slow_search() {
    let mut luck = Luck::new(4);
    for _ in 0..30 {
        for board in holed(&mut luck).iter().chain([&graph(&mut luck)]) {
            let all = board.spaces().unwrap();
            let salt = luck.below(1000);
            let mix = |a: Space, b: Space| {
                (a.q * 31 + a.r * 17 + b.q * 13 + b.r * 7 + salt as i32).rem_euclid(11) as u32
            };
            let cost = |a: Space, b: Space| (mix(a, b) < 9).then_some(mix(a, b) % 4);
            let pass = |space: Space| mix(space, space) > 1;
            let stop = |space: Space| mix(space, Space::new(0, 0, 0)) > 2;
            let start = luck.pick(&all);
            let budget = luck.below(9);
            let mut travel = Travel {
                budget,
                cost,
                may_pass: pass,
                may_stop: stop,
            };
            let slow = slow_reach(board, start, cost, pass);
            let expected: Vec<Reached> = slow
                .iter()
                .filter(|&(&space, &cost)| cost <= budget && (space == start || stop(space)))
                .map(|(&space, &cost)| Reached { space, cost })
                .collect();
            assert_eq!(travel.reach(board, start).unwrap(), expected);

            let goal = |space: Space| mix(space, start) == 5;
            let nearest = travel.nearest(board, start, goal).unwrap();
            let goals: Vec<Reached> = expected
                .iter()
                .copied()
                .filter(|reached| goal(reached.space))
                .collect();
            let least = goals.iter().map(|reached| reached.cost).min();
            let equal: Vec<Reached> = goals
                .iter()
                .copied()
                .filter(|goal| Some(goal.cost) == least)
                .collect();
            // The start costs nothing, so nothing is waited for.
            if goal(start) {
                assert_eq!(
                    nearest,
                    [Reached {
                        space: start,
                        cost: 0
                    }]
                );
            } else {
                assert_eq!(nearest, equal);
            }
            let path = travel.path(board, start, goal).unwrap();
            assert_eq!(path.as_ref().map(|path| path.cost), least);
            if let Some(path) = path {
                let spent: Option<u32> = path.spaces.windows(2).map(|pair| cost(pair[0], pair[1])).sum();
                assert_eq!(spent, Some(path.cost));
                assert!(
                    path.spaces
                        .windows(2)
                        .all(|pair| board.adjacent(pair[0], pair[1]))
                );
                assert!(path.spaces.iter().skip(1).rev().skip(1).all(|&space| pass(space)));
                assert_eq!(path.spaces.first(), Some(&start));
                assert!(path.spaces.last().is_some_and(|&end| goal(end)));
            }
        }
    }
}

#[test]
fn of_equal_paths_the_smallest_is_found() {
    let [_, square, _] = endless();
    let (start, end) = (Space::new(0, 0, 0), Space::new(2, 2, 0));
    let mut travel = Travel {
        budget: 9,
        cost: |_, _| Some(1),
        may_pass: |_| true,
        may_stop: |_| true,
    };
    let path = travel
        .path(&square, start, |space| space == end)
        .unwrap()
        .unwrap();
    let places: Vec<(i32, i32)> = path.spaces.iter().map(|space| (space.q, space.r)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]);
    let free = Travel {
        budget: u32::MAX,
        cost: |_, _| Some(0),
        may_pass: |_| true,
        may_stop: |_| true,
    };
    let mut few_steps = free;
    assert_eq!(
        few_steps
            .path(&square, start, |space| space == end)
            .unwrap()
            .unwrap()
            .spaces
            .len(),
        5
    );
}
