//! Boards: everything that `board` answers, one file for each kind of question.
mod directions;
mod paths;
mod patterns;
mod rays;
mod sight;
mod spaces;

use std::ffi::c_int;
use std::sync::Arc;

use super::Record;
use crate::script::call::Call;
use crate::script::vm::hint;
use crate::tabletop::board::Topology;
use crate::tabletop::{Declarations, Space};

/// The records of `board`, in the order of the manual.
pub const RECORDS: [&[Record]; 6] = [
    spaces::RECORDS,
    directions::RECORDS,
    paths::RECORDS,
    sight::RECORDS,
    patterns::RECORDS,
    rays::RECORDS,
];

/// The declarations, held apart from the world, so that scripts may run while they are used.
fn declared(c: &mut Call) -> Arc<Declarations> {
    c.world().tabletop.declared().clone()
}

/// The board of a space.
fn board_of(declared: &Declarations, space: Space) -> Result<&Topology, String> {
    let count = declared.topologies.len();
    let board = declared.topologies.get(usize::from(space.board));
    board.ok_or_else(|| format!("there is no board {}; the game declares {count}", space.board))
}

/// The board that argument `index` names; the first one if it is left out.
fn named_board(c: &Call, declared: &Declarations, index: c_int) -> Result<usize, String> {
    let Some(name) = c.optional_text(index)? else {
        return if declared.topologies.is_empty() {
            Err("the game declares no board".into())
        } else {
            Ok(0)
        };
    };
    declared
        .boards
        .iter()
        .position(|b| &*b.name == name)
        .ok_or_else(|| {
            let hint = hint(name, declared.boards.iter().map(|b| &*b.name));
            format!("there is no board `{name}`{hint}")
        })
}
