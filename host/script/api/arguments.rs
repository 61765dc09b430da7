//! What functions of the API are given: tables of named settings, lists of spaces, and questions that a
//! script answers with a function, a table or a list.
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_int};

use mlua::ffi;
use mlua::lua_State;

use crate::script::call::{Call, push_space, space_of, text_at};
use crate::script::vm::hint;
use crate::tabletop::{Place, Space, UnitId};

/// A table of named settings, or none.
pub struct Settings {
    table: Option<c_int>,
}

impl Settings {
    /// Reads argument `index`, which may be left out; a name that isn't `known` is refused.
    pub fn read(c: &Call, index: c_int, known: &[&'static CStr]) -> Result<Self, String> {
        unsafe { ffi::lua_rawcheckstack(c.l, 40) };
        if c.is_none(index) {
            return Ok(Self { table: None });
        }
        c.table(index)?;
        let mut place = 0;
        loop {
            place = unsafe { ffi::lua_rawiter(c.l, index, place) };
            if place < 0 {
                return Ok(Self { table: Some(index) });
            }
            let name = match unsafe { ffi::lua_type(c.l, -2) } {
                ffi::LUA_TSTRING => unsafe { text_at(c.l, -2) }.unwrap_or("?"),
                _ => {
                    return Err(format!(
                        "argument {index}: settings have names, such as `{}`",
                        word(known[0])
                    ));
                }
            };
            if !known.iter().any(|k| k.to_bytes() == name.as_bytes()) {
                let hint = hint(name, known.iter().map(|k| word(k)));
                let all: Vec<&str> = known.iter().map(|k| word(k)).collect();
                return Err(format!(
                    "there is no setting `{name}`{hint}; there are {}",
                    all.join(", ")
                ));
            }
            unsafe { ffi::lua_pop(c.l, 2) };
        }
    }

    /// Pushes a setting and tells its place on the stack, unless it is left out.
    pub fn get(&self, c: &Call, name: &'static CStr) -> Option<c_int> {
        let table = self.table?;
        unsafe {
            if ffi::lua_rawgetfield(c.l, table, name.as_ptr()) == ffi::LUA_TNIL {
                ffi::lua_pop(c.l, 1);
                return None;
            }
            Some(ffi::lua_gettop(c.l))
        }
    }

    pub fn flag(&self, c: &Call, name: &'static CStr) -> Result<bool, String> {
        let Some(at) = self.get(c, name) else {
            return Ok(false);
        };
        match unsafe { ffi::lua_type(c.l, at) } {
            ffi::LUA_TBOOLEAN => Ok(unsafe { ffi::lua_toboolean(c.l, at) != 0 }),
            _ => Err(format!(
                "`{}`: expected a boolean, got {}",
                word(name),
                c.type_name(at)
            )),
        }
    }

    /// A whole number from 0 to `high`.
    pub fn whole(&self, c: &Call, name: &'static CStr, high: i64) -> Result<Option<u32>, String> {
        let Some(at) = self.get(c, name) else {
            return Ok(None);
        };
        c.whole(at, 0, high)
            .map(|n| Some(n as u32))
            .map_err(|e| in_setting(name, &e))
    }

    /// A question, answered by default if it is left out.
    pub fn rule(&self, c: &Call, name: &'static CStr) -> Result<Rule, String> {
        match self.get(c, name) {
            None => Ok(Rule::Default),
            Some(at) => Rule::read(c, at).map_err(|e| in_setting(name, &e)),
        }
    }
}

/// A message about an argument as one about a setting.
pub fn in_setting(name: &'static CStr, message: &str) -> String {
    let text = message
        .strip_prefix("argument ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(message, |(_, t)| t);
    format!("`{}`: {text}", word(name))
}

fn word(name: &'static CStr) -> &'static str {
    name.to_str().unwrap_or("?")
}

/// A question about spaces that a script settles.
#[derive(Debug)]
pub enum Rule {
    Default,
    /// A function at this place of the stack.
    Function(c_int),
    /// A table keyed by space at this place of the stack.
    Table(c_int),
    List(BTreeSet<Space>),
}

/// What a rule said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reply {
    /// Nothing: a table without the key, or no rule at all.
    Silent,
    Nil,
    Boolean(bool),
    Number(f64),
    Other(&'static str),
}

impl Reply {
    /// Whether it counts as true; a silent rule means `default`.
    pub fn is_true(self, default: bool) -> bool {
        match self {
            Self::Silent => default,
            Self::Nil | Self::Boolean(false) => false,
            _ => true,
        }
    }
}

/// Whether a script's function has raised; then no rule is asked any more.
#[derive(Default)]
pub struct Failure {
    raised: Cell<bool>,
    text: RefCell<Option<String>>,
}

impl Failure {
    pub fn is_set(&self) -> bool {
        self.raised.get()
    }

    /// Notes a refusal of the host's own.
    pub fn note(&self, text: String) {
        if !self.raised.replace(true) {
            self.text.replace(Some(text));
        }
    }

    /// The refusal, as a body returns it. A raised value still lies on top of the stack.
    pub fn check(&self) -> Result<(), String> {
        if !self.raised.get() {
            return Ok(());
        }
        Err(self.text.take().unwrap_or_default())
    }
}

impl Rule {
    /// A function, a list of spaces, or a table keyed by space.
    pub fn read(c: &Call, index: c_int) -> Result<Self, String> {
        match unsafe { ffi::lua_type(c.l, index) } {
            ffi::LUA_TFUNCTION => Ok(Self::Function(index)),
            ffi::LUA_TTABLE if unsafe { ffi::lua_objlen(c.l, index) } > 0 => {
                Ok(Self::List(space_list(c, index)?.into_iter().collect()))
            }
            ffi::LUA_TTABLE => Ok(Self::Table(index)),
            _ => Err(format!(
                "expected a function, a list of spaces or a table keyed by space, got {}",
                c.type_name(index)
            )),
        }
    }

    /// Asks about `space`; a function is given what `push` pushes, as many values as it says.
    pub fn ask(
        &self,
        l: *mut lua_State,
        failure: &Failure,
        space: Space,
        push: impl FnOnce() -> c_int,
    ) -> Reply {
        if failure.is_set() {
            return Reply::Nil;
        }
        unsafe {
            match self {
                Self::Default => Reply::Silent,
                Self::List(spaces) => Reply::Boolean(spaces.contains(&space)),
                Self::Table(table) => {
                    push_space(l, space);
                    let silent = ffi::lua_rawget(l, *table) == ffi::LUA_TNIL;
                    let reply = reply(l);
                    if silent { Reply::Silent } else { reply }
                }
                Self::Function(function) => {
                    ffi::lua_rawcheckstack(l, 8);
                    ffi::lua_pushvalue(l, *function);
                    let count = push();
                    if ffi::lua_pcall(l, count, 1, 0) != ffi::LUA_OK {
                        failure.raised.set(true);
                        return Reply::Nil;
                    }
                    reply(l)
                }
            }
        }
    }

    /// Asks whether something holds of one space.
    pub fn holds(&self, l: *mut lua_State, failure: &Failure, space: Space, default: bool) -> bool {
        let push = || {
            unsafe { push_space(l, space) };
            1
        };
        self.ask(l, failure, space, push).is_true(default)
    }
}

/// Pops the value on top.
unsafe fn reply(l: *mut lua_State) -> Reply {
    unsafe {
        let reply = match ffi::lua_type(l, -1) {
            ffi::LUA_TNIL => Reply::Nil,
            ffi::LUA_TBOOLEAN => Reply::Boolean(ffi::lua_toboolean(l, -1) != 0),
            ffi::LUA_TNUMBER => Reply::Number(ffi::lua_tonumberx(l, -1, std::ptr::null_mut())),
            ffi::LUA_TSTRING => Reply::Other("a text"),
            ffi::LUA_TTABLE => Reply::Other("a table"),
            ffi::LUA_TVECTOR => Reply::Other("a space"),
            _ => Reply::Other("something else"),
        };
        ffi::lua_pop(l, 1);
        reply
    }
}

/// The spaces of a list.
pub fn space_list(c: &Call, index: c_int) -> Result<Vec<Space>, String> {
    c.table(index)?;
    unsafe { ffi::lua_rawcheckstack(c.l, 4) };
    let count = unsafe { ffi::lua_objlen(c.l, index) };
    let mut spaces = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe {
            ffi::lua_rawgeti_(c.l, index, i as c_int);
            let vector = ffi::lua_tovector(c.l, -1);
            if vector.is_null() {
                let got = c.type_name(-1);
                return Err(format!(
                    "argument {index}: item {i} of the list: expected a space, got {got}"
                ));
            }
            let space = space_of(*vector, *vector.add(1), *vector.add(2));
            spaces.push(space.map_err(|e| format!("argument {index}: item {i} of the list: {e}"))?);
            ffi::lua_pop(c.l, 1);
        }
    }
    Ok(spaces)
}

/// The units of a list with their spaces; those that stand on no board are left out.
pub fn unit_list(c: &mut Call, index: c_int) -> Result<Vec<(UnitId, Space)>, String> {
    c.table(index)?;
    unsafe { ffi::lua_rawcheckstack(c.l, 4) };
    let count = unsafe { ffi::lua_objlen(c.l, index) };
    let mut units = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe { ffi::lua_rawgeti_(c.l, index, i as c_int) };
        let top = unsafe { ffi::lua_gettop(c.l) };
        let unit = c.unit(top).map_err(|e| in_item(index, i, &e))?;
        unsafe { ffi::lua_pop(c.l, 1) };
        if let Some(Place::Board(space)) = c.world().tabletop.unit(unit).map(|u| u.place) {
            units.push((unit, space));
        }
    }
    Ok(units)
}

fn in_item(index: c_int, item: usize, message: &str) -> String {
    let text = message
        .strip_prefix("argument ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(message, |(_, t)| t);
    format!("argument {index}: item {item} of the list: {text}")
}
