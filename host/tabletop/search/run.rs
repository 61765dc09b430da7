//! Searching a plan: best first, bounded, in an order that depends on nothing but what is asked.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::children::{Child, Children, Parent, Part};
use super::grid::{PIECES, Pieces};
use super::means::{Aim, Gap, Means};
use super::near::DEPTH;
use super::plan::{Cost, Edge, Plan, add};
use super::seen::Seen;

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
    children: Option<Box<Children>>,
    /// The target, and others that states may aim at.
    targets: Vec<u16>,
    order: Order,
    limit: usize,
    /// Whether the way is wanted, not only whether there is one.
    whole: bool,
    pub(super) origin: (i32, i32),
    pub(super) found: Option<u32>,
    waiting: u16,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            seen: Seen::default(),
            open: BinaryHeap::new(),
            children: Some(Box::default()),
            targets: Vec::new(),
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
    /// Begins at a measured state and a linked layout, whose corner lies on `origin`. `targets` are the target and
    /// those that states aim at instead, by number. `limit` bounds the pairs of state and layout that are kept, at
    /// about 50 bytes each.
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
        targets: &[u16],
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
        self.targets.clear();
        self.targets.extend(targets);
        (self.order, self.whole, self.limit) = (order, whole, limit);
        (self.origin, self.found) = (origin, None);
        let mut children = self.children.take().unwrap_or_default();
        children.begin(&plan.ground);
        let layout = pieces.pack();
        let mut parent = Parent::new(&plan.ground, layout, false);
        let means = plan.node(state).means.unwrap_or_default();
        let child = children.own(&mut parent, self.aim(means), means);
        self.children = Some(children);
        let gap = child.gap();
        if gap.need <= means.steps || gap.wrong == 0 || means.aim == Aim::Nothing {
            let point = Point::new(u64::from(state) << 48 | layout, ROOT, 0, gap);
            self.keep(plan, point, child, means, false);
        }
    }

    /// The pattern that a state aims at.
    #[inline]
    fn aim(&self, means: Means) -> u16 {
        let number = match means.aim {
            Aim::Other(number) => usize::from(number),
            Aim::Target | Aim::Nothing => 0,
        };
        self.targets.get(number).copied().unwrap_or(self.targets[0])
    }

    /// Whether a state at a layout needs nothing more; `gap` is that to what it aims at.
    #[inline]
    fn is_there(&self, plan: &Plan, layout: u64, gap: Gap, aim: Aim) -> bool {
        match aim {
            Aim::Nothing => true,
            Aim::Target => gap.wrong == 0,
            // What fits the target fits the other one too, so few layouts are looked at.
            Aim::Other(_) => gap.wrong == 0 && Parent::new(&plan.ground, layout, false).has(self.targets[0]),
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
        let mut children = self.children.take().unwrap_or_default();
        let look_back = self.points.len() >= SHORT;
        let mut parent = Parent::new(&plan.ground, point.key & LAYOUT, look_back);
        let own_means = plan.node((point.key >> 48) as u16).means.unwrap_or_default();
        let own_target = self.aim(own_means);
        let all = self.order == Order::Cheapest;
        let stage = point.stage;
        let mut next = if stage == Stage::Nearer { point.next } else { 0 };
        let (mut nearer, mut farther) = (false, false);
        while let Some(edge) = edges.get(usize::from(next)) {
            if nearer && !all && stage == Stage::Nearer {
                break;
            }
            next += 1;
            let means = plan.node(edge.to).means.unwrap_or_default();
            let there = means.aim == Aim::Nothing;
            let parts: &[Part] = match (edge.moves, stage) {
                (None, Stage::Nearer) if there => &[Part::Own],
                (None, Stage::Level) => &[Part::Own],
                (None, _) if all => &[Part::Own],
                (None, _) => continue,
                (Some(_), _) if all => &[Part::Nearer, Part::Rest],
                (Some(_), Stage::Nearer) => &[Part::Nearer],
                (Some(_), _) => &[Part::Rest],
            };
            let least = match stage {
                Stage::Level if !all => point.wrong,
                Stage::Farther if !all => point.wrong + 1,
                _ => 0,
            };
            let target = self.aim(means);
            let same = target == own_target;
            if (same && !there && means.least(least) > means.steps) || !parent.allows(edge, &self.targets) {
                continue;
            }
            let wrong = match same {
                true => point.wrong,
                false => children.own(&mut parent, target, means).gap().wrong,
            };
            let looked_back = look_back && plan.ground.near(target).is_some();
            for &part in parts {
                let moves = edge.moves.unwrap_or_default();
                for &child in children.list(&mut parent, target, part, wrong, moves, means) {
                    let gap = child.gap();
                    if gap.need > means.steps && gap.wrong != 0 && !there {
                        continue;
                    }
                    if !all && stage == Stage::Level && gap.wrong > wrong {
                        farther = true;
                        break;
                    }
                    if !all && stage == Stage::Farther && gap.wrong <= wrong {
                        continue;
                    }
                    let key = u64::from(edge.to) << 48 | child.layout();
                    let cost = add(point.cost, edge.cost);
                    let kept = Point {
                        edge: next - 1,
                        ..Point::new(key, number, cost, gap)
                    };
                    nearer |= self.keep(plan, kept, child, means, looked_back);
                }
            }
        }
        self.children = Some(children);
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
    fn keep(&mut self, plan: &Plan, mut point: Point, child: Child, means: Means, looked_back: bool) -> bool {
        if self.found.is_some() {
            return false;
        }
        let (state, gap) = ((point.key >> 48) as u16, child.gap());
        let mut found = self.is_there(plan, child.layout(), gap, means.aim);
        if looked_back && means.aim != Aim::Nothing {
            let steps = child.steps();
            let changes = u16::from(means.steps) + u16::from(means.swaps);
            let too_far = match means.free + means.swaps {
                0 if means.steps <= DEPTH => steps.is_none_or(|steps| steps > means.steps),
                _ => changes <= 1 && !child.is_next(),
            };
            if too_far {
                return false;
            }
            found |=
                !self.whole && means.aim == Aim::Target && steps.is_some_and(|steps| steps <= means.sure);
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
                let need = if found { 0 } else { u32::from(gap.need.min(64)) };
                let free = need.min(u32::from(means.free));
                let charged = free.saturating_sub(u32::from(means.gratis));
                (point.cost + ((need - free) << 16) + charged) << 8
                    | if found { 0 } else { u32::from(gap.wrong.max(1)) }
            }
        };
        // Among equals the latest: deeper ones, as long as nothing tells them apart.
        self.open
            .push(Reverse(u64::from(rank) << 32 | u64::from(!number)));
        true
    }
}

const _: () = assert!(PIECES * 6 == 48);
