//! Moves of pieces: along straight lines (slides, leaps, steps and pushes), and to wherever all hang together.
use std::ffi::{CStr, c_int};

use mlua::ffi;

use super::super::arguments::{Settings, in_setting, space_list, unit_list};
use super::super::{Record, raw_fn};
use super::directions::direction;
use super::{board_of, declared};
use crate::script::call::{Answer, Call};
use crate::tabletop::board::Topology;
use crate::tabletop::board::connect::landings as landings_of;
use crate::tabletop::board::rays::{self, Spec};
use crate::tabletop::{Declarations, Place, Space, UnitId};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.ray_moves",
        c"ray_moves",
        raw_fn!(ray_moves),
        "(unit: Unit, spec: Rays?) -> {RayMove}",
        "The moves that a unit can make straight along a direction, onto an empty space: in direction order, then by length. `dirs` are the directions allowed (all unless told), `min` and `max` the lengths; at least `passes` other units must be passed over; with `pushes` units in the way are pushed ahead and none is passed; with `connected` all units must hang together afterwards. `among` lists the units that count (all on the board unless told). Each move is `{ dir, length, moves }`, `moves` as `board.shift` takes them, left out with `moves = false`.",
        "local a = units.make(\"stones\", { space = vector(0, 0) })\nlocal b = units.make(\"stones\", { space = vector(1, 0) })\nlocal leaps = board.ray_moves(a, { passes = 1, max = 2 })\nassert(#leaps == 1 and leaps[1].dir == \"e\" and leaps[1].length == 2)\nboard.shift(leaps[1].moves)\nassert(a.space == vector(2, 0))",
    ),
    Record::raw(
        "board.landings",
        c"landings",
        raw_fn!(landings),
        "(unit: Unit, spec: Landings?) -> {Space}",
        "The empty spaces on which a unit can be set down so that all units hang together, in order. `on` lists the spaces to look at (all unless told), `among` the units that count (all on the board unless told).",
        "local a = units.make(\"stones\", { space = vector(0, 0) })\nunits.make(\"stones\", { space = vector(1, 0) })\nunits.make(\"stones\", { space = vector(2, 0) })\nlocal spaces = board.landings(a)\nassert(#spaces == 5 and spaces[1] == vector(0, 1))\nassert(#board.landings(a, { on = { vector(1, 1), vector(4, 4) } }) == 1)",
    ),
    Record::raw(
        "board.judge_ray",
        c"judge_ray",
        raw_fn!(judge_ray),
        "(unit: Unit, dir: Direction, length: number, spec: Rays?) -> ({Move}?, string?)",
        "What one such move would move, or nil and why it may not be made: `zero_length`, `bad_direction`, `too_short`, `too_far`, `occupied`, `nothing_passed`, `off_board` or `disconnected`, the first that holds.",
        "local a = units.make(\"stones\", { space = vector(0, 0) })\nlocal b = units.make(\"stones\", { space = vector(1, 0) })\nlocal moves, code = board.judge_ray(a, \"e\", 1, {})\nassert(moves == nil and code == \"occupied\")\nmoves = board.judge_ray(a, \"e\", 1, { pushes = true })\nassert(#moves == 2 and moves[2][1] == b and moves[2][2] == vector(2, 0))",
    ),
];

const SETTINGS: [&CStr; 8] = [
    c"dirs",
    c"min",
    c"max",
    c"passes",
    c"pushes",
    c"connected",
    c"among",
    c"moves",
];

/// A unit with what a script told about its moves.
struct Question<'a> {
    board: &'a Topology,
    units: Vec<UnitId>,
    spaces: Vec<Space>,
    piece: usize,
    directions: Vec<u8>,
    settings: Settings,
}

impl<'a> Question<'a> {
    /// Reads the unit from argument 1 and the settings that are `known` from argument `index`.
    fn read(
        c: &mut Call,
        declared: &'a Declarations,
        index: c_int,
        known: &[&'static CStr],
    ) -> Result<Self, String> {
        let unit = c.unit(1)?;
        let Some(Place::Board(here)) = c.world().tabletop.unit(unit).map(|u| u.place) else {
            let key = c.world().tabletop.unit_key(unit);
            return Err(format!("`{key}` stands on no board"));
        };
        let board = board_of(declared, here)?;
        let settings = Settings::read(c, index, known)?;
        let mut among = match settings.get(c, c"among") {
            Some(at) => unit_list(c, at).map_err(|e| in_setting(c"among", &e))?,
            None => {
                let units = c.world().tabletop.units();
                units
                    .filter_map(|(id, u)| {
                        if let Place::Board(s) = u.place {
                            Some((id, s))
                        } else {
                            None
                        }
                    })
                    .collect()
            }
        };
        among.retain(|(_, space)| space.board == here.board);
        if among.iter().all(|(id, _)| *id != unit) {
            among.push((unit, here));
        }
        among.sort_unstable();
        among.dedup();
        let (units, spaces): (Vec<_>, Vec<_>) = among.into_iter().unzip();
        let piece = units.iter().position(|id| *id == unit).unwrap_or_default();
        let directions = match settings.get(c, c"dirs") {
            Some(at) => directions(c, board, at).map_err(|e| in_setting(c"dirs", &e))?,
            None => (0..board.direction_names().len() as u8).collect(),
        };
        Ok(Self {
            board,
            units,
            spaces,
            piece,
            directions,
            settings,
        })
    }

    fn spec(&self, c: &Call) -> Result<Spec<'_>, String> {
        let long = 2_000_000;
        Ok(Spec {
            directions: &self.directions,
            min: self.settings.whole(c, c"min", long)?.unwrap_or(0),
            max: self.settings.whole(c, c"max", long)?,
            passes: self.settings.whole(c, c"passes", long)?.unwrap_or(0),
            pushes: self.settings.flag(c, c"pushes")?,
            connected: self.settings.flag(c, c"connected")?,
        })
    }

    /// Pushes what a move moves.
    fn push_moves(&self, c: &mut Call, found: &rays::Move) {
        unsafe {
            ffi::lua_createtable(c.l, 1 + found.pushed.len() as c_int, 0);
            for (i, (piece, space)) in found.shifts().enumerate() {
                ffi::lua_createtable(c.l, 2, 0);
                c.push_unit(self.units[piece]);
                ffi::lua_rawseti_(c.l, -2, 1);
                c.push_space(space);
                ffi::lua_rawseti_(c.l, -2, 2);
                ffi::lua_setreadonly(c.l, -1, 1);
                ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
            }
            ffi::lua_setreadonly(c.l, -1, 1);
        }
    }
}

fn directions(c: &Call, board: &Topology, index: c_int) -> Result<Vec<u8>, String> {
    c.table(index)?;
    let mut found = Vec::new();
    for i in 1..=unsafe { ffi::lua_objlen(c.l, index) } {
        unsafe { ffi::lua_rawgeti_(c.l, index, i as c_int) };
        let top = unsafe { ffi::lua_gettop(c.l) };
        found.push(direction(c, board, top)?);
        unsafe { ffi::lua_pop(c.l, 1) };
    }
    Ok(found)
}

fn ray_moves(c: &mut Call) -> Answer {
    let declared = declared(c);
    let question = Question::read(c, &declared, 2, &SETTINGS)?;
    let spec = question.spec(c)?;
    let found =
        rays::moves(question.board, &question.spaces, question.piece, &spec).map_err(|e| e.to_string())?;
    let names = question.board.direction_names();
    let whole = question.settings.get(c, c"moves").is_none() || question.settings.flag(c, c"moves")?;
    unsafe {
        // The keys are looked up once for all moves.
        let keys = ffi::lua_gettop(c.l) + 1;
        for key in ["dir", "length", "moves"] {
            c.push_text(key);
        }
        ffi::lua_createtable(c.l, found.len() as c_int, 0);
        for (i, found) in found.iter().enumerate() {
            ffi::lua_createtable(c.l, 0, 2 + c_int::from(whole));
            ffi::lua_pushvalue(c.l, keys);
            c.push_text(names[usize::from(found.direction)]);
            ffi::lua_rawset(c.l, -3);
            ffi::lua_pushvalue(c.l, keys + 1);
            c.push_number(f64::from(found.length));
            ffi::lua_rawset(c.l, -3);
            if whole {
                ffi::lua_pushvalue(c.l, keys + 2);
                question.push_moves(c, found);
                ffi::lua_rawset(c.l, -3);
            }
            ffi::lua_setreadonly(c.l, -1, 1);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(1)
}

fn landings(c: &mut Call) -> Answer {
    let declared = declared(c);
    let question = Question::read(c, &declared, 2, &[c"on", c"among"])?;
    let on = match question.settings.get(c, c"on") {
        Some(at) => Some(space_list(c, at).map_err(|e| in_setting(c"on", &e))?),
        None => None,
    };
    let found = landings_of(question.board, &question.spaces, question.piece, on.as_deref());
    c.push_spaces(found.map_err(|e| e.to_string())?.into_iter());
    Ok(1)
}

fn judge_ray(c: &mut Call) -> Answer {
    let declared = declared(c);
    let question = Question::read(c, &declared, 4, &SETTINGS)?;
    let spec = question.spec(c)?;
    let direction = direction(c, question.board, 2)?;
    let length = c.whole(3, 0, 4_000_000)? as u32;
    match rays::judge(
        question.board,
        &question.spaces,
        question.piece,
        direction,
        length,
        &spec,
    ) {
        Ok(found) => {
            question.push_moves(c, &found);
            Ok(1)
        }
        Err(refusal) => {
            c.push_nil();
            c.push_text(refusal.code());
            Ok(2)
        }
    }
}
