//! The VM that the rest of the host uses.
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::{Arc, Once};

use mlua::ffi::{self, lua_State};
use mlua::{Function, IntoLua, IntoLuaMulti, Lua, MultiValue, Thread, Value};

use super::budget::{Budget, Kill};
use super::compile::BytecodeCache;
use super::error::ScriptError;
use super::guard::Guard;
use super::modules::{self, Modules};
use super::protect::Protect;
use super::{describe, freeze, globals, raw};
use crate::tabletop::effort;

/// How a resumed thread stopped.
#[derive(Debug)]
pub enum Outcome {
    /// It waits; these values were yielded.
    Yielded(MultiValue),
    /// It is done.
    Returned(MultiValue),
    /// It raised an error and is dead.
    Failed(ScriptError),
    /// A limit ended it and it is dead; the step must be rolled back. The VM is usable again
    /// after `start_budget`.
    Killed(Kill, ScriptError),
}

/// `Outcome` of `resume_raw`: values are the top ones of the thread's own stack.
#[derive(Debug)]
pub enum RawOutcome {
    Yielded(c_int),
    Returned(c_int),
    Failed(ScriptError),
    Killed(Kill, ScriptError),
}

/// A sandboxed Luau state with its modules and its budget. It stays on its thread.
pub struct Vm {
    lua: Lua,
    guard: Rc<Guard>,
}

impl Vm {
    /// A VM whose globals are those of rules, still open for `set_global`.
    pub fn new(
        modules: Rc<dyn Modules>,
        budget: Budget,
        cache: Arc<BytecodeCache>,
    ) -> Result<Self, ScriptError> {
        static FLAGS: Once = Once::new();
        FLAGS.call_once(|| {
            // Without it `table.move({}, 1, 2^31 - 2, 2)` runs for minutes inside C.
            let accepted = Lua::set_fflag("LuauTableMoveTimeoutFix", true).is_ok();
            assert!(accepted, "this Luau can't bound `table.move`");
        });
        let lua = Lua::new();
        let mut main = std::ptr::null_mut();
        // SAFETY: asks for the main thread of a live state.
        unsafe { lua.exec_raw::<()>((), |state| main = ffi::lua_mainthread(state))? };
        // SAFETY: the guard is kept in the state's app data, which Lua drops after it has closed.
        let guard = unsafe { Guard::install(main, modules, budget, cache) };
        lua.set_app_data(guard.clone());
        let vm = Self { lua, guard };
        // SAFETY: a fresh state, in mlua's protected call.
        unsafe {
            vm.lua
                .exec_raw::<()>((), |state| globals::install(state, &vm.guard))?
        };
        vm.lua.set_memory_limit(budget.memory)?;
        Ok(vm)
    }

    pub fn lua(&self) -> &Lua {
        &self.lua
    }

    pub fn budget(&self) -> Budget {
        self.guard.budget.get()
    }

    /// Sets a global before `freeze`. A table without a metatable becomes strict then: reading a
    /// member that it lacks raises.
    pub fn set_global(&self, name: &str, value: impl IntoLua) -> Result<(), ScriptError> {
        debug_assert!(!self.guard.sealed.get(), "globals are frozen");
        Ok(self.lua.globals().raw_set(name, value)?)
    }

    /// Freezes the globals and all that can be reached from them, for good.
    pub fn freeze(&self) -> Result<(), ScriptError> {
        let mut outcome = Ok(());
        // SAFETY: in mlua's protected call, with the state's own guard.
        unsafe {
            self.lua
                .exec_raw::<()>((), |state| outcome = globals::seal(state, &self.guard))?
        };
        outcome.map_err(|text| ScriptError::from_text(&text, Vec::new()))
    }

    /// Freezes everything that can be reached from a value: tables, metatables and what functions
    /// hold. An error names a function that keeps state in a variable outside itself.
    pub fn deep_freeze(&self, value: impl IntoLua) -> Result<(), ScriptError> {
        let mut outcome = Ok(());
        // SAFETY: in mlua's protected call, the value on its stack.
        unsafe {
            self.lua.exec_raw::<()>(value.into_lua(&self.lua)?, |state| {
                outcome = freeze::deep(state, &self.guard, false);
                ffi::lua_settop(state, 0);
            })?;
        }
        outcome.map_err(|text| ScriptError::from_text(&text, Vec::new()))
    }

    /// What the host does around `pcall` and `xpcall`, so that an error undoes its half of a change.
    pub fn set_protect(&self, protect: Option<Protect>) {
        self.guard.protect.set(protect);
    }

    /// The whole budget again: call it where a step starts. It also ends the state after a kill.
    #[inline]
    pub fn start_budget(&self) {
        self.guard.start_budget();
    }

    /// The whole wall time again, but no new safepoints: call it when a person has answered.
    pub fn start_clock(&self) {
        self.guard.start_clock();
    }

    /// Another game begins: what the host holds for earlier ones no longer counts.
    pub fn start_session(&self) {
        self.guard.start_session();
    }

    /// Ends the step that has used up its time, or made the host hold more than it may.
    ///
    /// # Safety
    /// `state` is a running state of this VM; nothing of the caller's frame needs to be dropped.
    #[cold]
    pub unsafe fn raise_spent(&self, state: *mut lua_State) -> ! {
        unsafe {
            if !self.guard.is_killed() {
                let kill = if effort::is_hoarding() {
                    Kill::Memory
                } else {
                    Kill::Time
                };
                self.guard.kill(kill, raw::trace(state));
            }
            self.guard.raise_kill(state)
        }
    }

    /// Safepoints used since `start_budget`.
    pub fn used_safepoints(&self) -> u64 {
        self.guard.used()
    }

    /// The kill that the current step suffered, if any. A host function that resumed a thread in
    /// a thread raises `raise_kill` then.
    pub fn killed(&self) -> Option<Kill> {
        self.guard.killed().map(|killed| killed.kill)
    }

    /// The value of a module, loaded under the current budget if it was not; `nil` if it returns
    /// nothing. `id` is `@pack/path`.
    pub fn require(&self, id: &str) -> Result<Value, ScriptError> {
        self.guard.traced.replace(None);
        let mut job = Require {
            guard: &self.guard,
            id,
            failed: None,
        };
        let limits = effort::limit(self.guard.limits());
        // SAFETY: the job outlives the call; `require` runs in a protected call of its own.
        let value = unsafe {
            self.lua.exec_raw::<Value>((), |state| {
                raw::push_function(state, modules::note_trace, c"require", 0);
                raw::push_function(state, require, c"require", 0);
                ffi::lua_pushlightuserdata(state, std::ptr::from_mut(&mut job).cast());
                let handler = ffi::lua_gettop(state) - 2;
                if ffi::lua_pcall(state, 1, 1, handler) != ffi::LUA_OK {
                    job.failed = Some(describe::error_text(state, -1));
                }
                ffi::lua_remove(state, handler);
            })
        };
        effort::limit(limits);
        self.check_module(job.failed.take())?;
        Ok(value?)
    }

    fn check_module(&self, failed: Option<String>) -> Result<(), ScriptError> {
        let Some(text) = failed else { return Ok(()) };
        self.guard.loading.borrow_mut().clear();
        if describe::lacks_memory(Some(text.as_bytes())) {
            self.guard.kill(Kill::Memory, Vec::new());
        }
        if let Some((_, error)) = self.end_kill() {
            return Err(error);
        }
        let traced = self
            .guard
            .traced
            .replace(None)
            .filter(|(known, _)| *known == text);
        Err(ScriptError::from_text(
            &text,
            traced.map(|(_, trace)| trace).unwrap_or_default(),
        ))
    }

    /// Compiles a source and checks the globals that it uses, without running it.
    pub fn compile_check(&self, chunk: &str, source: &str) -> Result<(), ScriptError> {
        modules::checked(&self.guard, chunk, source).map(|_| ())
    }

    /// Why rules may not read a global, where a file has `others` of its own; `None` if they may.
    pub fn refusal_to_read(&self, name: &str, others: &[String]) -> Option<String> {
        globals::refuse_beside(&self.guard, name, others)
    }

    /// Why rules may not read a member of a library that has the `known` ones.
    pub fn refusal_of_member(&self, library: &str, name: &str, known: &[String]) -> String {
        globals::no_member(library, name, known)
    }

    /// A source as a function that runs it; `chunk` is `@pack/path.luau`.
    pub fn load(&self, chunk: &str, source: &str) -> Result<Function, ScriptError> {
        let compiled = modules::checked(&self.guard, chunk, source)?;
        self.guard
            .chunks
            .borrow_mut()
            .insert(chunk.into(), compiled.clone());
        let code = self
            .lua
            .load(&compiled.bytecode[..])
            .set_mode(mlua::chunk::ChunkMode::Binary);
        Ok(code.set_name(format!("={chunk}")).into_function()?)
    }

    /// As `load`, over a table that holds the globals which such chunks make and falls back on those of all.
    pub fn load_over(
        &self,
        chunk: &str,
        source: &str,
        globals: &mlua::Table,
    ) -> Result<Function, ScriptError> {
        let compiled = modules::checked_over(&self.guard, chunk, source, &names_of(globals)?)?;
        self.guard
            .chunks
            .borrow_mut()
            .insert(chunk.into(), compiled.clone());
        let code = self
            .lua
            .load(&compiled.bytecode[..])
            .set_mode(mlua::chunk::ChunkMode::Binary);
        Ok(code
            .set_name(format!("={chunk}"))
            .set_environment(globals.clone())
            .into_function()?)
    }

    /// Runs a thread until it yields, returns or fails. A killed thread is dead.
    pub fn resume(&self, thread: &Thread, args: impl IntoLuaMulti) -> Outcome {
        let mut count = 0;
        // SAFETY: moves the arguments between two stacks of one state, in a protected call.
        let pushed = unsafe {
            self.lua.exec_raw::<()>(args, |state| {
                count = ffi::lua_gettop(state);
                ffi::lua_rawcheckstack(thread.state(), count);
                ffi::lua_xmove(state, thread.state(), count);
            })
        };
        if let Err(error) = pushed {
            return Outcome::Failed(error.into());
        }
        // SAFETY: the arguments are on the thread's stack.
        let (values, wrap) = match unsafe { self.resume_raw(thread.state(), count) } {
            RawOutcome::Yielded(count) => (count, Outcome::Yielded as fn(_) -> _),
            RawOutcome::Returned(count) => (count, Outcome::Returned as fn(_) -> _),
            RawOutcome::Failed(error) => return Outcome::Failed(error),
            RawOutcome::Killed(kill, error) => return Outcome::Killed(kill, error),
        };
        // SAFETY: as above, the other way.
        let values = unsafe {
            self.lua.exec_raw::<MultiValue>((), |state| {
                ffi::lua_rawcheckstack(state, values);
                ffi::lua_xmove(thread.state(), state, values);
            })
        };
        values.map_or_else(|error| Outcome::Failed(error.into()), wrap)
    }

    /// `resume` for hot paths: `count` arguments are the top of the thread's stack, and so are the
    /// values that it yields or returns.
    ///
    /// # Safety
    /// `thread` is a live thread of this VM, new or yielded, with `count` values on its stack.
    pub unsafe fn resume_raw(&self, thread: *mut lua_State, count: c_int) -> RawOutcome {
        let guard = &*self.guard;
        unsafe {
            let outer = guard.current.replace(thread);
            let from = if outer.is_null() { guard.main } else { outer };
            let limits = effort::limit(guard.limits());
            let status = ffi::lua_resume_(thread, from, count);
            effort::limit(limits);
            guard.current.set(outer);
            match status {
                ffi::LUA_OK if !guard.is_killed() => RawOutcome::Returned(ffi::lua_gettop(thread)),
                ffi::LUA_YIELD if !guard.is_killed() => RawOutcome::Yielded(ffi::lua_gettop(thread)),
                status => self.resume_failed(thread, from, status),
            }
        }
    }

    #[cold]
    unsafe fn resume_failed(
        &self,
        thread: *mut lua_State,
        from: *mut lua_State,
        status: c_int,
    ) -> RawOutcome {
        unsafe {
            let mut trace = raw::trace(thread);
            let mut text = String::new();
            if status == ffi::LUA_ERRMEM {
                self.guard.kill(Kill::Memory, trace.clone());
            } else if !self.guard.is_killed() {
                let mut job = Describe { thread, text: None };
                let data = std::ptr::from_mut(&mut job).cast::<c_void>();
                if ffi::lua_cpcall(from, describe_error, data) != ffi::LUA_OK {
                    ffi::lua_pop(from, 1);
                }
                text = job
                    .text
                    .unwrap_or_else(|| "an error whose text can't be made was raised".into());
                if describe::lacks_memory(Some(text.as_bytes())) {
                    self.guard.kill(Kill::Memory, trace.clone());
                }
            }
            self.lift_limit(|| ffi::lua_resetthread(thread));
            if let Some((kill, error)) = self.end_kill() {
                return RawOutcome::Killed(kill, error);
            }
            // A module's error arose deeper than where `require` passed it on.
            if let Some((_, inner)) = self
                .guard
                .traced
                .replace(None)
                .filter(|(known, _)| *known == text)
            {
                trace = inner;
            }
            RawOutcome::Failed(ScriptError::from_text(&text, trace))
        }
    }

    /// Runs a function that may not wait, in a thread of its own.
    pub fn call(&self, function: &Function, args: impl IntoLuaMulti) -> Result<MultiValue, ScriptError> {
        let thread = self.lua.create_thread(function.clone())?;
        match self.resume(&thread, args) {
            Outcome::Returned(values) => Ok(values),
            Outcome::Yielded(_) => Err(ScriptError::new("a decision can't be asked for here")),
            Outcome::Failed(error) | Outcome::Killed(_, error) => Err(error),
        }
    }

    /// Bytes that the VM holds.
    pub fn used_memory(&self) -> usize {
        self.lua.used_memory()
    }

    /// After a kill: collects what the dropped thread held, since Luau has no emergency collection,
    /// and tells what happened.
    fn end_kill(&self) -> Option<(Kill, ScriptError)> {
        let killed = self.guard.killed()?;
        // SAFETY: a collection on the main thread; nothing of the killed thread runs any more.
        self.lift_limit(|| unsafe { ffi::lua_gc(self.guard.main, ffi::LUA_GCCOLLECT, 0) });
        let mut error = match killed.trace.first() {
            Some(frame) => ScriptError::at(&frame.chunk, Some(frame.line), String::new()),
            None => ScriptError::default(),
        };
        error.message = killed.kill.message(&self.budget());
        error.kill = Some(killed.kill);
        error.trace = killed.trace;
        Some((killed.kill, error))
    }

    /// Does what must not fail for want of memory.
    fn lift_limit<R>(&self, work: impl FnOnce() -> R) -> R {
        let limit = self.lua.set_memory_limit(0);
        let result = work();
        if let Ok(limit) = limit {
            let _ = self.lua.set_memory_limit(limit);
        }
        result
    }
}

fn names_of(globals: &mlua::Table) -> Result<Vec<String>, ScriptError> {
    let mut names = Vec::new();
    for pair in globals.pairs::<String, Value>() {
        names.push(pair?.0);
    }
    Ok(names)
}

struct Require<'a> {
    guard: &'a Guard,
    id: &'a str,
    failed: Option<String>,
}

unsafe extern "C-unwind" fn require(state: *mut lua_State) -> c_int {
    unsafe {
        let job = &*ffi::lua_tolightuserdata(state, 1).cast::<Require>();
        modules::push_module(state, job.guard, job.id, false);
        1
    }
}

struct Describe {
    thread: *mut lua_State,
    text: Option<String>,
}

unsafe extern "C-unwind" fn describe_error(state: *mut lua_State) -> c_int {
    unsafe {
        let job = &mut *ffi::lua_tolightuserdata(state, 1).cast::<Describe>();
        ffi::lua_xmove(job.thread, state, 1);
        job.text = Some(describe::error_text(state, -1));
        0
    }
}
