//! The globals of a sandboxed VM: what is removed, replaced, and strict.
use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::guard::Guard;
use super::{each, freeze, modules, names, protect, raw, strings, tables};

/// Globals that rules don't get, with what to use instead.
const REMOVED: [(&CStr, &str); 18] = [
    (c"_G", ""),
    (c"_VERSION", ""),
    (c"buffer", "use a text or a table"),
    (c"collectgarbage", ""),
    (c"coroutine", "a step waits with `choose`"),
    (c"debug", ""),
    (c"gcinfo", ""),
    (c"getfenv", ""),
    (c"integer", ""),
    (c"loadstring", "use `require`"),
    (c"newproxy", ""),
    (c"next", ""),
    (c"os", ""),
    (c"print", "use `log`"),
    (c"setfenv", ""),
    (c"unpack", "use `table.unpack`"),
    (c"io", ""),
    (c"load", "use `require`"),
];

/// The same for members of libraries.
const REMOVED_MEMBERS: [(&CStr, &CStr, &str); 6] = [
    (c"math", c"random", "use `dice`"),
    (c"math", c"randomseed", ""),
    (c"table", c"foreach", "use `for ... in`"),
    (c"table", c"foreachi", "use `for ... in`"),
    (c"table", c"getn", "use `#`"),
    (c"table", c"maxn", "use `#`"),
];

/// Makes the globals of a fresh state those of rules; nothing is frozen yet.
///
/// # Safety
/// `state` is a fresh Lua state in a protected call.
pub unsafe fn install(state: *mut lua_State, guard: &Guard) {
    unsafe {
        ffi::lua_rawcheckstack(state, 12);
        for (name, _) in REMOVED {
            ffi::lua_pushnil(state);
            ffi::lua_rawsetfield(state, ffi::LUA_GLOBALSINDEX, name.as_ptr());
        }
        for (library, name, _) in REMOVED_MEMBERS {
            ffi::lua_rawgetfield(state, ffi::LUA_GLOBALSINDEX, library.as_ptr());
            ffi::lua_pushnil(state);
            ffi::lua_rawsetfield(state, -2, name.as_ptr());
            ffi::lua_pop(state, 1);
        }
        ffi::lua_rawgetfield(state, ffi::LUA_GLOBALSINDEX, c"string".as_ptr());
        strings::install(state, guard);
        ffi::lua_pop(state, 1);
        ffi::lua_rawgetfield(state, ffi::LUA_GLOBALSINDEX, c"table".as_ptr());
        tables::install(state);
        ffi::lua_pop(state, 1);
        ffi::lua_pushvalue(state, ffi::LUA_GLOBALSINDEX);
        protect::install(state);
        modules::install(state, guard);
        let data = guard.address();
        raw::set_function(state, -1, c"tostring", strings::tostring, data);
        raw::set_function(state, -1, c"setmetatable", tables::setmetatable, data);
        raw::set_function(state, -1, c"pairs", each::pairs, data);
        raw::set_function(state, -1, c"__each", each::each, data);
        ffi::lua_pop(state, 1);
    }
}

/// Fixes the globals: strict, and frozen with everything that can be reached from them.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn seal(state: *mut lua_State, guard: &Guard) -> Result<(), String> {
    unsafe {
        ffi::lua_rawcheckstack(state, 12);
        ffi::lua_pushvalue(state, ffi::LUA_GLOBALSINDEX);
        let globals = ffi::lua_gettop(state);
        let mut at = ffi::lua_rawiter(state, globals, 0);
        while at != -1 {
            if let Some(name) = raw::text_at(state, -2) {
                let name = String::from_utf8_lossy(name).into_owned();
                if name != each::NAME {
                    guard.globals.borrow_mut().insert(name);
                }
            }
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE && ffi::lua_getmetatable(state, -1) == 0 {
                make_strict(state);
            } else {
                ffi::lua_settop(state, globals + 2);
            }
            ffi::lua_settop(state, globals);
            at = ffi::lua_rawiter(state, globals, at);
        }
        lock_type(state, |state| raw::push_text(state, ""));
        lock_type(state, |state| ffi::lua_pushvector(state, 0.0, 0.0, 0.0));
        ffi::lua_createtable(state, 0, 3);
        let data = guard.address();
        raw::set_function(state, -1, c"__index", read_global, data);
        raw::set_function(state, -1, c"__newindex", write_global, data);
        ffi::lua_pushboolean(state, 0);
        ffi::lua_rawsetfield(state, -2, c"__metatable".as_ptr());
        ffi::lua_setmetatable(state, globals);
        freeze::deep(state, guard, true)?;
        // Freezes once more, and tells Luau that its fast builtins are safe.
        ffi::luaL_sandbox_(state);
        ffi::lua_settop(state, globals - 1);
        guard.sealed.set(true);
    }
    Ok(())
}

/// Makes the library at the stack's top, its name below, raise for members that it lacks.
unsafe fn make_strict(state: *mut lua_State) {
    unsafe {
        let library = ffi::lua_gettop(state);
        ffi::lua_createtable(state, 0, 3);
        ffi::lua_pushvalue(state, library - 1);
        raw::push_function(state, read_member, c"index", 1);
        ffi::lua_rawsetfield(state, -2, c"__index".as_ptr());
        ffi::lua_pushboolean(state, 0);
        ffi::lua_rawsetfield(state, -2, c"__metatable".as_ptr());
        if raw::text_at(state, library - 1) == Some(b"vector") {
            raw::push_function(state, make_vector, c"vector", 0);
            ffi::lua_rawsetfield(state, -2, c"__call".as_ptr());
        }
        ffi::lua_setmetatable(state, library);
    }
}

/// Hides the metatable of a type and freezes it.
unsafe fn lock_type(state: *mut lua_State, push: impl FnOnce(*mut lua_State)) {
    unsafe {
        let top = ffi::lua_gettop(state);
        push(state);
        if ffi::lua_getmetatable(state, -1) != 0 {
            ffi::lua_setreadonly(state, -1, 0);
            ffi::lua_pushboolean(state, 0);
            ffi::lua_rawsetfield(state, -2, c"__metatable".as_ptr());
            ffi::lua_setreadonly(state, -1, 1);
        }
        ffi::lua_settop(state, top);
    }
}

/// Why a chunk may not use a global, or `None` if it may.
pub fn refuse(guard: &Guard, name: &str, writes: bool) -> Option<String> {
    if writes {
        return Some(format!(
            "`{name}` would be a global variable; declare it with `local {name}`"
        ));
    }
    refuse_beside(guard, name, &[])
}

/// Why a chunk may not read a global, where there are `others` besides those of all chunks.
pub fn refuse_beside(guard: &Guard, name: &str, others: &[String]) -> Option<String> {
    let known = guard.globals.borrow();
    if known.contains(name) || name == each::NAME {
        return None;
    }
    if let Some((_, instead)) = REMOVED
        .iter()
        .find(|(removed, _)| removed.to_bytes() == name.as_bytes())
    {
        return Some(unavailable(name, instead));
    }
    Some(format!(
        "there is no global `{name}`{}",
        names::hint(name, known.iter().chain(others).map(String::as_str))
    ))
}

fn unavailable(name: &str, instead: &str) -> String {
    let comma = if instead.is_empty() { "" } else { "; " };
    format!("`{name}` is not available to rules{comma}{instead}")
}

unsafe extern "C-unwind" fn read_global(state: *mut lua_State) -> c_int {
    unsafe { raise_global(state, false) }
}

unsafe extern "C-unwind" fn write_global(state: *mut lua_State) -> c_int {
    unsafe { raise_global(state, true) }
}

unsafe fn raise_global(state: *mut lua_State, writes: bool) -> ! {
    unsafe {
        let name = names::shown(raw::text_at(state, 2).unwrap_or_default());
        let message = refuse(Guard::upvalue(state), &name, writes);
        drop(name);
        raw::raise(state, message.unwrap_or_default())
    }
}

/// Why a library can't be asked for a member that isn't among the `known` ones.
pub fn no_member(library: &str, name: &str, known: &[String]) -> String {
    let removed = REMOVED_MEMBERS.iter().find(|(of, removed, _)| {
        of.to_bytes() == library.as_bytes() && removed.to_bytes() == name.as_bytes()
    });
    match removed {
        Some((_, _, instead)) => unavailable(&format!("{library}.{name}"), instead),
        None => {
            let hint = names::hint(name, known.iter().map(String::as_str));
            format!("`{library}` has no `{name}`{hint}")
        }
    }
}

/// `__index` of a library; the upvalue is its name.
unsafe extern "C-unwind" fn read_member(state: *mut lua_State) -> c_int {
    unsafe {
        let text = |slot| names::shown(raw::text_at(state, slot).unwrap_or(b"?"));
        let (library, name) = (text(ffi::lua_upvalueindex(1)), text(2));
        let message = no_member(&library, &name, &members(state));
        drop((library, name));
        raw::raise(state, message)
    }
}

/// The names of the library in slot 1.
unsafe fn members(state: *mut lua_State) -> Vec<String> {
    let mut members = Vec::new();
    unsafe {
        let mut at = ffi::lua_rawiter(state, 1, 0);
        while at != -1 {
            if let Some(name) = raw::text_at(state, -2) {
                members.push(String::from_utf8_lossy(name).into_owned());
            }
            ffi::lua_pop(state, 2);
            at = ffi::lua_rawiter(state, 1, at);
        }
    }
    members
}

/// `vector(q, r, board)`, where Luau's fast call doesn't apply.
unsafe extern "C-unwind" fn make_vector(state: *mut lua_State) -> c_int {
    unsafe {
        let number = |slot| ffi::luaL_checknumber(state, slot) as f32;
        let board = ffi::luaL_optnumber(state, 4, 0.0) as f32;
        ffi::lua_pushvector(state, number(2), number(3), board);
        1
    }
}
