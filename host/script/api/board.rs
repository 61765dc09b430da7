//! Boards: spaces, neighbours, distances and moves of several units at once.
use std::ffi::c_int;

use mlua::ffi;

use super::{Record, raw_fn};
use crate::script::call::{Answer, Call, push_reference};
use crate::tabletop::board::Topology;
use crate::tabletop::{Space, UnitId};

pub const RECORDS: &[Record] = &[
    Record::raw("board.spaces", c"spaces", raw_fn!(spaces), "(board: string?) -> {Space}",
        "Every space of a bounded board in order; the first board unless one is named. The list is frozen and cached.",
        "assert(#board.spaces() == 25)"),
    Record::raw("board.neighbours", c"neighbours", raw_fn!(neighbours), "(space: Space) -> {Space}",
        "The spaces next to one, in the board's direction order. The list is frozen and cached.",
        "assert(#board.neighbours(vector(0, 0)) == 3)"),
    Record::raw("board.distance", c"distance", raw_fn!(distance), "(from: Space, to: Space) -> number?",
        "Steps between two spaces on an empty board; nil if no edges of a graph join them.",
        "assert(board.distance(vector(0, 0), vector(2, 1)) == 2)"),
    Record::raw("board.connected", c"connected", raw_fn!(connected), "(spaces: {Space}) -> boolean",
        "Whether the spaces form one group of neighbours. None and one do.",
        "assert(board.connected({ vector(0, 0), vector(1, 1) }))\nassert(not board.connected({ vector(0, 0), vector(2, 0) }))"),
    Record::raw("board.shift", c"shift", raw_fn!(shift), "(moves: {{any}}) -> ()",
        "Moves several units at once: a list of `{ unit, space }`. Refuses two that would end on one space.",
        "local a = units.make(\"stones\", { space = vector(0, 0) })\nlocal b = units.make(\"stones\", { space = vector(1, 0) })\nboard.shift({ { a, vector(1, 0) }, { b, vector(0, 0) } })\nassert(a.space == vector(1, 0) and b.space == vector(0, 0))"),
];

/// How many neighbour lists are kept.
const NEIGHBOURS_KEPT: usize = 100_000;

/// The topology of the space's board.
pub fn topology(c: &mut Call, space: Space) -> Result<&Topology, String> {
    let count = c.world().tabletop.declared().topologies.len();
    c.world()
        .tabletop
        .declared()
        .topologies
        .get(space.board as usize)
        .ok_or_else(|| format!("there is no board {}; the game declares {count}", space.board))
}

fn spaces(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    let board = match c.optional_text(1)? {
        None => 0,
        Some(name) => declared.boards.iter().position(|b| &*b.name == name).ok_or_else(|| {
            let hint = crate::script::vm::hint(name, declared.boards.iter().map(|b| &*b.name));
            format!("there is no board `{name}`{hint}")
        })?,
    };
    if let Some(reference) = c.world().spaces.get(&board).copied() {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let Some(topology) = declared.topologies.get(board) else { return Err("the game declares no board".into()) };
    let Some(spaces) = topology.spaces() else {
        return Err(format!("the board `{}` has no bounds, so its spaces can't be listed", topology.name()));
    };
    c.push_spaces(spaces.into_iter());
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    c.world().spaces.insert(board, reference);
    Ok(1)
}

fn neighbours(c: &mut Call) -> Answer {
    let space = c.space(1)?;
    if let Some(reference) = c.world().neighbours.get(&space).copied() {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let near: Vec<Space> = topology(c, space)?.neighbours(space).collect();
    c.push_spaces(near.into_iter());
    if c.world().neighbours.len() >= NEIGHBOURS_KEPT {
        let old: Vec<c_int> = c.world().neighbours.drain().map(|(_, r)| r).collect();
        for reference in old {
            unsafe { ffi::lua_unref(c.l, reference) };
        }
    }
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    c.world().neighbours.insert(space, reference);
    Ok(1)
}

fn distance(c: &mut Call) -> Answer {
    let (from, to) = (c.space(1)?, c.space(2)?);
    match topology(c, from)?.distance(from, to) {
        Some(distance) => c.push_number(f64::from(distance)),
        None => c.push_nil(),
    }
    Ok(1)
}

/// The spaces of a list argument.
pub fn space_list(c: &Call, index: c_int) -> Result<Vec<Space>, String> {
    c.table(index)?;
    let count = unsafe { ffi::lua_objlen(c.l, index) };
    let mut spaces = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe { ffi::lua_rawgeti_(c.l, index, i as c_int) };
        let top = unsafe { ffi::lua_gettop(c.l) };
        spaces.push(c.space(top).map_err(|e| format!("item {i} of the list: {e}"))?);
        unsafe { ffi::lua_pop(c.l, 1) };
    }
    Ok(spaces)
}

fn connected(c: &mut Call) -> Answer {
    let spaces = space_list(c, 1)?;
    let answer = match spaces.first() {
        None => true,
        Some(first) => topology(c, *first)?.connected(&spaces),
    };
    c.push_bool(answer);
    Ok(1)
}

fn shift(c: &mut Call) -> Answer {
    c.table(1)?;
    let count = unsafe { ffi::lua_objlen(c.l, 1) };
    let mut moves: Vec<(UnitId, Space)> = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe {
            ffi::lua_settop(c.l, 1);
            if ffi::lua_rawgeti_(c.l, 1, i as c_int) != ffi::LUA_TTABLE {
                return Err(format!("move {i}: expected {{ unit, space }}"));
            }
            ffi::lua_rawgeti_(c.l, 2, 1);
            ffi::lua_rawgeti_(c.l, 2, 2);
        }
        let unit = c.unit(3).map_err(|_| format!("move {i}: expected {{ unit, space }}"))?;
        let space = c.space(4).map_err(|_| format!("move {i}: expected {{ unit, space }}"))?;
        moves.push((unit, space));
    }
    c.world().tabletop.shift(&moves).map_err(|e| e.to_string())?;
    Ok(0)
}
