//! Dice: chance from named streams of the session's seed.
use std::ffi::c_int;

use mlua::ffi;

use super::Record;
use crate::script::call::{Answer, Call};
use crate::script::vm::hint;

pub const RECORDS: &[Record] = &[
    Record::raw(
        "dice.int",
        c"int",
        super::raw_fn!(int),
        "(stream: string, low: number, high: number) -> number",
        "A whole number from `low` to `high`, each equally likely, from a named dice stream.",
        "local n = dice.int(\"luck\", 1, 6)\nassert(n >= 1 and n <= 6)",
    ),
    Record::raw(
        "dice.roll",
        c"roll",
        super::raw_fn!(roll),
        "(stream: string, die: string) -> (any, number)",
        "Rolls a declared die: the value of the face that is up, and the face's number from 1.",
        "local value, face = dice.roll(\"luck\", \"coin\")\nassert(value == \"heads\" or value == \"tails\")\nassert(face == 1 or face == 2)",
    ),
    Record::raw(
        "dice.faces",
        c"faces",
        super::raw_fn!(faces),
        "(die: string) -> {any}",
        "The values of a declared die's faces, in order.",
        "assert(#dice.faces(\"coin\") == 2)",
    ),
    Record::raw(
        "dice.shuffle",
        c"shuffle",
        super::raw_fn!(shuffle),
        "<T>(stream: string, list: {T}) -> {T}",
        "A new list: the same items in an order drawn from a named dice stream.",
        "local order = dice.shuffle(\"luck\", { 1, 2, 3 })\nassert(#order == 3)",
    ),
];

/// The index of the stream that argument `index` names.
pub fn stream(c: &mut Call, index: c_int) -> Result<u16, String> {
    let declared = c.world().tabletop.declared().clone();
    let name = c.text(index)?;
    declared.stream(name).ok_or_else(|| {
        let hint = hint(name, declared.streams.iter().map(|s| &**s));
        format!("there is no dice stream `{name}`{hint}; streams are declared in game.toml")
    })
}

fn die(c: &mut Call, index: c_int) -> Result<usize, String> {
    let declared = c.world().tabletop.declared().clone();
    let name = c.text(index)?;
    declared
        .dice
        .iter()
        .position(|d| &*d.name == name)
        .ok_or_else(|| {
            let hint = hint(name, declared.dice.iter().map(|d| &*d.name));
            format!("there is no die `{name}`{hint}; dice are declared in game.toml")
        })
}

/// The next number that a spec loaded into a stream.
fn loaded(c: &mut Call, stream: u16) -> Option<i64> {
    c.world().loaded_rolls.get_mut(&stream)?.pop_front()
}

fn int(c: &mut Call) -> Answer {
    const LARGE: i64 = 1 << 53;
    let stream = stream(c, 1)?;
    let low = c.whole(2, -LARGE, LARGE)?;
    let high = c.whole(3, -LARGE, LARGE)?;
    if low > high {
        return Err(format!("the range {low} to {high} is empty"));
    }
    let drawn = c
        .world()
        .tabletop
        .with_stream(stream, |s| s.below((high - low) as u64 + 1));
    let number = match loaded(c, stream) {
        Some(number) if (low..=high).contains(&number) => number,
        Some(number) => return Err(format!("the loaded number {number} lies outside {low} to {high}")),
        None => low + drawn as i64,
    };
    c.push_number(number as f64);
    Ok(1)
}

fn roll(c: &mut Call) -> Answer {
    let stream = stream(c, 1)?;
    let die = die(c, 2)?;
    let declared = c.world().tabletop.declared().clone();
    let faces = &declared.dice[die].faces;
    let drawn = c
        .world()
        .tabletop
        .with_stream(stream, |s| s.below(faces.len() as u64)) as usize;
    let face = loaded(c, stream).map_or(drawn, |face| face.max(1) as usize - 1);
    match faces.get(face) {
        Some(value) => c.push_value(value),
        None => return Err(format!("the die `{}` has no faces", declared.dice[die].name)),
    }
    c.push_number(face as f64 + 1.0);
    Ok(2)
}

fn faces(c: &mut Call) -> Answer {
    let die = die(c, 1)?;
    let declared = c.world().tabletop.declared().clone();
    let list = crate::tabletop::Value::List(declared.dice[die].faces.clone().into());
    c.push_value(&list);
    Ok(1)
}

/// The order that a spec loaded: places of the list's items by their keys, the rest after them.
fn loaded_order(c: &mut Call, keys: &[String], length: usize) -> Result<Vec<usize>, String> {
    let mut shown = Vec::with_capacity(length);
    for place in 1..=length {
        unsafe { ffi::lua_rawgeti_(c.l, 2, place as c_int) };
        shown.push(match c.value(-1)? {
            crate::tabletop::Value::Unit(unit) => c.world().tabletop.unit_key(unit),
            crate::tabletop::Value::Text(text) => text.to_string(),
            crate::tabletop::Value::Number(n) => n.to_string(),
            other => format!("{other:?}"),
        });
        unsafe { ffi::lua_pop(c.l, 1) };
    }
    let mut rest: Vec<usize> = (1..=length).collect();
    let mut order = Vec::with_capacity(length);
    for key in keys {
        let found = rest.iter().position(|place| shown[place - 1] == *key);
        let at = found.ok_or_else(|| format!("`{key}` is not in the list that is shuffled"))?;
        order.push(rest.remove(at));
    }
    order.append(&mut rest);
    Ok(order)
}

fn shuffle(c: &mut Call) -> Answer {
    let stream = stream(c, 1)?;
    c.table(2)?;
    let length = unsafe { ffi::lua_objlen(c.l, 2) };
    let mut order: Vec<usize> = (1..=length).collect();
    c.world().tabletop.with_stream(stream, |s| s.shuffle(&mut order));
    if let Some(keys) = c
        .world()
        .loaded_shuffles
        .get_mut(&stream)
        .and_then(|q| q.pop_front())
    {
        order = loaded_order(c, &keys, length)?;
    }
    unsafe {
        ffi::lua_createtable(c.l, length as c_int, 0);
        for (to, from) in order.into_iter().enumerate() {
            ffi::lua_rawgeti_(c.l, 2, from as c_int);
            ffi::lua_rawseti_(c.l, -2, to as c_int + 1);
        }
    }
    Ok(1)
}
