//! One call from a script into the host: checked arguments in, values out, errors with a place.
//!
//! Raw functions take a tenth of the time of safe closures. A body returns `Err(text)` and its frame is
//! gone before the error is raised, so nothing leaks; it must not panic and must not hold a borrow of the
//! world while it calls back into Lua.
use std::ffi::{CStr, c_int, c_void};

use mlua::ffi;
use mlua::lua_State;

use super::world::World;
use crate::tabletop::effort;
use crate::tabletop::space::COORDINATE_LIMIT;
use crate::tabletop::{Space, UnitId, Value};

/// What a host function gives back: how many values it left on the stack, or why it refused. An empty
/// text stands for the error value on top of the stack, which a script's own function raised.
pub type Answer = Result<c_int, String>;

/// Tag of a lightuserdata that stands for a unit: `epoch << 32 | id`.
pub const TAG_UNIT: c_int = 11;
/// Tag of a lightuserdata that stands for a pile: its index.
pub const TAG_PILE: c_int = 12;

/// A running call.
pub struct Call {
    pub l: *mut lua_State,
    world: *mut World,
}

/// Runs `body` as a call from the state: what `raw_fn!` wraps.
///
/// # Safety
/// Called by Lua, with the world's address as first upvalue.
#[inline]
pub unsafe fn enter_with(l: *mut lua_State, body: fn(&mut Call) -> Answer) -> c_int {
    let world = unsafe { ffi::lua_touserdata(l, ffi::lua_upvalueindex(1)) }.cast::<World>();
    let mut call = Call { l, world };
    let answer = body(&mut call);
    // What gave up early raises, so time is looked at only then: every safepoint does it anyway.
    if effort::is_hoarding() || (answer.is_err() && effort::is_spent()) {
        drop(answer);
        unsafe { (*(*world).vm).raise_spent(l) }
    }
    match answer {
        Ok(count) => count,
        Err(text) if text.is_empty() => unsafe { ffi::lua_error(l) },
        Err(text) => unsafe {
            ffi::luaL_where(l, pack_level(l));
            ffi::lua_pushlstring_(l, text.as_ptr().cast(), text.len());
            drop(text);
            ffi::lua_concat(l, 2);
            ffi::lua_error(l)
        },
    }
}

/// How far up the calls the nearest script of a pack is: the host's own preludes are no place to tell.
#[cold]
unsafe fn pack_level(l: *mut lua_State) -> c_int {
    for level in 1..10 {
        let mut frame: ffi::lua_Debug = unsafe { std::mem::zeroed() };
        if unsafe { ffi::lua_getinfo(l, level, c"s".as_ptr(), &mut frame) } == 0 || frame.short_src.is_null()
        {
            break;
        }
        if !unsafe { CStr::from_ptr(frame.short_src) }
            .to_bytes()
            .starts_with(b"@ludex/")
        {
            return level;
        }
    }
    1
}

/// Pushes a closure of a raw function over the world.
///
/// # Safety
/// `l` is a live state and `world` outlives it.
pub unsafe fn push_function(
    l: *mut lua_State,
    function: mlua::lua_CFunction,
    name: &'static CStr,
    world: *mut World,
) {
    unsafe {
        ffi::lua_pushlightuserdata(l, world.cast());
        ffi::lua_pushcclosured(l, function, name.as_ptr(), 1);
    }
}

impl Call {
    /// The world. The borrow must end before Lua runs again.
    #[inline]
    pub fn world(&mut self) -> &mut World {
        unsafe { &mut *self.world }
    }

    pub fn world_ptr(&self) -> *mut World {
        self.world
    }

    pub fn count(&self) -> c_int {
        unsafe { ffi::lua_gettop(self.l) }
    }

    pub fn is_none(&self, index: c_int) -> bool {
        unsafe { ffi::lua_type(self.l, index) <= ffi::LUA_TNIL }
    }

    /// The word for an argument's type in messages.
    pub fn type_name(&self, index: c_int) -> &'static str {
        unsafe {
            match ffi::lua_type(self.l, index) {
                ffi::LUA_TNONE => "nothing",
                ffi::LUA_TNIL => "nil",
                ffi::LUA_TBOOLEAN => "a boolean",
                ffi::LUA_TNUMBER => "a number",
                ffi::LUA_TSTRING => "a text",
                ffi::LUA_TTABLE => "a table",
                ffi::LUA_TFUNCTION => "a function",
                ffi::LUA_TVECTOR => "a space",
                ffi::LUA_TLIGHTUSERDATA => match ffi::lua_lightuserdatatag(self.l, index) {
                    TAG_UNIT => "a unit",
                    TAG_PILE => "a pile",
                    _ => "a handle",
                },
                _ => "something else",
            }
        }
    }

    fn expected<T>(&self, index: c_int, what: &str) -> Result<T, String> {
        Err(format!(
            "argument {index}: expected {what}, got {}",
            self.type_name(index)
        ))
    }

    pub fn number(&self, index: c_int) -> Result<f64, String> {
        let mut is_number = 0;
        let number = unsafe { ffi::lua_tonumberx(self.l, index, &mut is_number) };
        if is_number == 0 || unsafe { ffi::lua_type(self.l, index) } != ffi::LUA_TNUMBER {
            return self.expected(index, "a number");
        }
        Ok(number)
    }

    /// A whole number within `low..=high`.
    pub fn whole(&self, index: c_int, low: i64, high: i64) -> Result<i64, String> {
        let number = self.number(index)?;
        if number.fract() != 0.0 || number < low as f64 || number > high as f64 {
            return Err(format!(
                "argument {index}: expected a whole number from {low} to {high}, got {number}"
            ));
        }
        Ok(number as i64)
    }

    /// A text; the borrow lives as long as the argument stays on the stack.
    pub fn text(&self, index: c_int) -> Result<&str, String> {
        if unsafe { ffi::lua_type(self.l, index) } != ffi::LUA_TSTRING {
            return self.expected(index, "a text");
        }
        unsafe { text_at(self.l, index) }.ok_or_else(|| format!("argument {index}: the text is not UTF-8"))
    }

    pub fn optional_text(&self, index: c_int) -> Result<Option<&str>, String> {
        if self.is_none(index) {
            Ok(None)
        } else {
            self.text(index).map(Some)
        }
    }

    pub fn table(&self, index: c_int) -> Result<(), String> {
        if unsafe { ffi::lua_type(self.l, index) } == ffi::LUA_TTABLE {
            Ok(())
        } else {
            self.expected(index, "a table")
        }
    }

    pub fn function(&self, index: c_int) -> Result<(), String> {
        if unsafe { ffi::lua_type(self.l, index) } == ffi::LUA_TFUNCTION {
            Ok(())
        } else {
            self.expected(index, "a function")
        }
    }

    #[inline]
    pub fn space(&self, index: c_int) -> Result<Space, String> {
        let vector = unsafe { ffi::lua_tovector(self.l, index) };
        if vector.is_null() {
            return self.expected(index, "a space, such as vector(2, -1)");
        }
        let [x, y, z] = unsafe { [*vector, *vector.add(1), *vector.add(2)] };
        space_of(x, y, z).map_err(|e| format!("argument {index}: {e}"))
    }

    /// The unit of a handle, which must exist still.
    #[inline]
    pub fn unit(&mut self, index: c_int) -> Result<UnitId, String> {
        unsafe {
            if ffi::lua_type(self.l, index) != ffi::LUA_TLIGHTUSERDATA
                || ffi::lua_lightuserdatatag(self.l, index) != TAG_UNIT
            {
                return self.expected(index, "a unit");
            }
            let bits = ffi::lua_tolightuserdata(self.l, index) as usize as u64;
            self.world().living(bits)
        }
    }

    pub fn pile(&mut self, index: c_int) -> Result<u16, String> {
        unsafe {
            if ffi::lua_type(self.l, index) != ffi::LUA_TLIGHTUSERDATA
                || ffi::lua_lightuserdatatag(self.l, index) != TAG_PILE
            {
                return self.expected(index, "a pile, such as piles.deck");
            }
            Ok(ffi::lua_tolightuserdata(self.l, index) as usize as u16)
        }
    }

    pub fn value(&mut self, index: c_int) -> Result<Value, String> {
        unsafe { value_at(self.l, self.world, index, 0) }
    }

    pub fn push_bool(&self, value: bool) {
        unsafe { ffi::lua_pushboolean(self.l, c_int::from(value)) }
    }

    pub fn push_number(&self, value: f64) {
        unsafe { ffi::lua_pushnumber(self.l, value) }
    }

    pub fn push_nil(&self) {
        unsafe { ffi::lua_pushnil(self.l) }
    }

    pub fn push_text(&self, value: &str) {
        unsafe { ffi::lua_pushlstring_(self.l, value.as_ptr().cast(), value.len()) }
    }

    pub fn push_space(&self, s: Space) {
        unsafe { push_space(self.l, s) }
    }

    pub fn push_unit(&mut self, id: UnitId) {
        let bits = self.world().handle(id);
        unsafe { ffi::lua_pushlightuserdatatagged(self.l, bits as usize as *mut c_void, TAG_UNIT) }
    }

    /// Pushes a frozen list of spaces.
    pub fn push_spaces(&self, spaces: impl ExactSizeIterator<Item = Space>) {
        unsafe {
            ffi::lua_createtable(self.l, spaces.len() as c_int, 0);
            for (i, space) in spaces.enumerate() {
                push_space(self.l, space);
                ffi::lua_rawseti_(self.l, -2, i as c_int + 1);
            }
            ffi::lua_setreadonly(self.l, -1, 1);
        }
    }

    /// Pushes a frozen list of units.
    pub fn push_units(&mut self, units: &[UnitId]) {
        unsafe {
            ffi::lua_createtable(self.l, units.len() as c_int, 0);
            for (i, id) in units.iter().enumerate() {
                self.push_unit(*id);
                ffi::lua_rawseti_(self.l, -2, i as c_int + 1);
            }
            ffi::lua_setreadonly(self.l, -1, 1);
        }
    }

    pub fn push_value(&mut self, value: &Value) {
        unsafe { push_value(self.l, self.world, value) }
    }
}

/// A text on the stack, unless it is not UTF-8.
///
/// # Safety
/// The value at `index` is a string, and stays on the stack while the text is used.
pub unsafe fn text_at<'a>(l: *mut lua_State, index: c_int) -> Option<&'a str> {
    unsafe {
        let mut length = 0;
        let bytes = ffi::lua_tolstring(l, index, &mut length);
        if bytes.is_null() {
            return None;
        }
        std::str::from_utf8(std::slice::from_raw_parts(bytes.cast::<u8>(), length)).ok()
    }
}

/// # Safety
/// `l` is a live state.
#[inline]
pub unsafe fn push_space(l: *mut lua_State, s: Space) {
    unsafe { ffi::lua_pushvector(l, s.q as f32, s.r as f32, f32::from(s.board)) }
}

/// The space that a vector stands for: whole numbers within a million either way.
#[inline]
pub fn space_of(x: f32, y: f32, z: f32) -> Result<Space, String> {
    let (q, r, board) = (x as i32, y as i32, z as i32);
    let fits = |f: f32, i: i32| f == i as f32 && (-COORDINATE_LIMIT..=COORDINATE_LIMIT).contains(&i);
    if fits(x, q) && fits(y, r) && (0..=255).contains(&board) && z == board as f32 {
        return Ok(Space::new(q, r, board as u8));
    }
    Err(format!(
        "({x},{y},{z}) is not a space: coordinates are whole numbers within {COORDINATE_LIMIT} of 0"
    ))
}

/// No text form of a save holds these, and no rule needs them.
pub const NOT_FINITE: &str = "not a number (0/0) can't be kept in a field, nor can infinity";

/// Deepest nesting of lists and maps in a field.
const DEPTH: usize = 16;

/// The plain value at a stack index; lists are tables with keys 1 to n, maps have text keys.
///
/// # Safety
/// `l` and `world` are live.
pub unsafe fn value_at(
    l: *mut lua_State,
    world: *mut World,
    index: c_int,
    depth: usize,
) -> Result<Value, String> {
    unsafe {
        Ok(match ffi::lua_type(l, index) {
            ffi::LUA_TNONE | ffi::LUA_TNIL => Value::Nil,
            ffi::LUA_TBOOLEAN => Value::Bool(ffi::lua_toboolean(l, index) != 0),
            ffi::LUA_TNUMBER => {
                let number = ffi::lua_tonumberx(l, index, std::ptr::null_mut());
                if !number.is_finite() {
                    return Err(NOT_FINITE.into());
                }
                Value::Number(number + 0.0)
            }
            ffi::LUA_TSTRING => {
                let text = text_at(l, index).ok_or("the text is not UTF-8")?;
                if text.len() > crate::tabletop::state::TEXT_LIMIT {
                    return Err(crate::tabletop::Refused::TextTooLong.to_string());
                }
                Value::Text(text.into())
            }
            ffi::LUA_TVECTOR => {
                let v = ffi::lua_tovector(l, index);
                Value::Space(space_of(*v, *v.add(1), *v.add(2))?)
            }
            ffi::LUA_TLIGHTUSERDATA if ffi::lua_lightuserdatatag(l, index) == TAG_UNIT => {
                let bits = ffi::lua_tolightuserdata(l, index) as usize as u64;
                Value::Unit((*world).living(bits)?)
            }
            ffi::LUA_TTABLE => table_at(l, world, ffi::lua_absindex(l, index), depth)?,
            ffi::LUA_TFUNCTION => {
                return Err("a function can't be kept in a field; keep the name of a step".into());
            }
            _ => {
                return Err(
                    "only booleans, numbers, texts, spaces, units, lists and maps can be kept".into(),
                );
            }
        })
    }
}

unsafe fn table_at(
    l: *mut lua_State,
    world: *mut World,
    index: c_int,
    depth: usize,
) -> Result<Value, String> {
    unsafe {
        if depth >= DEPTH {
            return Err(format!("lists and maps nest at most {DEPTH} deep"));
        }
        if ffi::lua_checkstack(l, 4) == 0 {
            return Err("lists and maps nest too deep".into());
        }
        let length = ffi::lua_objlen(l, index);
        // In order as long as the keys come so, which those of a list do.
        let mut items: Vec<Value> = Vec::with_capacity(length);
        let mut others = Vec::new();
        let mut map = std::collections::BTreeMap::new();
        let mut place = 0;
        loop {
            place = ffi::lua_rawiter(l, index, place);
            if place < 0 {
                break;
            }
            match ffi::lua_type(l, -2) {
                ffi::LUA_TSTRING => {
                    let key = text_at(l, -2).ok_or("a key is not UTF-8")?.into();
                    map.insert(key, value_at(l, world, -1, depth + 1)?);
                }
                ffi::LUA_TNUMBER => {
                    let key = ffi::lua_tonumberx(l, -2, std::ptr::null_mut());
                    if key < 1.0 || key.fract() != 0.0 || key > length as f64 {
                        return Err(format!(
                            "a list has the keys 1 to its length; {key} is not one of them"
                        ));
                    }
                    let value = value_at(l, world, -1, depth + 1)?;
                    if key as usize == items.len() + 1 {
                        items.push(value);
                    } else {
                        others.push((key as usize, value));
                    }
                }
                _ => return Err("the keys of a map are texts".into()),
            }
            ffi::lua_pop(l, 2);
        }
        if !others.is_empty() {
            others.extend(items.drain(..).enumerate().map(|(i, value)| (i + 1, value)));
            others.sort_by_key(|(i, _)| *i);
            items.extend(others.into_iter().map(|(_, value)| value));
        }
        match (items.is_empty(), map.is_empty()) {
            (false, false) => Err("a table is either a list or a map, not both".into()),
            (true, false) => Ok(Value::Map(map.into())),
            _ => Ok(Value::List(items.into())),
        }
    }
}

/// Pushes a value; lists and maps as frozen tables.
///
/// # Safety
/// `l` and `world` are live.
pub unsafe fn push_value(l: *mut lua_State, world: *mut World, value: &Value) {
    unsafe {
        match value {
            Value::Nil => ffi::lua_pushnil(l),
            Value::Bool(b) => ffi::lua_pushboolean(l, c_int::from(*b)),
            Value::Number(n) => ffi::lua_pushnumber(l, *n),
            Value::Text(t) => ffi::lua_pushlstring_(l, t.as_ptr().cast(), t.len()),
            Value::Space(s) => push_space(l, *s),
            Value::Unit(id) => {
                let bits = (*world).handle(*id);
                ffi::lua_pushlightuserdatatagged(l, bits as usize as *mut c_void, TAG_UNIT);
            }
            Value::List(items) => {
                ffi::lua_checkstack(l, 4);
                ffi::lua_createtable(l, items.len() as c_int, 0);
                for (i, item) in items.iter().enumerate() {
                    push_value(l, world, item);
                    ffi::lua_rawseti_(l, -2, i as c_int + 1);
                }
                ffi::lua_setreadonly(l, -1, 1);
            }
            Value::Map(map) => {
                ffi::lua_checkstack(l, 4);
                ffi::lua_createtable(l, 0, map.len() as c_int);
                for (key, item) in map.iter() {
                    ffi::lua_pushlstring_(l, key.as_ptr().cast(), key.len());
                    push_value(l, world, item);
                    ffi::lua_rawset(l, -3);
                }
                ffi::lua_setreadonly(l, -1, 1);
            }
        }
    }
}

/// Pushes the value of a registry reference.
///
/// # Safety
/// `l` is a live state and the reference was made by `lua_ref`.
#[inline]
pub unsafe fn push_reference(l: *mut lua_State, reference: c_int) {
    unsafe {
        ffi::lua_rawgeti_(l, ffi::LUA_REGISTRYINDEX, reference);
    }
}
