//! Functions that remember their results until the tabletop changes.
use std::ffi::c_int;

use mlua::ffi;

use super::raw_fn;
use crate::script::call::{Answer, Call};
use crate::script::vm::freeze_deep;

// A remembering function keeps its cache where no script reaches it: upvalues are the world, the
// function, the cache, the version of the tabletop that it was filled at, and whether that is the boards'.
pub fn memo(c: &mut Call) -> Answer {
    c.function(1)?;
    let of = c.optional_text(2)?.unwrap_or("all");
    let board = match of {
        "all" => false,
        "board" => true,
        _ => return Err(format!("a memo is of `all` or `board`, not of `{of}`")),
    };
    unsafe {
        ffi::lua_pushlightuserdata(c.l, c.world_ptr().cast());
        ffi::lua_pushvalue(c.l, 1);
        ffi::lua_createtable(c.l, 0, 0);
        ffi::lua_pushnumber(c.l, -1.0);
        ffi::lua_pushboolean(c.l, c_int::from(board));
        ffi::lua_pushcclosured(c.l, raw_fn!(remember), c"memo".as_ptr(), 5);
    }
    Ok(1)
}

fn remember(c: &mut Call) -> Answer {
    let l = c.l;
    unsafe {
        let board = ffi::lua_toboolean(l, ffi::lua_upvalueindex(5)) != 0;
        if ffi::lua_gettop(l) > 1 {
            return Err("a function that `memo` gives takes one argument".into());
        }
        let now = match board {
            // Where cards are imagined nothing may tell of the true ones.
            true if c.world().tabletop.is_imagining() => -2.0 - c.world().version() as f64,
            true => c.world().board_version() as f64,
            false => c.world().version() as f64,
        };
        let at = ffi::lua_tonumberx(l, ffi::lua_upvalueindex(4), std::ptr::null_mut());
        if at != now {
            ffi::lua_createtable(l, 0, 0);
            ffi::lua_replace(l, ffi::lua_upvalueindex(3));
            ffi::lua_pushnumber(l, now);
            ffi::lua_replace(l, ffi::lua_upvalueindex(4));
        }
        let nothing = ffi::lua_type(l, 1) <= ffi::LUA_TNIL;
        let push_key = || {
            if nothing {
                ffi::lua_pushlightuserdata(l, std::ptr::null_mut())
            } else {
                ffi::lua_pushvalue(l, 1)
            }
        };
        push_key();
        if ffi::lua_rawget(l, ffi::lua_upvalueindex(3)) != ffi::LUA_TNIL {
            return Ok(1);
        }
        ffi::lua_pop(l, 1);
        ffi::lua_settop(l, 1);
        ffi::lua_pushvalue(l, ffi::lua_upvalueindex(2));
        ffi::lua_pushvalue(l, 1);
        let running = std::mem::replace(&mut c.world().running, false);
        // An error goes on to the caller; the step ends with it or its transaction resets nothing here.
        let failed = ffi::lua_pcall(l, 1, 1, 0);
        c.world().running = running;
        if failed != ffi::LUA_OK {
            ffi::lua_error(l);
        }
        if ffi::lua_type(l, -1) == ffi::LUA_TTABLE {
            freeze_deep(l, false)?;
        }
        push_key();
        ffi::lua_pushvalue(l, -2);
        ffi::lua_rawset(l, ffi::lua_upvalueindex(3));
    }
    Ok(1)
}
