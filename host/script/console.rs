//! Lines that a designer types, run in the sandbox: as a step may, with variables of their own.
use std::collections::BTreeMap;

use mlua::ffi;

use super::Program;
use super::api::raw_fn;
use super::call::{Answer, Call, TAG_PILE, push_function, push_value, text_at, value_at};
use super::show::{Shown, show};
use super::vm::{RawOutcome, Refused, ScriptError, is_expression, syntax_error};
use super::world::World;
use crate::tabletop::Value;

/// The name of every line in messages.
pub const CHUNK: &str = "@ludex/repl.luau";

/// The variables that lines have made, over the globals of rules.
pub struct Console {
    variables: mlua::Table,
}

impl Program {
    /// A console without variables. `print` is there for its lines.
    pub fn console(&mut self) -> Result<Console, ScriptError> {
        let world: *mut World = &mut *self.world;
        let lua = self.vm.lua();
        let variables = lua.create_table()?;
        let fallback = lua.create_table()?;
        fallback.raw_set("__index", lua.globals())?;
        variables.set_metatable(Some(fallback))?;
        unsafe {
            lua.exec_raw::<()>(variables.clone(), |l| {
                push_function(l, raw_fn!(print), c"print", world);
                ffi::lua_rawsetfield(l, 1, c"print".as_ptr());
                ffi::lua_settop(l, 0);
            })?;
        }
        Ok(Console { variables })
    }

    /// Runs a line: an expression or statements. What it changes stays, unless it raises; what it gives is
    /// ready to print. It may not wait for a decision.
    pub fn evaluate(&mut self, console: &Console, source: &str) -> Result<Vec<Shown>, ScriptError> {
        // In a function, so that what is local to the line may be shared with its own functions.
        let wrapped = match is_expression(source) {
            true => format!("return (function() return {source}\nend)()"),
            false => {
                // A fault of the line itself is told without what is put around it.
                if let Some(refused) = fault(source) {
                    return Err(refused.at(CHUNK));
                }
                format!("return (function() {source}\nend)()")
            }
        };
        let function = self.vm.load_over(CHUNK, &wrapped, &console.variables)?;
        let world: *mut World = &mut *self.world;
        let start = self
            .world
            .catalogue
            .game
            .as_ref()
            .map(|g| g.start.clone())
            .unwrap_or_default();
        let prefix = std::mem::replace(
            &mut self.world.prefix,
            start.split('.').next().unwrap_or_default().into(),
        );
        let was_running = std::mem::replace(&mut self.world.running, true);
        let mark = self.world.tabletop.mark();
        let lua = self.vm.lua();
        let thread = lua.create_thread(function)?;
        let l = thread.state();
        self.vm.start_budget();
        let result = unsafe {
            match self.vm.resume_raw(l, 0) {
                RawOutcome::Returned(count) => Ok((1..=count).map(|i| show(l, world, i)).collect()),
                RawOutcome::Yielded(_) => Err(ScriptError::new(
                    "a line can't wait for a decision; put a step on the agenda with `next`",
                )),
                RawOutcome::Failed(error) | RawOutcome::Killed(_, error) => Err(error),
            }
        };
        drop(thread);
        if result.is_err() {
            self.world.end_imagining_beyond(0);
            self.world.tabletop.rollback(mark);
        }
        self.world.running = was_running;
        self.world.prefix = prefix;
        result
    }

    /// What a console's variables hold that outlives a change of rules, and the names of the others.
    pub fn keep_variables(&mut self, console: &Console) -> (BTreeMap<String, Value>, Vec<String>) {
        let world: *mut World = &mut *self.world;
        let (mut kept, mut lost) = (BTreeMap::new(), Vec::new());
        // Nothing here raises: keys are texts, and values are read raw.
        let read = unsafe {
            self.vm.lua().exec_raw::<()>(console.variables.clone(), |l| {
                let mut place = 0;
                loop {
                    place = ffi::lua_rawiter(l, 1, place);
                    if place < 0 {
                        break;
                    }
                    if let Some(name) = text_at(l, -2).filter(|name| *name != "print") {
                        match value_at(l, world, -1, 0) {
                            Ok(value) => drop(kept.insert(name.to_owned(), value)),
                            Err(_) => lost.push(name.to_owned()),
                        }
                    }
                    ffi::lua_pop(l, 2);
                }
                ffi::lua_settop(l, 0);
            })
        };
        lost.sort();
        (if read.is_ok() { kept } else { BTreeMap::new() }, lost)
    }

    /// Sets a console's variable.
    pub fn set_variable(&mut self, console: &Console, name: &str, value: &Value) -> Result<(), ScriptError> {
        let world: *mut World = &mut *self.world;
        unsafe {
            self.vm.lua().exec_raw::<()>(console.variables.clone(), |l| {
                super::install::push_text(l, name);
                push_value(l, world, value);
                ffi::lua_rawset(l, 1);
                ffi::lua_settop(l, 0);
            })?;
        }
        Ok(())
    }

    /// The names of a console's variables in order, and what each holds: `unit`, `pile` or a type's word.
    pub fn variables(&mut self, console: &Console) -> Vec<(String, &'static str)> {
        let mut names = Vec::new();
        let read = unsafe {
            self.vm.lua().exec_raw::<()>(console.variables.clone(), |l| {
                let mut place = 0;
                loop {
                    place = ffi::lua_rawiter(l, 1, place);
                    if place < 0 {
                        break;
                    }
                    let what = match ffi::lua_type(l, -1) {
                        ffi::LUA_TLIGHTUSERDATA if ffi::lua_lightuserdatatag(l, -1) == TAG_PILE => "pile",
                        ffi::LUA_TLIGHTUSERDATA => "unit",
                        ffi::LUA_TFUNCTION => "function",
                        _ => "value",
                    };
                    names.extend(text_at(l, -2).map(|name| (name.to_owned(), what)));
                    ffi::lua_pop(l, 2);
                }
                ffi::lua_settop(l, 0);
            })
        };
        names.sort();
        if read.is_ok() { names } else { Vec::new() }
    }

    /// The globals of rules in order, each with the names that it holds if it is a table.
    pub fn globals(&self) -> BTreeMap<String, Vec<String>> {
        let mut found = BTreeMap::new();
        for (name, value) in self.vm.lua().globals().pairs::<String, mlua::Value>().flatten() {
            let mut members = Vec::new();
            if let Some(table) = value.as_table() {
                members.extend(
                    table
                        .pairs::<String, mlua::Value>()
                        .flatten()
                        .map(|(name, _)| name),
                );
            }
            members.sort();
            if !name.starts_with("__") {
                found.insert(name, members);
            }
        }
        found
    }

    /// The lines that `print` has written since this was asked last.
    pub fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.world.printed)
    }
}

/// What is wrong with a line: as an expression, where it seems to be meant as one.
fn fault(source: &str) -> Option<Refused> {
    let statement = syntax_error(source)?;
    let first: String = source
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric())
        .collect();
    let is_value = statement.message.starts_with("Incomplete statement")
        || statement.message.ends_with(&format!("got '{first}'"));
    let expression = syntax_error(&format!("return {source}"));
    Some(
        match expression.filter(|e| is_value && !e.message.starts_with("Expected <eof>")) {
            Some(expression) => expression,
            None => statement,
        },
    )
}

/// `print(...)`: a line for the person at the console. Texts are written as they are.
fn print(c: &mut Call) -> Answer {
    let mut parts = Vec::new();
    for i in 1..=c.count() {
        parts.push(match c.text(i) {
            Ok(text) => text.to_owned(),
            Err(_) => unsafe { show(c.l, c.world_ptr(), i) }.line(),
        });
    }
    c.world().printed.push(parts.join(" "));
    Ok(0)
}
