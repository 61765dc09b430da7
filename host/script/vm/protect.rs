//! `pcall` and `xpcall`: they can be yielded through, and they can't swallow a kill.
//!
//! A lack of memory ends the step too: when it strikes depends on the garbage collector, so a
//! script that caught it would play differently in a replay.
use std::ffi::{c_int, c_void};

use mlua::ffi::{self, lua_State};

use super::budget::Kill;
use super::guard::Guard;
use super::{describe, raw};

/// What the host does around every protected call, so that an error undoes what it left half done.
#[derive(Clone, Copy)]
pub struct Protect {
    pub data: *mut c_void,
    /// Called before the function; what it returns is handed to `end`. Below 2^53.
    pub begin: fn(data: *mut c_void) -> u64,
    /// Called after the function returned or raised; not after a kill, where the step is dropped.
    pub end: fn(data: *mut c_void, mark: u64, failed: bool),
}

/// Replaces the two globals of the table at the stack's top.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn install(state: *mut lua_State) {
    unsafe {
        ffi::lua_pushcclosurek(state, pcall, c"pcall".as_ptr(), 0, Some(after));
        ffi::lua_rawsetfield(state, -2, c"pcall".as_ptr());
        ffi::lua_pushcclosurek(state, xpcall, c"xpcall".as_ptr(), 0, Some(after));
        ffi::lua_rawsetfield(state, -2, c"xpcall".as_ptr());
    }
}

// The frame of a protected call: slot 1 the mark, slot 2 the handler or nil, then the function.

unsafe extern "C-unwind" fn pcall(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::luaL_checkany(state, 1);
        ffi::lua_pushnil(state);
        ffi::lua_insert(state, 1);
        call(state)
    }
}

unsafe extern "C-unwind" fn xpcall(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::luaL_checktype(state, 2, ffi::LUA_TFUNCTION);
        ffi::lua_pushvalue(state, 2);
        ffi::lua_insert(state, 1);
        ffi::lua_remove(state, 3);
        call(state)
    }
}

unsafe fn call(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::lua_rawcheckstack(state, 2);
        let mark = match Guard::of(state).protect.get() {
            Some(protect) => (protect.begin)(protect.data),
            None => 0,
        };
        ffi::lua_pushnumber(state, mark as f64);
        ffi::lua_insert(state, 1);
        ffi::lua_pcallyieldable(state, ffi::lua_gettop(state) - 3, ffi::LUA_MULTRET, 0)
    }
}

unsafe extern "C-unwind" fn after(state: *mut lua_State, status: c_int) -> c_int {
    unsafe {
        let guard = Guard::of(state);
        let failed = status != ffi::LUA_OK;
        ffi::lua_rawcheckstack(state, 6);
        if failed {
            describe::soften(state);
            if status == ffi::LUA_ERRMEM || describe::lacks_memory(raw::text_at(state, -1)) {
                guard.kill(Kill::Memory, raw::trace(state));
            }
        }
        if guard.is_killed() {
            guard.raise_kill(state);
        }
        if let Some(protect) = guard.protect.get() {
            (protect.end)(protect.data, ffi::lua_tonumber(state, 1) as u64, failed);
        }
        if !failed {
            ffi::lua_pushboolean(state, 1);
            ffi::lua_replace(state, 2);
            return ffi::lua_gettop(state) - 1;
        }
        ffi::lua_pushboolean(state, 0);
        ffi::lua_insert(state, -2);
        if ffi::lua_type(state, 2) == ffi::LUA_TFUNCTION {
            // Through a plain function, since this one would let the handler yield and not come back.
            raw::push_function(state, handle, c"xpcall", 0);
            ffi::lua_pushvalue(state, 2);
            ffi::lua_pushvalue(state, -3);
            ffi::lua_remove(state, -4);
            ffi::lua_call(state, 2, 1);
        }
        2
    }
}

/// Calls the handler with the error, after what failed was undone and left; an error in it becomes the result.
unsafe extern "C-unwind" fn handle(state: *mut lua_State) -> c_int {
    unsafe {
        if ffi::lua_pcall(state, 1, 1, 0) != ffi::LUA_OK {
            let guard = Guard::of(state);
            if guard.is_killed() {
                guard.raise_kill(state);
            }
            describe::soften(state);
        }
        1
    }
}
