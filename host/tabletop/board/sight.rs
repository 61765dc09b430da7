//! Sight between two spaces, by exact geometry under a named policy.
use super::segment::{Contact, Meeting, Segment, centre, halfway};
use super::{Lattice, Topology};
use crate::tabletop::Space;

/// Which straight lines count; sight is clear if one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// From centre to centre. Symmetric.
    Centres,
    /// From any edge midpoint of the one to any edge midpoint of the other. Symmetric.
    Edges,
    /// From the midpoint of the looker's edge in this direction to the midpoint of the target's
    /// opposite edge (a diagonal direction: the corners). Symmetric only when the direction is
    /// reversed with the ends.
    Edge(u8),
}

/// What a line means that touches a blocking space without running through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graze {
    /// The touch blocks.
    Blocks,
    /// The touch doesn't matter.
    Clear,
    /// It blocks only where blocking spaces touch one point of the line from both sides.
    BlocksWhenBoth,
}

/// How sight is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub line: Line,
    /// A line along the border of a blocking space.
    pub border: Graze,
    /// A line through a corner of a blocking space, and no more of it.
    pub corner: Graze,
}

/// What was seen, and what is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    pub clear: bool,
    /// Sorted; empty if clear. With several lines the spaces that block any of them.
    pub blockers: Vec<Space>,
}

impl Graze {
    pub const ALL: [(&str, Self); 3] = [
        ("blocks", Self::Blocks),
        ("clear", Self::Clear),
        ("blocks_when_both", Self::BlocksWhenBoth),
    ];

    /// The policy of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, graze)| graze)
    }
}

impl Policy {
    /// The same answer for borders and corners.
    pub const fn new(line: Line, graze: Graze) -> Self {
        Self {
            line,
            border: graze,
            corner: graze,
        }
    }
}

/// Whether `b` can be seen from `a`.
///
/// The two spaces themselves never block, and neither do places off the board: `opaque` is asked only
/// of spaces of the board that a line meets. A space sees itself. Between boards nothing is seen. On a
/// graph a region sees itself and its neighbours.
pub fn sight(
    board: &Topology,
    a: Space,
    b: Space,
    policy: Policy,
    mut opaque: impl FnMut(Space) -> bool,
) -> bool {
    lines(board, a, b, policy.line, |lattice, start, end| {
        let segment = Segment {
            lattice,
            board: a.board,
            start,
            end,
        };
        !judge(board, &segment, (a, b), policy, &mut opaque, |_| false)
    })
}

/// Like [`sight`], with the spaces that block.
pub fn sight_explain(
    board: &Topology,
    a: Space,
    b: Space,
    policy: Policy,
    mut opaque: impl FnMut(Space) -> bool,
) -> Explained {
    let mut blockers = Vec::new();
    let clear = lines(board, a, b, policy.line, |lattice, start, end| {
        let segment = Segment {
            lattice,
            board: a.board,
            start,
            end,
        };
        !judge(board, &segment, (a, b), policy, &mut opaque, |space| {
            blockers.push(space);
            true
        })
    });
    if clear {
        blockers.clear();
    }
    blockers.sort_unstable();
    blockers.dedup();
    Explained { clear, blockers }
}

/// The spaces that the lines from `a` to `b` meet and how, sorted, without `a` and `b` and without
/// places off the board. With several lines a space may come with several meetings.
pub fn meetings(board: &Topology, a: Space, b: Space, line: Line) -> Vec<(Space, Meeting)> {
    let mut met = Vec::new();
    lines(board, a, b, line, |lattice, start, end| {
        Segment {
            lattice,
            board: a.board,
            start,
            end,
        }
        .meetings(|contact| {
            if contact.space != a && contact.space != b && board.contains(contact.space) {
                met.push((contact.space, contact.meeting));
            }
            true
        });
        false
    });
    met.sort_unstable();
    met.dedup();
    met
}

/// Whether one of the lines is clear, which `clear(lattice, start, end)` judges.
fn lines(
    board: &Topology,
    a: Space,
    b: Space,
    line: Line,
    mut clear: impl FnMut(Lattice, (i64, i64), (i64, i64)) -> bool,
) -> bool {
    if a.board != board.board() || b.board != board.board() {
        return false;
    }
    let Some(lattice) = board.lattice() else {
        return board.contains(a) && (a == b || board.adjacent(a, b));
    };
    if a == b {
        return true;
    }
    match line {
        Line::Centres => clear(lattice, centre(a), centre(b)),
        Line::Edges => {
            // Edges are what spaces share that touch by more than a corner.
            let edges = if lattice == Lattice::Square8 {
                Lattice::Square4
            } else {
                lattice
            }
            .directions();
            edges.iter().any(|&from| {
                edges
                    .iter()
                    .any(|&to| clear(lattice, halfway(a, from), halfway(b, to)))
            })
        }
        Line::Edge(direction) => lattice
            .directions()
            .get(usize::from(direction))
            .is_some_and(|&(dq, dr)| clear(lattice, halfway(a, (dq, dr)), halfway(b, (-dq, -dr)))),
    }
}

/// Whether the segment is blocked. `found` gets each blocker and says whether to look for more.
fn judge(
    board: &Topology,
    segment: &Segment,
    (a, b): (Space, Space),
    policy: Policy,
    opaque: &mut impl FnMut(Space) -> bool,
    mut found: impl FnMut(Space) -> bool,
) -> bool {
    let mut blocked = false;
    let mut touching: Vec<Contact> = Vec::new();
    segment.meetings(|contact| {
        let graze = match contact.meeting {
            Meeting::Inside => Graze::Blocks,
            Meeting::Border => policy.border,
            Meeting::Corner => policy.corner,
        };
        let space = contact.space;
        if graze == Graze::Clear || space == a || space == b || !board.contains(space) || !opaque(space) {
            return true;
        }
        if graze == Graze::BlocksWhenBoth {
            touching.push(contact);
            return true;
        }
        blocked = true;
        found(space)
    });
    for contact in &touching {
        let facing = touching
            .iter()
            .any(|other| other.left != contact.left && other.touches(contact));
        if facing {
            blocked = true;
            if !found(contact.space) {
                break;
            }
        }
    }
    blocked
}

#[cfg(test)]
#[path = "sight_tests.rs"]
mod tests;
