//! Units: making and finding pieces. Their fields are read and written on the handle.
use std::ffi::c_int;
use std::sync::Arc;

use mlua::ffi;

use super::arguments::in_setting;
use super::{Record, raw_fn};
use crate::script::call::{Answer, Call, push_reference, text_at};
use crate::script::handle::{face_number, wrong_type};
use crate::script::vm::hint;
use crate::tabletop::{Place, UnitId};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "units.make",
        c"make",
        raw_fn!(make),
        "(what: string, values: {[string]: any}?) -> Unit",
        "Makes a unit of a kind (`\"stones\"`) or from a definition (`\"stones/ruby\"`). `values` sets `space`, `pile`, `side`, `facing`, `face` and fields.",
        "local stone = units.make(\"stones\", { space = vector(1, 2), charge = 3 })\nassert(stone.charge == 3 and stone.space == vector(1, 2))",
    ),
    Record::raw(
        "units.of",
        c"of",
        raw_fn!(of),
        "(kind: string) -> {Unit}",
        "Every unit of a kind in order of id, wherever it is. The list is frozen and cached.",
        "local stone = units.make(\"stones\")\nassert(units.of(\"stones\")[1] == stone)",
    ),
    Record::raw(
        "units.at",
        c"at",
        raw_fn!(at),
        "(space: Space) -> {Unit}",
        "The units on a space, in order of id.",
        "local stone = units.make(\"stones\", { space = vector(0, 0) })\nassert(units.at(vector(0, 0))[1] == stone)\nassert(#units.at(vector(1, 0)) == 0)",
    ),
    Record::raw(
        "units.first",
        c"first",
        raw_fn!(first),
        "(space: Space) -> Unit?",
        "The unit with the lowest id on a space, or nil.",
        "assert(units.first(vector(0, 0)) == nil)",
    ),
    Record::raw(
        "units.all",
        c"all",
        raw_fn!(all),
        "() -> {Unit}",
        "Every unit in order of id.",
        "units.make(\"stones\")\nassert(#units.all() == 1)",
    ),
    Record::raw(
        "units.get",
        c"get",
        raw_fn!(get),
        "(key: string) -> Unit?",
        "The unit with a text key such as `ruby` or `ruby-2`, or nil.",
        "local ruby = units.make(\"stones/ruby\")\nassert(ruby.key == \"ruby\" and units.get(\"ruby\") == ruby)",
    ),
    Record::method(
        "unit:remove",
        "(self: Unit) -> ()",
        "Takes the unit out of the game; handles of it raise from then on.",
        "local stone = units.make(\"stones\")\nstone:remove()\nassert(not stone:exists())",
    ),
    Record::method(
        "unit:exists",
        "(self: Unit) -> boolean",
        "Whether the unit is still in the game.",
        "assert(units.make(\"stones\"):exists())",
    ),
];

fn make(c: &mut Call) -> Answer {
    let (kind, definition) = what(c, 1)?;
    if !c.is_none(2) {
        c.table(2)?;
    }
    let mark = c.world().tabletop.mark();
    let id = c
        .world()
        .tabletop
        .make_unit(kind, definition)
        .map_err(|e| e.to_string())?;
    if !c.is_none(2)
        && let Err(problem) = fill(c, id, kind)
    {
        c.world().tabletop.rollback(mark);
        return Err(problem);
    }
    c.push_unit(id);
    Ok(1)
}

/// The kind and definition that a text names: `stones`, `stones/ruby` or `pack:stones/ruby`.
fn what(c: &mut Call, index: c_int) -> Result<(u16, Option<u32>), String> {
    let declared = c.world().tabletop.declared().clone();
    let name = c.text(index)?;
    if !name.contains('/') {
        if name == "game" {
            return Err("there is only one `game`".into());
        }
        return match declared.kind(name) {
            Some(kind) => Ok((kind, None)),
            None => Err(no_kind(&declared, name)),
        };
    }
    let definition = super::content::find(&declared, name)?;
    Ok((declared.definitions[definition as usize].kind, Some(definition)))
}

fn no_kind(declared: &crate::tabletop::Declarations, name: &str) -> String {
    let known = declared.kinds.iter().skip(1).map(|k| &*k.name);
    format!("there is no kind of unit `{name}`{}", hint(name, known))
}

fn fill(c: &mut Call, id: UnitId, kind: u16) -> Result<(), String> {
    let declared = c.world().tabletop.declared().clone();
    let fields = &declared.kinds[kind as usize];
    let mut place = 0;
    loop {
        place = unsafe { ffi::lua_rawiter(c.l, 2, place) };
        if place < 0 {
            return Ok(());
        }
        if unsafe { ffi::lua_type(c.l, -2) } != ffi::LUA_TSTRING {
            return Err("values of a unit are named".into());
        }
        let Some(name) = (unsafe { text_at(c.l, -2) }) else {
            return Err("a name is not UTF-8".into());
        };
        let value = unsafe { ffi::lua_absindex(c.l, -1) };
        let refused = match name {
            "space" => {
                let space = c.space(value).map_err(|e| in_setting(c"space", &e))?;
                c.world().tabletop.place(id, Place::Board(space))
            }
            "pile" => {
                let pile = c.pile(value).map_err(|e| in_setting(c"pile", &e))?;
                c.world().tabletop.place(id, Place::Pile(pile))
            }
            "side" => {
                let side = c.optional_text(value).map_err(|e| in_setting(c"side", &e))?;
                let side = side.map(Arc::from);
                c.world().tabletop.set_side(id, side)
            }
            "facing" => {
                let facing = c.whole(value, 0, 7).map_err(|e| in_setting(c"facing", &e))? as u8;
                c.world().tabletop.set_facing(id, facing)
            }
            "face" => {
                let face = face_number(c, id, value)?;
                c.world().tabletop.set_face(id, face)
            }
            _ => {
                let Some(slot) = fields.slot(name) else {
                    let known = fields
                        .fields
                        .iter()
                        .map(|f| &*f.name)
                        .chain(["space", "pile", "side", "facing", "face"]);
                    return Err(format!(
                        "`{}` has no field `{name}`{}",
                        fields.name,
                        hint(name, known)
                    ));
                };
                let field = &fields.fields[slot as usize];
                let value = c.value(value)?;
                if !field.kind.admits(&value) {
                    return Err(wrong_type(&field.name, field.kind, &value));
                }
                c.world().tabletop.set_field(id, slot, value)
            }
        };
        refused.map_err(|e| e.to_string())?;
        unsafe { ffi::lua_pop(c.l, 2) };
    }
}

fn of(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    let name = c.text(1)?;
    let Some(kind) = declared.kind(name).filter(|k| *k != 0) else {
        return Err(no_kind(&declared, name));
    };
    let version = c.world().tabletop.versions().units;
    if let Some((reference, at)) = c.world().kinds.get(&kind).copied()
        && at == version
    {
        unsafe { push_reference(c.l, reference) };
        return Ok(1);
    }
    let units: Vec<_> = c.world().tabletop.units_of(kind).collect();
    c.push_units(&units);
    let reference = unsafe { ffi::lua_ref(c.l, -1) };
    if let Some((old, _)) = c.world().kinds.insert(kind, (reference, version)) {
        unsafe { ffi::lua_unref(c.l, old) };
    }
    Ok(1)
}

fn at(c: &mut Call) -> Answer {
    let space = c.space(1)?;
    let units = c.world().tabletop.units_at(space);
    c.push_units(&units);
    Ok(1)
}

fn first(c: &mut Call) -> Answer {
    let space = c.space(1)?;
    match c.world().tabletop.first_at(space) {
        Some(unit) => c.push_unit(unit),
        None => c.push_nil(),
    }
    Ok(1)
}

fn all(c: &mut Call) -> Answer {
    let units: Vec<_> = c.world().tabletop.units().map(|(id, _)| id).collect();
    c.push_units(&units);
    Ok(1)
}

fn get(c: &mut Call) -> Answer {
    let key = c.text(1)?.to_owned();
    match c.world().tabletop.unit_by_key(&key) {
        Some(unit) => c.push_unit(unit),
        None => c.push_nil(),
    }
    Ok(1)
}
