//! Directions: their names, steps along them, arcs around a facing, turned and mirrored offsets.
use std::ffi::c_int;

use mlua::ffi;

use super::super::arguments::space_list;
use super::super::{Record, raw_fn};
use super::{board_of, declared, named_board};
use crate::script::call::{Answer, Call};
use crate::script::vm::hint;
use crate::tabletop::Space;
use crate::tabletop::board::arc::Arcs;
use crate::tabletop::board::{Lattice, Orientation, Topology};
use crate::tabletop::space::COORDINATE_LIMIT;

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.directions",
        c"directions",
        raw_fn!(directions),
        "(board: string?) -> {string}",
        "The names of a board's directions in their fixed order: hex counterclockwise from east (`e ne nw w sw se`; flat `se ne n nw sw s`), square clockwise from north. The first one is facing 0. A graph has none.",
        "assert(board.directions()[1] == \"n\" and #board.directions() == 8)",
    ),
    Record::raw(
        "board.direction",
        c"direction",
        raw_fn!(direction_number),
        "(direction: Direction, board: string?) -> number",
        "The number of a direction, from 0, as `facing` holds it.",
        "assert(board.direction(\"e\") == 2)",
    ),
    Record::raw(
        "board.turn",
        c"turn",
        raw_fn!(turn),
        "(direction: Direction, by: number, board: string?) -> string",
        "The direction so many directions further in the fixed order; a negative number goes back.",
        "assert(board.turn(\"n\", 4) == \"s\" and board.turn(\"n\", -1) == \"nw\")",
    ),
    Record::raw(
        "board.step",
        c"step",
        raw_fn!(step),
        "(space: Space, direction: Direction, steps: number?) -> Space?",
        "The space so many steps (1 unless told) along a direction, or nil if it is off the board.",
        "assert(board.step(vector(0, 0), \"se\", 2) == vector(2, 2))\nassert(board.step(vector(0, 0), \"n\") == nil)",
    ),
    Record::raw(
        "board.direction_between",
        c"direction_between",
        raw_fn!(direction_between),
        "(from: Space, to: Space) -> (string?, number?)",
        "The direction in which `to` lies exactly, and how many steps away; nil if none leads straight there.",
        "local direction, steps = board.direction_between(vector(0, 0), vector(2, 2))\nassert(direction == \"se\" and steps == 2)\nassert(board.direction_between(vector(0, 0), vector(1, 2)) == nil)",
    ),
    Record::raw(
        "board.arc",
        c"arc",
        raw_fn!(arc),
        "<T>(from: Space, facing: Direction, to: Space, arcs: {T}, between: {T}?) -> T?",
        "The arc in which `to` lies for a piece on `from`. `arcs` names the arc of each direction, counted from the facing. What lies between two directions belongs with the one further from the facing, unless `between` names the arc of each gap. Nil for the same space.",
        "local arcs = { \"front\", \"front\", \"side\", \"rear\", \"rear\", \"rear\", \"side\", \"front\" }\nassert(board.arc(vector(2, 2), \"n\", vector(2, 0), arcs) == \"front\")\nassert(board.arc(vector(2, 2), \"e\", vector(0, 2), arcs) == \"rear\")",
    ),
    Record::raw(
        "board.rotate",
        c"rotate",
        raw_fn!(rotate),
        "<T>(offsets: T, turns: number, board: string?) -> T",
        "An offset, or a list of offsets, turned about the origin: by sixths of a circle counterclockwise on a hex board, by quarters clockwise on a square one.",
        "assert(board.rotate(vector(1, 0), 1) == vector(0, 1))\nassert(board.rotate({ vector(1, 0), vector(2, 0) }, 2)[2] == vector(-2, 0))",
    ),
    Record::raw(
        "board.mirror",
        c"mirror",
        raw_fn!(mirror),
        "<T>(offsets: T, board: string?) -> T",
        "An offset, or a list of offsets, mirrored: on a square board east and west change places, on a hex board the axes q and r.",
        "assert(board.mirror(vector(1, 2)) == vector(-1, 2))",
    ),
];

/// The direction that argument `index` means: a name or a number.
pub fn direction(c: &Call, topology: &Topology, index: c_int) -> Result<u8, String> {
    let names = topology.direction_names();
    if names.is_empty() {
        return Err(format!(
            "the board `{}` is a graph and has no directions",
            topology.name()
        ));
    }
    if unsafe { ffi::lua_type(c.l, index) } == ffi::LUA_TSTRING {
        let name = c.text(index)?;
        return topology.direction(name).ok_or_else(|| {
            let hint = hint(name, names.iter().copied());
            format!(
                "there is no direction `{name}`{hint}; there are {}",
                names.join(", ")
            )
        });
    }
    c.whole(index, 0, names.len() as i64 - 1)
        .map(|d| d as u8)
        .map_err(|e| format!("{e}; a direction is a name or a number"))
}

fn directions(c: &mut Call) -> Answer {
    let declared = declared(c);
    let names = declared.topologies[named_board(c, &declared, 1)?].direction_names();
    unsafe {
        ffi::lua_createtable(c.l, names.len() as c_int, 0);
        for (i, name) in names.iter().enumerate() {
            c.push_text(name);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(1)
}

fn direction_number(c: &mut Call) -> Answer {
    let declared = declared(c);
    let topology = &declared.topologies[named_board(c, &declared, 2)?];
    c.push_number(f64::from(direction(c, topology, 1)?));
    Ok(1)
}

fn turn(c: &mut Call) -> Answer {
    let declared = declared(c);
    let topology = &declared.topologies[named_board(c, &declared, 3)?];
    let from = i64::from(direction(c, topology, 1)?);
    let names = topology.direction_names();
    let by = c.whole(2, -1000, 1000)?;
    c.push_text(names[(from + by).rem_euclid(names.len() as i64) as usize]);
    Ok(1)
}

fn step(c: &mut Call) -> Answer {
    let declared = declared(c);
    let space = c.space(1)?;
    let topology = board_of(&declared, space)?;
    let direction = direction(c, topology, 2)?;
    let limit = 2 * i64::from(COORDINATE_LIMIT);
    let steps = if c.is_none(3) {
        1
    } else {
        c.whole(3, -limit, limit)?
    };
    match topology
        .step(space, direction, steps as i32)
        .filter(|space| topology.contains(*space))
    {
        Some(space) => c.push_space(space),
        None => c.push_nil(),
    }
    Ok(1)
}

fn direction_between(c: &mut Call) -> Answer {
    let declared = declared(c);
    let (from, to) = (c.space(1)?, c.space(2)?);
    let topology = board_of(&declared, from)?;
    let Some((direction, steps)) = topology.ray_between(from, to) else {
        c.push_nil();
        return Ok(1);
    };
    c.push_text(topology.direction_names()[usize::from(direction)]);
    c.push_number(f64::from(steps));
    Ok(2)
}

fn arc(c: &mut Call) -> Answer {
    let declared = declared(c);
    let (from, to) = (c.space(1)?, c.space(3)?);
    let topology = board_of(&declared, from)?;
    let facing = direction(c, topology, 2)?;
    c.table(4)?;
    let count = unsafe { ffi::lua_objlen(c.l, 4) } as u8;
    let along: Vec<u8> = (0..count).collect();
    let arcs = if c.is_none(5) {
        Arcs::outward(topology, along)
    } else {
        c.table(5)?;
        let gaps = unsafe { ffi::lua_objlen(c.l, 5) } as u8;
        Arcs::new(topology, along, (count..count.saturating_add(gaps)).collect())
    };
    match arcs.map_err(|e| e.to_string())?.arc(topology, from, facing, to) {
        Some(index) if index < count => unsafe { ffi::lua_rawgeti_(c.l, 4, c_int::from(index) + 1) },
        Some(index) => unsafe { ffi::lua_rawgeti_(c.l, 5, c_int::from(index - count) + 1) },
        None => {
            c.push_nil();
            0
        }
    };
    Ok(1)
}

fn rotate(c: &mut Call) -> Answer {
    let declared = declared(c);
    let topology = &declared.topologies[named_board(c, &declared, 3)?];
    let lattice = lattice(topology)?;
    let turns = c.whole(2, -1000, 1000)?.rem_euclid(i64::from(lattice.turns())) as u8;
    oriented(
        c,
        lattice,
        Orientation {
            flip: false,
            turn: turns,
        },
    )
}

fn mirror(c: &mut Call) -> Answer {
    let declared = declared(c);
    let topology = &declared.topologies[named_board(c, &declared, 2)?];
    oriented(c, lattice(topology)?, Orientation { flip: true, turn: 0 })
}

/// The lattice of a board that isn't a graph.
pub fn lattice(topology: &Topology) -> Result<Lattice, String> {
    topology.lattice().ok_or_else(|| {
        format!(
            "the board `{}` is a graph: nothing can be turned on it",
            topology.name()
        )
    })
}

/// The images of argument 1: an offset or a list of them.
fn oriented(c: &mut Call, lattice: Lattice, orientation: Orientation) -> Answer {
    let image = |offset: Space| {
        let (q, r) = lattice.orient((offset.q, offset.r), orientation);
        Space::new(q, r, offset.board)
    };
    if unsafe { ffi::lua_type(c.l, 1) } == ffi::LUA_TTABLE {
        c.push_spaces(space_list(c, 1)?.into_iter().map(image));
    } else {
        let offset = c.space(1)?;
        c.push_space(image(offset));
    }
    Ok(1)
}
