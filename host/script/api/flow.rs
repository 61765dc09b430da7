//! Steps, decisions, transactions and the log: how rules run. What may yield is in `prelude.luau`.
use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::sync::Arc;

use mlua::ffi;

use super::{Record, raw_fn};
use crate::script::call::{Answer, Call, push_reference, text_at, value_at};
use crate::script::vm::hint;
use crate::script::vm::raw::c_text;
use crate::tabletop::{Mark, Step, Value};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "next",
        c"next",
        raw_fn!(next),
        "(steps: {string | {[any]: any}}) -> ()",
        "Puts steps on the agenda, in reading order: `next { \"turn\", { \"damage\", amount = 2 } }`. A name without a point is of the running step's own prefix.",
        "local prompt = imagine(function() next { \"api.turn\" } end, {\n    policy = function(decision) return decision.options[1] end,\n    [\"until\"] = function() return game.turns == 2 end,\n    value = function() return units.first(vector(0, 0)).charge end,\n})\nassert(prompt == 1)",
    ),
    Record::raw(
        "finish",
        c"finish",
        raw_fn!(finish),
        "(result: string) -> ()",
        "Ends the game with a result such as `won` or `draw`; no further step runs.",
        "finish(\"won\")\nassert(result() == \"won\")",
    ),
    Record::raw(
        "result",
        c"result",
        raw_fn!(result),
        "() -> string?",
        "The result, once the game has ended.",
        "assert(result() == nil)",
    ),
    Record::raw(
        "log",
        c"log",
        raw_fn!(log),
        "(text: string) -> ()",
        "Adds a line to the log that players read. Journaled like every change.",
        "assert(log(\"The stone glows.\") == nil)",
    ),
    Record::prelude(
        "choose",
        "(decision: Decision) -> any",
        "Asks a person: waits for one option of a list (`kind` `one`, the default), `some` of them, or some of them `ordered`. An option (there are at most 10,000) is a unit, a space, a text, a number, or a table with a text `key` and a `label`; a card that an asked seat can't see has the key of its place, such as `deck:1` on top. `refuse(key)` may say why an answer that isn't offered is refused: it returns a code of rules.toml and a text. Returns the option, or the list of options.",
        "local picked = imagine(function()\n    return choose({ prompt = \"Pick\", options = { \"a\", \"b\" } })\nend, { policy = function(decision) return \"b\" end })\nassert(picked == \"b\")",
    ),
    Record::prelude(
        "attempt",
        "<A..., R...>(fn: (A...) -> R..., A...) -> (boolean, R...)",
        "Calls a function as a transaction: if it raises, every change that it made is taken back. Returns true and its results, or false and the error. `pcall` behaves so too.",
        "local stone = units.make(\"stones\")\nlocal ok = attempt(function() stone.charge = 5 error(\"no\") end)\nassert(not ok and stone.charge == 0)",
    ),
    Record::prelude(
        "imagine",
        "(fn: () -> any, settings: Imagine?) -> (any, string?)",
        "Runs real rules and takes everything back. `policy` answers decisions (`first`, `random`, or a function of the decision); `until` runs agenda steps until it returns true; `value` computes the result then; `seat` names who looks ahead: what that seat can't see is reshuffled, and dice come from forked streams; `samples` repeats it and returns the list. An error is returned as second value.",
        "local stone = units.make(\"stones\")\nlocal seen = imagine(function() stone.charge = 5 return stone.charge end)\nassert(seen == 5 and stone.charge == 0)",
    ),
    Record::raw(
        "memo",
        c"memo",
        raw_fn!(super::memo::memo),
        "<K, V>(fn: (K) -> V, of: (\"all\" | \"board\")?) -> (K) -> V",
        "A function that remembers its results until anything on the tabletop changes; of `board` until a unit that stands on a board moves, enters, leaves or changes face, facing or side, or a space's field is written: it may read nothing else. The function takes one argument, which may be nil. Results are frozen with all that they hold.",
        "local asked = { 0 }\nlocal standing = memo(function(x)\n    asked[1] += 1\n    return units.first(vector(x, 0)) ~= nil\nend, \"board\")\nlocal stone = units.make(\"stones\", { space = vector(1, 0) })\nassert(standing(1) and not standing(2))\nstone.charge = 2\nassert(standing(1) and asked[1] == 2)\nstone.space = vector(2, 0)\nassert(standing(2) and not standing(1))\nlocal said = memo(tostring)\nassert(said(nil) == \"nil\" and said(false) == \"false\")",
    ),
];

/// The nearest of some names, for messages of a prelude.
pub const HINT: mlua::lua_CFunction = raw_fn!(hint_for);

/// Functions that only the prelude gets.
pub const PRELUDE: &[(&CStr, mlua::lua_CFunction)] = &[
    (c"may_choose", raw_fn!(may_choose)),
    (c"check_decision", raw_fn!(super::choose::check)),
    (c"killed", raw_fn!(killed)),
    (c"begin_imagining", raw_fn!(begin_imagining)),
    (c"end_imagining", raw_fn!(end_imagining)),
    (c"random", raw_fn!(random)),
    (c"pop_step", raw_fn!(pop_step)),
    (c"ended", raw_fn!(ended)),
    (c"hint", HINT),
    (c"define_step", raw_fn!(define_step)),
    (c"open_steps", raw_fn!(open_steps)),
    (c"code_files", raw_fn!(code_files)),
    (c"plain", raw_fn!(plain)),
    (c"code", raw_fn!(code)),
    (c"with_code", raw_fn!(super::library::with_code)),
    (c"packs_with", raw_fn!(super::library::packs_with)),
];

fn next(c: &mut Call) -> Answer {
    c.table(1)?;
    if !c.world().running {
        return Err("`next` works only while a step runs".into());
    }
    let count = unsafe { ffi::lua_objlen(c.l, 1) };
    refuse_loose_arguments(c)?;
    let mut steps = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe { ffi::lua_rawgeti_(c.l, 1, i as c_int) };
        steps.push(step_at(c, i)?);
        unsafe { ffi::lua_pop(c.l, 1) };
    }
    c.world().tabletop.push_steps(steps).map_err(|e| e.to_string())?;
    Ok(0)
}

/// With one pair of braces too few, arguments would stand beside the steps and mean nothing.
fn refuse_loose_arguments(c: &Call) -> Result<(), String> {
    let mut place = 0;
    loop {
        place = unsafe { ffi::lua_rawiter(c.l, 1, place) };
        if place < 0 {
            return Ok(());
        }
        if unsafe { ffi::lua_type(c.l, -2) } == ffi::LUA_TSTRING {
            let name = unsafe { text_at(c.l, -2) }.unwrap_or("?");
            return Err(format!(
                "`next` takes a list of steps; `{name}` stands beside them: write next({{ {{ \"name\", {name} = value }} }})"
            ));
        }
        unsafe { ffi::lua_pop(c.l, 2) };
    }
}

/// The step that the value on top of the stack describes.
fn step_at(c: &mut Call, number: usize) -> Result<Step, String> {
    match unsafe { ffi::lua_type(c.l, -1) } {
        ffi::LUA_TSTRING => {
            let Some(name) = (unsafe { text_at(c.l, -1) }) else {
                return Err("a step's name is not UTF-8".into());
            };
            Ok(Step {
                name: full_name(c, name)?,
                arguments: BTreeMap::new(),
            })
        }
        ffi::LUA_TTABLE => {
            let at = unsafe { ffi::lua_absindex(c.l, -1) };
            let mut name = None;
            let mut arguments = BTreeMap::new();
            let mut place = 0;
            loop {
                place = unsafe { ffi::lua_rawiter(c.l, at, place) };
                if place < 0 {
                    break;
                }
                match unsafe { ffi::lua_type(c.l, -2) } {
                    ffi::LUA_TNUMBER
                        if name.is_none() && unsafe { ffi::lua_type(c.l, -1) } == ffi::LUA_TSTRING =>
                    {
                        let Some(text) = (unsafe { text_at(c.l, -1) }) else {
                            return Err("a step's name is not UTF-8".into());
                        };
                        name = Some(full_name(c, text)?);
                    }
                    ffi::LUA_TSTRING => {
                        let Some(key) = (unsafe { text_at(c.l, -2) }) else {
                            return Err("a name is not UTF-8".into());
                        };
                        let world = c.world_ptr();
                        let value = unsafe { value_at(c.l, world, -1, 0) }
                            .map_err(|e| format!("step {number}, `{key}`: {e}"))?;
                        arguments.insert(key.into(), value);
                    }
                    _ => return Err(format!("step {number}: write {{ \"name\", argument = value }}")),
                }
                unsafe { ffi::lua_pop(c.l, 2) };
            }
            let name = name.ok_or_else(|| {
                format!("step {number} has no name: write {{ \"name\", argument = value }}")
            })?;
            Ok(Step { name, arguments })
        }
        _ => Err(format!(
            "step {number}: expected a name or {{ \"name\", argument = value }}, got {}",
            c.type_name(-1)
        )),
    }
}

pub fn full_name(c: &mut Call, name: &str) -> Result<Arc<str>, String> {
    let mut full = smallvec::SmallVec::<[u8; 64]>::new();
    if !name.contains('.') {
        full.extend_from_slice(c.world().prefix.as_bytes());
        full.push(b'.');
    }
    full.extend_from_slice(name.as_bytes());
    let steps = &c.world().steps;
    // Sorted by the driver.
    if let Ok(at) = steps.binary_search_by(|step| step.as_bytes().cmp(&full)) {
        return Ok(steps[at].clone());
    }
    let full = String::from_utf8_lossy(&full);
    let hint = hint(&full, steps.iter().map(|s| &**s));
    Err(format!("there is no step `{full}`{hint}"))
}

fn finish(c: &mut Call) -> Answer {
    let result: Arc<str> = c.text(1)?.into();
    if !c.world().running {
        return Err("`finish` works only while a step runs".into());
    }
    if result.is_empty() || result.len() > 100 {
        return Err("a result is a short text such as \"won\"".into());
    }
    c.world().tabletop.set_result(Some(result));
    Ok(0)
}

fn result(c: &mut Call) -> Answer {
    match c.world().tabletop.result().cloned() {
        Some(result) => c.push_text(&result),
        None => c.push_nil(),
    }
    Ok(1)
}

fn log(c: &mut Call) -> Answer {
    let text: Arc<str> = c.text(1)?.into();
    c.world().tabletop.add_log(text).map_err(|e| e.to_string())?;
    Ok(0)
}

fn may_choose(c: &mut Call) -> Answer {
    let may = c.world().running && unsafe { ffi::lua_isyieldable(c.l) } != 0;
    c.push_bool(may);
    Ok(1)
}

fn killed(c: &mut Call) -> Answer {
    let killed = c.world().is_killed();
    c.push_bool(killed);
    Ok(1)
}

fn begin_imagining(c: &mut Call) -> Answer {
    let seat = c.optional_text(1)?.map(str::to_owned);
    if let Some(seat) = &seat {
        let declared = c.world().tabletop.declared().clone();
        if !declared.seats.iter().any(|s| **s == **seat) {
            let hint = hint(seat, declared.seats.iter().map(|s| &**s));
            return Err(format!("there is no seat `{seat}`{hint}"));
        }
    }
    let sample = c.whole(2, 0, 1 << 40)? as u64;
    let world = c.world();
    let token = (
        world.tabletop.mark().index(),
        world.tabletop.push_point(),
        world.prefix.clone(),
        world.running,
    );
    world.tabletop.begin_imagining(seat.as_deref(), sample);
    world.running = true;
    world.imagined.push(token);
    let depth = world.imagined.len();
    c.push_number(depth as f64);
    Ok(1)
}

fn end_imagining(c: &mut Call) -> Answer {
    let depth = c.number(1)? as usize;
    let world = c.world();
    while world.imagined.len() >= depth {
        let Some((mark, push_point, prefix, running)) = world.imagined.pop() else {
            break;
        };
        world.tabletop.rollback(Mark::at(mark));
        world.tabletop.set_push_point(push_point);
        world.tabletop.end_imagining();
        world.prefix = prefix;
        world.running = running;
        world.drop_triggers_beyond(Mark::at(mark));
    }
    Ok(0)
}

fn random(c: &mut Call) -> Answer {
    let bound = c.whole(1, 1, 1 << 40)? as u64;
    let number = c.world().tabletop.imagined_number(bound);
    c.push_number(number as f64 + 1.0);
    Ok(1)
}

fn pop_step(c: &mut Call) -> Answer {
    let Some(step) = c.world().tabletop.pop_step() else {
        c.push_nil();
        return Ok(1);
    };
    let world = c.world();
    let function = match world.step_function(&step.name) {
        Some(function) => function,
        None => return Err(format!("there is no step `{}`", step.name)),
    };
    world.set_prefix(&step.name);
    unsafe { push_reference(c.l, function) };
    c.push_value(&Value::Map(step.arguments.into()));
    Ok(2)
}

fn ended(c: &mut Call) -> Answer {
    let ended = c.world().tabletop.result().is_some();
    c.push_bool(ended);
    Ok(1)
}

fn hint_for(c: &mut Call) -> Answer {
    let name = c.text(1)?.to_owned();
    let mut known = Vec::new();
    for i in 2..=c.count() {
        known.push(c.text(i)?.to_owned());
    }
    let hint = hint(&name, known.iter().map(String::as_str));
    c.push_text(&hint);
    Ok(1)
}

/// `(prefix, steps)`: the table that scripts get, which must hold no state either once all is loaded.
fn open_steps(c: &mut Call) -> Answer {
    let prefix = c.text(1)?.to_owned();
    if !is_snake(&prefix) {
        return Err(format!(
            "`{prefix}` is no prefix of steps: use small letters, digits and underscores"
        ));
    }
    if c.world().loaded {
        return Err("steps are defined while a pack loads, not later".into());
    }
    unsafe {
        let front = ffi::lua_ref(c.l, 2);
        ffi::lua_createtable(c.l, 0, 8);
        let reference = ffi::lua_ref(c.l, -1);
        c.world().step_tables.push((prefix.into(), reference, front));
    }
    Ok(1)
}

fn define_step(c: &mut Call) -> Answer {
    let name = format!("{}.{}", c.text(1)?, c.text(2)?);
    let short = c.text(2)?;
    if !is_snake(short) {
        return Err(format!(
            "`{short}` is no name of a step: use small letters, digits and underscores"
        ));
    }
    let place = unsafe {
        let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
        // Level 1 is the prelude's function, which this one is called by; 2 is who defines the step.
        match ffi::lua_getinfo(c.l, 2, c"sl".as_ptr(), &mut debug) {
            0 => String::new(),
            _ => format!("{}:{}", c_text(debug.short_src), debug.currentline),
        }
    };
    let world = c.world();
    if world.loaded {
        return Err("steps are defined while a pack loads, not later".into());
    }
    if let Some(at) = world.steps.iter().position(|s| **s == *name) {
        let first = world.step_places.get(at).cloned().unwrap_or_default();
        c.push_text(&format!(
            "the step `{name}` is defined twice; the first is at {first}"
        ));
        return Ok(1);
    }
    world.steps.push(name.into());
    world.step_places.push(place);
    Ok(0)
}

fn code_files(c: &mut Call) -> Answer {
    let (pack, kind, id) = (
        c.text(1)?.to_owned(),
        c.text(2)?.to_owned(),
        c.text(3)?.to_owned(),
    );
    let catalogue = c.world().catalogue.clone();
    let entry = catalogue
        .kinds
        .get(&kind)
        .and_then(|k| k.entries.iter().find(|e| e.pack == pack && e.id == id));
    match entry {
        Some(entry) if !entry.scripts.is_empty() => {
            let files = Value::List(
                entry
                    .scripts
                    .iter()
                    .map(|s| Value::from(s.trim_end_matches(".luau")))
                    .collect(),
            );
            c.push_value(&files);
        }
        _ => c.push_nil(),
    }
    Ok(1)
}

/// Plain data as it is; of what an imagined course made only plain data may come back.
fn plain(c: &mut Call) -> Answer {
    if unsafe { ffi::lua_type(c.l, 1) } == ffi::LUA_TTABLE {
        match c.value(1) {
            Ok(value) => c.push_value(&value),
            Err(_) => unsafe { ffi::lua_pushvalue(c.l, 1) },
        }
    } else {
        unsafe { ffi::lua_pushvalue(c.l, 1) };
    }
    Ok(1)
}

/// The merged code of a definition with overlays: read, or kept.
fn code(c: &mut Call) -> Answer {
    let key = c.text(1)?.to_owned();
    if c.is_none(2) {
        match c.world().codes.get(&key).copied() {
            Some(reference) => unsafe {
                push_reference(c.l, reference);
            },
            None => c.push_nil(),
        }
    } else {
        let reference = unsafe { ffi::lua_ref(c.l, 2) };
        c.world().codes.insert(key, reference);
        unsafe { ffi::lua_pushvalue(c.l, 2) };
    }
    Ok(1)
}

/// Small letters, digits and underscores, a letter first.
fn is_snake(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 60
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
