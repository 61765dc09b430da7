//! Units and piles as scripts see them: one metatable for all handles.
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use mlua::ffi;
use mlua::lua_State;

use super::api::{content, piles};
use super::atoms::{BUILT_IN, built_in};
use super::call::{Answer, Call, TAG_PILE, TAG_UNIT, enter_with};
use super::vm::{hint, hint_and};
use super::world::{Member, World};
use crate::tabletop::{Place, UnitId, Value, ValueType};

/// `__index` of all handles: a unit's numbers at once, for rules read them most; everything else by [`index`].
///
/// # Safety
/// Called by Lua, with the world's address as first upvalue.
pub unsafe extern "C-unwind" fn enter_index(l: *mut lua_State) -> c_int {
    unsafe {
        let world = &*ffi::lua_touserdata(l, ffi::lua_upvalueindex(1)).cast::<World>();
        if ffi::lua_lightuserdatatag(l, 1) == TAG_UNIT {
            let bits = ffi::lua_tolightuserdata(l, 1) as usize as u64;
            let mut atom = -1;
            ffi::lua_tostringatom(l, 2, &mut atom);
            if let Some(unit) = world.tabletop.unit(bits as u32)
                && (u64::from(unit.born) == bits >> 32 || bits as u32 == crate::tabletop::GAME)
                && let Member::Field(slot) = world.member(unit.kind, atom)
                && let Value::Number(number) = unit.fields[slot as usize]
            {
                ffi::lua_pushnumber(l, number);
                return 1;
            }
        }
        enter_with(l, index)
    }
}

/// Why a plan's functions can't read or write what a game holds.
pub const ASIDE: &str = "`next`, `left` and `worth` of a plan depend on the state alone, which they are asked about once: nothing on the tabletop can be read or changed there";

/// `unit.name` and `pile.name`.
fn index(c: &mut Call) -> Answer {
    let l = c.l;
    unsafe {
        let bits = ffi::lua_tolightuserdata(l, 1) as usize as u64;
        let mut atom = -1;
        if ffi::lua_tostringatom(l, 2, &mut atom).is_null() {
            return Err(format!("a handle has named fields only; got {}", c.type_name(2)));
        }
        if ffi::lua_lightuserdatatag(l, 1) == TAG_UNIT {
            let id = living(c, bits)?;
            return read(c, id, atom);
        }
        if ffi::lua_lightuserdatatag(l, 1) == TAG_PILE {
            return piles::index(c, bits as u16, atom);
        }
    }
    Err("this is no unit and no pile".into())
}

#[inline]
fn living(c: &mut Call, bits: u64) -> Result<UnitId, String> {
    let world = c.world();
    world
        .living(bits)
        .map_err(|e| if world.is_aside { ASIDE.into() } else { e })
}

#[inline]
fn read(c: &mut Call, id: UnitId, atom: c_int) -> Answer {
    let world = c.world_ptr();
    let l = c.l;
    let tabletop = unsafe { &(*world).tabletop };
    let Some(unit) = tabletop.unit(id) else {
        return Err(format!("unit {id} no longer exists"));
    };
    match unsafe { (*world).member(unit.kind, atom) } {
        Member::Field(slot) => {
            if unsafe { (*world).is_aside } {
                return Err(ASIDE.into());
            }
            match &unit.fields[slot as usize] {
                Value::Number(n) => unsafe { ffi::lua_pushnumber(l, *n) },
                Value::Bool(b) => c.push_bool(*b),
                Value::Text(t) => c.push_text(t),
                Value::Nil => c.push_nil(),
                Value::Space(s) => c.push_space(*s),
                Value::Unit(other) => {
                    let other = *other;
                    c.push_unit(other);
                }
                Value::List(_) | Value::Map(_) => unsafe { World::push_cached_field(world, l, id, slot) },
            }
            Ok(1)
        }
        Member::BuiltIn(name) => read_built_in(c, id, name as usize),
        Member::Unknown => Err(unknown(c, unit.kind)),
    }
}

fn read_built_in(c: &mut Call, id: UnitId, name: usize) -> Answer {
    let tabletop = &c.world().tabletop;
    let Some(unit) = tabletop.unit(id) else {
        return Err(format!("unit {id} no longer exists"));
    };
    let (kind, place, facing, face) = (unit.kind, unit.place, unit.facing, unit.face);
    match name {
        built_in::ID => c.push_number(f64::from(id)),
        built_in::KEY => {
            let key = tabletop.unit_key(id);
            c.push_text(&key);
        }
        built_in::KIND => {
            let name = tabletop.declared().kinds[kind as usize].name.clone();
            c.push_text(&name);
        }
        built_in::NAME => {
            let name = tabletop.unit_name(unit).clone();
            c.push_text(&name);
        }
        built_in::DEF => match unit.definition {
            Some(definition) => return content::push_definition(c, definition),
            None => c.push_nil(),
        },
        built_in::SIDE => match unit.side.clone() {
            Some(side) => c.push_text(&side),
            None => c.push_nil(),
        },
        built_in::SPACE => match place {
            Place::Board(space) => c.push_space(space),
            _ => c.push_nil(),
        },
        built_in::PILE => match place {
            Place::Pile(pile) => unsafe {
                ffi::lua_pushlightuserdatatagged(c.l, pile as usize as *mut c_void, TAG_PILE);
            },
            _ => c.push_nil(),
        },
        built_in::POSITION => match tabletop.position(id) {
            Some(position) => c.push_number(position as f64),
            None => c.push_nil(),
        },
        built_in::FACING => c.push_number(f64::from(facing)),
        built_in::FACE => match tabletop.declared().kinds[kind as usize]
            .faces
            .get(face as usize)
            .cloned()
        {
            Some(face) => c.push_text(&face),
            None => c.push_number(f64::from(face)),
        },
        // A method read as a value; calls go through `namecall`.
        _ => {
            return Err(format!(
                "`{0}` is a method: call it as `unit:{0}()`",
                BUILT_IN[name]
            ));
        }
    }
    Ok(1)
}

fn unknown(c: &mut Call, kind: u16) -> String {
    let name = c.text(2).unwrap_or("?").to_owned();
    let declared = c.world().tabletop.declared().clone();
    let kind = &declared.kinds[kind as usize];
    let fields = kind.fields.iter().map(|f| &*f.name);
    let is_game = Arc::ptr_eq(&kind.name, &declared.kinds[0].name);
    if is_game {
        let hint = hint_and(&name, fields, "fields are declared in game.toml");
        return format!("`game` has no field `{name}`{hint}");
    }
    let hint = hint(&name, fields.chain(BUILT_IN[..=built_in::EXISTS].iter().copied()));
    format!("`{}` has no field `{name}`{hint}", kind.name)
}

/// `unit.name = value`.
pub fn set_index(c: &mut Call) -> Answer {
    let l = c.l;
    unsafe {
        let bits = ffi::lua_tolightuserdata(l, 1) as usize as u64;
        let mut atom = -1;
        if ffi::lua_tostringatom(l, 2, &mut atom).is_null() {
            return Err(format!("a handle has named fields only; got {}", c.type_name(2)));
        }
        if ffi::lua_lightuserdatatag(l, 1) != TAG_UNIT {
            return Err("a pile has no fields to write; move its units with `pile:put(unit)`".into());
        }
        let id = c.world().living(bits)?;
        let kind = match c.world().tabletop.unit(id) {
            Some(unit) => unit.kind,
            None => return Err(format!("unit {id} no longer exists")),
        };
        match c.world().member(kind, atom) {
            Member::Field(slot) => {
                let value = match ffi::lua_type(l, 3) {
                    ffi::LUA_TNUMBER => {
                        let number = ffi::lua_tonumberx(l, 3, std::ptr::null_mut());
                        if !number.is_finite() {
                            return Err(super::call::NOT_FINITE.into());
                        }
                        Value::Number(number + 0.0)
                    }
                    _ => c.value(3)?,
                };
                let declared = c.world().tabletop.declared();
                let field = &declared.kinds[kind as usize].fields[slot as usize];
                if !field.kind.admits(&value) {
                    return Err(wrong_type(&field.name, field.kind, &value));
                }
                c.world()
                    .tabletop
                    .set_field(id, slot, value)
                    .map_err(|e| e.to_string())?;
                Ok(0)
            }
            Member::BuiltIn(name) => write_built_in(c, id, name as usize),
            Member::Unknown => Err(unknown(c, kind)),
        }
    }
}

/// The message for a value of the wrong type; an empty table stands for both a list and a map.
pub fn wrong_type(field: &str, wanted: ValueType, value: &Value) -> String {
    format!(
        "`{field}` is a {}; it can't hold a {}",
        wanted.name(),
        value.type_name()
    )
}

fn write_built_in(c: &mut Call, id: UnitId, name: usize) -> Answer {
    match name {
        built_in::SPACE => {
            let place = if c.is_none(3) {
                Place::Off
            } else {
                Place::Board(c.space(3)?)
            };
            c.world().tabletop.place(id, place).map_err(|e| e.to_string())?;
        }
        built_in::PILE => {
            let place = if c.is_none(3) {
                Place::Off
            } else {
                Place::Pile(c.pile(3)?)
            };
            c.world().tabletop.place(id, place).map_err(|e| e.to_string())?;
        }
        built_in::SIDE => {
            let side = c.optional_text(3)?.map(Arc::from);
            c.world().tabletop.set_side(id, side).map_err(|e| e.to_string())?;
        }
        built_in::FACING => {
            let facing = c.whole(3, 0, 7)? as u8;
            c.world()
                .tabletop
                .set_facing(id, facing)
                .map_err(|e| e.to_string())?;
        }
        built_in::FACE => {
            let face = face_number(c, id, 3)?;
            c.world().tabletop.set_face(id, face).map_err(|e| e.to_string())?;
        }
        _ => return Err(format!("`{}` can't be written", BUILT_IN[name])),
    }
    Ok(0)
}

/// A face by name, or by number from 0 where the kind names none.
pub fn face_number(c: &mut Call, id: UnitId, index: c_int) -> Result<u8, String> {
    let kind = c.world().tabletop.unit(id).map_or(0, |u| u.kind);
    let faces = c.world().tabletop.declared().kinds[kind as usize].faces.clone();
    if faces.is_empty() {
        return Ok(c.whole(index, 0, 255)? as u8);
    }
    let wanted = c.text(index)?;
    faces
        .iter()
        .position(|f| &**f == wanted)
        .map(|i| i as u8)
        .ok_or_else(|| {
            let known: Vec<&str> = faces.iter().map(|f| &**f).collect();
            format!(
                "there is no face `{wanted}`{}; there are {}",
                hint(wanted, known.iter().copied()),
                known.join(", ")
            )
        })
}

/// `unit:method(...)` and `pile:method(...)`.
pub fn namecall(c: &mut Call) -> Answer {
    unsafe {
        let mut atom = -1;
        let name = ffi::lua_namecallatom(c.l, &mut atom);
        let bits = ffi::lua_tolightuserdata(c.l, 1) as usize as u64;
        if ffi::lua_lightuserdatatag(c.l, 1) == TAG_PILE {
            return piles::method(c, bits as u16, atom as usize);
        }
        match atom as usize {
            // The one question that a handle of a unit that is gone may be asked.
            built_in::EXISTS => {
                let exists = c.world().living(bits).is_ok();
                c.push_bool(exists);
                Ok(1)
            }
            built_in::REMOVE => {
                let id = c.world().living(bits)?;
                c.world().tabletop.remove_unit(id).map_err(|e| e.to_string())?;
                Ok(0)
            }
            _ => {
                c.world().living(bits)?;
                let name = if name.is_null() {
                    "?".into()
                } else {
                    std::ffi::CStr::from_ptr(name).to_string_lossy()
                };
                Err(format!(
                    "a unit has no method `{name}`{}",
                    hint(&name, ["exists", "remove"])
                ))
            }
        }
    }
}

/// `tostring(handle)`: the unit's key, or the pile's name.
pub fn to_text(c: &mut Call) -> Answer {
    let bits = unsafe { ffi::lua_tolightuserdata(c.l, 1) } as usize as u64;
    let text = if unsafe { ffi::lua_lightuserdatatag(c.l, 1) } == TAG_PILE {
        c.world()
            .tabletop
            .declared()
            .piles
            .get(bits as usize)
            .map_or("pile".into(), |p| format!("piles.{}", p.name))
    } else {
        match c.world().living(bits) {
            Ok(id) => c.world().tabletop.unit_key(id),
            Err(gone) => gone,
        }
    };
    c.push_text(&text);
    Ok(1)
}
