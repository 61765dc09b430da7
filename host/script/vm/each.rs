//! Iteration in one order on every machine: what `for ... in` and `pairs` walk.
//!
//! Luau walks a table's hash part in an order that depends on insertion history, and for keys
//! that are tables or functions on addresses. Sources are rewritten so that every generic `for`
//! passes its list through `__each`, which lets plain lists through to Luau's fast path and
//! gives everything else in the order of its keys.
use std::cmp::Ordering;
use std::ffi::c_int;
use std::sync::OnceLock;

use mlua::ffi::{self, lua_State};

use super::raw;

/// The name that rewritten sources use; scripts that write it are refused.
pub const NAME: &str = "__each";

/// Sorting the keys never reaches a safepoint.
const KEYS: usize = 100_000;

/// A key, ordered: booleans, numbers, texts, spaces (by board, q, r), handles (by tag, id, then epoch).
#[derive(Clone, Copy)]
enum Key<'a> {
    Boolean(bool),
    Number(f64),
    Text(&'a [u8]),
    Space([f32; 3]),
    Handle(c_int, u64),
}

impl Key<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Space(a), Self::Space(b)) => a[2]
                .total_cmp(&b[2])
                .then(a[0].total_cmp(&b[0]))
                .then(a[1].total_cmp(&b[1])),
            (Self::Handle(tag, a), Self::Handle(other, b)) => {
                tag.cmp(other).then((*a as u32).cmp(&(*b as u32))).then(a.cmp(b))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Boolean(_) => 0,
            Self::Number(_) => 1,
            Self::Text(_) => 2,
            Self::Space(_) => 3,
            Self::Handle(..) => 4,
        }
    }

    /// Pushes the key.
    unsafe fn push(&self, state: *mut lua_State) {
        unsafe {
            match *self {
                Self::Boolean(value) => ffi::lua_pushboolean(state, value.into()),
                Self::Number(value) => ffi::lua_pushnumber(state, value),
                Self::Text(value) => ffi::lua_pushlstring_(state, value.as_ptr().cast(), value.len()),
                Self::Space([q, r, board]) => ffi::lua_pushvector(state, q, r, board),
                Self::Handle(tag, value) => ffi::lua_pushlightuserdatatagged(state, value as *mut _, tag),
            }
        }
    }
}

/// What a generic `for` walks: slot 1 is a table, an iterator function, or an object with `__iter`.
pub unsafe extern "C-unwind" fn each(state: *mut lua_State) -> c_int {
    unsafe {
        match ffi::lua_type(state, 1) {
            ffi::LUA_TTABLE => walk(state),
            ffi::LUA_TNIL | ffi::LUA_TNONE => raw::raise(
                state,
                "`for ... in` needs a table or an iterator; this is nil".into(),
            ),
            _ => first_three(state),
        }
    }
}

pub unsafe extern "C-unwind" fn pairs(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        walk(state)
    }
}

unsafe fn first_three(state: *mut lua_State) -> c_int {
    unsafe {
        let count = ffi::lua_gettop(state).min(3);
        ffi::lua_settop(state, count);
        count
    }
}

unsafe fn walk(state: *mut lua_State) -> c_int {
    unsafe {
        ffi::lua_rawcheckstack(state, 6);
        if ffi::lua_getmetatable(state, 1) != 0 {
            let own = ffi::lua_rawgetfield(state, -1, c"__iter".as_ptr()) != ffi::LUA_TNIL;
            ffi::lua_pop(state, 2);
            if own {
                return first_three(state);
            }
        }
        ffi::lua_settop(state, 1);
        if is_list(state) {
            return 1;
        }
        sorted(state)
    }
}

/// Whether the table in slot 1 has the keys `1..=#t` and no other, in its array part.
unsafe fn is_list(state: *mut lua_State) -> bool {
    unsafe {
        let Some(array) = array_size(state) else {
            return false;
        };
        let count = ffi::lua_objlen(state, 1);
        if count > array {
            return false;
        }
        let more = ffi::lua_rawiter(state, 1, count as c_int);
        if more != -1 {
            ffi::lua_pop(state, 2);
        }
        more == -1
    }
}

/// The size of the array part of the table in slot 1.
unsafe fn array_size(state: *mut lua_State) -> Option<usize> {
    static READABLE: OnceLock<bool> = OnceLock::new();
    unsafe {
        let read = |slot| {
            // `sizearray` of Luau's `LuaTable`, behind eight one-byte fields.
            ffi::lua_topointer(state, slot).cast::<c_int>().add(2).read()
        };
        let readable = *READABLE.get_or_init(|| {
            let right = [0, 3, 70].iter().all(|size| {
                ffi::lua_createtable(state, *size, 2);
                let right = read(-1) == *size;
                ffi::lua_pop(state, 1);
                right
            });
            debug_assert!(right, "the layout of Luau's tables changed");
            right
        });
        readable.then(|| read(1) as usize)
    }
}

/// Pushes an iterator over the table in slot 1 in the order of its keys.
unsafe fn sorted(state: *mut lua_State) -> c_int {
    unsafe {
        let mut keys = Vec::new();
        let mut at = 0;
        loop {
            at = ffi::lua_rawiter(state, 1, at);
            if at == -1 {
                break;
            }
            match key(state) {
                Some(key) => keys.push(key),
                None => {
                    // Which of them comes first depends on addresses: it must not be told.
                    drop(keys);
                    let why = "such keys have no order that is the same in every run. Walk a list instead";
                    raw::raise(
                        state,
                        format!("this table has tables, functions or the like as keys; {why}"),
                    );
                }
            }
            ffi::lua_pop(state, 2);
            if keys.len() > KEYS {
                drop(keys);
                raw::raise(
                    state,
                    format!("a table with more than {KEYS} keys can't be walked in their order"),
                );
            }
        }
        keys.sort_unstable_by(Key::compare);
        ffi::lua_createtable(state, keys.len() as c_int, 0);
        for (index, key) in keys.iter().enumerate() {
            key.push(state);
            ffi::lua_rawseti_(state, -2, index as c_int + 1);
        }
        drop(keys);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_insert(state, -2);
        ffi::lua_pushnumber(state, 0.0);
        raw::push_function(state, advance, c"pairs", 3);
        1
    }
}

unsafe fn key<'a>(state: *mut lua_State) -> Option<Key<'a>> {
    unsafe {
        Some(match ffi::lua_type(state, -2) {
            ffi::LUA_TBOOLEAN => Key::Boolean(ffi::lua_toboolean(state, -2) != 0),
            ffi::LUA_TNUMBER => Key::Number(ffi::lua_tonumber(state, -2)),
            ffi::LUA_TSTRING => Key::Text(raw::text_at(state, -2)?),
            ffi::LUA_TVECTOR => {
                let parts = ffi::lua_tovector(state, -2);
                Key::Space([*parts, *parts.add(1), *parts.add(2)])
            }
            ffi::LUA_TLIGHTUSERDATA => Key::Handle(
                ffi::lua_lightuserdatatag(state, -2),
                ffi::lua_tolightuserdata(state, -2) as u64,
            ),
            _ => return None,
        })
    }
}

/// The next key that still has a value. Upvalues: the table, its keys, how many were given.
unsafe extern "C-unwind" fn advance(state: *mut lua_State) -> c_int {
    unsafe {
        let mut index = ffi::lua_tonumber(state, ffi::lua_upvalueindex(3)) as c_int;
        loop {
            index += 1;
            if ffi::lua_rawgeti_(state, ffi::lua_upvalueindex(2), index) == ffi::LUA_TNIL {
                return 1;
            }
            ffi::lua_pushvalue(state, -1);
            if ffi::lua_rawget(state, ffi::lua_upvalueindex(1)) != ffi::LUA_TNIL {
                break;
            }
            ffi::lua_pop(state, 2);
        }
        ffi::lua_pushnumber(state, index.into());
        ffi::lua_replace(state, ffi::lua_upvalueindex(3));
        2
    }
}
