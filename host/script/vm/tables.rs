//! `table.sort`, `setmetatable` and the ordered `pairs`.
use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::raw;

/// Sorting without a comparator never reaches a safepoint.
const SORTED: usize = 1 << 17;

/// Replaces `sort` in the `table` library at the stack's top.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn install(state: *mut lua_State) {
    unsafe {
        ffi::lua_pushnil(state);
        ffi::lua_rawgetfield(state, -2, c"sort".as_ptr());
        raw::push_function(state, sort, c"sort", 2);
        ffi::lua_rawsetfield(state, -2, c"sort".as_ptr());
    }
}

unsafe extern "C-unwind" fn sort(state: *mut lua_State) -> c_int {
    unsafe {
        if ffi::lua_type(state, 1) == ffi::LUA_TTABLE && ffi::lua_type(state, 2) != ffi::LUA_TFUNCTION {
            let count = ffi::lua_objlen(state, 1);
            if count > SORTED {
                let message = format!("`table.sort` sorts at most {SORTED} elements; this table has {count}");
                raw::raise(state, message);
            }
        }
        let count = ffi::lua_gettop(state);
        ffi::lua_pushvalue(state, ffi::lua_upvalueindex(2));
        ffi::lua_insert(state, 1);
        ffi::lua_call(state, count, 0);
        0
    }
}

/// Luau's, but it freezes the metatable and refuses weak tables: a script that sees what the
/// garbage collector does plays differently each time, and a later `mt.__mode = ` would do it too.
pub unsafe extern "C-unwind" fn setmetatable(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        let kind = ffi::lua_type(state, 2);
        if kind != ffi::LUA_TNIL && kind != ffi::LUA_TTABLE {
            ffi::luaL_typeerror(state, 2, c"nil or table".as_ptr());
        }
        if ffi::luaL_getmetafield_(state, 1, c"__metatable".as_ptr()) != 0 {
            raw::raise(state, "cannot change a protected metatable".into());
        }
        ffi::lua_settop(state, 2);
        if ffi::lua_getreadonly(state, 1) != 0 {
            raw::raise(state, "cannot change the metatable of a frozen table".into());
        }
        if kind == ffi::LUA_TTABLE {
            if ffi::lua_rawgetfield(state, 2, c"__mode".as_ptr()) != ffi::LUA_TNIL {
                raw::raise(
                    state,
                    "weak tables (`__mode`) are not available: they would make play differ".into(),
                );
            }
            ffi::lua_pop(state, 1);
            ffi::lua_setreadonly(state, 2, 1);
        }
        ffi::lua_setmetatable(state, 1);
        1
    }
}
