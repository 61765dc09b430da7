//! Piles: decks, hands, discards, pools.
use std::ffi::c_int;

use mlua::ffi;

use super::Record;
use crate::script::atoms::{BUILT_IN, built_in};
use crate::script::call::{Answer, Call, push_reference};
use crate::script::vm::hint;
use crate::tabletop::{Place, Visibility};

/// What `pile:method` may be.
const METHODS: [&str; 7] = ["list", "count", "top", "put", "shuffle", "visible", "seen"];

pub const RECORDS: &[Record] = &[
    Record::method(
        "pile:list",
        "(self: Pile) -> {Unit}",
        "The pile's units, top first. The list is frozen.",
        "local a, b = units.make(\"stones\"), units.make(\"stones\")\npiles.bag:put(a)\npiles.bag:put(b)\nassert(piles.bag:list()[1] == b)",
    ),
    Record::method(
        "pile:count",
        "(self: Pile) -> number",
        "How many units the pile holds.",
        "piles.bag:put(units.make(\"stones\"))\nassert(piles.bag:count() == 1)",
    ),
    Record::method(
        "pile:top",
        "(self: Pile) -> Unit?",
        "The top unit, or nil if the pile is empty.",
        "assert(piles.bag:top() == nil)\nlocal stone = units.make(\"stones\")\npiles.bag:put(stone)\nassert(piles.bag:top() == stone)",
    ),
    Record::method(
        "pile:put",
        "(self: Pile, unit: Unit, where: (\"top\" | \"bottom\" | number)?) -> ()",
        "Moves a unit into the pile: on top, at the bottom, or so that its position from the top is the number.",
        "local a, b = units.make(\"stones\"), units.make(\"stones\")\npiles.bag:put(a)\npiles.bag:put(b, \"bottom\")\nassert(piles.bag:top() == a and b.position == 2)",
    ),
    Record::method(
        "pile:shuffle",
        "(self: Pile, stream: string) -> ()",
        "Shuffles the pile with a named dice stream.",
        "for _ = 1, 5 do piles.bag:put(units.make(\"stones\")) end\npiles.bag:shuffle(\"luck\")\nassert(piles.bag:count() == 5)",
    ),
    Record::method(
        "pile:visible",
        "(self: Pile, how: (\"all\" | \"none\" | \"owner\" | \"top\")?) -> string",
        "Who sees the pile's cards; with an argument it is changed first.",
        "assert(piles.bag:visible() == \"none\")\npiles.bag:visible(\"top\")\nassert(piles.bag:visible() == \"top\")",
    ),
    Record::method(
        "pile:seen",
        "(self: Pile, seat: string?) -> {Unit | false}",
        "The pile as a seat sees it, top first, `false` for each card that it doesn't see. Without a seat: what everybody sees.",
        "local stone = units.make(\"stones\")\npiles.bag:put(stone)\nassert(piles.bag:seen()[1] == false)\npiles.bag:visible(\"all\")\nassert(piles.bag:seen()[1] == stone)",
    ),
];

pub fn index(c: &mut Call, pile: u16, atom: c_int) -> Answer {
    match atom as usize {
        built_in::NAME | built_in::KEY => {
            let name = c.world().tabletop.declared().piles[pile as usize].name.clone();
            c.push_text(&name);
            Ok(1)
        }
        22 => {
            match c.world().tabletop.declared().piles[pile as usize].owner.clone() {
                Some(owner) => c.push_text(&owner),
                None => c.push_nil(),
            }
            Ok(1)
        }
        _ => {
            let name = c.text(2)?;
            if METHODS.contains(&name) {
                return Err(format!("`{name}` is a method: call it as `pile:{name}()`"));
            }
            Err(format!(
                "a pile has no field `{name}`{}",
                hint(name, METHODS.into_iter().chain(["name", "owner"]))
            ))
        }
    }
}

pub fn method(c: &mut Call, pile: u16, atom: usize) -> Answer {
    match atom {
        built_in::LIST => list(c, pile),
        built_in::COUNT => {
            let count = c.world().tabletop.pile(pile).len();
            c.push_number(count as f64);
            Ok(1)
        }
        built_in::TOP => {
            match c.world().tabletop.pile(pile).last().copied() {
                Some(unit) => c.push_unit(unit),
                None => c.push_nil(),
            }
            Ok(1)
        }
        built_in::PUT => put(c, pile),
        built_in::SHUFFLE => {
            let stream = super::dice::stream(c, 2)?;
            c.world().tabletop.shuffle_pile(pile, stream);
            let loaded = c
                .world()
                .loaded_shuffles
                .get_mut(&stream)
                .and_then(|q| q.pop_front());
            if let Some(keys) = loaded {
                c.world().tabletop.arrange_pile(pile, &keys)?;
            }
            Ok(0)
        }
        built_in::VISIBLE => {
            if let Some(how) = c.optional_text(2)? {
                let Some(visibility) = Visibility::parse(how) else {
                    let known = ["all", "none", "owner", "top"];
                    return Err(format!(
                        "`{how}` says not who sees the pile{}; use one of {}",
                        hint(how, known),
                        known.join(", ")
                    ));
                };
                c.world().tabletop.set_visibility(pile, visibility);
            }
            let name = c.world().tabletop.visibility(pile).name();
            c.push_text(name);
            Ok(1)
        }
        built_in::SEEN => {
            let seat = c.optional_text(2)?.map(str::to_owned);
            let seen = c.world().tabletop.seen(seat.as_deref(), pile);
            unsafe { ffi::lua_createtable(c.l, seen.len() as c_int, 0) };
            for (i, card) in seen.into_iter().enumerate() {
                match card {
                    Some(card) => c.push_unit(card),
                    None => c.push_bool(false),
                }
                unsafe { ffi::lua_rawseti_(c.l, -2, i as c_int + 1) };
            }
            unsafe { ffi::lua_setreadonly(c.l, -1, 1) };
            Ok(1)
        }
        _ => {
            let mut known = -1;
            let name = unsafe { ffi::lua_namecallatom(c.l, &mut known) };
            let name = if name.is_null() {
                BUILT_IN[0].into()
            } else {
                unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy()
            };
            Err(format!("a pile has no method `{name}`{}", hint(&name, METHODS)))
        }
    }
}

fn list(c: &mut Call, pile: u16) -> Answer {
    let version = c.world().tabletop.versions().piles;
    if let Some((reference, at)) = c.world().piles.get(&pile).copied()
        && at == version
    {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let cards: Vec<_> = c.world().tabletop.pile(pile).iter().rev().copied().collect();
    c.push_units(&cards);
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    if let Some((old, _)) = c.world().piles.insert(pile, (reference, version)) {
        unsafe { ffi::lua_unref(c.l, old) };
    }
    Ok(1)
}

fn put(c: &mut Call, pile: u16) -> Answer {
    let unit = c.unit(2)?;
    let count = c.world().tabletop.pile(pile).len();
    let inside = c
        .world()
        .tabletop
        .unit(unit)
        .is_some_and(|u| u.place == Place::Pile(pile));
    let others = count - usize::from(inside);
    let position = match unsafe { ffi::lua_type(c.l, 3) } {
        ffi::LUA_TNUMBER => others - (c.whole(3, 1, others as i64 + 1)? as usize - 1),
        _ => match c.optional_text(3)? {
            None | Some("top") => others,
            Some("bottom") => 0,
            Some(other) => {
                return Err(format!(
                    "argument 2: expected \"top\", \"bottom\" or a position, got \"{other}\""
                ));
            }
        },
    };
    c.world()
        .tabletop
        .place_at(unit, Place::Pile(pile), position as u32)
        .map_err(|e| e.to_string())?;
    Ok(0)
}
