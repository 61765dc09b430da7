//! What the standard library stands on: registries that are filled while packs load, the definitions that
//! export a hook, explanations, and the chain of triggers.
use std::ffi::c_int;

use mlua::ffi;

use super::{Record, content, raw_fn};
use crate::script::call::{Answer, Call, push_reference};
use crate::script::vm::{freeze_deep, hint};
use crate::tabletop::Value;
use crate::tabletop::board::key;

pub const RECORDS: &[Record] = &[
    Record::raw(
        "content.kinds",
        c"kinds",
        raw_fn!(kinds),
        "() -> {string}",
        "The names of all kinds that have definitions, sorted.",
        "assert(content.kinds()[1] ~= nil)",
    ),
    Record::prelude(
        "content.exporting",
        "(name: string) -> {Definition}",
        "The definitions whose Luau file exports `name`, in order of kind and id. Found once for each load.",
        "assert(#content.exporting(\"on_nothing\") == 0)",
    ),
    Record::prelude(
        "content.hooks",
        "() -> {{pack: string, hooks: {[string]: any}}}",
        "The tables that `rules/hooks.luau` of the active packs return, the game's pack first.",
        "assert(#content.hooks() == 0)",
    ),
    Record::raw(
        "registry.add",
        c"add",
        raw_fn!(add),
        "(registry: string, name: string, value: any) -> ()",
        "Adds to a registry while packs load; the value is frozen. One name twice is an error.",
        "assert(not pcall(registry.add, \"verbs\", \"glow\", {}))",
    ),
    Record::raw(
        "registry.get",
        c"get",
        raw_fn!(get),
        "(registry: string, name: string) -> any",
        "What a pack added to a registry under a name, or nil.",
        "assert(registry.get(\"verbs\", \"glow\") == nil)",
    ),
    Record::raw(
        "registry.names",
        c"names",
        raw_fn!(names),
        "(registry: string) -> {string}",
        "The names in a registry, sorted.",
        "assert(#registry.names(\"nothing\") == 0)",
    ),
    Record::raw(
        "hint",
        c"hint",
        raw_fn!(hint_of),
        "(name: string, known: {string}) -> string",
        "`; did you mean ...?` with the nearest known name, for the end of a message; empty if none is near.",
        "assert(hint(\"chrage\", { \"charge\" }) == \"; did you mean `charge`?\")",
    ),
    Record::raw(
        "key_of",
        c"key_of",
        raw_fn!(key_of),
        "(option: any) -> string",
        "The stable text key that `choose` gives an option: of a unit, a space, a plain value, or the table's own `key`.",
        "assert(key_of(vector(2, 1)) == \"(2,1)\")\nassert(key_of({ key = \"a\" }) == \"a\")",
    ),
    Record::raw(
        "step_name",
        c"step_name",
        raw_fn!(step_name),
        "(name: string) -> string",
        "The full name of a step: a name without a point is of the running step's own prefix.",
        "assert(not pcall(step_name, \"no_such_step\"))",
    ),
    Record::raw(
        "explaining",
        c"explaining",
        raw_fn!(explaining),
        "() -> boolean",
        "Whether explanations are kept here: not while rules imagine, nor in simulations.",
        "assert(imagine(explaining) == false)",
    ),
    Record::raw(
        "explain",
        c"explain",
        raw_fn!(explain),
        "(explanation: {[string]: any}) -> ()",
        "Keeps why rules chose as they did: plain data with a `text`. The last hundred are kept, outside the state.",
        "explain({ text = \"ruby: the only one\" })\nassert(not pcall(explain, { txt = \"?\" }))",
    ),
    Record::raw(
        "trigger.begin",
        c"begin",
        raw_fn!(begin),
        "(name: string, of: any) -> number",
        "Notes that a triggered rule of a unit, a space or a definition begins; answers how deep triggers nest. Too deep is an error that shows the cycle.",
        "local depth = trigger.begin(\"glow\", units.make(\"stones/ruby\"))\nassert(depth == 1)\ntrigger.finish(depth)",
    ),
    Record::raw(
        "trigger.finish",
        c"finish",
        raw_fn!(finish),
        "(depth: number) -> ()",
        "Notes that the triggered rule with that depth, and all within it, ended.",
        "trigger.finish(trigger.begin(\"glow\", game))\nassert(trigger.begin(\"glow\", game) == 1)",
    ),
];

/// How many explanations are kept.
const EXPLANATIONS: usize = 100;
/// How deep triggers may nest.
const TRIGGERS: usize = 100;

fn kinds(c: &mut Call) -> Answer {
    let catalogue = c.world().catalogue.clone();
    push_texts(c, catalogue.kinds.keys().map(String::as_str));
    Ok(1)
}

/// Pushes a frozen list of texts.
fn push_texts<'a>(c: &Call, texts: impl Iterator<Item = &'a str>) {
    unsafe {
        ffi::lua_createtable(c.l, 0, 0);
        for (i, text) in texts.enumerate() {
            c.push_text(text);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
}

/// For the prelude: every definition with a Luau file beside it, in order of kind and id.
pub fn with_code(c: &mut Call) -> Answer {
    let (catalogue, declared) = (c.world().catalogue.clone(), c.world().tabletop.declared().clone());
    unsafe { ffi::lua_createtable(c.l, 0, 0) };
    let mut count = 0;
    for kind in catalogue.kinds.values() {
        let mut entries: Vec<_> = kind.entries.iter().filter(|e| !e.scripts.is_empty()).collect();
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        for entry in entries {
            let reference = format!("{}:{}/{}", entry.pack, entry.kind, entry.id);
            content::push_definition(c, content::find(&declared, &reference)?)?;
            count += 1;
            unsafe { ffi::lua_rawseti_(c.l, -2, count) };
        }
    }
    Ok(1)
}

/// For the prelude: the ids of the packs that have a module at a path, the game's pack first.
pub fn packs_with(c: &mut Call) -> Answer {
    let path = c.text(1)?.to_owned();
    let catalogue = c.world().catalogue.clone();
    let game = catalogue.game.as_ref().map_or("", |g| &g.pack);
    let mut packs: Vec<&str> = catalogue.packs.iter().map(|p| p.id.as_str()).collect();
    packs.retain(|id| catalogue.scripts.contains_key(&format!("@{id}/{path}")));
    packs.sort_by_key(|id| *id != game);
    push_texts(c, packs.into_iter());
    Ok(1)
}

fn add(c: &mut Call) -> Answer {
    let key = (c.text(1)?.to_owned(), c.text(2)?.to_owned());
    if c.world().loaded {
        return Err("a registry is filled while packs load, not later".into());
    }
    if c.world().registries.contains_key(&key) {
        return Err(format!("`{}` is in the registry `{}` already", key.1, key.0));
    }
    unsafe {
        ffi::lua_settop(c.l, 3);
        freeze_deep(c.l, true)?;
        let reference = ffi::lua_ref(c.l, 3);
        c.world().registries.insert(key, reference);
    }
    Ok(0)
}

fn get(c: &mut Call) -> Answer {
    let key = (c.text(1)?.to_owned(), c.text(2)?.to_owned());
    match c.world().registries.get(&key).copied() {
        Some(reference) => unsafe { push_reference(c.l, reference) },
        None => c.push_nil(),
    }
    Ok(1)
}

fn names(c: &mut Call) -> Answer {
    let registry = c.text(1)?.to_owned();
    let names: Vec<String> = c
        .world()
        .registries
        .keys()
        .filter(|(r, _)| *r == registry)
        .map(|(_, name)| name.clone())
        .collect();
    push_texts(c, names.iter().map(String::as_str));
    Ok(1)
}

fn hint_of(c: &mut Call) -> Answer {
    let name = c.text(1)?.to_owned();
    c.table(2)?;
    let known = match c.value(2)? {
        Value::List(items) => items,
        _ => return Err("argument 2: expected a list of texts".into()),
    };
    let known = known
        .iter()
        .filter_map(|v| if let Value::Text(t) = v { Some(&**t) } else { None });
    let text = hint(&name, known);
    c.push_text(&text);
    Ok(1)
}

fn key_of(c: &mut Call) -> Answer {
    if unsafe { ffi::lua_type(c.l, 1) } == ffi::LUA_TTABLE {
        // The tables of options often hold more than plain data.
        if unsafe { ffi::lua_rawgetfield(c.l, 1, c"key".as_ptr()) } != ffi::LUA_TSTRING {
            return Err("argument 1: a table needs a text `key`".into());
        }
        return Ok(1);
    }
    let value = c.value(1)?;
    if matches!(value, Value::Nil | Value::List(_) | Value::Map(_)) {
        return Err("argument 1: expected a unit, a space, a plain value or a table with a `key`".into());
    }
    let text = text_of(c, &value);
    c.push_text(&text);
    Ok(1)
}

fn step_name(c: &mut Call) -> Answer {
    let name = c.text(1)?.to_owned();
    let full = super::flow::full_name(c, &name)?;
    c.push_text(&full);
    Ok(1)
}

fn explaining(c: &mut Call) -> Answer {
    let explaining = c.world().is_explaining();
    c.push_bool(explaining);
    Ok(1)
}

fn explain(c: &mut Call) -> Answer {
    c.table(1)?;
    if !c.world().is_explaining() {
        return Ok(0);
    }
    let explanation = c.value(1)?;
    if !matches!(&explanation, Value::Map(map) if matches!(map.get("text"), Some(Value::Text(_)))) {
        return Err("an explanation is a table with a `text`".into());
    }
    let mark = c.world().tabletop.mark();
    let kept = c.world().explanations_mut();
    if kept.len() >= EXPLANATIONS {
        kept.remove(0);
    }
    kept.push((mark, explanation));
    Ok(0)
}

fn begin(c: &mut Call) -> Answer {
    let name: Box<str> = c.text(1)?.into();
    let of = match unsafe { ffi::lua_type(c.l, 2) } {
        ffi::LUA_TTABLE => unsafe {
            ffi::lua_rawgetfield(c.l, 2, c"id".as_ptr());
            c.value(-1)?
        },
        _ => c.value(2)?,
    };
    let mark = c.world().tabletop.mark();
    c.world().triggers.push((mark, name, of));
    let depth = c.world().triggers.len();
    if depth > TRIGGERS {
        // Only now: texts for each trigger would cost more than the rest of a dispatch.
        let triggers = std::mem::take(&mut c.world().triggers);
        let texts: Vec<String> = triggers
            .iter()
            .map(|(_, name, of)| format!("{name} of {}", text_of(c, of)))
            .collect();
        let chain: Vec<&str> = texts.iter().map(String::as_str).collect();
        return Err(format!(
            "triggers set each other off without end: {}",
            cycle(&chain)
        ));
    }
    c.push_number(depth as f64);
    Ok(1)
}

/// The text key of a plain value, a unit or a space; empty for anything else.
fn text_of(c: &mut Call, value: &Value) -> String {
    let tabletop = &c.world().tabletop;
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Unit(unit) => tabletop.unit_key(*unit),
        Value::Space(space) => key::format(&tabletop.declared().topologies, *space),
        Value::Nil | Value::List(_) | Value::Map(_) => String::new(),
    }
}

fn finish(c: &mut Call) -> Answer {
    let depth = c.whole(1, 1, 1 << 20)? as usize;
    c.world().triggers.truncate(depth - 1);
    Ok(0)
}

/// The shortest run at the chain's end that repeats, closed into a circle; else the chain's last part.
fn cycle(chain: &[&str]) -> String {
    let length = chain.len();
    let repeats = |period: &usize| {
        (0..length - period)
            .rev()
            .take(*period * 2)
            .all(|i| chain[i] == chain[i + period])
    };
    let period = (1..=length / 3).find(repeats);
    let mut shown: Vec<&str> = match period {
        Some(period) => chain[length - period..].to_vec(),
        None => chain[length.saturating_sub(8)..].to_vec(),
    };
    if let (Some(_), Some(first)) = (period, shown.first().copied()) {
        shown.push(first);
    }
    shown.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::cycle;

    #[test]
    fn a_cycle_is_shown_once() {
        let chain: Vec<&str> = ["start"]
            .into_iter()
            .chain(["a", "b", "c"].into_iter().cycle().take(99))
            .collect();
        assert_eq!(cycle(&chain), "a -> b -> c -> a");
        assert_eq!(cycle(&["a"; 10]), "a -> a");
        assert_eq!(cycle(&["a", "b", "c"]), "a -> b -> c");
    }
}
