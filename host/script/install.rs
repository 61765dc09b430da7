//! What a VM's globals hold for rules: the API's tables, handles, and the preludes written in Luau.
use std::collections::BTreeMap;
use std::ffi::c_int;

use mlua::ffi;
use mlua::lua_State;

use super::api::{self, Body};
use super::call::{push_function, push_reference, text_at};
use super::handle;
use super::vm::{RawOutcome, ScriptError, Vm};
use super::world::World;

/// Puts the API into the VM's globals.
///
/// # Safety
/// `l` is a fresh state in a protected call; the world outlives it.
pub(super) unsafe fn install(
    vm: &Vm,
    l: *mut lua_State,
    world: &mut World,
    specs: bool,
) -> Result<Option<c_int>, ScriptError> {
    let world_ptr: *mut World = world;
    let mut tables: BTreeMap<&str, ()> = BTreeMap::new();
    unsafe {
        for record in api::records() {
            let Body::Raw(debug, function) = record.body else {
                continue;
            };
            match record.name.split_once('.') {
                Some((table, name)) => {
                    if tables.insert(table, ()).is_none() {
                        ffi::lua_createtable(l, 0, 8);
                        set_global(l, table);
                    }
                    get_global(l, table);
                    push_text(l, name);
                    push_function(l, function, debug, world_ptr);
                    ffi::lua_rawset(l, -3);
                    ffi::lua_pop(l, 1);
                }
                None => {
                    push_function(l, function, debug, world_ptr);
                    set_global(l, record.name);
                }
            }
        }
        handle_metatable(l, world_ptr);
        let game = world.handle(crate::tabletop::GAME);
        ffi::lua_pushlightuserdatatagged(l, game as usize as *mut _, super::call::TAG_UNIT);
        set_global(l, "game");
        pile_table(l, world);
        ffi::lua_createtable(l, 0, 0);
        ffi::lua_createtable(l, 0, 2);
        push_function(l, api::raw_fn!(option), c"options", world_ptr);
        ffi::lua_rawsetfield(l, -2, c"__index".as_ptr());
        ffi::lua_setmetatable(l, -2);
        set_global(l, "options");
        let exports = prelude(
            vm,
            l,
            world_ptr,
            "@ludex/prelude.luau",
            include_str!("prelude.luau"),
            api::flow::PRELUDE,
        )?;
        for (name, reference) in exports {
            push_reference(l, reference);
            if matches!(name.as_str(), "code" | "exporting" | "hooks") {
                get_global(l, "content");
                push_text(l, &name);
                ffi::lua_pushvalue(l, -3);
                ffi::lua_rawset(l, -3);
                ffi::lua_pop(l, 2);
            } else {
                set_global(l, &name);
            }
        }
        ffi::lua_createtable(l, 0, 8);
        for (name, reference) in prelude(
            vm,
            l,
            world_ptr,
            "@ludex/search.luau",
            include_str!("search.luau"),
            api::search::PRELUDE,
        )? {
            push_text(l, &name);
            push_reference(l, reference);
            ffi::lua_rawset(l, -3);
        }
        set_global(l, "search");
        if !specs {
            return Ok(None);
        }
        push_function(l, api::spec::TEST.1, api::spec::TEST.0, world_ptr);
        set_global(l, "test");
        let exports = prelude(
            vm,
            l,
            world_ptr,
            "@ludex/spec.luau",
            include_str!("spec.luau"),
            api::spec::PRELUDE,
        )?;
        Ok(exports
            .into_iter()
            .find(|(name, _)| name == "run")
            .map(|(_, reference)| reference))
    }
}

/// `options.name`: the session's value of a declared option.
fn option(c: &mut super::call::Call) -> super::call::Answer {
    let name = c.text(2)?.to_owned();
    match c.world().options.get(&name).cloned() {
        Some(value) => c.push_value(&value),
        None => {
            let known: Vec<String> = c.world().options.keys().cloned().collect();
            let known = known.iter().map(String::as_str);
            let hint = super::vm::hint_and(&name, known, "options are declared in game.toml");
            return Err(format!("there is no option `{name}`{hint}"));
        }
    }
    Ok(1)
}

pub(super) unsafe fn push_text(l: *mut lua_State, text: &str) {
    unsafe { ffi::lua_pushlstring_(l, text.as_ptr().cast(), text.len()) }
}

/// Sets a global to the value on top of the stack.
unsafe fn set_global(l: *mut lua_State, name: &str) {
    unsafe {
        push_text(l, name);
        ffi::lua_insert(l, -2);
        ffi::lua_rawset(l, ffi::LUA_GLOBALSINDEX);
    }
}

pub(super) unsafe fn get_global(l: *mut lua_State, name: &str) {
    unsafe {
        push_text(l, name);
        ffi::lua_rawget(l, ffi::LUA_GLOBALSINDEX);
    }
}

unsafe fn handle_metatable(l: *mut lua_State, world: *mut World) {
    let entries: [(&std::ffi::CStr, mlua::lua_CFunction); 4] = [
        (c"__index", handle::enter_index),
        (c"__newindex", api::raw_fn!(handle::set_index)),
        (c"__namecall", api::raw_fn!(handle::namecall)),
        (c"__tostring", api::raw_fn!(handle::to_text)),
    ];
    unsafe {
        ffi::lua_pushlightuserdatatagged(l, std::ptr::null_mut(), super::call::TAG_UNIT);
        ffi::lua_createtable(l, 0, 6);
        for (name, function) in entries {
            push_function(l, function, name, world);
            ffi::lua_rawsetfield(l, -2, name.as_ptr());
        }
        push_text(l, "unit");
        ffi::lua_rawsetfield(l, -2, c"__type".as_ptr());
        push_text(l, "locked");
        ffi::lua_rawsetfield(l, -2, c"__metatable".as_ptr());
        ffi::lua_setreadonly(l, -1, 1);
        ffi::lua_setmetatable(l, -2);
        ffi::lua_pop(l, 1);
    }
}

unsafe fn pile_table(l: *mut lua_State, world: &World) {
    unsafe {
        let declared = world.tabletop.declared();
        ffi::lua_createtable(l, 0, declared.piles.len() as c_int);
        for (index, pile) in declared.piles.iter().enumerate() {
            push_text(l, &pile.name);
            ffi::lua_pushlightuserdatatagged(l, index as *mut _, super::call::TAG_PILE);
            ffi::lua_rawset(l, -3);
        }
        set_global(l, "piles");
    }
}

/// Runs a chunk of the host's own with its raw functions; the references of what it exports.
unsafe fn prelude(
    vm: &Vm,
    l: *mut lua_State,
    world: *mut World,
    chunk: &str,
    source: &str,
    functions: &'static [(&'static std::ffi::CStr, mlua::lua_CFunction)],
) -> Result<Vec<(String, c_int)>, ScriptError> {
    unsafe {
        let code = vm.load(chunk, source)?;
        let thread = ffi::lua_newthread(l);
        vm.lua().exec_raw::<()>(code, |state| {
            ffi::lua_pushvalue(state, 1);
            ffi::lua_xmove(state, thread, 1);
        })?;
        ffi::lua_createtable(thread, 0, functions.len() as c_int);
        for (name, function) in functions {
            push_function(thread, *function, name, world);
            ffi::lua_rawsetfield(thread, -2, name.as_ptr());
        }
        ffi::luaopen_coroutine(thread);
        // It also sets a global, which rules don't get.
        ffi::lua_pushnil(l);
        set_global(l, "coroutine");
        vm.start_budget();
        match vm.resume_raw(thread, 2) {
            RawOutcome::Returned(_) => {}
            RawOutcome::Failed(error) | RawOutcome::Killed(_, error) => return Err(error),
            RawOutcome::Yielded(_) => return Err(ScriptError::new("the prelude yielded")),
        }
        let mut exports = Vec::new();
        let mut place = 0;
        loop {
            place = ffi::lua_rawiter(thread, 1, place);
            if place < 0 {
                break;
            }
            let name = text_at(thread, -2).unwrap_or_default().to_owned();
            exports.push((name, ffi::lua_ref(thread, -1)));
            ffi::lua_pop(thread, 2);
        }
        ffi::lua_pop(l, 1);
        Ok(exports)
    }
}
