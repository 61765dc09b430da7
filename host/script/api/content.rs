//! Content: definitions of the active packs as frozen tables, options, rule texts.
use std::ffi::c_int;

use mlua::ffi;
use mlua::lua_State;
use serde_json::Value as Json;

use super::{Record, raw_fn};
use crate::script::call::{Answer, Call, push_reference};
use crate::script::vm::hint;
use crate::tabletop::Declarations;

pub const RECORDS: &[Record] = &[
    Record::raw(
        "content.get",
        c"get",
        raw_fn!(get),
        "(reference: string) -> Definition",
        "The frozen definition that a reference names: `kind/id`, or `pack:kind/id`. Its own keys, and `id`, `kind`, `pack`.",
        "assert(content.get(\"stones/ruby\").id == \"ruby\")",
    ),
    Record::raw(
        "content.find",
        c"find",
        raw_fn!(find_one),
        "(reference: string) -> Definition?",
        "As `content.get`, but nil if there is no such definition.",
        "assert(content.find(\"stones/gravel\") == nil)",
    ),
    Record::raw(
        "content.list",
        c"list",
        raw_fn!(list),
        "(kind: string) -> {Definition}",
        "Every definition of a kind, in order of id.",
        "assert(content.list(\"stones\")[1].kind == \"stones\")",
    ),
    Record::prelude(
        "content.code",
        "(definition: Definition) -> any",
        "What the Luau file beside a definition returns, with the functions that overlays replace; nil if there is none.",
        "local ruby = units.make(\"stones/ruby\")\nassert(content.code(ruby.def).glow(ruby) == 1)",
    ),
    Record::raw(
        "content.rule",
        c"rule",
        raw_fn!(rule),
        "(id: string) -> string?",
        "The text of a rule of `rules.toml`, or nil.",
        "assert(content.rule(\"NO-SUCH-1\") == nil)",
    ),
];

/// The index of the definition that a reference names.
pub fn find(declared: &Declarations, reference: &str) -> Result<u32, String> {
    if reference.contains(':') {
        if let Some(index) = declared.by_reference.get(reference) {
            return Ok(*index);
        }
    } else if let Some(index) = declared
        .definitions
        .iter()
        .position(|d| d.reference.split_once(':').is_some_and(|(_, r)| r == reference))
    {
        return Ok(index as u32);
    }
    let known = declared
        .definitions
        .iter()
        .map(|d| d.reference.split_once(':').map_or(&*d.reference, |(_, r)| r));
    Err(format!(
        "there is no definition `{reference}`{}",
        hint(reference, known)
    ))
}

fn get(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    let index = find(&declared, c.text(1)?)?;
    push_definition(c, index)
}

fn find_one(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    match find(&declared, c.text(1)?) {
        Ok(index) => push_definition(c, index),
        Err(_) => {
            c.push_nil();
            Ok(1)
        }
    }
}

fn list(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    let name = c.text(1)?;
    let Some(kind) = declared.kind(name) else {
        let known = declared.kinds.iter().skip(1).map(|k| &*k.name);
        return Err(format!("there is no kind `{name}`{}", hint(name, known)));
    };
    let mut indices: Vec<u32> = (0..declared.definitions.len() as u32)
        .filter(|d| declared.definitions[*d as usize].kind == kind)
        .collect();
    indices.sort_by(|a, b| {
        declared.definitions[*a as usize]
            .id
            .cmp(&declared.definitions[*b as usize].id)
    });
    unsafe { ffi::lua_createtable(c.l, indices.len() as c_int, 0) };
    for (i, index) in indices.into_iter().enumerate() {
        push_definition(c, index)?;
        unsafe { ffi::lua_rawseti_(c.l, -2, i as c_int + 1) };
    }
    unsafe { ffi::lua_setreadonly(c.l, -1, 1) };
    Ok(1)
}

fn rule(c: &mut Call) -> Answer {
    let id = c.text(1)?.to_owned();
    match c.world().catalogue.rules.get(&id).map(|r| r.text.clone()) {
        Some(text) => c.push_text(&text),
        None => c.push_nil(),
    }
    Ok(1)
}

/// Pushes the frozen table of a definition; one table for each VM.
pub fn push_definition(c: &mut Call, index: u32) -> Answer {
    if let Some(Some(reference)) = c.world().definitions.get(index as usize).copied() {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let declared = c.world().tabletop.declared().clone();
    let definition = &declared.definitions[index as usize];
    let kind = declared.kinds[definition.kind as usize].name.clone();
    let catalogue = c.world().catalogue.clone();
    let entry = catalogue.kinds.get(&*kind).and_then(|k| {
        k.entries
            .iter()
            .find(|e| *format!("{}:{}/{}", e.pack, e.kind, e.id) == *definition.reference)
    });
    let pack = definition.reference.split(':').next().unwrap_or_default();
    let set = |key: &str, value: &str| unsafe {
        ffi::lua_pushlstring_(c.l, key.as_ptr().cast(), key.len());
        ffi::lua_pushlstring_(c.l, value.as_ptr().cast(), value.len());
        ffi::lua_rawset(c.l, -3);
    };
    unsafe {
        ffi::lua_createtable(c.l, 0, 8);
        if let Some(Json::Object(map)) = entry.map(|e| &e.data) {
            for (key, value) in map {
                ffi::lua_pushlstring_(c.l, key.as_ptr().cast(), key.len());
                push_json(c.l, value);
                ffi::lua_rawset(c.l, -3);
            }
        }
    }
    set("id", &definition.id);
    set("kind", &kind);
    set("pack", pack);
    unsafe { ffi::lua_setreadonly(c.l, -1, 1) };
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    if let Some(slot) = c.world().definitions.get_mut(index as usize) {
        *slot = Some(reference);
    }
    Ok(1)
}

/// Pushes plain data as frozen tables.
///
/// # Safety
/// `l` is a live state.
pub unsafe fn push_json(l: *mut lua_State, json: &Json) {
    unsafe {
        ffi::lua_checkstack(l, 6);
        match json {
            Json::Null => ffi::lua_pushnil(l),
            Json::Bool(b) => ffi::lua_pushboolean(l, c_int::from(*b)),
            Json::Number(n) => ffi::lua_pushnumber(l, n.as_f64().unwrap_or(0.0)),
            Json::String(s) => ffi::lua_pushlstring_(l, s.as_ptr().cast(), s.len()),
            Json::Array(items) => {
                ffi::lua_createtable(l, items.len() as c_int, 0);
                for (i, item) in items.iter().enumerate() {
                    push_json(l, item);
                    ffi::lua_rawseti_(l, -2, i as c_int + 1);
                }
                ffi::lua_setreadonly(l, -1, 1);
            }
            Json::Object(map) => {
                ffi::lua_createtable(l, 0, map.len() as c_int);
                for (key, item) in map {
                    ffi::lua_pushlstring_(l, key.as_ptr().cast(), key.len());
                    push_json(l, item);
                    ffi::lua_rawset(l, -3);
                }
                ffi::lua_setreadonly(l, -1, 1);
            }
        }
    }
}
