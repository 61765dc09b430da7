//! Moves along rays: a piece travels straight, passes others or pushes them, and lands on an empty space.
use super::connect::{Rest, connected_after};
use super::{SPACES_LIMIT, TooMany, Topology};
use crate::tabletop::{Space, effort};

/// What moves a piece may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec<'a> {
    /// The directions allowed, in any order.
    pub directions: &'a [u8],
    /// The least length; 0 means 1, for no move has length 0.
    pub min: u32,
    /// The greatest length, if there is one.
    pub max: Option<u32>,
    /// At least so many other pieces must be passed over.
    pub passes: u32,
    /// Pieces in the way are pushed ahead, and push others in turn; none is passed over then.
    pub pushes: bool,
    /// All pieces must hang together when the move is done.
    pub connected: bool,
}

/// Why a move is refused, in the order in which the reasons are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    ZeroLength,
    /// Not one of the directions allowed.
    BadDirection,
    TooShort,
    TooFar,
    /// Another piece stands where this one would land.
    Occupied,
    /// Fewer pieces are passed than must be.
    NothingPassed,
    /// The way, or that of a pushed piece, leaves the board.
    OffBoard,
    /// The pieces would no longer hang together.
    Disconnected,
}

impl Refusal {
    /// The word for scripts and messages.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ZeroLength => "zero_length",
            Self::BadDirection => "bad_direction",
            Self::TooShort => "too_short",
            Self::TooFar => "too_far",
            Self::Occupied => "occupied",
            Self::NothingPassed => "nothing_passed",
            Self::OffBoard => "off_board",
            Self::Disconnected => "disconnected",
        }
    }
}

/// A move that may be made. Pieces are indexes into the list of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub piece: usize,
    pub direction: u8,
    pub length: u32,
    pub to: Space,
    /// The pushed pieces with their new spaces, nearest first. Empty lists take no memory.
    pub pushed: Vec<(usize, Space)>,
}

impl Move {
    /// Everything that moves, at once: the piece itself, then what it pushes.
    pub fn shifts(&self) -> impl Iterator<Item = (usize, Space)> + '_ {
        std::iter::once((self.piece, self.to)).chain(self.pushed.iter().copied())
    }
}

/// The moves of one piece, in direction order, then by length. `pieces` are the positions of all, on
/// `board` and no two alike; an unknown index has no moves.
///
/// # Errors
/// [`TooMany`] if the moves have no end: no greatest length, no bounds, and nothing to stay close to.
pub fn moves(board: &Topology, pieces: &[Space], piece: usize, spec: &Spec) -> Result<Vec<Move>, TooMany> {
    let mut found = Vec::new();
    let mut directions: u32 = spec
        .directions
        .iter()
        .filter(|&&known| known < 32)
        .fold(0, |all, d| all | 1 << d);
    let Some(&start) = pieces.get(piece) else {
        return Ok(found);
    };
    let rest = Rest::new(board, pieces, piece, spec.connected && !spec.pushes);
    // Beyond this no piece can touch one that stays behind.
    let far = pieces
        .iter()
        .map(|other| spread(start, *other))
        .max()
        .unwrap_or(0)
        .saturating_add(1);
    while directions != 0 {
        let direction = directions.trailing_zeros() as u8;
        directions &= directions - 1;
        let pulled_along = || {
            let ahead = pieces
                .iter()
                .filter(|other| on_ray(board, start, direction, **other).is_some());
            spec.pushes && ahead.count() + 1 == pieces.len()
        };
        let endless = || !spec.connected || pieces.len() == 1 || pulled_along();
        let last = match spec.max {
            Some(max) if max <= far || endless() => max,
            None if endless() && board.is_unbounded() => return Err(TooMany),
            None if endless() => u32::MAX,
            _ => far,
        };
        let mut passed = 0;
        for length in 1..=last {
            let Some(to) = board
                .step(start, direction, length as i32)
                .filter(|&to| board.contains(to))
            else {
                break;
            };
            if spec.pushes {
                match push(board, pieces, piece, direction, length, spec.connected) {
                    Ok(pushed) if length >= spec.min && spec.passes == 0 => {
                        found.push(Move {
                            piece,
                            direction,
                            length,
                            to,
                            pushed,
                        });
                    }
                    Err(Refusal::OffBoard) => break,
                    _ => {}
                }
            } else if pieces.contains(&to) {
                passed += 1;
            } else if length >= spec.min && passed >= spec.passes && (!spec.connected || rest.holds(to)) {
                found.push(Move {
                    piece,
                    direction,
                    length,
                    to,
                    pushed: Vec::new(),
                });
            }
            if found.len() > SPACES_LIMIT || effort::is_spent() {
                return Err(TooMany);
            }
        }
    }
    Ok(found)
}

/// The one move of that direction and length, or the first reason (in the order of [`Refusal`]) why
/// it may not be made.
///
/// # Errors
/// The reason; an unknown piece has no direction.
pub fn judge(
    board: &Topology,
    pieces: &[Space],
    piece: usize,
    direction: u8,
    length: u32,
    spec: &Spec,
) -> Result<Move, Refusal> {
    if length == 0 {
        return Err(Refusal::ZeroLength);
    }
    let Some(&start) = pieces.get(piece) else {
        return Err(Refusal::BadDirection);
    };
    if !spec.directions.contains(&direction) || usize::from(direction) >= board.direction_names().len() {
        return Err(Refusal::BadDirection);
    }
    if length < spec.min {
        return Err(Refusal::TooShort);
    }
    if spec.max.is_some_and(|max| length > max) {
        return Err(Refusal::TooFar);
    }
    let to = i32::try_from(length)
        .ok()
        .and_then(|steps| board.step(start, direction, steps));
    if spec.pushes {
        if spec.passes > 0 {
            return Err(Refusal::NothingPassed);
        }
        let to = to.ok_or(Refusal::OffBoard)?;
        let pushed = push(board, pieces, piece, direction, length, spec.connected)?;
        return Ok(Move {
            piece,
            direction,
            length,
            to,
            pushed,
        });
    }
    if to.is_some_and(|to| pieces.contains(&to)) {
        return Err(Refusal::Occupied);
    }
    let between = |other: &&Space| on_ray(board, start, direction, **other).is_some_and(|at| at < length);
    if (pieces.iter().filter(between).count() as u32) < spec.passes {
        return Err(Refusal::NothingPassed);
    }
    let to = to
        .filter(|_| stays_on(board, start, direction, length))
        .ok_or(Refusal::OffBoard)?;
    if spec.connected && !Rest::new(board, pieces, piece, true).holds(to) {
        return Err(Refusal::Disconnected);
    }
    Ok(Move {
        piece,
        direction,
        length,
        to,
        pushed: Vec::new(),
    })
}

/// The pieces that the mover pushes ahead on its way, with their new spaces.
fn push(
    board: &Topology,
    pieces: &[Space],
    piece: usize,
    direction: u8,
    length: u32,
    connected: bool,
) -> Result<Vec<(usize, Space)>, Refusal> {
    let start = pieces[piece];
    let mut ahead: Vec<(u32, usize)> = Vec::new();
    for (index, &other) in pieces.iter().enumerate() {
        if let Some(at) = on_ray(board, start, direction, other) {
            ahead.push((at, index));
        }
    }
    ahead.sort_unstable();
    // Each stops against the one behind it, so the chain ends at the first gap left.
    let mut end = length;
    let mut pushed = Vec::new();
    for (at, index) in ahead {
        if at > end {
            break;
        }
        end = end.checked_add(1).ok_or(Refusal::OffBoard)?;
        let steps = i32::try_from(end).map_err(|_| Refusal::OffBoard)?;
        pushed.push((
            index,
            board.step(start, direction, steps).ok_or(Refusal::OffBoard)?,
        ));
    }
    if !stays_on(board, start, direction, end) {
        return Err(Refusal::OffBoard);
    }
    if connected {
        let to = board
            .step(start, direction, length as i32)
            .ok_or(Refusal::OffBoard)?;
        let shifts = std::iter::once((piece, to)).chain(pushed.iter().copied());
        if !connected_after(board, pieces, shifts) {
            return Err(Refusal::Disconnected);
        }
    }
    Ok(pushed)
}

/// Whether every place up to `length` steps away is on the board.
fn stays_on(board: &Topology, start: Space, direction: u8, length: u32) -> bool {
    let on = |steps: u32| {
        let steps = i32::try_from(steps).ok();
        steps
            .and_then(|steps| board.step(start, direction, steps))
            .is_some_and(|place| board.contains(place))
    };
    // A board without bounds has no holes.
    if board.is_unbounded() {
        on(length)
    } else {
        (1..=length).all(on)
    }
}

/// How many steps away `other` lies on the ray, if it does.
#[inline]
fn on_ray(board: &Topology, start: Space, direction: u8, other: Space) -> Option<u32> {
    let steps = spread(start, other);
    (steps > 0 && board.step(start, direction, steps as i32) == Some(other)).then_some(steps)
}

/// The greater of the two differences: on a ray, the steps.
#[inline]
fn spread(a: Space, b: Space) -> u32 {
    a.q.abs_diff(b.q).max(a.r.abs_diff(b.r))
}

#[cfg(test)]
#[path = "rays_tests.rs"]
mod tests;
