//! Sight under named policies.
use std::ffi::{CStr, c_int};

use mlua::ffi;

use super::super::arguments::{Failure, Rule, Settings};
use super::super::{Record, raw_fn};
use super::directions::direction;
use super::{board_of, declared};
use crate::script::call::{Answer, Call};
use crate::script::vm::hint;
use crate::tabletop::board::Topology;
use crate::tabletop::board::segment::Meeting;
use crate::tabletop::board::sight::{self as geometry, Graze, Line, Policy};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.sight",
        c"sight",
        raw_fn!(sight),
        "(from: Space, to: Space, blocks: Spaces, policy: Sight?) -> boolean",
        "Whether `to` can be seen from `from`, by exact geometry. `blocks` says which spaces block: a function, a list, or a table keyed by space. The two ends never block, nor do places off the board. `policy` is `{ line = \"centres\" | \"edges\" | a direction, border =, corner = }`: which straight lines count (one clear line is enough), and whether a line blocks that touches a space along its border or at a corner: `blocks`, `clear` or `blocks_when_both` (only where blocking spaces touch it from both sides; the default). One of these words alone stands for both.",
        "assert(not board.sight(vector(0, 0), vector(2, 0), { vector(1, 0) }))\nassert(board.sight(vector(0, 0), vector(1, 1), { vector(1, 0) }))\nassert(not board.sight(vector(0, 0), vector(1, 1), { vector(1, 0) }, \"blocks\"))\nassert(not board.sight(vector(0, 0), vector(1, 1), { vector(1, 0), vector(0, 1) }))",
    ),
    Record::raw(
        "board.sight_explain",
        c"sight_explain",
        raw_fn!(sight_explain),
        "(from: Space, to: Space, blocks: Spaces, policy: Sight?) -> (boolean, {Space})",
        "As `board.sight`, and the spaces that block, in order: none if it is clear.",
        "local clear, blockers = board.sight_explain(vector(0, 0), vector(3, 0), { vector(1, 0), vector(1, 1) })\nassert(not clear and #blockers == 1 and blockers[1] == vector(1, 0))",
    ),
    Record::raw(
        "board.sight_line",
        c"sight_line",
        raw_fn!(sight_line),
        "(from: Space, to: Space, policy: Sight?) -> {{ space: Space, meeting: string }}",
        "The spaces that the lines of sight meet, in order, and how: `inside`, `border` or `corner`. The ends are left out.",
        "local met = board.sight_line(vector(0, 0), vector(1, 1))\nassert(#met == 2 and met[1].meeting == \"corner\")",
    ),
];

const SETTINGS: [&CStr; 3] = [c"line", c"border", c"corner"];

fn graze(name: &str) -> Result<Graze, String> {
    Graze::named(name).ok_or_else(|| {
        let known = Graze::ALL.map(|(name, _)| name);
        format!(
            "`{name}` says not what a touch means{}; use {}",
            hint(name, known),
            known.join(", ")
        )
    })
}

/// The policy of argument `index`.
fn policy(c: &Call, board: &Topology, index: c_int) -> Result<Policy, String> {
    if unsafe { ffi::lua_type(c.l, index) } == ffi::LUA_TSTRING {
        return Ok(Policy::new(Line::Centres, graze(c.text(index)?)?));
    }
    let settings = Settings::read(c, index, &SETTINGS)?;
    let mut policy = Policy::new(Line::Centres, Graze::BlocksWhenBoth);
    if let Some(at) = settings.get(c, c"line") {
        policy.line = match c.text(at) {
            Ok("centres") => Line::Centres,
            Ok("edges") => Line::Edges,
            _ => Line::Edge(
                direction(c, board, at).map_err(|e| format!("`line`: centres, edges or a direction: {e}"))?,
            ),
        };
    }
    if let Some(at) = settings.get(c, c"border") {
        policy.border = graze(c.text(at)?)?;
    }
    if let Some(at) = settings.get(c, c"corner") {
        policy.corner = graze(c.text(at)?)?;
    }
    Ok(policy)
}

fn sight(c: &mut Call) -> Answer {
    let declared = declared(c);
    let (from, to) = (c.space(1)?, c.space(2)?);
    let board = board_of(&declared, from)?;
    let (blocks, policy) = (Rule::read(c, 3)?, policy(c, board, 4)?);
    let failure = Failure::default();
    let clear = geometry::sight(board, from, to, policy, |space| {
        blocks.holds(c.l, &failure, space, false)
    });
    failure.check()?;
    c.push_bool(clear);
    Ok(1)
}

fn sight_explain(c: &mut Call) -> Answer {
    let declared = declared(c);
    let (from, to) = (c.space(1)?, c.space(2)?);
    let board = board_of(&declared, from)?;
    let (blocks, policy) = (Rule::read(c, 3)?, policy(c, board, 4)?);
    let failure = Failure::default();
    let told = geometry::sight_explain(board, from, to, policy, |space| {
        blocks.holds(c.l, &failure, space, false)
    });
    failure.check()?;
    c.push_bool(told.clear);
    c.push_spaces(told.blockers.into_iter());
    Ok(2)
}

fn sight_line(c: &mut Call) -> Answer {
    let declared = declared(c);
    let (from, to) = (c.space(1)?, c.space(2)?);
    let board = board_of(&declared, from)?;
    let met = geometry::meetings(board, from, to, policy(c, board, 3)?.line);
    unsafe {
        ffi::lua_createtable(c.l, met.len() as c_int, 0);
        for (i, (space, meeting)) in met.into_iter().enumerate() {
            ffi::lua_createtable(c.l, 0, 2);
            c.push_space(space);
            ffi::lua_rawsetfield(c.l, -2, c"space".as_ptr());
            c.push_text(match meeting {
                Meeting::Inside => "inside",
                Meeting::Border => "border",
                Meeting::Corner => "corner",
            });
            ffi::lua_rawsetfield(c.l, -2, c"meeting".as_ptr());
            ffi::lua_setreadonly(c.l, -1, 1);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(1)
}
