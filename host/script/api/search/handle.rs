//! Searches as values that a script holds: the collector frees them.
use std::cell::Cell;
use std::ffi::{c_int, c_void};

use mlua::ffi;
use mlua::lua_State;

use crate::script::call::Call;

/// Something of the host's behind a userdata with its own tag.
pub trait Held: Sized {
    const TAG: c_int;
    const NAME: &'static str;
}

thread_local! {
    /// Plans and open searches that live, by all VMs of the thread: the collector doesn't see their size.
    static LIVING: Cell<usize> = const { Cell::new(0) };
}

/// More than this at once are refused.
const MOST_LIVING: usize = 200;

unsafe extern "C" fn free<T: Held>(_: *mut lua_State, held: *mut c_void) {
    LIVING.set(LIVING.get().saturating_sub(1));
    unsafe { drop(Box::from_raw(*held.cast::<*mut T>())) }
}

/// Pushes a userdata that owns the value.
///
/// # Errors
/// So many live that scripts must have kept them.
pub fn push<T: Held>(c: &Call, value: T) -> Result<(), String> {
    unsafe {
        if LIVING.get() >= MOST_LIVING {
            ffi::lua_gc(c.l, ffi::LUA_GCCOLLECT, 0);
        }
        if LIVING.get() >= MOST_LIVING {
            return Err(format!(
                "more than {MOST_LIVING} plans and searches are kept; declare plans once, while a module loads"
            ));
        }
        ffi::lua_setuserdatadtor(c.l, T::TAG, Some(free::<T>));
        let value = Box::into_raw(Box::new(value));
        let place = ffi::lua_newuserdatatagged(c.l, size_of::<*mut T>(), T::TAG).cast::<*mut T>();
        *place = value;
        LIVING.set(LIVING.get() + 1);
    }
    Ok(())
}

/// The value of an argument. The borrow must end before Lua runs again.
pub fn get<'a, T: Held>(c: &Call, index: c_int) -> Result<&'a mut T, String> {
    unsafe {
        let held = ffi::lua_touserdatatagged(c.l, index, T::TAG).cast::<*mut T>();
        held.as_ref()
            .and_then(|held| held.as_mut())
            .ok_or_else(|| format!("expected {}, got {}", T::NAME, c.type_name(index)))
    }
}
