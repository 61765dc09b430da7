//! Searches as values that a script holds: the collector frees them.
use std::ffi::{c_int, c_void};

use mlua::ffi;
use mlua::lua_State;

use crate::script::call::Call;

/// Something of the host's behind a userdata with its own tag.
pub trait Held: Sized {
    const TAG: c_int;
    const NAME: &'static str;
}

unsafe extern "C" fn free<T: Held>(_: *mut lua_State, held: *mut c_void) {
    unsafe { drop(Box::from_raw(*held.cast::<*mut T>())) }
}

/// Pushes a userdata that owns the value.
pub fn push<T: Held>(c: &Call, value: T) {
    unsafe {
        ffi::lua_setuserdatadtor(c.l, T::TAG, Some(free::<T>));
        // Room first: if there is none, an error is raised, and nothing is owned yet.
        let place = ffi::lua_newuserdatatagged(c.l, size_of::<*mut T>(), T::TAG).cast::<*mut T>();
        *place = Box::into_raw(Box::new(value));
    }
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
