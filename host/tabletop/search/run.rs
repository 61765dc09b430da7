//! Searching a plan: best first, bounded, in an order that depends on nothing but what is asked.
use std::cell::Cell;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::grid::{PIECES, Pieces};
use super::moves::{Change, Expansion};
use super::near::DEPTH;
use super::plan::{Cost, Edge, Plan, add};
use super::seen::Seen;
use super::target::{Gap, Means, Votes};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Any way to the target, likely ones first.
    Any,
    /// The cheapest way. Sound if each step costs at least one of the first kind, or is one that
    /// [`Means::free`] counts and costs at least one of the last kind, or that [`Means::gratis`] counts.
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
pub(super) struct Point {
    /// `state << 48 | layout`.
    pub(super) key: u64,
    pub(super) parent: u32,
    /// The cost so far, earlier kinds in higher bytes.
    cost: u32,
    /// Which edge of the parent's state led here.
    pub(super) edge: u16,
    /// Places of the target that are not taken rightly.
    wrong: u8,
    stage: Stage,
    /// The edge to go on with in the first stage.
    next: u16,
    /// The state's class, and another point with the same class and layout.
    class: u16,
    beside: u32,
}

impl Point {
    fn new(key: u64, parent: u32, cost: u32, gap: Gap) -> Self {
        let (stage, wrong) = (Stage::Nearer, gap.wrong);
        Self {
            key,
            parent,
            cost,
            edge: 0,
            wrong,
            stage,
            next: 0,
            class: 0,
            beside: ROOT,
        }
    }
}

/// Which children of a point are to be kept next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Nearer,
    Level,
    Farther,
    Done,
}

/// A search that keeps no more points doesn't look at what lies before its target.
const SHORT: usize = 8;
/// What one wrong place weighs in the order of a search for any way, against a step that is left.
const WRONG: u32 = 4;
/// How much later those children come that are no nearer than their parent, and then those farther away.
const LEVEL: u32 = 3;
const FARTHER: u32 = 4;

pub(super) const LAYOUT: u64 = (1 << 48) - 1;
pub(super) const ROOT: u32 = u32::MAX;

/// A search, or the room for the next one.
pub struct Search {
    pub(super) points: Vec<Point>,
    seen: Seen,
    open: BinaryHeap<Reverse<u64>>,
    room: Option<Box<Room>>,
    target: u16,
    order: Order,
    limit: usize,
    /// Whether the way is wanted, not only whether there is one.
    whole: bool,
    pub(super) origin: (i32, i32),
    pub(super) found: Option<u32>,
    waiting: u16,
}

/// Room for votes on the layout that is expanded, and on one whose change moved several pieces.
#[derive(Default)]
struct Room {
    votes: Votes,
    other: Votes,
    /// By spot: bits of pieces that come nearer by going there.
    marks: Marks,
}

struct Marks([u8; 256]);

impl Default for Marks {
    fn default() -> Self {
        Self([u8::MAX; 256])
    }
}

impl Default for Search {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            seen: Seen::default(),
            open: BinaryHeap::new(),
            room: Some(Box::default()),
            target: 0,
            order: Order::Any,
            limit: 0,
            whole: false,
            origin: (0, 0),
            found: None,
            waiting: 0,
        }
    }
}

impl Search {
    /// Begins at a measured state and a linked layout, whose corner lies on `origin`. `limit` bounds the
    /// pairs of state and layout that are kept, at about 50 bytes each.
    #[expect(
        clippy::too_many_arguments,
        reason = "one call site; a struct would only be unpacked again"
    )]
    pub fn begin(
        &mut self,
        plan: &Plan,
        state: u16,
        pieces: Pieces,
        origin: (i32, i32),
        target: u16,
        order: Order,
        whole: bool,
        limit: usize,
    ) {
        if self.points.capacity() > 1 << 16 {
            self.points = Vec::new();
            self.open = BinaryHeap::new();
        }
        self.points.clear();
        self.open.clear();
        self.seen.clear();
        (self.target, self.order, self.whole, self.limit) = (target, order, whole, limit);
        (self.origin, self.found) = (origin, None);
        let means = plan.node(state).means.unwrap_or_default();
        let pattern = &plan.patterns[usize::from(target)];
        let votes = &mut self.room.get_or_insert_default().votes;
        votes.count(pattern, &pieces);
        let gap = votes.gap(pattern, means);
        if gap.need <= means.steps || gap.wrong == 0 {
            let key = u64::from(state) << 48 | pieces.pack();
            self.keep(plan, Point::new(key, ROOT, 0, gap), gap, means);
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
            if self.points.len() > self.limit {
                return Progress::Limit;
            }
            let Some(&Reverse(best)) = self.open.peek() else {
                return Progress::Exhausted;
            };
            let number = !(best as u32);
            let point = self.points[number as usize];
            if point.stage == Stage::Done {
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
            self.expand(plan, number, rank, edges);
        }
        Progress::Paused
    }

    fn wait(&mut self, state: u16) -> Progress {
        self.waiting = state;
        Progress::Expand(state)
    }

    /// Keeps the children of a point. Where any way will do, edges are tried only until one brings
    /// something nearer, and what is no nearer comes last: most searches end before that.
    fn expand(&mut self, plan: &Plan, number: u32, rank: u32, edges: &[Edge]) {
        let point = self.points[number as usize];
        let mut room = self.room.take().unwrap_or_default();
        let mut farther = false;
        let all = self.order == Order::Cheapest;
        let nearer = Cell::new(false);
        let enough = || !all && point.stage == Stage::Nearer && nearer.get();
        let next = each_child(
            plan,
            &mut room,
            self.target,
            &point,
            edges,
            if all { None } else { Some(point.stage) },
            enough,
            |child| {
                let stage = match child.gap.wrong.cmp(&point.wrong) {
                    Ordering::Less => Stage::Nearer,
                    Ordering::Equal => Stage::Level,
                    Ordering::Greater => Stage::Farther,
                };
                if all || stage == point.stage {
                    let cost = add(point.cost, edges[usize::from(child.edge)].cost);
                    let kept = Point {
                        edge: child.edge,
                        ..Point::new(child.key(), number, cost, child.gap)
                    };
                    nearer.set(self.keep(plan, kept, child.gap, child.means) || nearer.get());
                }
                farther |= stage == Stage::Farther;
            },
        );
        self.room = Some(room);
        let (stage, later) = match point.stage {
            _ if all => (Stage::Done, 0),
            Stage::Nearer if usize::from(next) < edges.len() => (Stage::Nearer, 0),
            Stage::Nearer => (Stage::Level, LEVEL),
            Stage::Level if farther => (Stage::Farther, FARTHER),
            _ => (Stage::Done, 0),
        };
        let point = &mut self.points[number as usize];
        (point.stage, point.next) = (stage, if stage == Stage::Nearer { next } else { 0 });
        if stage != Stage::Done {
            self.open
                .push(Reverse(u64::from(rank + later) << 32 | u64::from(!number)));
        }
    }

    /// Keeps a point unless it is known or another at its layout outdoes it; tells whether it is new.
    #[inline]
    fn keep(&mut self, plan: &Plan, mut point: Point, gap: Gap, means: Means) -> bool {
        if self.found.is_some() {
            return false;
        }
        let state = (point.key >> 48) as u16;
        let mut found = gap.wrong == 0;
        // Short searches do without.
        if self.points.len() >= SHORT
            && let Some(near) = plan.near(self.target)
        {
            let layout = point.key & LAYOUT;
            let steps = near.steps(layout);
            let changes = u16::from(means.steps) + u16::from(means.swaps);
            let too_far = match means.free + means.swaps {
                0 if means.steps <= DEPTH => steps.is_none_or(|steps| steps > means.steps),
                _ => changes <= 1 && !near.is_next(layout),
            };
            if too_far {
                return false;
            }
            found |= !self.whole && steps.is_some_and(|steps| steps <= means.sure);
        }
        point.class = plan.node(state).worth.class;
        let fresh = self.points.len() as u32;
        let points = &self.points;
        let key = |class: u16, key: u64| u64::from(class) << 48 | key & LAYOUT;
        let first = self
            .seen
            .find_or_add(key(point.class, point.key), fresh, |number| {
                let point = &points[number as usize];
                key(point.class, point.key)
            });
        let (mut other, mut same) = (first.unwrap_or(ROOT), None);
        while other != ROOT {
            let before = &points[other as usize];
            if before.key == point.key {
                same = Some(other);
            } else if (self.order == Order::Any || before.cost <= point.cost)
                && plan.outdoes((before.key >> 48) as u16, state)
            {
                return false;
            }
            other = before.beside;
        }
        let number = match (same, first) {
            (Some(known), _) => {
                let before = &mut self.points[known as usize];
                if self.order == Order::Any || before.stage == Stage::Done || before.cost <= point.cost {
                    return false;
                }
                point.beside = before.beside;
                *before = point;
                known
            }
            (None, first) => {
                if let Some(first) = first {
                    // The index keeps the first one.
                    point.beside = std::mem::replace(&mut self.points[first as usize].beside, fresh);
                }
                self.points.push(point);
                fresh
            }
        };
        let rank = match self.order {
            Order::Any => {
                if found {
                    self.found = Some(number);
                    return true;
                }
                // Near ones first; of these, the ones that can do most yet.
                (u32::from(gap.wrong) * WRONG + 256).saturating_sub(u32::from(means.steps))
            }
            Order::Cheapest => {
                // What the missing steps cost at least: all free ones, and the rest is paid for.
                let need = u32::from(gap.need.min(64));
                let free = need.min(u32::from(means.free));
                let charged = free.saturating_sub(u32::from(means.gratis));
                (point.cost + ((need - free) << 16) + charged) << 8 | u32::from(gap.wrong)
            }
        };
        // Among equals the latest: deeper ones, as long as nothing tells them apart.
        self.open
            .push(Reverse(u64::from(rank) << 32 | u64::from(!number)));
        true
    }
}

/// Something that an edge makes of a point.
struct Child<'a> {
    edge: u16,
    /// The state, in the bits that it has in a key.
    state: u64,
    layout: u64,
    /// What becomes of the layout, if it changes.
    change: Option<(Change, &'a Pieces)>,
    gap: Gap,
    means: Means,
}

impl Child<'_> {
    #[inline]
    fn key(&self) -> u64 {
        self.state
            | self
                .change
                .map_or(self.layout, |(change, pieces)| change.apply(pieces).pack())
    }
}

/// Calls `found` for each child from which the target may be in reach, edge by edge until there are
/// `enough`; returns the edge to go on with. With a `stage` only those of that stage
/// need be found.
#[inline]
#[expect(clippy::too_many_arguments, reason = "the innermost loop")]
fn each_child(
    plan: &Plan,
    room: &mut Room,
    target: u16,
    point: &Point,
    edges: &[Edge],
    stage: Option<Stage>,
    enough: impl Fn() -> bool,
    mut found: impl FnMut(Child),
) -> u16 {
    let key = point.key;
    let pieces = Pieces::unpack(key & LAYOUT, plan.count);
    let mut layout = Expansion::new(&plan.grid, pieces);
    let pattern = &plan.patterns[usize::from(target)];
    let Room {
        votes,
        other: anew,
        marks,
    } = room;
    votes.count(pattern, &pieces);
    let nearer = stage == Some(Stage::Nearer);
    let movers = if nearer {
        votes.mark_nearer(pattern, &layout, point.wrong, &mut marks.0)
    } else {
        u8::MAX
    };
    let mut next = point.next;
    while let Some(edge) = edges.get(usize::from(next)).filter(|_| !enough()) {
        let number = next;
        next += 1;
        if !allowed(plan, edge, &layout) {
            continue;
        }
        let means = plan.node(edge.to).means.unwrap_or_default();
        let wrong = match stage {
            Some(Stage::Level) => point.wrong,
            Some(Stage::Farther) => point.wrong + 1,
            _ => 0,
        };
        if means.least(wrong) > means.steps {
            continue;
        }
        let state = u64::from(edge.to) << 48;
        let mut consider = |change, gap: Gap| {
            if gap.need <= means.steps || gap.wrong == 0 {
                found(Child {
                    edge: number,
                    state,
                    layout: key & LAYOUT,
                    change,
                    gap,
                    means,
                });
            }
        };
        let Some(moves) = edge.moves else {
            consider(None, votes.gap(pattern, means));
            continue;
        };
        for way in &plan.moves[usize::from(moves)] {
            let wanted = |piece: u8, to: u8| !nearer || marks.0[usize::from(to)] >> piece & 1 == 1;
            layout.each_wanted(way, movers, wanted, |change| {
                let gap = match change {
                    Change::Step { piece, to } => {
                        let lifted = votes.lift(pattern, means, &pieces, piece);
                        votes.gap_at(pattern, means, lifted, piece, to)
                    }
                    Change::Swap { one, other } if !pattern.tells_apart(one, other) => {
                        votes.gap(pattern, means)
                    }
                    Change::Swap { one, other } => votes.swapped(pattern, means, &pieces, one, other),
                    Change::Push { .. } => {
                        anew.count(pattern, &change.apply(&pieces));
                        anew.gap(pattern, means)
                    }
                };
                consider(Some((change, &pieces)), gap);
            });
        }
    }
    votes.put_back(pattern, &pieces);
    next
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

const _: () = assert!(PIECES * 6 == 48);
