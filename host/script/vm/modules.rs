//! `require`: modules of packs, loaded once a VM and frozen.
use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::budget::Kill;
use super::compile::Compiled;
use super::error::ScriptError;
use super::guard::Guard;
use super::{describe, freeze, globals, locals, names, raw};

/// Where modules come from.
pub trait Modules {
    /// The source of a module, by its id: `@pack/path`, without `.luau`.
    fn source(&self, id: &str) -> Option<ModuleSource>;
    /// Whether modules of a pack may require `target` of another; the error says why not and what
    /// to do.
    fn may_require(&self, from_pack: &str, target: &str) -> Result<(), String>;
    /// The ids of all modules, for messages.
    fn names(&self) -> Vec<String>;
}

/// A module's text.
#[derive(Clone, Debug)]
pub struct ModuleSource {
    /// The chunk's name in messages, `@pack/path.luau`.
    pub chunk: String,
    pub source: Arc<str>,
}

/// How many modules may load at once, each required by the one before. The VM's own limit, about 190 calls
/// from native code into scripts, tells nobody what is wrong.
const DEEPEST: usize = 100;
/// Bytes of a module's name.
const LONGEST: usize = 250;

/// The address under which the registry holds the table of loaded modules.
static LOADED: u8 = 0;
/// Stands in that table for a module that returned nothing.
static NOTHING: u8 = 0;

fn address(of: &'static u8) -> *mut c_void {
    std::ptr::from_ref(of).cast_mut().cast()
}

/// Sets the global `require` in the table at the stack's top.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn install(state: *mut lua_State, guard: &Guard) {
    unsafe {
        ffi::lua_newtable(state);
        ffi::lua_rawsetptagged(state, ffi::LUA_REGISTRYINDEX, address(&LOADED), 0);
        raw::set_function(state, -1, c"require", require, guard.address());
    }
}

unsafe extern "C-unwind" fn require(state: *mut lua_State) -> c_int {
    unsafe {
        let guard = Guard::upvalue(state);
        let Some(wanted) = raw::text_at(state, 1) else {
            raw::raise(
                state,
                "`require` needs a text, such as \"./name\" or \"@pack/name\"".into(),
            )
        };
        if wanted.len() > LONGEST {
            raw::raise(
                state,
                format!("`{}` is too long for the name of a module", names::shown(wanted)),
            );
        }
        let wanted = String::from_utf8_lossy(wanted).into_owned();
        let from = caller(state);
        match resolve(&wanted, &from, &*guard.modules) {
            Ok(id) => {
                drop((wanted, from));
                push_module(state, guard, &id, true);
                1
            }
            Err(message) => {
                drop((wanted, from));
                raw::raise(state, message)
            }
        }
    }
}

/// The chunk name of the innermost Luau function.
unsafe fn caller(state: *mut lua_State) -> String {
    unsafe {
        raw::trace(state)
            .into_iter()
            .next()
            .map(|frame| frame.chunk)
            .unwrap_or_default()
    }
}

/// The id that `wanted` means in the chunk `from`.
fn resolve(wanted: &str, from: &str, modules: &dyn Modules) -> Result<String, String> {
    let from = from.strip_suffix(".luau").unwrap_or(from);
    let known = modules.names();
    let known = || known.iter().map(String::as_str);
    let id = if wanted.starts_with("./") || wanted.starts_with("../") {
        relative(wanted, from).ok_or_else(|| format!("`{wanted}` leaves the pack"))?
    } else if wanted.starts_with('@') && wanted.contains('/') {
        wanted.to_string()
    } else {
        let meant = known().find(|id| id.rsplit('/').next() == wanted.rsplit('/').next());
        let meant = meant
            .map(|id| format!("; did you mean `{id}`?"))
            .unwrap_or_default();
        return Err(format!(
            "`{wanted}` must begin with `./`, `../` or `@pack/`{meant}"
        ));
    };
    if let Some(bare) = id.strip_suffix(".luau") {
        return Err(format!("leave off the ending: require(\"{bare}\")"));
    }
    let pack = |id: &str| {
        id.split('/')
            .next()
            .unwrap_or_default()
            .trim_start_matches('@')
            .to_string()
    };
    if pack(&id) != pack(from) {
        modules.may_require(&pack(from), &id)?;
    }
    if known().all(|known| known != id) && modules.source(&id).is_none() {
        return Err(format!("there is no module `{id}`{}", names::hint(&id, known())));
    }
    Ok(id)
}

fn relative(wanted: &str, from: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop()?;
    for part in wanted.split('/') {
        match part {
            "." => {}
            ".." if parts.len() > 1 => {
                parts.pop();
            }
            ".." | "" => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Pushes the value of a module, loading it if need be; raises what keeps it from loading.
///
/// # Safety
/// `state` is a live Lua state in a protected call.
pub unsafe fn push_module(state: *mut lua_State, guard: &Guard, id: &str, needs_value: bool) {
    unsafe {
        ffi::lua_rawcheckstack(state, 8);
        ffi::lua_rawgetptagged(state, ffi::LUA_REGISTRYINDEX, address(&LOADED), 0);
        let loaded = ffi::lua_gettop(state);
        raw::push_text(state, id);
        if ffi::lua_rawget(state, loaded) == ffi::LUA_TNIL {
            ffi::lua_pop(state, 1);
            load(state, guard, id);
            raw::push_text(state, id);
            ffi::lua_pushvalue(state, -2);
            ffi::lua_rawset(state, loaded);
        }
        ffi::lua_remove(state, loaded);
        if ffi::lua_tolightuserdata(state, -1) == address(&NOTHING) {
            if needs_value {
                raw::raise(
                    state,
                    format!("`{id}` returns nothing; a module ends with `return`"),
                );
            }
            ffi::lua_pop(state, 1);
            ffi::lua_pushnil(state);
        }
    }
}

unsafe fn load(state: *mut lua_State, guard: &Guard, id: &str) {
    unsafe {
        let known = guard.failed.borrow().get(id).cloned();
        if let Some((text, trace)) = known {
            *guard.traced.borrow_mut() = Some((text.clone(), trace));
            raw::raise_plain(state, text);
        }
        let refused = {
            let loading = guard.loading.borrow();
            circle(&loading, id).or_else(|| too_deep(&loading, id))
        };
        if let Some(message) = refused {
            raw::raise(state, message);
        }
        let Some(module) = guard.modules.source(id) else {
            raw::raise(state, format!("there is no module `{id}`"));
        };
        let compiled = match checked(guard, &module.chunk, &module.source) {
            Ok(compiled) => compiled,
            Err(error) => {
                drop(module);
                raw::raise_plain(state, error.to_string())
            }
        };
        let name = CString::new(format!("={}", module.chunk)).unwrap_or_default();
        let code = &compiled.bytecode;
        if ffi::luau_load(state, name.as_ptr(), code.as_ptr().cast(), code.len(), 0) != 0 {
            ffi::lua_error(state);
        }
        guard.chunks.borrow_mut().insert(module.chunk, compiled);
        guard.loading.borrow_mut().push(id.to_string());
        drop(name);
        raw::push_function(state, note_trace, c"require", 0);
        ffi::lua_insert(state, -2);
        let status = ffi::lua_pcall(state, 0, 1, ffi::lua_gettop(state) - 1);
        ffi::lua_remove(state, -2);
        guard.loading.borrow_mut().pop();
        if status != ffi::LUA_OK {
            if status == ffi::LUA_ERRMEM {
                guard.kill(Kill::Memory, raw::trace(state));
            }
            if guard.is_killed() {
                guard.raise_kill(state);
            }
            keep_failure(state, guard, id);
            ffi::lua_error(state);
        }
        if let Err(message) = freeze::deep(state, guard, true) {
            raw::raise_plain(state, message);
        }
        if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
            ffi::lua_pop(state, 1);
            ffi::lua_pushlightuserdata(state, address(&NOTHING));
        }
    }
}

/// Keeps the error on top of the stack as that of a module.
unsafe fn keep_failure(state: *mut lua_State, guard: &Guard, id: &str) {
    let text = unsafe { describe::error_text(state, -1) };
    let traced = guard.traced.borrow();
    let trace = traced
        .as_ref()
        .filter(|(known, _)| *known == text)
        .map(|(_, trace)| trace.clone())
        .unwrap_or_default();
    guard.failed.borrow_mut().insert(id.to_owned(), (text, trace));
}

fn too_deep(loading: &[String], id: &str) -> Option<String> {
    if loading.len() < DEEPEST {
        return None;
    }
    let [first, second, .., last] = loading else {
        return None;
    };
    Some(format!(
        "modules require each other more than {DEEPEST} deep: {first} -> {second} -> ... -> {last} -> {id}"
    ))
}

fn circle(loading: &[String], id: &str) -> Option<String> {
    let start = loading.iter().position(|other| other == id)?;
    let path = loading[start..]
        .iter()
        .map(String::as_str)
        .chain([id])
        .collect::<Vec<_>>();
    Some(format!(
        "modules require each other in a circle: {}",
        path.join(" -> ")
    ))
}

/// As `checked` for a source whose new globals live in a table of their own: it may set those, and read
/// what it sets or what is `known` there.
pub fn checked_over(
    guard: &Guard,
    chunk: &str,
    source: &str,
    known: &[String],
) -> Result<Arc<Compiled>, ScriptError> {
    let limit = guard.budget.get().text;
    let compiled = guard
        .cache
        .compile(source, limit)
        .map_err(|refused| refused.at(chunk))?;
    let set: Vec<&str> = compiled
        .globals
        .iter()
        .filter(|g| g.writes)
        .map(|g| g.name.as_str())
        .collect();
    for global in &compiled.globals {
        let name = global.name.as_str();
        let message = match global.writes {
            true if guard.globals.borrow().contains(name) => {
                Some(format!("`{name}` belongs to the API; choose another name"))
            }
            true => None,
            false if set.contains(&name) || known.iter().any(|k| k == name) => None,
            false => globals::refuse_beside(guard, name, known),
        };
        if let Some(message) = message {
            return Err(ScriptError::at(chunk, Some(global.line), message));
        }
    }
    Ok(compiled)
}

/// Compiles a source and checks the globals that it names.
pub fn checked(guard: &Guard, chunk: &str, source: &str) -> Result<Arc<Compiled>, ScriptError> {
    let limit = guard.budget.get().text;
    let compiled = guard
        .cache
        .compile(source, limit)
        .map_err(|refused| refused.at(chunk))?;
    if guard.sealed.get() {
        for global in &compiled.globals {
            if let Some(message) = globals::refuse(guard, &global.name, global.writes) {
                let message = match global.writes {
                    true => message,
                    // Only now, that it is needed: a slip is as often of a local.
                    false => globals::refuse_beside(guard, &global.name, &locals::declared(source))
                        .unwrap_or(message),
                };
                return Err(ScriptError::at(chunk, Some(global.line), message));
            }
        }
    }
    Ok(compiled)
}

/// A message handler that keeps the trace of the innermost place where an error arose.
///
/// # Safety
/// As any raw function.
pub unsafe extern "C-unwind" fn note_trace(state: *mut lua_State) -> c_int {
    unsafe {
        let text = String::from_utf8_lossy(raw::text_at(state, 1).unwrap_or_default()).into_owned();
        let guard = Guard::of(state);
        if describe::lacks_memory(Some(text.as_bytes())) {
            guard.kill(Kill::Memory, raw::trace(state));
        }
        let mut traced = guard.traced.borrow_mut();
        if traced.as_ref().is_none_or(|(known, _)| *known != text) {
            *traced = Some((text, raw::trace(state)));
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Three;

    impl Modules for Three {
        fn source(&self, id: &str) -> Option<ModuleSource> {
            let known = self.names().contains(&id.to_string());
            known.then(|| ModuleSource {
                chunk: format!("{id}.luau"),
                source: "".into(),
            })
        }

        fn may_require(&self, from: &str, target: &str) -> Result<(), String> {
            if target.starts_with("@std/") {
                Ok(())
            } else {
                Err(format!("`{from}` doesn't depend on `{target}`"))
            }
        }

        fn names(&self) -> Vec<String> {
            ["@std/flow", "@stones/rules/turn", "@stones/lib/find"]
                .map(String::from)
                .to_vec()
        }
    }

    fn result(wanted: &str) -> Result<String, String> {
        resolve(wanted, "@stones/rules/start.luau", &Three)
    }

    #[test]
    fn resolves_as_luau_does() {
        assert_eq!(result("./turn"), Ok("@stones/rules/turn".into()));
        assert_eq!(result("../lib/find"), Ok("@stones/lib/find".into()));
        assert_eq!(result("@stones/lib/find"), Ok("@stones/lib/find".into()));
        assert_eq!(result("@std/flow"), Ok("@std/flow".into()));
    }

    #[test]
    fn says_what_is_wrong_with_a_name() {
        let cases = [
            (
                "./trun",
                "there is no module `@stones/rules/trun`; did you mean `@stones/rules/turn`?",
            ),
            (
                "flow",
                "`flow` must begin with `./`, `../` or `@pack/`; did you mean `@std/flow`?",
            ),
            ("io", "`io` must begin with `./`, `../` or `@pack/`"),
            (
                "./turn.luau",
                "leave off the ending: require(\"@stones/rules/turn\")",
            ),
            ("../../std/flow", "`../../std/flow` leaves the pack"),
            ("@other/x", "`stones` doesn't depend on `@other/x`"),
        ];
        for (wanted, message) in cases {
            assert_eq!(result(wanted), Err(message.into()));
        }
    }

    #[test]
    fn prints_the_circle() {
        let loading = ["@a/x", "@a/y", "@a/z"].map(String::from);
        let message = "modules require each other in a circle: @a/y -> @a/z -> @a/y";
        assert_eq!(circle(&loading, "@a/y"), Some(message.into()));
        assert_eq!(circle(&loading, "@a/w"), None);
    }
}
