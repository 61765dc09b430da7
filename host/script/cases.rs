//! Spec cases that run, and the content checks of packs.
use std::ffi::c_int;
use std::rc::Rc;

use mlua::ffi;
use mlua::lua_State;

use super::Program;
use super::call::{push_reference, push_value, text_at};
use super::install::push_text;
use super::vm::{RawOutcome, ScriptError};
use super::world::World;
use crate::tabletop::Value;

/// A spec case that runs: a thread of its own that yields its requests.
pub struct Case {
    thread: *mut lua_State,
    reference: c_int,
}

/// What a case asks for, or how it ended.
pub enum Asked {
    /// Name and arguments of the request.
    Request(String, Vec<Value>),
    Done,
    Failed(ScriptError),
}

impl Program {
    /// Takes the cases that a spec file registered, whose functions keep no state from now on.
    pub fn take_cases(&mut self) -> Result<Vec<(String, c_int)>, Vec<ScriptError>> {
        let cases = std::mem::take(&mut self.world.cases);
        for (_, function) in &cases {
            self.freeze(*function)?;
        }
        Ok(cases)
    }

    /// Starts a case that a spec file registered.
    pub fn start_case(&mut self, function: c_int) -> (Case, Asked) {
        unsafe {
            let thread = ffi::lua_newthread(self.main);
            let reference = ffi::lua_ref(self.main, -1);
            ffi::lua_pop(self.main, 1);
            push_reference(thread, self.case_runner.unwrap_or_default());
            push_reference(thread, function);
            let case = Case { thread, reference };
            self.vm.start_budget();
            let asked = self.run_case(&case, 1);
            (case, asked)
        }
    }

    /// Gives a case the answer to its request.
    pub fn answer_case(&mut self, case: &Case, answer: Result<Value, String>) -> Asked {
        let world: *mut World = &mut *self.world;
        unsafe {
            ffi::lua_settop(case.thread, 0);
            match answer {
                Ok(value) => {
                    ffi::lua_pushboolean(case.thread, 1);
                    push_value(case.thread, world, &value);
                }
                Err(text) => {
                    ffi::lua_pushboolean(case.thread, 0);
                    push_text(case.thread, &text);
                }
            }
            self.vm.start_budget();
            self.run_case(case, 2)
        }
    }

    unsafe fn run_case(&mut self, case: &Case, arguments: c_int) -> Asked {
        let world: *mut World = &mut *self.world;
        unsafe {
            match self.vm.resume_raw(case.thread, arguments) {
                RawOutcome::Returned(_) => Asked::Done,
                RawOutcome::Failed(error) | RawOutcome::Killed(_, error) => Asked::Failed(error),
                RawOutcome::Yielded(count) => {
                    let name = text_at(case.thread, 1).unwrap_or_default().to_owned();
                    let mut values = Vec::new();
                    for index in 2..=count {
                        match super::call::value_at(case.thread, world, index, 0) {
                            Ok(value) => values.push(value),
                            Err(problem) => return Asked::Failed(ScriptError::new(problem)),
                        }
                    }
                    Asked::Request(name, values)
                }
            }
        }
    }

    /// Lets a case's thread go.
    pub fn end_case(&mut self, case: Case) {
        unsafe {
            ffi::lua_resetthread(case.thread);
            ffi::lua_unref(self.main, case.reference);
        }
    }

    /// Names of the functions in the table that an entry's own Luau file returns, sorted.
    pub fn code_functions(&mut self, entry: &crate::pack::model::Entry) -> Result<Vec<String>, ScriptError> {
        let mut names = Vec::new();
        for file in &entry.scripts {
            self.vm.start_budget();
            let value = self.vm.require(file.trim_end_matches(".luau"))?;
            let mlua::Value::Table(table) = value else {
                // An overlay may return a function of the earlier table.
                continue;
            };
            for pair in table.pairs::<mlua::Value, mlua::Value>() {
                let (key, value) = pair?;
                if let (mlua::Value::String(key), mlua::Value::Function(_)) = (key, value) {
                    names.push(key.to_string_lossy());
                }
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// What the packs' `rules/content.luau` report of the loaded content: entry reference, field, message.
    pub fn content_reports(&mut self) -> Result<Vec<(String, String, String)>, ScriptError> {
        let catalogue = self.world.catalogue.clone();
        let mut reports = Vec::new();
        for pack in &catalogue.packs {
            let module = format!("@{}/rules/content", pack.id);
            if !catalogue.scripts.contains_key(&module) {
                continue;
            }
            let value = self.vm.require(&module)?;
            let check: mlua::Function = value
                .as_table()
                .and_then(|t| t.raw_get("check").ok())
                .ok_or_else(|| {
                    ScriptError::new(format!(
                        "{module}.luau must return a table with a function `check`"
                    ))
                })?;
            let lua = self.vm.lua().clone();
            let list: mlua::Function = lua.globals().raw_get::<mlua::Table>("content")?.raw_get("list")?;
            let kinds = lua.create_table()?;
            for name in catalogue.kinds.keys() {
                kinds.raw_set(name.as_str(), list.call::<mlua::Value>(name.as_str())?)?;
            }
            let found: Rc<std::cell::RefCell<Vec<(String, String, String)>>> = Rc::default();
            let sink = found.clone();
            let report = lua.create_function(
                move |_, (entry, field, message): (mlua::Value, Option<String>, String)| {
                    let reference = match &entry {
                        mlua::Value::Table(t) => format!(
                            "{}:{}/{}",
                            t.raw_get::<String>("pack").unwrap_or_default(),
                            t.raw_get::<String>("kind").unwrap_or_default(),
                            t.raw_get::<String>("id").unwrap_or_default()
                        ),
                        mlua::Value::String(s) => s.to_string_lossy(),
                        _ => String::new(),
                    };
                    sink.borrow_mut()
                        .push((reference, field.unwrap_or_default(), message));
                    Ok(())
                },
            )?;
            self.vm.start_budget();
            let mark = self.world.tabletop.mark();
            let checked = self.vm.call(&check, (kinds, report));
            self.world.tabletop.rollback(mark);
            checked?;
            reports.append(&mut found.borrow_mut());
        }
        Ok(reports)
    }
}
