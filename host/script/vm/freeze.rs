//! Freezing values for good: tables, their metatables, and what functions hold.
//!
//! A function that writes a variable outside itself would keep state that no journal knows, so
//! freezing one is an error.
use std::collections::HashSet;
use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use super::guard::Guard;
use super::raw;

/// Freezes everything that can be reached from the value at the stack's top.
///
/// With `lasting`, the value is never collected, and later calls skip what this one froze.
/// Returns the place and the sentence of a function that keeps state.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn deep(state: *mut lua_State, guard: &Guard, lasting: bool) -> Result<(), String> {
    let mut seen = HashSet::new();
    unsafe {
        ffi::lua_rawcheckstack(state, 8);
        let top = ffi::lua_gettop(state);
        let mut walk = Walk {
            state,
            guard,
            seen: &mut seen,
            queue: top + 1,
            waiting: 0,
        };
        ffi::lua_newtable(state);
        ffi::lua_pushvalue(state, top);
        walk.enqueue();
        let outcome = walk.run();
        ffi::lua_settop(state, top);
        outcome?;
    }
    if lasting {
        guard.frozen.borrow_mut().extend(seen);
    }
    Ok(())
}

struct Walk<'a> {
    state: *mut lua_State,
    guard: &'a Guard,
    seen: &'a mut HashSet<usize>,
    /// The slot of a table of values still to visit; it also keeps them alive.
    queue: c_int,
    waiting: c_int,
}

impl Walk<'_> {
    /// Pops a value; it is visited later if it can hold others and was not seen yet.
    unsafe fn enqueue(&mut self) {
        unsafe {
            let kind = ffi::lua_type(self.state, -1);
            let holds = kind == ffi::LUA_TTABLE || kind == ffi::LUA_TFUNCTION;
            let address = ffi::lua_topointer(self.state, -1) as usize;
            if !holds || self.guard.frozen.borrow().contains(&address) || !self.seen.insert(address) {
                ffi::lua_pop(self.state, 1);
                return;
            }
            self.waiting += 1;
            ffi::lua_rawseti_(self.state, self.queue, self.waiting);
        }
    }

    unsafe fn run(&mut self) -> Result<(), String> {
        unsafe {
            while self.waiting > 0 {
                ffi::lua_rawgeti_(self.state, self.queue, self.waiting);
                self.waiting -= 1;
                let value = ffi::lua_gettop(self.state);
                match ffi::lua_type(self.state, value) {
                    ffi::LUA_TTABLE => self.table(value),
                    _ => self.function(value)?,
                }
                ffi::lua_settop(self.state, value - 1);
            }
        }
        Ok(())
    }

    unsafe fn table(&mut self, slot: c_int) {
        unsafe {
            ffi::lua_setreadonly(self.state, slot, 1);
            if ffi::lua_getmetatable(self.state, slot) != 0 {
                self.enqueue();
            }
            let mut at = ffi::lua_rawiter(self.state, slot, 0);
            while at != -1 {
                self.enqueue();
                self.enqueue();
                at = ffi::lua_rawiter(self.state, slot, at);
            }
        }
    }

    /// Of the host's functions only what they call for a script (`memo`): their caches stay open.
    unsafe fn host_function(&mut self, slot: c_int) {
        unsafe {
            let mut upvalue = 1;
            while !ffi::lua_getupvalue(self.state, slot, upvalue).is_null() {
                if ffi::lua_type(self.state, -1) == ffi::LUA_TFUNCTION {
                    self.enqueue();
                } else {
                    ffi::lua_pop(self.state, 1);
                }
                upvalue += 1;
            }
        }
    }

    unsafe fn function(&mut self, slot: c_int) -> Result<(), String> {
        unsafe {
            if ffi::lua_iscfunction(self.state, slot) != 0 {
                self.host_function(slot);
                return Ok(());
            }
            let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
            // The function is the stack's top.
            ffi::lua_getinfo(self.state, -1, c"sp".as_ptr(), &mut debug);
            let chunk = raw::c_text(debug.short_src);
            if let Some(compiled) = self.guard.chunks.borrow().get(&chunk)
                && let Some(write) = compiled.kept(debug.bytecodeid)
            {
                return Err(format!("{chunk}:{}: {}", write.line, write.sentence()));
            }
            let mut upvalue = 1;
            while !ffi::lua_getupvalue(self.state, slot, upvalue).is_null() {
                self.enqueue();
                upvalue += 1;
            }
        }
        Ok(())
    }
}
