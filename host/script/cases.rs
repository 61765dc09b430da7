//! Spec cases that run.
use std::ffi::c_int;

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
}
