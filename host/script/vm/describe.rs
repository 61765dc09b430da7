//! Values as text: never an address, and error values of any kind as one readable line.
use std::ffi::{CStr, c_int};
use std::fmt::Write;

use mlua::ffi::{self, lua_State};

use super::raw;

/// Entries of a table that an error's text shows.
const SHOWN: usize = 12;
/// Bytes of a text that an error shows.
const LONGEST: usize = 4096;

/// Pushes the text of the value at `slot`, as `tostring` gives it.
///
/// # Safety
/// `state` is a live Lua state in a protected call; a `__tostring` of the value may raise.
pub unsafe fn push_tostring(state: *mut lua_State, slot: c_int) {
    unsafe {
        let slot = ffi::lua_absindex(state, slot);
        ffi::lua_rawcheckstack(state, 4);
        if ffi::luaL_callmeta(state, slot, c"__tostring".as_ptr()) != 0 {
            if ffi::lua_type(state, -1) != ffi::LUA_TSTRING {
                raw::raise(state, "`__tostring` must return a text".into());
            }
            return;
        }
        match ffi::lua_type(state, slot) {
            ffi::LUA_TNIL | ffi::LUA_TBOOLEAN | ffi::LUA_TNUMBER | ffi::LUA_TSTRING | ffi::LUA_TINTEGER => {
                ffi::luaL_tolstring_(state, slot, std::ptr::null_mut());
            }
            ffi::LUA_TVECTOR => {
                let parts = ffi::lua_tovector(state, slot);
                raw::push_text(state, &vector([*parts, *parts.add(1), *parts.add(2)]));
            }
            // The type's name alone: an address differs from run to run.
            kind => ffi::lua_pushstring_(state, ffi::lua_typename(state, kind)),
        }
    }
}

/// A space: `(q,r)`, with the board in front unless it is the first.
fn vector([q, r, board]: [f32; 3]) -> String {
    let coordinates = format!("({},{})", q + 0.0, r + 0.0);
    if board == 0.0 {
        coordinates
    } else {
        format!("board {board}:{coordinates}")
    }
}

/// Replaces an error of the host's at the stack's top by its message, so that scripts see a text.
///
/// # Safety
/// `state` is a live Lua state in a protected call, with free stack slots.
pub unsafe fn soften(state: *mut lua_State) {
    unsafe {
        if ffi::lua_type(state, -1) == ffi::LUA_TUSERDATA {
            let text = error_text(state, -1);
            raw::push_text(state, &text);
            ffi::lua_replace(state, -2);
        }
    }
}

/// Whether an error's text is the one that Luau or mlua raise when memory runs out.
pub fn lacks_memory(text: Option<&[u8]>) -> bool {
    matches!(
        text,
        Some(b"not enough memory" | b"memory error: not enough memory")
    )
}

/// The text of an error value, whatever it is.
///
/// # Safety
/// `state` is a live Lua state in a protected call; the value's `__tostring` may raise.
pub unsafe fn error_text(state: *mut lua_State, slot: c_int) -> String {
    unsafe {
        let slot = ffi::lua_absindex(state, slot);
        ffi::lua_rawcheckstack(state, 6);
        match ffi::lua_type(state, slot) {
            ffi::LUA_TNIL => "an error without a message was raised".into(),
            ffi::LUA_TSTRING => {
                let text = lossy(state, slot);
                if text.ends_with("stack overflow") {
                    return format!("{text}: a function, memo or metamethod calls itself without an end");
                }
                text
            }
            ffi::LUA_TTABLE => {
                if ffi::lua_rawgetfield(state, slot, c"message".as_ptr()) == ffi::LUA_TSTRING {
                    let text = lossy(state, -1);
                    ffi::lua_pop(state, 1);
                    return text;
                }
                ffi::lua_pop(state, 1);
                if ffi::luaL_getmetafield_(state, slot, c"__tostring".as_ptr()) != 0 {
                    ffi::lua_pop(state, 1);
                    push_tostring(state, slot);
                    let text = lossy(state, -1);
                    ffi::lua_pop(state, 1);
                    return text;
                }
                format!("an error value was raised: {}", plain(state, slot, 3))
            }
            ffi::LUA_TUSERDATA => {
                push_tostring(state, slot);
                let text = lossy(state, -1);
                ffi::lua_pop(state, 1);
                let text = text.split("\nstack traceback:").next().unwrap_or_default();
                let text = text.split("\n@").next().unwrap_or_default();
                text.strip_prefix("runtime error: ")
                    .unwrap_or(text)
                    .trim_end()
                    .to_string()
            }
            _ => format!("an error value was raised: {}", plain(state, slot, 3)),
        }
    }
}

unsafe fn lossy(state: *mut lua_State, slot: c_int) -> String {
    unsafe {
        let bytes = raw::text_at(state, slot).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
        if bytes.len() > LONGEST {
            format!("{text}...")
        } else {
            text.into_owned()
        }
    }
}

/// A plain value as Luau would write it, tables to a depth, entries in order.
unsafe fn plain(state: *mut lua_State, slot: c_int, depth: usize) -> String {
    unsafe {
        ffi::lua_rawcheckstack(state, 6);
        match ffi::lua_type(state, slot) {
            ffi::LUA_TSTRING => format!("{:?}", lossy(state, slot)),
            ffi::LUA_TTABLE if depth > 0 => table(state, ffi::lua_absindex(state, slot), depth),
            ffi::LUA_TTABLE => "{...}".into(),
            ffi::LUA_TNIL | ffi::LUA_TBOOLEAN | ffi::LUA_TNUMBER | ffi::LUA_TVECTOR => {
                push_tostring(state, slot);
                let text = lossy(state, -1);
                ffi::lua_pop(state, 1);
                text
            }
            kind => CStr::from_ptr(ffi::lua_typename(state, kind))
                .to_string_lossy()
                .into_owned(),
        }
    }
}

unsafe fn table(state: *mut lua_State, slot: c_int, depth: usize) -> String {
    unsafe {
        let mut entries = Vec::new();
        let mut at = 0;
        // A bound on what is read, not only on what is shown: an error may be a million entries.
        while entries.len() < 1000 {
            at = ffi::lua_rawiter(state, slot, at);
            if at == -1 {
                break;
            }
            let key = match raw::text_at(state, -2) {
                Some(text) => String::from_utf8_lossy(text).into_owned(),
                None => format!("[{}]", plain(state, -2, 0)),
            };
            entries.push((key, at));
            ffi::lua_pop(state, 2);
        }
        entries.sort();
        let mut text = String::from("{");
        for (number, (key, at)) in entries.iter().take(SHOWN).enumerate() {
            ffi::lua_rawiter(state, slot, at - 1);
            let value = plain(state, -1, depth - 1);
            ffi::lua_pop(state, 2);
            let comma = if number > 0 { "," } else { "" };
            let _ = write!(text, "{comma} {key} = {value}");
        }
        if entries.len() > SHOWN {
            text.push_str(", ...");
        }
        text.push_str(if entries.is_empty() { "}" } else { " }" });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_show_their_board_unless_it_is_the_first() {
        assert_eq!(vector([3.0, -1.0, 0.0]), "(3,-1)");
        assert_eq!(vector([-0.0, 0.5, 2.0]), "board 2:(0,0.5)");
    }
}
