//! The host's side of `search.find`.
use std::cell::Cell;
use std::ffi::c_int;

use mlua::ffi;

use super::handle::{self, Held};
use crate::script::call::{Answer, Call};
use crate::tabletop::Value;
use crate::tabletop::search::frontier::{Bounds, Costs, Frontier, KINDS, Next};

struct Open(Frontier<Value, Value>);

impl Held for Open {
    const TAG: c_int = 20;
    const NAME: &'static str = "an open search";
}

/// The most states that a script may keep.
const STATES: i64 = 200_000;

thread_local! {
    /// States of all open searches: one that raised is kept until the collector comes.
    static KEPT: Cell<usize> = const { Cell::new(0) };
}

impl Drop for Open {
    fn drop(&mut self) {
        KEPT.set(KEPT.get().saturating_sub(self.0.kept()));
    }
}

pub fn open(c: &mut Call) -> Answer {
    let whole = |c: &Call, index, name: &str, default, high| {
        if c.is_none(index) {
            return Ok(default);
        }
        c.whole(index, 0, high)
            .map_err(|_| format!("`{name}` of search.find is a whole number from 0 to {high}"))
    };
    let states = whole(c, 1, "limit", 10_000, STATES)? as usize;
    let cost = if c.is_none(2) {
        None
    } else {
        Some(costs(c, 2, "most")?)
    };
    let depth = whole(c, 3, "depth", i64::from(u32::MAX), i64::from(u32::MAX))? as u32;
    handle::push(c, Open(Frontier::new(Bounds { states, cost, depth })))?;
    Ok(1)
}

/// `(open, state, entry?, label?, cost?, bound?)`
pub fn add(c: &mut Call) -> Answer {
    let state = c
        .value(2)
        .map_err(|e| format!("a state of a search is a plain value: {e}"))?;
    let parent = if c.is_none(3) {
        None
    } else {
        Some(c.whole(3, 1, STATES)? as usize - 1)
    };
    let label = if c.is_none(4) { None } else { Some(c.value(4)?) };
    let cost = costs(c, 5, "cost")?;
    let bound = costs(c, 6, "bound")?;
    let open = handle::get::<Open>(c, 1)?;
    if KEPT.get() > 2 * STATES as usize {
        unsafe { ffi::lua_gc(c.l, ffi::LUA_GCCOLLECT, 0) };
        if KEPT.get() > 2 * STATES as usize {
            return Err("searches that haven't ended keep too many states".into());
        }
    }
    let before = open.0.kept();
    open.0
        .add(&key_of_state(&state)?, state, label, parent, cost, bound);
    KEPT.set(KEPT.get() + open.0.kept() - before);
    Ok(0)
}

/// The next state and its entry; without one, why there is none.
pub fn take(c: &mut Call) -> Answer {
    let open = handle::get::<Open>(c, 1)?;
    match open.0.cheapest() {
        Next::Entry(entry) => {
            let state = open.0.state(entry).clone();
            c.push_value(&state);
            c.push_number(entry as f64 + 1.0);
            return Ok(2);
        }
        Next::Exhausted => c.push_text("no"),
        Next::Limit => c.push_text("unknown"),
    }
    close(c)?;
    Ok(1)
}

/// Gives the memory of a search back that has ended.
fn close(c: &mut Call) -> Result<(), String> {
    let open = handle::get::<Open>(c, 1)?;
    *open = Open(Frontier::new(Bounds {
        states: 0,
        cost: None,
        depth: 0,
    }));
    Ok(())
}

pub fn trace(c: &mut Call) -> Answer {
    let entry = c.whole(2, 1, STATES)? as usize - 1;
    let open = handle::get::<Open>(c, 1)?;
    let path: Vec<Value> = open.0.path(entry)[1..]
        .iter()
        .map(|(state, label)| label.unwrap_or(state).clone())
        .collect();
    let cost = open.0.cost(entry);
    c.push_value(&Value::List(path.into()));
    close(c)?;
    let kinds = cost
        .iter()
        .rposition(|kind| *kind != 0.0)
        .map_or(1, |last| last + 1);
    if kinds == 1 {
        c.push_number(cost[0]);
    } else {
        c.push_value(&Value::List(
            cost[..kinds].iter().map(|kind| Value::Number(*kind)).collect(),
        ));
    }
    Ok(2)
}

/// A number or a list of numbers; nothing counts as 0.
fn costs(c: &mut Call, index: c_int, what: &str) -> Result<Costs, String> {
    let mut costs = [0.0; KINDS];
    let wrong = || format!("a {what} is a number, 0 or more, or a list of up to {KINDS}");
    match unsafe { ffi::lua_type(c.l, index) } {
        ffi::LUA_TNONE | ffi::LUA_TNIL => {}
        ffi::LUA_TNUMBER => costs[0] = c.number(index)?,
        ffi::LUA_TTABLE => {
            let count = unsafe { ffi::lua_objlen(c.l, index) };
            for i in 0..count {
                unsafe { ffi::lua_rawgeti_(c.l, index, i as c_int + 1) };
                let number = c.number(-1).map_err(|_| wrong())?;
                unsafe { ffi::lua_settop(c.l, -2) };
                *costs.get_mut(i).ok_or_else(wrong)? = number;
            }
        }
        _ => return Err(wrong()),
    }
    if costs.iter().any(|cost| cost.is_nan() || *cost < 0.0) {
        return Err(wrong());
    }
    Ok(costs)
}

/// Bytes of a state: searches keep many.
const LARGEST: usize = 10_000;

/// The key of a state.
///
/// # Errors
/// It is too large to be one.
pub fn key_of_state(state: &Value) -> Result<Vec<u8>, String> {
    let key = key(state);
    if key.len() > LARGEST {
        return Err(format!(
            "a state of a search has at most {LARGEST} bytes; this one has {}",
            key.len()
        ));
    }
    Ok(key)
}

/// Bytes that are the same for equal values only.
pub fn key(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(32);
    write(value, &mut bytes);
    bytes
}

fn write(value: &Value, bytes: &mut Vec<u8>) {
    match value {
        Value::Nil => bytes.push(0),
        Value::Bool(b) => bytes.extend([1, u8::from(*b)]),
        Value::Number(n) => {
            bytes.push(2);
            bytes.extend(n.to_le_bytes());
        }
        Value::Text(text) => {
            bytes.push(3);
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        Value::Space(space) => {
            bytes.extend([4, space.board]);
            bytes.extend(space.q.to_le_bytes());
            bytes.extend(space.r.to_le_bytes());
        }
        Value::Unit(unit) => {
            bytes.push(5);
            bytes.extend(unit.to_le_bytes());
        }
        Value::List(items) => {
            bytes.push(6);
            bytes.extend((items.len() as u32).to_le_bytes());
            items.iter().for_each(|item| write(item, bytes));
        }
        Value::Map(map) => {
            bytes.push(7);
            bytes.extend((map.len() as u32).to_le_bytes());
            for (name, item) in map.iter() {
                write(&Value::Text(name.clone()), bytes);
                write(item, bytes);
            }
        }
    }
}
