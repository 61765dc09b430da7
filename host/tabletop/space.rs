//! A space of a board: two integers and the index of its board.
use serde::{Deserialize, Serialize};

/// Coordinates lie within this distance of zero.
pub const COORDINATE_LIMIT: i32 = 1_000_000;

/// A space: `(q, r)` on hex and square boards, `(index, 0)` on graph boards.
///
/// Spaces are ordered by board, then `q`, then `r`; every list that scripts see uses that order
/// or the board's fixed direction order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Space {
    pub board: u8,
    pub q: i32,
    pub r: i32,
}

impl Space {
    pub const fn new(q: i32, r: i32, board: u8) -> Self {
        Self { board, q, r }
    }

    /// The space at `(q + dq, r + dr)` of the same board.
    pub const fn offset(self, dq: i32, dr: i32) -> Self {
        Self {
            board: self.board,
            q: self.q + dq,
            r: self.r + dr,
        }
    }
}
