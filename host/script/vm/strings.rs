//! `tostring` and the string functions whose work or output a script could blow up.
//!
//! Luau's matcher stops at the interrupt between attempts; the caps bound what it does in one.
use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::budget::Bytes;
use super::guard::Guard;
use super::{describe, raw};

/// Bytes of text times bytes of pattern: about 30 ms of the slowest character classes.
const PATTERN_WORK: usize = 1 << 24;
/// The same for plain searches, which compare whole words at a time.
const PLAIN_WORK: usize = 1 << 30;

const CAPPED: [(&CStr, raw::CFunction); 7] = [
    (c"find", find),
    (c"match", pattern),
    (c"gmatch", pattern),
    (c"gsub", pattern),
    (c"split", split),
    (c"rep", rep),
    (c"format", format),
];

/// Replaces functions of the `string` table at the stack's top; method calls on texts use them too.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn install(state: *mut lua_State, guard: &Guard) {
    unsafe {
        for (name, function) in CAPPED {
            ffi::lua_pushlightuserdata(state, guard.address().cast_mut());
            ffi::lua_rawgetfield(state, -2, name.as_ptr());
            raw::push_function(state, function, name, 2);
            ffi::lua_rawsetfield(state, -2, name.as_ptr());
        }
    }
}

pub unsafe extern "C-unwind" fn tostring(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::luaL_checkany(state, 1);
        describe::push_tostring(state, 1);
        1
    }
}

/// Calls the function that was replaced with all arguments.
unsafe fn original(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::lua_rawcheckstack(state, 2);
        let count = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, count, ffi::LUA_MULTRET);
        ffi::lua_gettop(state)
    }
}

unsafe fn length(state: *mut lua_State, slot: c_int) -> usize {
    unsafe { raw::text_at(state, slot).map_or(0, <[u8]>::len) }
}

/// Raises if searching the text in slot 1 for the one in slot 2 could take too long.
unsafe fn check_work(state: *mut lua_State, what: &str, limit: usize) {
    unsafe {
        let (text, sought) = (length(state, 1), length(state, 2));
        let most = Guard::upvalue(state).budget.get().text;
        if text > most {
            let (has, most) = (Bytes(text), Bytes(most));
            raw::raise(
                state,
                format!("the text to search has {has}; the limit is {most}"),
            );
        }
        if text.saturating_mul(sought) > limit {
            let (text, sought) = (Bytes(text), Bytes(sought));
            raw::raise(
                state,
                format!("a {what} of {sought} is too long for a text of {text}"),
            );
        }
    }
}

unsafe extern "C-unwind" fn find(state: *mut lua_State) -> c_int {
    unsafe {
        let plain = ffi::lua_toboolean(state, 4) != 0
            || raw::text_at(state, 2)
                .is_some_and(|text| !text.iter().any(|byte| b"^$*+?.([%-".contains(byte)));
        match plain {
            true => check_work(state, "search text", PLAIN_WORK),
            false => check_work(state, "pattern", PATTERN_WORK),
        }
        original(state)
    }
}

unsafe extern "C-unwind" fn pattern(state: *mut lua_State) -> c_int {
    unsafe {
        check_work(state, "pattern", PATTERN_WORK);
        original(state)
    }
}

unsafe extern "C-unwind" fn split(state: *mut lua_State) -> c_int {
    unsafe {
        check_work(state, "separator", PLAIN_WORK);
        original(state)
    }
}

unsafe extern "C-unwind" fn rep(state: *mut lua_State) -> c_int {
    unsafe {
        let most = Guard::upvalue(state).budget.get().text;
        let count = ffi::lua_tonumber(state, 2);
        let size = (length(state, 1) as f64) * count.max(0.0);
        if size > most as f64 {
            let most = Bytes(most);
            raw::raise(
                state,
                format!("`string.rep` would make a text of {size} bytes; the limit is {most}"),
            );
        }
        original(state)
    }
}

/// Luau's `%s` and `%*` print addresses, so what they would print is turned into text first.
unsafe extern "C-unwind" fn format(state: *mut lua_State) -> c_int {
    unsafe {
        let mut slot = 1;
        let top = ffi::lua_gettop(state);
        let mut bytes = raw::text_at(state, 1).unwrap_or_default().iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'%' {
                continue;
            }
            let item = bytes.by_ref().find(|byte| !b"-+ #0123456789.".contains(byte));
            match item {
                Some(b'%') => continue,
                Some(b's' | b'*') => {
                    slot += 1;
                    // Far above the top even asking for a type kills the process; the original tells what is missing.
                    if slot > top {
                        break;
                    }
                    let kind = ffi::lua_type(state, slot);
                    if !matches!(kind, ffi::LUA_TNONE | ffi::LUA_TNUMBER | ffi::LUA_TSTRING) {
                        describe::push_tostring(state, slot);
                        ffi::lua_replace(state, slot);
                    }
                }
                _ => slot += 1,
            }
        }
        original(state)
    }
}
