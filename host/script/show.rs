//! Values as a designer reads them: units by key with their fields, spaces by key, lists and maps in order.
use std::ffi::{CStr, c_int, c_void};

use mlua::ffi;
use mlua::lua_State;

use super::call::{TAG_PILE, TAG_UNIT, space_of, text_at};
use super::world::World;
use crate::tabletop::board::key;
use crate::tabletop::{GAME, Place, UnitId, Value};

/// A value made ready for printing.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    Plain(String),
    Group(Group),
}

/// A list, a map, or a unit with its fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// What stands before the brace.
    pub name: String,
    pub items: Vec<(Option<String>, Shown)>,
    /// Items that were left out.
    pub more: usize,
}

/// Tables nest so deep; deeper ones are dots.
const DEPTH: usize = 5;
/// Items of a table that are shown.
const ITEMS: usize = 60;
/// Values that are shown in all.
const ALL: usize = 2_000;
/// Characters of a text that are shown.
const LONG: usize = 2_000;

impl Shown {
    /// On one line.
    pub fn line(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::Group(group) => {
                let mut parts: Vec<String> = group
                    .items
                    .iter()
                    .map(|(key, value)| named(key, &value.line()))
                    .collect();
                if group.more > 0 {
                    parts.push(format!("... {} more", group.more));
                }
                let inside = if parts.is_empty() {
                    "{}".into()
                } else {
                    format!("{{ {} }}", parts.join(", "))
                };
                format!("{}{inside}", group.start())
            }
        }
    }

    /// On one line if it fits into `width` columns, else with an item a line.
    pub fn text(&self, width: usize) -> String {
        self.layout(width, 0, 0)
    }

    /// `beside` is what else stands in its first line: the name before it and the comma behind.
    fn layout(&self, width: usize, indent: usize, beside: usize) -> String {
        let line = self.line();
        let Self::Group(group) = self else { return line };
        if line.chars().count() + indent + beside <= width || group.items.is_empty() {
            return line;
        }
        let pad = " ".repeat(indent + 2);
        let mut text = format!("{}{{\n", group.start());
        for (key, value) in &group.items {
            let beside = named(key, "").chars().count() + 1;
            text += &format!("{pad}{},\n", named(key, &value.layout(width, indent + 2, beside)));
        }
        if group.more > 0 {
            text += &format!("{pad}... {} more\n", group.more);
        }
        text + &" ".repeat(indent) + "}"
    }
}

impl Group {
    fn start(&self) -> String {
        if self.name.is_empty() {
            String::new()
        } else {
            format!("{} ", self.name)
        }
    }
}

fn named(key: &Option<String>, value: &str) -> String {
    match key {
        Some(key) => format!("{key} = {value}"),
        None => value.to_owned(),
    }
}

/// The value at a stack index.
///
/// # Safety
/// `l` and `world` are live, and no script runs meanwhile.
pub unsafe fn show(l: *mut lua_State, world: *const World, index: c_int) -> Shown {
    let mut reader = Reader {
        l,
        world: unsafe { &*world },
        around: Vec::new(),
        left: ALL,
    };
    unsafe { reader.value(ffi::lua_absindex(l, index)) }
}

struct Reader<'a> {
    l: *mut lua_State,
    world: &'a World,
    /// The tables that are being read, outermost first.
    around: Vec<*const c_void>,
    left: usize,
}

impl Reader<'_> {
    unsafe fn value(&mut self, index: c_int) -> Shown {
        let l = self.l;
        self.left = self.left.saturating_sub(1);
        unsafe {
            Shown::Plain(match ffi::lua_type(l, index) {
                ffi::LUA_TNIL => "nil".into(),
                ffi::LUA_TBOOLEAN => (ffi::lua_toboolean(l, index) != 0).to_string(),
                ffi::LUA_TNUMBER => number(ffi::lua_tonumberx(l, index, std::ptr::null_mut())),
                ffi::LUA_TSTRING => quoted(text_at(l, index)),
                ffi::LUA_TVECTOR => {
                    let v = ffi::lua_tovector(l, index);
                    let (x, y, z) = (*v, *v.add(1), *v.add(2));
                    match space_of(x, y, z) {
                        Ok(space)
                            if usize::from(space.board) < self.world.tabletop.declared().topologies.len() =>
                        {
                            key::format(&self.world.tabletop.declared().topologies, space)
                        }
                        _ => format!("vector({x}, {y}, {z})"),
                    }
                }
                ffi::LUA_TLIGHTUSERDATA => {
                    let bits = ffi::lua_tolightuserdata(l, index) as usize as u64;
                    match ffi::lua_lightuserdatatag(l, index) {
                        TAG_UNIT => match self.world.living(bits) {
                            Ok(unit) if self.around.len() < 2 => return self.unit(unit),
                            Ok(unit) => self.world.tabletop.unit_key(unit),
                            Err(gone) => format!("({gone})"),
                        },
                        TAG_PILE => return self.pile(bits as u16),
                        _ => "a handle".into(),
                    }
                }
                ffi::LUA_TFUNCTION => self.function(index),
                ffi::LUA_TTABLE => return self.table(index),
                other => CStr::from_ptr(ffi::lua_typename(l, other))
                    .to_string_lossy()
                    .into_owned(),
            })
        }
    }

    unsafe fn function(&self, index: c_int) -> String {
        unsafe {
            let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
            ffi::lua_pushvalue(self.l, index);
            let known = ffi::lua_getinfo(self.l, -1, c"n".as_ptr(), &mut debug) != 0 && !debug.name.is_null();
            ffi::lua_pop(self.l, 1);
            match known {
                true => format!("function {}", CStr::from_ptr(debug.name).to_string_lossy()),
                false => "function".into(),
            }
        }
    }

    unsafe fn table(&mut self, index: c_int) -> Shown {
        let l = self.l;
        unsafe {
            let address = ffi::lua_topointer(l, index);
            if self.around.contains(&address) {
                return Shown::Plain("(the table itself)".into());
            }
            if self.around.len() >= DEPTH || self.left == 0 {
                return Shown::Plain("{ ... }".into());
            }
            ffi::lua_rawcheckstack(l, 6);
            if self.is_options(index) {
                return self.options();
            }
            self.around.push(address);
            let mut group = Group::default();
            let length = ffi::lua_objlen(l, index);
            for i in 1..=length.min(ITEMS) {
                ffi::lua_rawgeti_(l, index, i as c_int);
                let value = self.value(ffi::lua_gettop(l));
                ffi::lua_pop(l, 1);
                group.items.push((None, value));
            }
            group.more = length - group.items.len();
            let mut named = Vec::new();
            let mut place = 0;
            loop {
                place = ffi::lua_rawiter(l, index, place);
                if place < 0 {
                    break;
                }
                if let Some(key) = self.key(ffi::lua_absindex(l, -2), length) {
                    if named.len() < 4 * ITEMS {
                        let value = self.value(ffi::lua_absindex(l, -1));
                        named.push((key, value));
                    } else {
                        group.more += 1;
                    }
                }
                ffi::lua_pop(l, 2);
            }
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
            group.more += named.len().saturating_sub(ITEMS);
            group.items.extend(
                named
                    .into_iter()
                    .take(ITEMS)
                    .map(|((_, key), value)| (Some(key), value)),
            );
            self.around.pop();
            Shown::Group(group)
        }
    }

    /// Whether a table is `options`, which holds nothing itself: the host answers what it is asked for.
    unsafe fn is_options(&self, index: c_int) -> bool {
        let l = self.l;
        unsafe {
            if ffi::lua_getmetatable(l, index) == 0 {
                return false;
            }
            ffi::lua_rawgetfield(l, -1, c"__index".as_ptr());
            let is_host = ffi::lua_iscfunction(l, -1) != 0;
            let found = is_host && self.function(ffi::lua_gettop(l)) == "function options";
            ffi::lua_pop(l, 2);
            found
        }
    }

    fn options(&self) -> Shown {
        let options = self.world.options.iter();
        Shown::Group(Group {
            name: "options".into(),
            items: options
                .map(|(name, value)| (Some(name.clone()), self.kept(value, 0)))
                .collect(),
            more: 0,
        })
    }

    /// A key with what orders it; `None` for one of the list's own.
    unsafe fn key(&mut self, index: c_int, length: usize) -> Option<((u8, i64, i64), String)> {
        let l = self.l;
        unsafe {
            Some(match ffi::lua_type(l, index) {
                ffi::LUA_TNUMBER => {
                    let n = ffi::lua_tonumberx(l, index, std::ptr::null_mut());
                    if n.fract() == 0.0 && n >= 1.0 && n <= length as f64 {
                        return None;
                    }
                    ((0, n as i64, 0), format!("[{}]", number(n)))
                }
                ffi::LUA_TSTRING => {
                    let text = text_at(l, index).unwrap_or("?");
                    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                        && !text.starts_with(|c: char| c.is_ascii_digit())
                        && !text.is_empty();
                    (
                        (1, 0, 0),
                        if plain {
                            text.to_owned()
                        } else {
                            format!("[{}]", quoted(Some(text)))
                        },
                    )
                }
                ffi::LUA_TVECTOR => {
                    let v = ffi::lua_tovector(l, index);
                    let (q, r) = (*v as i64, *v.add(1) as i64);
                    ((2, q, r), format!("[{}]", self.value(index).line()))
                }
                ffi::LUA_TLIGHTUSERDATA => {
                    let bits = ffi::lua_tolightuserdata(l, index) as usize as u64;
                    let name = match ffi::lua_lightuserdatatag(l, index) {
                        TAG_UNIT => self
                            .world
                            .living(bits)
                            .map_or_else(|gone| gone, |u| self.world.tabletop.unit_key(u)),
                        _ => self.value(index).line(),
                    };
                    ((3, (bits & 0xffff_ffff) as i64, 0), format!("[{name}]"))
                }
                _ => ((4, 0, 0), format!("[{}]", self.value(index).line())),
            })
        }
    }

    fn unit(&mut self, id: UnitId) -> Shown {
        let tabletop = &self.world.tabletop;
        let Some(unit) = tabletop.unit(id) else {
            return Shown::Plain("nothing".into());
        };
        let declared = tabletop.declared().clone();
        let kind = &declared.kinds[usize::from(unit.kind)];
        let mut group = Group {
            name: tabletop.unit_key(id),
            ..Group::default()
        };
        let mut add = |name: &str, value: Shown| group.items.push((Some(name.to_owned()), value));
        if id != GAME {
            if unit.definition.is_some() {
                add("kind", Shown::Plain(quoted(Some(&kind.name))));
            }
            if let Some(side) = &unit.side {
                add("side", Shown::Plain(quoted(Some(side))));
            }
            match unit.place {
                Place::Board(space) => add("space", Shown::Plain(key::format(&declared.topologies, space))),
                Place::Pile(pile) => {
                    let name = &declared.piles[usize::from(pile)].name;
                    let position = tabletop.position(id).unwrap_or_default();
                    add("pile", Shown::Plain(format!("piles.{name}")));
                    add("position", Shown::Plain(position.to_string()));
                }
                Place::Off => {}
            }
            if unit.facing != 0 {
                add("facing", Shown::Plain(unit.facing.to_string()));
            }
            if let Some(face) = kind.faces.get(usize::from(unit.face)) {
                add("face", Shown::Plain(quoted(Some(face))));
            }
        }
        for (field, value) in kind.fields.iter().zip(&unit.fields) {
            add(&field.name, self.kept(value, 0));
        }
        Shown::Group(group)
    }

    fn pile(&self, index: u16) -> Shown {
        let tabletop = &self.world.tabletop;
        let name = tabletop
            .declared()
            .piles
            .get(usize::from(index))
            .map_or("?", |p| &*p.name);
        let cards = tabletop.pile(index);
        let shown = cards
            .iter()
            .rev()
            .take(ITEMS)
            .map(|u| (None, Shown::Plain(tabletop.unit_key(*u))));
        Shown::Group(Group {
            name: format!("piles.{name}"),
            items: shown.collect(),
            more: cards.len().saturating_sub(ITEMS),
        })
    }

    /// A value of a field.
    fn kept(&self, value: &Value, depth: usize) -> Shown {
        let tabletop = &self.world.tabletop;
        Shown::Plain(match value {
            Value::Nil => "nil".into(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(n) => number(*n),
            Value::Text(text) => quoted(Some(text)),
            Value::Space(space) => key::format(&tabletop.declared().topologies, *space),
            Value::Unit(id) => tabletop.unit_key(*id),
            Value::List(_) | Value::Map(_) if depth >= DEPTH => "{ ... }".into(),
            Value::List(items) => {
                let shown = items
                    .iter()
                    .take(ITEMS)
                    .map(|v| (None, self.kept(v, depth + 1)))
                    .collect();
                let more = items.len().saturating_sub(ITEMS);
                return Shown::Group(Group {
                    name: String::new(),
                    items: shown,
                    more,
                });
            }
            Value::Map(map) => {
                let shown = map
                    .iter()
                    .take(ITEMS)
                    .map(|(k, v)| (Some(k.to_string()), self.kept(v, depth + 1)))
                    .collect();
                let more = map.len().saturating_sub(ITEMS);
                return Shown::Group(Group {
                    name: String::new(),
                    items: shown,
                    more,
                });
            }
        })
    }
}

fn number(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e15 {
        format!("{}", n as i64)
    } else {
        n.to_string()
    }
}

/// A text in quotes, its control characters escaped.
fn quoted(text: Option<&str>) -> String {
    let Some(text) = text else {
        return "(bytes that are no text)".into();
    };
    let mut out = String::from("\"");
    for (count, c) in text.chars().enumerate() {
        if count >= LONG {
            return out + "...\"";
        }
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control()
                || ('\u{2028}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c) =>
            {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
