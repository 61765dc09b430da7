//! What changes make of a layout, remembered: a search meets most layouts in many states.
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::grid::Pieces;
use super::ground::Ground;
use super::means::{Gap, Means};
use super::moves::{Change, Expansion};
use super::near::{DEPTH, Looked, Near};
use super::plan::Edge;
use super::votes::Votes;

/// More children, or lists of them, than this aren't held at once.
const HELD: usize = 1 << 17;
const LISTS: usize = 1 << 16;

/// A layout that a change leads to, with its gap and what was found by looking back from the target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Child(u64);

const LAYOUT: u64 = (1 << 48) - 1;
/// Where in a child's number its parts begin: the wrong places highest, so that they order children.
const STEPS: u32 = 48;
const NEXT: u32 = 50;
const NEED: u32 = 52;
const WRONG: u32 = 58;

const UNKNOWN: Looked = Looked {
    steps: None,
    is_next: true,
};

impl Child {
    pub(super) fn new(layout: u64, gap: Gap, near: Option<&Near>) -> Self {
        let looked = near.map_or(UNKNOWN, |near| near.look(layout));
        Self(
            layout
                | u64::from(looked.steps.unwrap_or(DEPTH + 1)) << STEPS
                | u64::from(looked.is_next) << NEXT
                | u64::from(gap.need.min(63)) << NEED
                | u64::from(gap.wrong.min(63)) << WRONG,
        )
    }

    pub(super) fn layout(self) -> u64 {
        self.0 & LAYOUT
    }

    pub(super) fn gap(self) -> Gap {
        Gap {
            need: (self.0 >> NEED) as u8 & 63,
            wrong: (self.0 >> WRONG) as u8,
        }
    }

    /// The paid steps to the target, if they are at most [`DEPTH`] and were looked for.
    pub(super) fn steps(self) -> Option<u8> {
        let steps = (self.0 >> STEPS) as u8 & 3;
        (steps <= DEPTH).then_some(steps)
    }

    /// Whether it may be one change away from the target.
    pub(super) fn is_next(self) -> bool {
        self.0 >> NEXT & 1 == 1
    }
}

const _: () = assert!(DEPTH < 3, "the steps looked back and one more fit into two bits");

/// Which children of a layout are listed together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    /// `part << 48 | layout`.
    layout: u64,
    target: u16,
    moves: u16,
    /// Of the means only what needs depend on.
    pushes: bool,
    swaps: u8,
    looked_back: bool,
}

/// Children that are nearer to the target than their parent, or the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Nearer,
    Rest,
    /// The layout itself, where nothing changes it.
    Own,
}

/// A layout whose children are wanted. It is unpacked and counted only if something about it isn't known yet.
pub(super) struct Parent<'a> {
    ground: &'a Ground,
    layout: u64,
    /// Whether children are looked for among those found backwards from a target.
    look_back: bool,
    pieces: Pieces,
    unpacked: Option<Expansion<'a>>,
    /// The target whose votes are counted, and the pieces that can come nearer to it, once they are marked.
    counted: Option<u16>,
    movers: Option<u8>,
}

impl<'a> Parent<'a> {
    pub(super) fn new(ground: &'a Ground, layout: u64, look_back: bool) -> Self {
        Self {
            ground,
            layout,
            look_back,
            pieces: Pieces::unpack(layout, ground.count),
            unpacked: None,
            counted: None,
            movers: None,
        }
    }

    /// Whether the edge is there at this layout; `targets` are those of the search.
    pub(super) fn allows(&mut self, edge: &Edge, targets: &[u16]) -> bool {
        let at = |piece: u8| self.pieces.at[usize::from(piece)];
        let adjacent = |(one, other)| self.ground.grid.adjacent(at(one), at(other));
        edge.near.is_none_or(adjacent)
            && edge.apart.is_none_or(|pair| !adjacent(pair))
            && edge.when.is_none_or(|pattern| self.has(pattern))
            && edge.unless.is_none_or(|pattern| !self.has(pattern))
            && edge.fits.is_none_or(|number| {
                let target = targets.get(usize::from(number));
                target.is_some_and(|&pattern| self.has(pattern))
            })
    }

    /// Whether a pattern is found at this layout.
    pub(super) fn has(&mut self, pattern: u16) -> bool {
        let pattern = &self.ground.patterns[usize::from(pattern)];
        pattern.is_in(self.unpacked())
    }

    fn unpacked(&mut self) -> &mut Expansion<'a> {
        self.unpacked
            .get_or_insert_with(|| Expansion::new(&self.ground.grid, self.pieces))
    }
}

/// Children of the layouts met last on one ground.
#[derive(Default)]
pub(super) struct Children {
    ground: Option<Rc<Ground>>,
    all: Vec<Child>,
    lists: FxHashMap<Key, Range<u32>>,
    votes: Votes,
    /// Those of a layout after a push.
    pushed: Votes,
    /// By spot: bits of pieces that come nearer by going there.
    marks: Marks,
}

struct Marks([u8; 256]);

impl Default for Marks {
    fn default() -> Self {
        Self([u8::MAX; 256])
    }
}

impl Children {
    /// Forgets what was found on another ground.
    pub(super) fn begin(&mut self, ground: &Rc<Ground>) {
        if !self
            .ground
            .as_ref()
            .is_some_and(|known| Rc::ptr_eq(known, ground))
        {
            self.clear();
            self.ground = Some(ground.clone());
        }
    }

    fn clear(&mut self) {
        self.all.clear();
        self.lists.clear();
    }

    /// The children that a set of changes makes of a layout, from the nearest to a target on. `wrong` is that of
    /// the layout, `means` those of the state that the changes lead to.
    #[inline]
    pub(super) fn list(
        &mut self,
        parent: &mut Parent,
        target: u16,
        part: Part,
        wrong: u8,
        moves: u16,
        means: Means,
    ) -> &[Child] {
        let key = Key {
            layout: (part as u64) << 48 | parent.layout,
            target,
            moves,
            pushes: means.pushes,
            swaps: means.telling_swaps(),
            looked_back: parent.look_back,
        };
        let range = match self.lists.get(&key) {
            Some(range) => range.clone(),
            None => self.add(key, parent, part, wrong, means),
        };
        &self.all[range.start as usize..range.end as usize]
    }

    /// The layout itself as a child of its own.
    pub(super) fn own(&mut self, parent: &mut Parent, target: u16, means: Means) -> Child {
        self.list(parent, target, Part::Own, 0, 0, means)[0]
    }

    #[cold]
    fn add(&mut self, key: Key, parent: &mut Parent, part: Part, wrong: u8, means: Means) -> Range<u32> {
        if self.all.len() > HELD || self.lists.len() > LISTS {
            self.clear();
        }
        let start = self.all.len();
        let pattern = &parent.ground.patterns[usize::from(key.target)];
        let near = if key.looked_back {
            parent.ground.near(key.target)
        } else {
            None
        };
        let pieces = parent.pieces;
        if parent.counted != Some(key.target) {
            self.votes.count(pattern, &pieces);
            (parent.counted, parent.movers) = (Some(key.target), None);
        }
        if part == Part::Own {
            let gap = self.votes.gap(pattern, means);
            self.all.push(Child::new(parent.layout, gap, near));
            return self.hold(key, start);
        }
        let nearer = part == Part::Nearer;
        let movers = match (nearer, parent.movers) {
            (false, _) => u8::MAX,
            (true, Some(movers)) => movers,
            (true, None) => {
                self.votes.put_back(pattern, &pieces);
                let movers = self
                    .votes
                    .mark_nearer(pattern, parent.unpacked(), wrong, &mut self.marks.0);
                *parent.movers.insert(movers)
            }
        };
        let ways = &parent.ground.moves[usize::from(key.moves)];
        let layout = parent.unpacked();
        let Self {
            all,
            votes,
            pushed,
            marks,
            ..
        } = self;
        let wanted = |piece: u8, to: u8| !nearer || marks.0[usize::from(to)] >> piece & 1 == 1;
        for way in ways {
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
                        pushed.count(pattern, &change.apply(&pieces));
                        pushed.gap(pattern, means)
                    }
                };
                // A pattern that is never found leaves no children.
                if (gap.wrong < wrong) == nearer && gap.wrong != u8::MAX {
                    all.push(Child::new(change.apply(&pieces).pack(), gap, near));
                }
            });
        }
        all[start..].sort_by_key(|child| child.gap().wrong);
        self.hold(key, start)
    }

    fn hold(&mut self, key: Key, start: usize) -> Range<u32> {
        let range = start as u32..self.all.len() as u32;
        self.lists.insert(key, range.clone());
        range
    }
}
