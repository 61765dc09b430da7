//! Reading the table that `choose` was given.
use std::ffi::{CStr, c_int};

use mlua::ffi;
use mlua::lua_State;

use super::decision::{Choice, Decision, Kind, Refusal};
use crate::script::Program;
use crate::script::call::{TAG_UNIT, space_of, text_at};
use crate::script::vm::ScriptError;
use crate::script::world::World;
use crate::tabletop::board::key as space_key;
use crate::tabletop::{Place, UnitId, Value};

/// What an answer may be, without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub kind: Kind,
    pub min: usize,
    pub max: usize,
    pub options: usize,
}

/// Whether the answer is a list.
pub fn is_several(kind: Kind) -> bool {
    matches!(kind, Kind::Some | Kind::Ordered)
}

/// Pushes a key of the decision's table.
unsafe fn field(l: *mut lua_State, name: &CStr) -> c_int {
    unsafe {
        ffi::lua_rawcheckstack(l, 6);
        ffi::lua_rawgetfield(l, -1, name.as_ptr())
    }
}

pub fn count(program: &Program) -> usize {
    let Some(l) = program.decision_thread() else {
        return 0;
    };
    unsafe {
        let count = if field(l, c"options") == ffi::LUA_TTABLE {
            ffi::lua_objlen(l, -1)
        } else {
            0
        };
        ffi::lua_pop(l, 1);
        count
    }
}

pub fn bounds(program: &Program) -> Bounds {
    let options = count(program);
    let Some(l) = program.decision_thread() else {
        return Bounds {
            kind: Kind::One,
            min: 0,
            max: 0,
            options,
        };
    };
    let kind = text_field(l, c"kind")
        .and_then(|k| Kind::parse(&k))
        .unwrap_or(Kind::One);
    if !is_several(kind) {
        return Bounds {
            kind,
            min: 1,
            max: 1,
            options,
        };
    }
    let number = |name, default: usize| number_field(l, name).map_or(default, |n| n as usize);
    Bounds {
        kind,
        min: number(c"min", 0),
        max: number(c"max", options),
        options,
    }
}

/// Whether the decision is for the seat, without building anything.
pub fn is_asked(program: &Program, seat: &str) -> bool {
    let Some(l) = program.decision_thread() else {
        return false;
    };
    unsafe {
        let named = field(l, c"seat") == ffi::LUA_TSTRING;
        let is_seat = named && text_at(l, -1) == Some(seat);
        ffi::lua_pop(l, 1);
        if is_seat {
            return true;
        }
        if field(l, c"seats") != ffi::LUA_TTABLE {
            ffi::lua_pop(l, 1);
            return !named;
        }
        let count = ffi::lua_objlen(l, -1);
        let mut found = count == 0 && !named;
        for i in 1..=count {
            found |= ffi::lua_rawgeti_(l, -1, i as c_int) == ffi::LUA_TSTRING && text_at(l, -1) == Some(seat);
            ffi::lua_pop(l, 1);
        }
        ffi::lua_pop(l, 1);
        found
    }
}

/// The first seat that the open decision asks, by its place among the seats; without building anything.
pub fn first_asked(program: &Program) -> usize {
    let Some(l) = program.decision_thread() else {
        return 0;
    };
    let seats = &program.tabletop().declared().seats;
    let place = |name: Option<&str>| seats.iter().position(|seat| Some(&**seat) == name);
    unsafe {
        let mut found = None;
        if field(l, c"seat") == ffi::LUA_TSTRING {
            found = place(text_at(l, -1));
        }
        ffi::lua_pop(l, 1);
        if found.is_none() {
            if field(l, c"seats") == ffi::LUA_TTABLE {
                ffi::lua_rawgeti_(l, -1, 1);
                found = (ffi::lua_type(l, -1) == ffi::LUA_TSTRING)
                    .then(|| place(text_at(l, -1)))
                    .flatten();
                ffi::lua_pop(l, 1);
            }
            ffi::lua_pop(l, 1);
        }
        found.unwrap_or(0)
    }
}

fn text_field(l: *mut lua_State, name: &CStr) -> Option<String> {
    unsafe {
        let text = (field(l, name) == ffi::LUA_TSTRING)
            .then(|| text_at(l, -1).map(str::to_owned))
            .flatten();
        ffi::lua_pop(l, 1);
        text
    }
}

fn number_field(l: *mut lua_State, name: &CStr) -> Option<f64> {
    unsafe {
        let is_number = field(l, name) == ffi::LUA_TNUMBER;
        let number = is_number.then(|| ffi::lua_tonumberx(l, -1, std::ptr::null_mut()));
        ffi::lua_pop(l, 1);
        number
    }
}

/// The open decision in full. An option that can't be shown, or two with one key, are errors.
pub fn read(program: &mut Program, key: String, id: u64) -> Result<Decision, ScriptError> {
    let bounds = bounds(program);
    let Some(l) = program.decision_thread() else {
        return Err(ScriptError::new("no decision is open"));
    };
    let world: *const World = program.world_mut();
    let world = unsafe { &*world };
    let all = &world.tabletop.declared().seats;
    let mut seats = asked(l);
    if let Some(unknown) = seats.iter().find(|s| !all.iter().any(|a| **a == ***s)) {
        let hint = crate::script::vm::hint(unknown, all.iter().map(|s| &**s));
        return Err(ScriptError::new(format!(
            "the decision `{key}` asks the seat `{unknown}`, which there is not{hint}"
        )));
    }
    if seats.is_empty() {
        seats = all.iter().map(|s| s.to_string()).collect();
    }
    let mut options: Vec<Choice> = Vec::with_capacity(bounds.options);
    unsafe {
        field(l, c"options");
        for i in 1..=bounds.options {
            ffi::lua_rawgeti_(l, -1, i as c_int);
            let choice = choice(l, world, &seats);
            ffi::lua_pop(l, 1);
            match choice {
                Ok(choice) => options.push(choice),
                Err(problem) => {
                    ffi::lua_pop(l, 1);
                    return Err(ScriptError::new(format!(
                        "the decision `{key}`, option {i}: {problem}"
                    )));
                }
            }
        }
        ffi::lua_pop(l, 1);
    }
    let mut keys: Vec<&str> = options.iter().map(|o| o.key.as_str()).collect();
    keys.sort_unstable();
    if let Some(twice) = keys.windows(2).find(|w| w[0] == w[1]) {
        return Err(ScriptError::new(format!(
            "the decision `{key}` offers `{}` twice",
            twice[0]
        )));
    }
    let prompt = text_field(l, c"prompt").unwrap_or_else(|| "Choose".into());
    check_label("prompt", &prompt).map_err(|e| ScriptError::new(format!("the decision `{key}`: {e}")))?;
    Ok(Decision {
        id,
        key,
        seats,
        kind: bounds.kind,
        prompt,
        min: bounds.min,
        max: bounds.max,
        options,
    })
}

/// The seats that the decision names, which may be none.
fn asked(l: *mut lua_State) -> Vec<String> {
    let mut seats = Vec::new();
    if let Some(seat) = text_field(l, c"seat") {
        seats.push(seat);
    }
    unsafe {
        if field(l, c"seats") == ffi::LUA_TTABLE {
            for i in 1..=ffi::lua_objlen(l, -1) {
                if ffi::lua_rawgeti_(l, -1, i as c_int) == ffi::LUA_TSTRING
                    && let Some(seat) = text_at(l, -1)
                {
                    seats.push(seat.to_owned());
                }
                ffi::lua_pop(l, 1);
            }
        }
        ffi::lua_pop(l, 1);
    }
    seats
}

/// The option on top of the stack, as the asked seats may know it.
unsafe fn choice(l: *mut lua_State, world: &World, seats: &[String]) -> Result<Choice, String> {
    unsafe {
        let plain = |key: String, label: String| {
            Ok(Choice {
                key,
                label,
                detail: None,
                brief: false,
                group: None,
                seat: None,
            })
        };
        match ffi::lua_type(l, -1) {
            ffi::LUA_TSTRING => {
                let text = text_at(l, -1).ok_or("the text is not UTF-8")?;
                check_key(text)?;
                plain(text.into(), text.into())
            }
            ffi::LUA_TNUMBER => {
                let number = ffi::lua_tonumberx(l, -1, std::ptr::null_mut());
                if !number.is_finite() {
                    return Err(format!(
                        "the number {number} is no option; give a finite one, or a text"
                    ));
                }
                plain(number.to_string(), number.to_string())
            }
            ffi::LUA_TBOOLEAN => {
                let (key, label) = if ffi::lua_toboolean(l, -1) != 0 {
                    ("yes", "yes")
                } else {
                    ("no", "no")
                };
                plain(key.into(), label.into())
            }
            ffi::LUA_TVECTOR => {
                let v = ffi::lua_tovector(l, -1);
                let space = space_of(*v, *v.add(1), *v.add(2))?;
                let text = space_text(world, space);
                plain(text.clone(), text)
            }
            ffi::LUA_TLIGHTUSERDATA if ffi::lua_lightuserdatatag(l, -1) == TAG_UNIT => {
                let bits = ffi::lua_tolightuserdata(l, -1) as usize as u64;
                let key = unit_text(world, world.living(bits)?, seats);
                plain(key.clone(), key)
            }
            ffi::LUA_TTABLE => {
                let get = |name: &CStr| {
                    let text = (field(l, name) == ffi::LUA_TSTRING)
                        .then(|| text_at(l, -1).map(str::to_owned))
                        .flatten();
                    ffi::lua_pop(l, 1);
                    text
                };
                let key = get(c"key").ok_or("a table needs a text `key`")?;
                check_key(&key)?;
                let label = get(c"label").unwrap_or_else(|| key.clone());
                check_label("label", &label)?;
                let detail = get(c"detail");
                if let Some(detail) = &detail {
                    check_label("detail", detail)?;
                }
                let brief = field(l, c"brief") == ffi::LUA_TBOOLEAN && ffi::lua_toboolean(l, -1) != 0;
                ffi::lua_pop(l, 1);
                Ok(Choice {
                    key,
                    label,
                    detail,
                    brief,
                    group: get(c"group"),
                    seat: get(c"seat"),
                })
            }
            _ => Err(
                "an option is a unit, a space, a text, a number, a boolean or a table with a `key`".into(),
            ),
        }
    }
}

/// The text key of a unit; of a card that one of the seats can't see only where it lies: `deck:1` is on top.
fn unit_text(world: &World, id: UnitId, seats: &[String]) -> String {
    let tabletop = &world.tabletop;
    if seats.iter().all(|seat| tabletop.sees_unit(Some(seat), id)) {
        return tabletop.unit_key(id);
    }
    match (tabletop.unit(id).map(|u| u.place), tabletop.position(id)) {
        (Some(Place::Pile(pile)), Some(position)) => {
            format!("{}:{position}", tabletop.declared().piles[usize::from(pile)].name)
        }
        _ => tabletop.unit_key(id),
    }
}

/// The text key of a space: `(3,-1)`, a region's id, with several boards `map:(3,-1)`.
pub fn space_text(world: &World, space: crate::tabletop::Space) -> String {
    space_key::format(&world.tabletop.declared().topologies, space)
}

fn check_key(key: &str) -> Result<(), String> {
    if key.is_empty() || key.len() > 100 || key.chars().any(|c| c.is_control()) || key.trim() != key {
        return Err(format!(
            "`{}` is no key: use 1 to 100 visible characters",
            key.escape_debug()
        ));
    }
    Ok(())
}

/// Bytes of a label or a prompt, which people read.
const LABEL: usize = 2_000;

fn check_label(what: &str, text: &str) -> Result<(), String> {
    if text.len() > LABEL {
        return Err(format!(
            "the {what} has {} bytes; at most {LABEL} are shown",
            text.len()
        ));
    }
    Ok(())
}

/// Asks the decision's `refuse` why a key isn't offered.
pub fn refuse(program: &mut Program, refusal: Refusal, keys: &[String]) -> Refusal {
    let Some(l) = program.decision_thread() else {
        return refusal;
    };
    let reference = unsafe {
        let is_function = field(l, c"refuse") == ffi::LUA_TFUNCTION;
        let reference = is_function.then(|| ffi::lua_ref(l, -1));
        ffi::lua_pop(l, 1);
        reference
    };
    let Some(reference) = reference else {
        return refusal;
    };
    let mut answer = Ok(Value::Nil);
    for key in keys {
        answer = program.call(reference, |l, _| unsafe {
            ffi::lua_pushlstring_(l, key.as_ptr().cast(), key.len());
            1
        });
        if !matches!(answer, Ok(Value::Nil)) {
            break;
        }
    }
    unsafe { ffi::lua_unref(l, reference) };
    match answer {
        Ok(Value::Text(code)) if is_code(&code) => from_code(program, &code, refusal),
        Ok(Value::Text(code)) => {
            let shown: String = code.chars().take(60).collect();
            let message = format!(
                "{}; `refuse` must return a code such as `too_far`, not `{}`",
                refusal.message,
                shown.escape_debug()
            );
            Refusal::new("not_offered", message)
        }
        Ok(_) => refusal,
        Err(error) => Refusal::new(
            "not_offered",
            format!("{}; and why could not be told: {error}", refusal.message),
        ),
    }
}

/// The game's own word for a refusal that the host found, where `rules.toml` has that code.
pub fn reword(program: &Program, refusal: Refusal, _keys: &[String]) -> Refusal {
    match program.catalogue().refusals.get(&refusal.code) {
        Some(known) => Refusal {
            code: refusal.code,
            rule: Some(known.rule.clone()),
            message: known.text.clone(),
        },
        None => refusal,
    }
}

/// Codes travel over the wire, whose schema says how they look.
fn is_code(code: &str) -> bool {
    code.len() <= 60
        && code.starts_with(|c: char| c.is_ascii_lowercase())
        && code
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn from_code(program: &Program, code: &str, refusal: Refusal) -> Refusal {
    match program.catalogue().refusals.get(code) {
        Some(known) => Refusal {
            code: code.into(),
            rule: Some(known.rule.clone()),
            message: known.text.clone(),
        },
        None => {
            let known = program.catalogue().refusals.keys();
            let hint = crate::script::vm::hint(code, known.map(String::as_str));
            let message = format!("{}; rules.toml has no refusal `{code}`{hint}", refusal.message);
            Refusal::new(code, message)
        }
    }
}
