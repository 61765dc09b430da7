//! Spaces: which there are, how far apart, what hangs together, what they hold, and what moves between them.
use std::ffi::c_int;

use mlua::ffi;

use super::super::arguments::space_list;
use super::super::{Record, raw_fn};
use super::{board_of, declared, named_board};
use crate::script::call::{Answer, Call, push_reference};
use crate::script::handle::wrong_type;
use crate::script::vm::hint;
use crate::tabletop::board::{TooMany, key};
use crate::tabletop::{Declarations, Space, UnitId};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.spaces",
        c"spaces",
        raw_fn!(spaces),
        "(board: string?) -> {Space}",
        "Every space of a bounded board in order; the first board unless one is named. The list is frozen and cached.",
        "assert(#board.spaces() == 25)",
    ),
    Record::raw(
        "board.contains",
        c"contains",
        raw_fn!(contains),
        "(space: Space) -> boolean",
        "Whether the space is one of its board.",
        "assert(board.contains(vector(4, 4)) and not board.contains(vector(5, 0)))",
    ),
    Record::raw(
        "board.name",
        c"name",
        raw_fn!(name),
        "(space: Space) -> string",
        "The name of the board that the space is of.",
        "assert(board.name(vector(0, 0)) == \"grid\")",
    ),
    Record::raw(
        "board.key",
        c"key",
        raw_fn!(key_of),
        "(space: Space) -> string",
        "The text key of a space: `(3,-1)`, a region's id, and with several boards `map:(3,-1)`.",
        "assert(board.key(vector(3, 1)) == \"(3,1)\")",
    ),
    Record::raw(
        "board.space",
        c"space",
        raw_fn!(space),
        "(key: string) -> Space",
        "The space that a text key names; an error if there is none.",
        "assert(board.space(\"(3,1)\") == vector(3, 1))",
    ),
    Record::raw(
        "board.label",
        c"label",
        raw_fn!(label),
        "(space: Space) -> string",
        "What people call a space: a region's label, else its key.",
        "assert(board.label(vector(3, 1)) == \"(3,1)\")",
    ),
    Record::raw(
        "board.neighbours",
        c"neighbours",
        raw_fn!(neighbours),
        "(space: Space) -> {Space}",
        "The spaces next to one, in the board's direction order. The list is frozen and cached.",
        "assert(#board.neighbours(vector(0, 0)) == 3)",
    ),
    Record::raw(
        "board.adjacent",
        c"adjacent",
        raw_fn!(adjacent),
        "(a: Space, b: Space) -> boolean",
        "Whether two spaces are neighbours; no space is its own.",
        "assert(board.adjacent(vector(0, 0), vector(1, 1)))\nassert(not board.adjacent(vector(0, 0), vector(0, 0)))",
    ),
    Record::raw(
        "board.distance",
        c"distance",
        raw_fn!(distance),
        "(from: Space, to: Space) -> number?",
        "Steps between two spaces on an empty board; nil between boards, and where no edges of a graph join them.",
        "assert(board.distance(vector(0, 0), vector(2, 1)) == 2)",
    ),
    Record::raw(
        "board.ring",
        c"ring",
        raw_fn!(ring),
        "(space: Space, distance: number) -> {Space}",
        "The spaces exactly so far away, in order.",
        "assert(#board.ring(vector(2, 2), 1) == 8)",
    ),
    Record::raw(
        "board.within",
        c"within",
        raw_fn!(within),
        "(space: Space, distance: number) -> {Space}",
        "The spaces at most so far away, the space itself included, in order.",
        "assert(#board.within(vector(2, 2), 1) == 9)",
    ),
    Record::raw(
        "board.line",
        c"line",
        raw_fn!(line),
        "(from: Space, to: Space) -> {Space}",
        "The straight line of spaces from one to another, both included, each a neighbour of the one before; the same in reverse from the other end. On a graph a shortest path.",
        "local line = board.line(vector(0, 0), vector(2, 2))\nassert(#line == 3 and line[2] == vector(1, 1))",
    ),
    Record::raw(
        "board.connected",
        c"connected",
        raw_fn!(connected),
        "(spaces: {Space}) -> boolean",
        "Whether the spaces form one group of neighbours. None and one do.",
        "assert(board.connected({ vector(0, 0), vector(1, 1) }))\nassert(not board.connected({ vector(0, 0), vector(2, 0) }))",
    ),
    Record::raw(
        "board.components",
        c"components",
        raw_fn!(components),
        "(spaces: {Space}) -> {{Space}}",
        "The groups of neighbours that the spaces form: each in order, the groups by their first space.",
        "local groups = board.components({ vector(4, 4), vector(0, 0), vector(1, 1) })\nassert(#groups == 2 and groups[1][2] == vector(1, 1))",
    ),
    Record::raw(
        "board.get",
        c"get",
        raw_fn!(get),
        "(space: Space, field: string) -> any",
        "A declared field of a space; its default where it was never set.",
        "assert(board.get(vector(0, 0), \"terrain\") == \"plain\")",
    ),
    Record::raw(
        "board.set",
        c"set",
        raw_fn!(set),
        "(space: Space, field: string, value: any) -> ()",
        "Writes a declared field of a space.",
        "board.set(vector(0, 0), \"terrain\", \"lava\")\nassert(board.get(vector(0, 0), \"terrain\") == \"lava\")",
    ),
    Record::raw(
        "board.shift",
        c"shift",
        raw_fn!(shift),
        "(moves: {Move}) -> ()",
        "Moves several units at once: a list of `{ unit, space }`. Refuses two that would end on one space.",
        "local a = units.make(\"stones\", { space = vector(0, 0) })\nlocal b = units.make(\"stones\", { space = vector(1, 0) })\nboard.shift({ { a, vector(1, 0) }, { b, vector(0, 0) } })\nassert(a.space == vector(1, 0) and b.space == vector(0, 0))",
    ),
];

/// How many neighbour lists are kept.
const NEIGHBOURS_KEPT: usize = 100_000;
/// The greatest distance that may be asked about.
const FAR: i64 = 2_000_000;

fn spaces(c: &mut Call) -> Answer {
    let declared = declared(c);
    let board = named_board(c, &declared, 1)?;
    if let Some(reference) = c.world().spaces.get(&board).copied() {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let topology = &declared.topologies[board];
    let Some(spaces) = topology.spaces() else {
        return Err(format!(
            "the board `{}` has no bounds, so its spaces can't be listed",
            topology.name()
        ));
    };
    c.push_spaces(spaces.into_iter());
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    c.world().spaces.insert(board, reference);
    Ok(1)
}

fn contains(c: &mut Call) -> Answer {
    let space = c.space(1)?;
    let contains = c.world().tabletop.declared().has_space(space);
    c.push_bool(contains);
    Ok(1)
}

fn name(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    c.push_text(board_of(&declared, space)?.name());
    Ok(1)
}

fn key_of(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    board_of(&declared, space)?;
    c.push_text(&key::format(&declared.topologies, space));
    Ok(1)
}

fn space(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = key::parse(&declared.topologies, c.text(1)?).map_err(|e| e.to_string())?;
    c.push_space(space);
    Ok(1)
}

fn label(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    let region = board_of(&declared, space)?.graph().filter(|_| space.r == 0);
    match region.and_then(|graph| graph.regions().get(usize::try_from(space.q).ok()?)) {
        Some(region) if !region.label.is_empty() => c.push_text(&region.label),
        _ => c.push_text(&key::format(&declared.topologies, space)),
    }
    Ok(1)
}

fn neighbours(c: &mut Call) -> Answer {
    let space = c.space(1)?;
    if let Some(reference) = c.world().neighbours.get(&space).copied() {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let declared = declared(c);
    let near: Vec<Space> = board_of(&declared, space)?.neighbours(space).collect();
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

fn adjacent(c: &mut Call) -> Answer {
    let (a, b) = (c.space(1)?, c.space(2)?);
    let adjacent = board_of(c.world().tabletop.declared(), a)?.adjacent(a, b);
    c.push_bool(adjacent);
    Ok(1)
}

fn distance(c: &mut Call) -> Answer {
    let (from, to) = (c.space(1)?, c.space(2)?);
    match board_of(c.world().tabletop.declared(), from)?.distance(from, to) {
        Some(distance) => c.push_number(f64::from(distance)),
        None => c.push_nil(),
    }
    Ok(1)
}

fn ring(c: &mut Call) -> Answer {
    around(c, true)
}

fn within(c: &mut Call) -> Answer {
    around(c, false)
}

fn around(c: &mut Call, ring: bool) -> Answer {
    let space = c.space(1)?;
    let distance = c.whole(2, 0, FAR)? as u32;
    let board = board_of(c.world().tabletop.declared(), space)?;
    let found = if ring {
        board.ring(space, distance)
    } else {
        board.within(space, distance)
    };
    push_found(c, found)
}

fn line(c: &mut Call) -> Answer {
    let (from, to) = (c.space(1)?, c.space(2)?);
    let found = board_of(c.world().tabletop.declared(), from)?.line(from, to);
    push_found(c, found)
}

fn push_found(c: &mut Call, found: Result<Vec<Space>, TooMany>) -> Answer {
    c.push_spaces(found.map_err(|e| e.to_string())?.into_iter());
    Ok(1)
}

fn connected(c: &mut Call) -> Answer {
    let spaces = space_list(c, 1)?;
    let answer = match spaces.first() {
        None => true,
        Some(first) => board_of(c.world().tabletop.declared(), *first)?.connected(&spaces),
    };
    c.push_bool(answer);
    Ok(1)
}

fn components(c: &mut Call) -> Answer {
    let spaces = space_list(c, 1)?;
    let groups = match spaces.first() {
        None => Vec::new(),
        Some(first) => board_of(c.world().tabletop.declared(), *first)?.components(&spaces),
    };
    unsafe {
        ffi::lua_createtable(c.l, groups.len() as c_int, 0);
        for (i, group) in groups.into_iter().enumerate() {
            c.push_spaces(group.into_iter());
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(1)
}

/// The slot of the field that argument 2 names, on the board of a space.
fn slot(c: &Call, declared: &Declarations, space: Space) -> Result<u16, String> {
    let topology = board_of(declared, space)?;
    if !topology.contains(space) {
        return Err(format!(
            "{} is not a space of its board",
            key::format(&declared.topologies, space)
        ));
    }
    let name = c.text(2)?;
    let fields = &declared.boards[usize::from(space.board)].fields;
    fields
        .iter()
        .position(|f| &*f.name == name)
        .map(|slot| slot as u16)
        .ok_or_else(|| {
            let hint = hint(name, fields.iter().map(|f| &*f.name));
            format!(
                "spaces of `{}` have no field `{name}`{hint}; they are declared in game.toml",
                topology.name()
            )
        })
}

fn get(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    let slot = slot(c, &declared, space)?;
    let value = c.world().tabletop.space_field(space, slot);
    c.push_value(&value);
    Ok(1)
}

fn set(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    let slot = slot(c, &declared, space)?;
    let value = c.value(3)?;
    let field = &declared.boards[usize::from(space.board)].fields[usize::from(slot)];
    if !field.kind.admits(&value) {
        return Err(wrong_type(&field.name, field.kind, &value));
    }
    c.world()
        .tabletop
        .set_space_field(space, slot, value)
        .map_err(|e| e.to_string())?;
    Ok(0)
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
        // A unit that is gone and a space that can't be are told as everywhere.
        let wrong = |problem: String| match problem.split_once(": ") {
            Some((_, why)) if !why.starts_with("expected") => format!("move {i}: {why}"),
            None => format!("move {i}: {problem}"),
            _ => format!("move {i}: expected {{ unit, space }}"),
        };
        let unit = c.unit(3).map_err(wrong)?;
        let space = c.space(4).map_err(wrong)?;
        moves.push((unit, space));
    }
    c.world().tabletop.shift(&moves).map_err(|e| e.to_string())?;
    Ok(0)
}
