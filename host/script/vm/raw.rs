//! Small helpers for raw C functions: pushing texts and raising errors with a place.
//!
//! A raised error unwinds as a C++ exception through the calling Rust frames, so functions that
//! raise are `extern "C-unwind"` and hold nothing whose destructor matters.
use std::ffi::{CStr, c_char, c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::error::Frame;

/// A raw function as Luau calls it: arguments from stack slot 1, returns the number of results.
pub type CFunction = unsafe extern "C-unwind" fn(*mut lua_State) -> c_int;

/// Frames of a trace; deeper ones are left off.
const TRACE_LIMIT: usize = 32;

/// Pushes a text.
///
/// # Safety
/// `state` is a live Lua state in a protected call with a free stack slot.
pub unsafe fn push_text(state: *mut lua_State, text: &str) {
    unsafe { ffi::lua_pushlstring_(state, text.as_ptr().cast(), text.len()) }
}

/// The text at a stack slot, borrowed while the value stays where it is. Numbers are not converted.
///
/// # Safety
/// `state` is a live Lua state; the bytes live as long as the string is reachable.
pub unsafe fn text_at<'a>(state: *mut lua_State, slot: c_int) -> Option<&'a [u8]> {
    unsafe {
        if ffi::lua_type(state, slot) != ffi::LUA_TSTRING {
            return None;
        }
        let mut length = 0;
        let start = ffi::lua_tolstring(state, slot, &mut length);
        Some(std::slice::from_raw_parts(start.cast(), length))
    }
}

/// Raises `@pack/path.luau:12: message`, at the line that called the running C function.
///
/// # Safety
/// `state` is a live Lua state inside a C function that Luau called.
pub unsafe fn raise(state: *mut lua_State, message: String) -> ! {
    unsafe {
        ffi::lua_rawcheckstack(state, 4);
        push_place(state);
        push_text(state, &message);
        drop(message);
        ffi::lua_concat(state, 2);
        ffi::lua_error(state)
    }
}

/// Raises a text as it is.
///
/// # Safety
/// As `raise`.
pub unsafe fn raise_plain(state: *mut lua_State, message: String) -> ! {
    unsafe {
        ffi::lua_rawcheckstack(state, 2);
        push_text(state, &message);
        drop(message);
        ffi::lua_error(state)
    }
}

/// Pushes `@pack/path.luau:12: ` for the innermost Luau function, or an empty text.
unsafe fn push_place(state: *mut lua_State) {
    unsafe {
        let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
        let mut level = 0;
        while ffi::lua_getinfo(state, level, c"sl".as_ptr(), &mut debug) != 0 {
            if debug.currentline > 0 {
                ffi::lua_pushfstring(state, c"%s:%d: ".as_ptr(), debug.short_src, debug.currentline);
                return;
            }
            level += 1;
        }
        push_text(state, "");
    }
}

/// Pushes a raw function with upvalues taken from the stack; `name` shows in traces.
///
/// # Safety
/// `state` is a live Lua state in a protected call with `upvalues` values on its stack.
pub unsafe fn push_function(
    state: *mut lua_State,
    function: CFunction,
    name: &'static CStr,
    upvalues: c_int,
) {
    unsafe { ffi::lua_pushcclosurek(state, function, name.as_ptr(), upvalues, None) }
}

/// Sets `table[name]`, the table at `slot`, to a raw function whose one upvalue is `data`.
///
/// # Safety
/// As `push_function`; `data` outlives the VM.
pub unsafe fn set_function(
    state: *mut lua_State,
    slot: c_int,
    name: &'static CStr,
    function: CFunction,
    data: *const c_void,
) {
    unsafe {
        let slot = ffi::lua_absindex(state, slot);
        ffi::lua_pushlightuserdata(state, data.cast_mut());
        push_function(state, function, name, 1);
        ffi::lua_rawsetfield(state, slot, name.as_ptr());
    }
}

/// A C text that Luau owns.
///
/// # Safety
/// `text` is null or a C text that lives as long as the call.
pub unsafe fn c_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(text).to_string_lossy().into_owned() }
}

/// The Luau frames of a state, innermost first.
///
/// # Safety
/// `state` is a live Lua state.
pub unsafe fn trace(state: *mut lua_State) -> Vec<Frame> {
    let mut frames = Vec::new();
    unsafe {
        let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
        let mut level = 0;
        while ffi::lua_getinfo(state, level, c"sln".as_ptr(), &mut debug) != 0 && frames.len() < TRACE_LIMIT {
            if debug.currentline > 0 {
                let name = c_text(debug.name);
                frames.push(Frame {
                    chunk: c_text(debug.short_src),
                    line: debug.currentline as u32,
                    function: (!name.is_empty()).then_some(name),
                });
            }
            level += 1;
        }
    }
    frames
}
