//! Names interned through Luau's `useratom`: a field access compares a small number, not a text.
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_char;

use mlua::ffi;
use mlua::lua_State;

/// Properties that every unit has, and methods; their atoms are their positions here.
pub const BUILT_IN: [&str; 24] = [
    "id",
    "key",
    "kind",
    "def",
    "name",
    "side",
    "space",
    "pile",
    "position",
    "facing",
    "face",
    "remove",
    "exists",
    "move",
    "list",
    "count",
    "top",
    "put",
    "shuffle",
    "visible",
    "seen",
    "label",
    "owner",
    "visibility",
];

pub mod built_in {
    pub const ID: usize = 0;
    pub const KEY: usize = 1;
    pub const KIND: usize = 2;
    pub const DEF: usize = 3;
    pub const NAME: usize = 4;
    pub const SIDE: usize = 5;
    pub const SPACE: usize = 6;
    pub const PILE: usize = 7;
    pub const POSITION: usize = 8;
    pub const FACING: usize = 9;
    pub const FACE: usize = 10;
    pub const REMOVE: usize = 11;
    pub const EXISTS: usize = 12;
    pub const MOVE: usize = 13;
    pub const LIST: usize = 14;
    pub const COUNT: usize = 15;
    pub const TOP: usize = 16;
    pub const PUT: usize = 17;
    pub const SHUFFLE: usize = 18;
    pub const VISIBLE: usize = 19;
    pub const SEEN: usize = 20;
}

/// Atoms are 16-bit; a name beyond this many is unknown to every VM of the thread.
const LIMIT: usize = i16::MAX as usize;

thread_local! {
    // One table for all VMs of a thread: `useratom` is given no context.
    static NAMES: RefCell<HashMap<Box<str>, i16>> = RefCell::new(
        BUILT_IN.iter().enumerate().map(|(i, n)| (Box::from(*n), i as i16)).collect()
    );
}

/// The atom of a name, made if it is new; `None` once the table is full.
pub fn intern(name: &str) -> Option<i16> {
    NAMES.with_borrow_mut(|names| {
        if let Some(atom) = names.get(name) {
            return Some(*atom);
        }
        if names.len() >= LIMIT {
            return None;
        }
        let atom = names.len() as i16;
        names.insert(name.into(), atom);
        Some(atom)
    })
}

unsafe extern "C-unwind" fn useratom(_l: *mut lua_State, text: *const c_char, length: usize) -> i16 {
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return -1;
    };
    NAMES.with_borrow(|names| names.get(text).copied().unwrap_or(-1))
}

/// Makes a VM use the atoms. All names must have been interned before any script is loaded.
///
/// # Safety
/// `l` is a live state of this thread.
pub unsafe fn install(l: *mut lua_State) {
    unsafe { (*ffi::lua_callbacks(l)).useratom = Some(useratom) }
}
