//! Searching a plan: best first, bounded, in an order that depends on nothing but what is asked.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::grid::{PIECES, Pieces};
use super::moves::{Change, Expansion};
use super::plan::{Cost, Edge, Plan};
use super::seen::Seen;
use super::target::{Gap, Means, Votes};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Any way to the target, likely ones first.
    Any,
    /// The cheapest way. Sound if each step costs at least one of the first kind, or is one that
    /// [`Means::free`] counts and costs at least one of the last kind.
    Cheapest,
}

/// Why a search halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The edges of this state are wanted: [`Plan::expand`], measure the new states, and go on.
    Expand(u16),
    /// The slice of work is used up; go on.
    Paused,
    Found,
    /// There is no way: all was seen.
    Exhausted,
    /// More nodes than the limit were reached; unknown.
    Limit,
}

#[derive(Clone, Copy)]
struct Point {
    /// `state << 48 | layout`.
    key: u64,
    parent: u32,
    /// The cost so far, earlier kinds in higher bytes.
    cost: u32,
    /// Which edge of the parent's state led here.
    edge: u16,
    done: bool,
}

const LAYOUT: u64 = (1 << 48) - 1;
const ROOT: u32 = u32::MAX;

/// One step of a path that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    pub label: u32,
    /// The piece that moved by itself, if the leg has one.
    pub mover: Option<u8>,
    /// Pieces with their new spaces, the mover first.
    pub moved: Vec<(u8, (i32, i32))>,
}

/// A search, or the room for the next one.
pub struct Search {
    points: Vec<Point>,
    seen: Seen,
    open: BinaryHeap<Reverse<u64>>,
    room: Box<Room>,
    target: u16,
    order: Order,
    limit: usize,
    origin: (i32, i32),
    found: Option<u32>,
    /// Whether the search proper hasn't begun, how far the descent is, and its steps that won nothing.
    descending: bool,
    wrong: u8,
    level: u32,
    waiting: u16,
    /// Where the search began.
    start: (u64, Gap, Means),
}

/// Room for votes on the layout that is expanded, and on one whose change moved several pieces.
#[derive(Default)]
struct Room {
    votes: Votes,
    other: Votes,
}

/// How many steps of a descent may win nothing.
const LEVEL_STEPS: u32 = 2;

impl Default for Search {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            seen: Seen::default(),
            open: BinaryHeap::new(),
            room: Box::default(),
            target: 0,
            order: Order::Any,
            limit: 0,
            origin: (0, 0),
            found: None,
            descending: false,
            wrong: 0,
            level: 0,
            waiting: 0,
            start: (0, Gap { need: 0, wrong: 0 }, Means::default()),
        }
    }
}

impl Search {
    /// Begins at a measured state and a linked layout, whose corner lies on `origin`. `limit` bounds the
    /// pairs of state and layout that are kept, at about 50 bytes each.
    pub fn begin(
        &mut self,
        plan: &Plan,
        state: u16,
        pieces: Pieces,
        origin: (i32, i32),
        target: u16,
        order: Order,
        limit: usize,
    ) {
        if self.points.capacity() > 1 << 16 {
            self.points = Vec::new();
            self.open = BinaryHeap::new();
        }
        self.points.clear();
        self.open.clear();
        self.seen.clear();
        (self.target, self.order, self.limit, self.origin, self.found) = (target, order, limit, origin, None);
        let means = plan.node(state).means.unwrap_or_default();
        let pattern = &plan.patterns[usize::from(target)];
        self.room.votes.count(pattern, &pieces);
        let gap = self.room.votes.gap(pattern, means);
        let key = u64::from(state) << 48 | pieces.pack();
        self.start = (key, gap, means);
        // A straight descent finds most ways in a few microseconds.
        self.descending = order == Order::Any && gap.wrong > 0 && gap.need <= means.steps;
        (self.wrong, self.level) = (gap.wrong, 0);
        if self.descending {
            self.points.push(Point {
                key,
                parent: ROOT,
                cost: 0,
                edge: 0,
                done: true,
            });
        } else if gap.need <= means.steps || gap.wrong == 0 {
            self.keep(key, ROOT, 0, 0, gap, means);
        }
    }

    /// How many pairs of state and layout were kept.
    pub fn kept(&self) -> usize {
        self.points.len()
    }

    /// The state whose edges are wanted.
    pub fn waiting(&self) -> u16 {
        self.waiting
    }

    /// What the way found costs.
    pub fn cost(&self) -> Option<Cost> {
        let [_, first, second, third] = self.points[self.found? as usize].cost.to_be_bytes();
        Some([first, second, third])
    }

    /// Goes on for about `slice` expansions.
    pub fn run(&mut self, plan: &Plan, slice: usize) -> Progress {
        for _ in 0..slice {
            if self.found.is_some() {
                return Progress::Found;
            }
            if self.descending {
                let state = (self.points[self.points.len() - 1].key >> 48) as u16;
                let Some(edges) = &plan.node(state).edges else {
                    return self.wait(state);
                };
                if !self.descend(plan, edges) && self.found.is_none() {
                    self.descending = false;
                    self.points.clear();
                    let (key, gap, means) = self.start;
                    self.keep(key, ROOT, 0, 0, gap, means);
                }
                continue;
            }
            if self.points.len() > self.limit {
                return Progress::Limit;
            }
            let Some(&Reverse(best)) = self.open.peek() else {
                return Progress::Exhausted;
            };
            let number = !(best as u32);
            let point = self.points[number as usize];
            if point.done {
                self.open.pop();
                continue;
            }
            let rank = (best >> 32) as u32;
            // In the order of cost a target is surely the cheapest only when its turn comes.
            if self.order == Order::Cheapest && rank & 0xff == 0 {
                self.found = Some(number);
                continue;
            }
            let state = (point.key >> 48) as u16;
            let Some(edges) = &plan.node(state).edges else {
                return self.wait(state);
            };
            self.open.pop();
            self.points[number as usize].done = true;
            self.expand(plan, number, edges);
        }
        Progress::Paused
    }

    fn wait(&mut self, state: u16) -> Progress {
        self.waiting = state;
        Progress::Expand(state)
    }

    /// One step of the descent: to the child that looks nearest. Whether it goes on.
    fn descend(&mut self, plan: &Plan, edges: &[Edge]) -> bool {
        let here = self.points[self.points.len() - 1];
        let mut best: Option<(Gap, u8, Point)> = None;
        let (points, room) = (&self.points, &mut self.room);
        let parent = (points.len() - 1) as u32;
        each_child(
            plan,
            room,
            self.target,
            here.key,
            edges,
            |key, edge, gap, means| {
                let better = best.is_none_or(|(least, steps, _)| {
                    gap.wrong < least.wrong || (gap.wrong == least.wrong && means.steps > steps)
                });
                if better && points.iter().all(|p| p.key != key) {
                    let cost = add(here.cost, edges[usize::from(edge)].cost);
                    best = Some((
                        gap,
                        means.steps,
                        Point {
                            key,
                            parent,
                            cost,
                            edge,
                            done: true,
                        },
                    ));
                }
            },
        );
        let Some((gap, _, point)) = best else { return false };
        self.points.push(point);
        if gap.wrong == 0 {
            self.found = Some(parent + 1);
        } else if gap.wrong >= self.wrong {
            self.level += 1;
        }
        self.wrong = gap.wrong;
        self.level <= LEVEL_STEPS
    }

    fn expand(&mut self, plan: &Plan, number: u32, edges: &[Edge]) {
        let point = self.points[number as usize];
        let mut room = std::mem::take(&mut self.room);
        each_child(
            plan,
            &mut room,
            self.target,
            point.key,
            edges,
            |key, edge, gap, means| {
                let cost = add(point.cost, edges[usize::from(edge)].cost);
                self.keep(key, number, cost, edge, gap, means);
            },
        );
        self.room = room;
    }

    #[inline]
    fn keep(&mut self, key: u64, parent: u32, cost: u32, edge: u16, gap: Gap, means: Means) {
        if self.found.is_some() {
            return;
        }
        let fresh = self.points.len() as u32;
        let points = &self.points;
        let number = match self
            .seen
            .find_or_add(key, fresh, |number| points[number as usize].key)
        {
            None => {
                self.points.push(Point {
                    key,
                    parent,
                    cost,
                    edge,
                    done: false,
                });
                fresh
            }
            Some(known) => {
                let point = &mut self.points[known as usize];
                if self.order == Order::Any || point.done || point.cost <= cost {
                    return;
                }
                (point.parent, point.cost, point.edge) = (parent, cost, edge);
                known
            }
        };
        let rank = match self.order {
            Order::Any => {
                if gap.wrong == 0 {
                    self.found = Some(number);
                    return;
                }
                // Near ones first; of these, the ones that can do most yet.
                (u32::from(gap.wrong) * 4 + 256).saturating_sub(u32::from(means.steps))
            }
            Order::Cheapest => {
                // What the missing steps cost at least: all free ones, and the rest is paid for.
                let need = u32::from(gap.need.min(64));
                let free = need.min(u32::from(means.free));
                (cost + ((need - free) << 16) + free) << 8 | u32::from(gap.wrong.min(255))
            }
        };
        // Among equals the latest: deeper ones, as long as nothing tells them apart.
        self.open
            .push(Reverse(u64::from(rank) << 32 | u64::from(!number)));
    }

    /// The way that was found, from the start.
    pub fn path(&self, plan: &Plan) -> Vec<Leg> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut at = self.found.unwrap_or(ROOT);
        while at != ROOT {
            numbers.push(at);
            at = self.points[at as usize].parent;
        }
        numbers.reverse();
        let mut origin = self.origin;
        let pairs = numbers.windows(2);
        pairs
            .map(|pair| {
                self.leg(
                    plan,
                    self.points[pair[0] as usize],
                    self.points[pair[1] as usize],
                    &mut origin,
                )
            })
            .collect()
    }

    fn leg(&self, plan: &Plan, from: Point, to: Point, origin: &mut (i32, i32)) -> Leg {
        let edges = plan
            .node((from.key >> 48) as u16)
            .edges
            .as_deref()
            .unwrap_or_default();
        let edge = &edges[usize::from(to.edge)];
        let pieces = Pieces::unpack(from.key & LAYOUT, plan.count);
        let mut made = None;
        let mut layout = Expansion::new(&plan.grid, pieces);
        for way in edge
            .moves
            .iter()
            .flat_map(|&moves| plan.moves[usize::from(moves)].iter())
        {
            layout.each(way, |change| {
                if made.is_none() && change.apply(&pieces).pack() == to.key & LAYOUT {
                    made = Some(change);
                }
            });
        }
        let Some(change) = made else {
            return Leg {
                label: edge.label,
                mover: None,
                moved: Vec::new(),
            };
        };
        let after = change.apply(&pieces);
        let space = |spot: u8| {
            let corner = i32::from(super::grid::CORNER);
            (
                origin.0 + i32::from(spot & 15) - corner,
                origin.1 + i32::from(spot >> 4) - corner,
            )
        };
        let mover = change.mover();
        let mut moved: Vec<(u8, (i32, i32))> = (0..pieces.count)
            .filter(|&i| pieces.at[usize::from(i)] != after.at[usize::from(i)])
            .map(|i| (i, space(after.at[usize::from(i)])))
            .collect();
        moved.sort_by_key(|&(piece, _)| Some(piece) != mover);
        let (row, column) = after.corner();
        *origin = space(row << 4 | column);
        Leg {
            label: edge.label,
            mover,
            moved,
        }
    }
}

/// Calls `found` with key, edge, gap and means of each child from which the target may be in reach.
#[inline]
fn each_child(
    plan: &Plan,
    room: &mut Room,
    target: u16,
    key: u64,
    edges: &[Edge],
    mut found: impl FnMut(u64, u16, Gap, Means),
) {
    let pieces = Pieces::unpack(key & LAYOUT, plan.count);
    let mut layout = Expansion::new(&plan.grid, pieces);
    let pattern = &plan.patterns[usize::from(target)];
    let Room { votes, other } = room;
    votes.count(pattern, &pieces);
    for (number, edge) in edges.iter().enumerate() {
        if !allowed(plan, edge, &layout) {
            continue;
        }
        let number = number as u16;
        let means = plan.node(edge.to).means.unwrap_or_default();
        let in_reach = |gap: Gap| gap.need <= means.steps || gap.wrong == 0;
        let state = u64::from(edge.to) << 48;
        let Some(moves) = edge.moves else {
            let gap = votes.gap(pattern, means);
            if in_reach(gap) {
                found(state | key & LAYOUT, number, gap, means);
            }
            continue;
        };
        // The piece that was lifted last, and the gap without it.
        let mut lifted: Option<(u8, Gap)> = None;
        for way in &plan.moves[usize::from(moves)] {
            layout.each(way, |change| {
                let gap = match change {
                    Change::Step { piece, to } => {
                        let without = match lifted {
                            Some((same, gap)) if same == piece => gap,
                            _ => {
                                if let Some((last, _)) = lifted {
                                    votes.put_back(pattern, &pieces, last);
                                }
                                votes.lift(pattern, &pieces, piece);
                                let gap = votes.gap(pattern, means);
                                lifted = Some((piece, gap));
                                gap
                            }
                        };
                        votes.gap_at(pattern, means, without, piece, to)
                    }
                    Change::Push { .. } | Change::Swap { .. } => {
                        other.count(pattern, &change.apply(&pieces));
                        other.gap(pattern, means)
                    }
                };
                if in_reach(gap) {
                    found(state | change.apply(&pieces).pack(), number, gap, means);
                }
            });
        }
        if let Some((last, _)) = lifted {
            votes.put_back(pattern, &pieces, last);
        }
    }
}

fn allowed(plan: &Plan, edge: &Edge, layout: &Expansion) -> bool {
    edge.near.is_none_or(|(one, other)| layout.adjacent(one, other))
        && edge
            .when
            .is_none_or(|pattern| plan.patterns[usize::from(pattern)].is_in(layout))
        && edge
            .unless
            .is_none_or(|pattern| !plan.patterns[usize::from(pattern)].is_in(layout))
}

/// Kinds of cost are capped at 127, so that the rank keeps its order.
#[inline]
fn add(cost: u32, more: Cost) -> u32 {
    let [_, first, second, third] = cost.to_be_bytes();
    let sum = |a: u8, b: u8| a.saturating_add(b).min(127);
    u32::from_be_bytes([0, sum(first, more[0]), sum(second, more[1]), sum(third, more[2])])
}

const _: () = assert!(PIECES * 6 == 48);
