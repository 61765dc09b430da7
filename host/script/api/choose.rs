//! What `choose` checks before it waits. In Rust, for each decision of each simulated game passes here.
use std::ffi::CStr;

use mlua::ffi;

use crate::script::call::{Answer, Call, text_at};
use crate::script::vm::hint;

/// The settings of `choose`.
const DECISION: [&str; 9] = [
    "prompt", "seat", "seats", "kind", "min", "max", "options", "refuse", "about",
];

/// More options than this serve nobody.
const OPTIONS: usize = 10_000;

/// Raises what is wrong with the table that `choose` was given.
pub fn check(c: &mut Call) -> Answer {
    let l = c.l;
    if unsafe { ffi::lua_type(l, 1) } != ffi::LUA_TTABLE {
        return Err("choose takes a table such as { prompt = \"...\", options = {...} }".into());
    }
    unsafe { ffi::lua_settop(l, 1) };
    let mut place = 0;
    loop {
        place = unsafe { ffi::lua_rawiter(l, 1, place) };
        if place < 0 {
            break;
        }
        let key = match unsafe { ffi::lua_type(l, -2) } {
            ffi::LUA_TSTRING => unsafe { text_at(l, -2) }.unwrap_or("?"),
            _ => return Err(format!("choose has named settings only, not {}", c.type_name(-2))),
        };
        if !DECISION.contains(&key) {
            let hint = hint(key, DECISION);
            return Err(format!("choose has no setting `{key}`{hint}"));
        }
        unsafe { ffi::lua_pop(l, 2) };
    }
    let setting = |name: &CStr| unsafe { ffi::lua_rawgetfield(l, 1, name.as_ptr()) };
    let several = match setting(c"kind") {
        ffi::LUA_TNIL => false,
        ffi::LUA_TSTRING => match unsafe { text_at(l, -1) }.unwrap_or("?") {
            "one" | "path" => false,
            "some" | "ordered" => true,
            kind => {
                return Err(format!(
                    "choose has no kind `{kind}`; use one, some, ordered or path"
                ));
            }
        },
        _ => return Err("the kind of choose is one, some, ordered or path".into()),
    };
    if !matches!(setting(c"prompt"), ffi::LUA_TNIL | ffi::LUA_TSTRING) {
        return Err(format!("the prompt of choose is a text, not {}", c.type_name(-1)));
    }
    if setting(c"options") != ffi::LUA_TTABLE {
        return Err("choose needs a list of options".into());
    }
    let count = unsafe { ffi::lua_objlen(l, -1) };
    if count > OPTIONS {
        return Err(format!("choose offers at most {OPTIONS} options, not {count}"));
    }
    let count = count as f64;
    if setting(c"seat") == ffi::LUA_TSTRING {
        let seat = unsafe { text_at(l, -1) }.unwrap_or("?").to_owned();
        let all = &c.world().tabletop.declared().seats;
        if !all.iter().any(|known| **known == *seat) {
            let hint = hint(&seat, all.iter().map(|known| &**known));
            return Err(format!("choose asks the seat `{seat}`, which there is not{hint}"));
        }
    }
    let number = |name: &CStr, otherwise: f64| match setting(name) {
        ffi::LUA_TNIL => Ok(otherwise),
        ffi::LUA_TNUMBER => Ok(unsafe { ffi::lua_tonumberx(l, -1, std::ptr::null_mut()) }),
        _ => Err("`min` and `max` of choose are numbers".to_owned()),
    };
    let (low, high) = if several {
        (number(c"min", 0.0)?, number(c"max", count)?)
    } else {
        (1.0, 1.0)
    };
    if count == 0.0 && (!several || number(c"min", 1.0)? > 0.0) {
        return Err("choose has no options: decide before what happens then".into());
    }
    if several && !(low >= 0.0 && low <= high && high <= count && low.fract() == 0.0 && high.fract() == 0.0) {
        return Err(format!("choose asks for {low} to {high} of {count} options"));
    }
    Ok(0)
}
