//! Patterns: arrangements of pieces found on a board, and shapes laid on it.
use std::ffi::{CStr, c_int};

use mlua::ffi;

use super::super::arguments::{Failure, Rule, Settings, in_setting, space_list};
use super::super::{Record, raw_fn};
use super::directions::lattice;
use super::{board_of, declared};
use crate::script::call::{Answer, Call, push_space};
use crate::tabletop::board::pattern::{Mode, Pattern, Place, Placement};
use crate::tabletop::board::{Lattice, Orientation};
use crate::tabletop::{self, Space};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.match",
        c"match",
        raw_fn!(find),
        "(pattern: Pattern, pieces: {Unit | Space}, settings: Match?) -> {Placement}",
        "Where a pattern is found among pieces, in order. A pattern is a list of text rows (`.` nothing, `#` any piece, another sign a need), or of offsets and `{ offset, need }`. With `exact` every piece must stand on it. `rotate` and `mirror` let turned and mirrored images count; `origins` restricts where its origin lies. A need is met by a unit with that name or key, or, if it is a unit, by that unit; `fits(space, need)` judges it otherwise. A placement is `{ origin, spaces, turn, mirrored }`, `spaces` in the pattern's order.",
        "local ruby = units.make(\"stones/ruby\", { space = vector(2, 2) })\nlocal stone = units.make(\"stones\", { space = vector(3, 2) })\nlocal row = { \"R#\" }\nlocal function fits(space, need) return need == \"R\" and space == ruby.space end\nassert(#board.match(row, { ruby, stone }, { exact = true, fits = fits }) == 1)\nassert(#board.match({ { vector(0, 0), \"ruby\" }, vector(0, 1) }, { ruby, stone }) == 0)\nassert(#board.match({ { vector(0, 0), \"ruby\" }, vector(0, 1) }, { ruby, stone }, { rotate = true }) == 1)",
    ),
    Record::raw(
        "board.placements",
        c"placements",
        raw_fn!(placements),
        "(pattern: Pattern, origins: {Space}, settings: Lay?) -> {Placement}",
        "The ways to lay a pattern with its origin on one of `origins`; images that cover the same spaces come once. `rotate` and `mirror` as for `board.match`. Spaces off the board are left out of a placement; with `whole` such placements are.",
        "assert(#board.placements({ \"##\" }, { vector(2, 2) }, { rotate = true }) == 4)\nassert(#board.placements({ \"##\" }, { vector(4, 4) }, { rotate = true, whole = true }) == 2)",
    ),
];

const MATCH: [&CStr; 5] = [c"exact", c"rotate", c"mirror", c"origins", c"fits"];
const LAY: [&CStr; 3] = [c"rotate", c"mirror", c"whole"];
/// A pattern has no more places than this.
const PLACES: usize = 10_000;

/// What a place asks for.
enum Need {
    Text(String),
    Unit(tabletop::UnitId),
}

/// Reads argument 1.
fn pattern(c: &mut Call) -> Result<(Pattern, Vec<Need>), String> {
    c.table(1)?;
    unsafe { ffi::lua_rawcheckstack(c.l, 30) };
    let (mut places, mut needs) = (Vec::new(), Vec::new());
    for i in 1..=unsafe { ffi::lua_objlen(c.l, 1) } {
        let kind = unsafe { ffi::lua_rawgeti_(c.l, 1, i as c_int) };
        let at = unsafe { ffi::lua_gettop(c.l) };
        let wrong = |e: &str| format!("place {i} of the pattern: {e}");
        match kind {
            ffi::LUA_TSTRING => {
                for (q, sign) in c.text(at)?.chars().enumerate() {
                    let need = match sign {
                        '.' | ' ' => continue,
                        '#' => None,
                        other => {
                            needs.push(Need::Text(other.into()));
                            Some(needs.len() as u32 - 1)
                        }
                    };
                    places.push(Place {
                        offset: (q as i32, i as i32 - 1),
                        needs: need,
                    });
                }
            }
            ffi::LUA_TTABLE => {
                unsafe {
                    ffi::lua_rawgeti_(c.l, at, 1);
                    ffi::lua_rawgeti_(c.l, at, 2);
                }
                let offset = c.space(at + 1).map_err(|_| wrong("expected { offset, need }"))?;
                needs.push(match unsafe { ffi::lua_type(c.l, at + 2) } {
                    ffi::LUA_TSTRING => Need::Text(c.text(at + 2)?.into()),
                    _ => Need::Unit(c.unit(at + 2).map_err(|_| wrong("a need is a text or a unit"))?),
                });
                places.push(Place {
                    offset: (offset.q, offset.r),
                    needs: Some(needs.len() as u32 - 1),
                });
            }
            _ => {
                let offset = c
                    .space(at)
                    .map_err(|_| wrong("expected a text row, an offset or { offset, need }"))?;
                places.push(Place {
                    offset: (offset.q, offset.r),
                    needs: None,
                });
            }
        }
        unsafe { ffi::lua_settop(c.l, at - 1) };
        if places.len() > PLACES {
            return Err(format!("a pattern has at most {PLACES} places"));
        }
    }
    Ok((Pattern::new(places), needs))
}

/// The spaces of argument 2: a list of units and spaces.
fn pieces(c: &mut Call) -> Result<Vec<Space>, String> {
    c.table(2)?;
    let mut spaces = Vec::new();
    for i in 1..=unsafe { ffi::lua_objlen(c.l, 2) } {
        let kind = unsafe { ffi::lua_rawgeti_(c.l, 2, i as c_int) };
        let at = unsafe { ffi::lua_gettop(c.l) };
        if kind == ffi::LUA_TVECTOR {
            spaces.push(c.space(at)?);
        } else {
            let unit = c.unit(at).map_err(|e| {
                format!(
                    "item {i} of the pieces: {}",
                    e.replace(&format!("argument {at}: "), "")
                )
            })?;
            if let Some(tabletop::Place::Board(space)) = c.world().tabletop.unit(unit).map(|u| u.place) {
                spaces.push(space);
            }
        }
        unsafe { ffi::lua_pop(c.l, 1) };
    }
    Ok(spaces)
}

fn orientations(c: &Call, settings: &Settings, lattice: Lattice) -> Result<Vec<Orientation>, String> {
    Ok(lattice.orientations(settings.flag(c, c"rotate")?, settings.flag(c, c"mirror")?))
}

fn find(c: &mut Call) -> Answer {
    let declared = declared(c);
    let settings = Settings::read(c, 3, &MATCH)?;
    let ((pattern, needs), pieces) = (pattern(c)?, pieces(c)?);
    let Some(first) = pieces.first() else {
        return push_placements(c, &[]);
    };
    let lattice = lattice(board_of(&declared, *first)?)?;
    if let Some(other) = pieces.iter().find(|s| s.board != first.board) {
        let names = [first, other].map(|s| board_of(&declared, *s).map_or("?", |b| b.name()));
        return Err(format!(
            "the pieces stand on two boards, `{}` and `{}`",
            names[0], names[1]
        ));
    }
    let orientations = orientations(c, &settings, lattice)?;
    let origins = match settings.get(c, c"origins") {
        None => None,
        Some(at) => Some(space_list(c, at).map_err(|e| in_setting(c"origins", &e))?),
    };
    let mode = if settings.flag(c, c"exact")? {
        Mode::Exact
    } else {
        Mode::Subset
    };
    let fits = settings.rule(c, c"fits")?;
    if !matches!(fits, Rule::Default | Rule::Function(_)) {
        return Err("`fits`: expected a function of a space and a need".into());
    }
    let failure = Failure::default();
    let (l, world) = (c.l, c.world_ptr());
    let meets = |space: Space, need: u32| {
        let need = &needs[need as usize];
        if matches!(fits, Rule::Default) {
            // No script runs while this borrow lives.
            let tabletop = unsafe { &(*world).tabletop };
            return tabletop.units_at(space).into_iter().any(|id| match need {
                Need::Unit(unit) => *unit == id,
                Need::Text(text) => {
                    tabletop.unit_key(id) == *text
                        || tabletop
                            .unit(id)
                            .is_some_and(|u| **tabletop.unit_name(u) == **text)
                }
            });
        }
        let push = || unsafe {
            push_space(l, space);
            match need {
                Need::Text(text) => ffi::lua_pushlstring_(l, text.as_ptr().cast(), text.len()),
                Need::Unit(unit) => crate::script::call::push_value(l, world, &tabletop::Value::Unit(*unit)),
            }
            2
        };
        fits.ask(l, &failure, space, push).is_true(false)
    };
    let found = pattern.matches(lattice, &pieces, mode, &orientations, origins.as_deref(), meets);
    failure.check()?;
    push_placements(c, &found)
}

fn placements(c: &mut Call) -> Answer {
    let declared = declared(c);
    let settings = Settings::read(c, 3, &LAY)?;
    let ((pattern, _), origins) = (pattern(c)?, space_list(c, 2)?);
    let Some(first) = origins.first() else {
        return push_placements(c, &[]);
    };
    let board = board_of(&declared, *first)?;
    let lattice = lattice(board)?;
    let orientations = orientations(c, &settings, lattice)?;
    let mut found = pattern.placements(lattice, &origins, &orientations);
    if settings.flag(c, c"whole")? {
        found.retain(|p| p.spaces.iter().all(|s| board.contains(*s)));
    } else {
        found
            .iter_mut()
            .for_each(|p| p.spaces.retain(|s| board.contains(*s)));
    }
    push_placements(c, &found)
}

fn push_placements(c: &Call, found: &[Placement]) -> Answer {
    unsafe {
        ffi::lua_createtable(c.l, found.len() as c_int, 0);
        for (i, placement) in found.iter().enumerate() {
            ffi::lua_createtable(c.l, 0, 4);
            c.push_space(placement.origin);
            ffi::lua_rawsetfield(c.l, -2, c"origin".as_ptr());
            c.push_spaces(placement.spaces.iter().copied());
            ffi::lua_rawsetfield(c.l, -2, c"spaces".as_ptr());
            c.push_number(f64::from(placement.orientation.turn));
            ffi::lua_rawsetfield(c.l, -2, c"turn".as_ptr());
            c.push_bool(placement.orientation.flip);
            ffi::lua_rawsetfield(c.l, -2, c"mirrored".as_ptr());
            ffi::lua_setreadonly(c.l, -1, 1);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(1)
}
