//! A VM with a world: packs loaded, steps known, ready to run.
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;

use mlua::ffi;
use mlua::lua_State;

use super::call::{push_reference, push_value, text_at};
use super::declare::declarations;
use super::vm::{
    Budget, BytecodeCache, ModuleSource, Modules, Protect, RawOutcome, ScriptError, Vm, freeze_deep,
};
use super::world::World;
use super::{atoms, install};
use crate::pack::model::Catalogue;
use crate::tabletop::{Mark, Step, Tabletop, Value};

/// How a run of the open step came to a halt.
#[derive(Debug)]
pub enum Halt {
    /// It asks: the decision's table is on top of the thread's stack.
    Decision,
    Done,
    Failed(ScriptError),
}

/// Content loaded into a VM, over a tabletop.
pub struct Program {
    // Dropped before the world, whose address its functions hold.
    pub(super) vm: Box<Vm>,
    pub(super) world: Box<World>,
    pub(super) main: *mut lua_State,
    /// The thread of the open step, kept for reuse, and its registry reference.
    thread: *mut lua_State,
    suspended: bool,
    pub(super) score: Option<c_int>,
    pub(super) solver: Vec<(String, c_int)>,
    /// For specs: the function that runs a case.
    pub(super) case_runner: Option<c_int>,
}

/// The modules of a catalogue's packs.
pub struct PackModules(pub Arc<Catalogue>);

impl Modules for PackModules {
    fn source(&self, id: &str) -> Option<ModuleSource> {
        let script = self.0.scripts.get(id)?;
        Some(ModuleSource {
            chunk: script.chunk.clone(),
            source: script.source.clone(),
        })
    }

    fn may_require(&self, from_pack: &str, target: &str) -> Result<(), String> {
        let (pack, path) = target
            .trim_start_matches('@')
            .split_once('/')
            .unwrap_or((target, ""));
        if pack == "std" || from_pack == pack {
            return Ok(());
        }
        // The host loads rules and overlays by itself; it is no pack.
        if from_pack.is_empty() || from_pack == "ludex" {
            return Ok(());
        }
        let from = self.0.packs.iter().find(|p| p.id == from_pack);
        if !from.is_some_and(|p| p.depends.iter().any(|d| d == pack)) {
            return Err(format!(
                "`{from_pack}` doesn't depend on `{pack}`; add `{pack}` to `[depends]` in its pack.toml"
            ));
        }
        let exports = self
            .0
            .packs
            .iter()
            .find(|p| p.id == pack)
            .map_or(&[][..], |p| &p.exports);
        let library = self.0.libraries.iter().any(|library| library.id == pack);
        if !library && !exports.iter().any(|e| e == path) {
            return Err(format!(
                "`{pack}` doesn't export `{path}`; it exports {}",
                list(exports)
            ));
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.0.scripts.keys().cloned().collect()
    }
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        "nothing".into()
    } else {
        items.join(", ")
    }
}

impl Program {
    /// Loads a catalogue's scripts over a new tabletop with `seed` and the session's options.
    pub fn load(
        catalogue: Arc<Catalogue>,
        seed: u64,
        options: &BTreeMap<String, Value>,
        budget: Budget,
        cache: Arc<BytecodeCache>,
    ) -> Result<Self, Vec<ScriptError>> {
        Self::load_as(catalogue, seed, options, budget, cache, false)
    }

    /// As `load`; with `specs` there is `test` also, and cases can be run.
    pub fn load_as(
        catalogue: Arc<Catalogue>,
        seed: u64,
        options: &BTreeMap<String, Value>,
        budget: Budget,
        cache: Arc<BytecodeCache>,
        specs: bool,
    ) -> Result<Self, Vec<ScriptError>> {
        let declared =
            declarations(&catalogue).map_err(|p| p.into_iter().map(ScriptError::new).collect::<Vec<_>>())?;
        let tabletop = Tabletop::new(Arc::new(declared), seed);
        let mut world = World::new(tabletop, catalogue.clone());
        world.options = options.clone();
        let one = |e: ScriptError| vec![e];
        let vm = Vm::new(Rc::new(PackModules(catalogue.clone())), budget, cache).map_err(one)?;
        let vm = Box::new(vm);
        world.vm = &*vm;
        let mut main = std::ptr::null_mut();
        let case_runner;
        let raw = |e: mlua::Error| vec![ScriptError::from(e)];
        unsafe {
            vm.lua()
                .exec_raw::<()>((), |l| main = ffi::lua_mainthread(l))
                .map_err(raw)?;
            atoms::install(main);
            let mut installed = Ok(None);
            vm.lua()
                .exec_raw::<()>((), |l| installed = install::install(&vm, l, &mut world, specs))
                .map_err(raw)?;
            case_runner = installed.map_err(one)?;
        }
        vm.set_protect(Some(Protect {
            data: (&raw mut *world).cast(),
            begin: |world| unsafe { (*world.cast::<World>()).tabletop.mark().index() as u64 },
            end: |world, mark, failed| {
                if failed {
                    let world = unsafe { &mut *world.cast::<World>() };
                    world.end_imagining_beyond(mark as usize);
                    world.tabletop.rollback(Mark::at(mark as usize));
                }
            },
        }));
        vm.freeze().map_err(one)?;
        let mut program = Self {
            vm,
            world,
            main,
            thread: std::ptr::null_mut(),
            suspended: false,
            score: None,
            solver: Vec::new(),
            case_runner,
        };
        program.load_packs()?;
        Ok(program)
    }

    fn load_packs(&mut self) -> Result<(), Vec<ScriptError>> {
        let catalogue = self.world.catalogue.clone();
        let mut errors = Vec::new();
        // The library's steps must be there even if a rule requires the module only as it runs.
        let prefixes = ["@std/".to_owned()].into_iter();
        let prefixes = prefixes.chain(catalogue.packs.iter().map(|pack| format!("@{}/rules/", pack.id)));
        for prefix in prefixes {
            for (id, _) in catalogue
                .scripts
                .range(prefix.clone()..)
                .take_while(|(id, _)| id.starts_with(&prefix))
            {
                // Each file has a budget of its own: what one takes must not depend on its place in the order.
                self.vm.start_budget();
                if let Err(error) = self.vm.require(id) {
                    errors.push(error);
                }
            }
        }
        // Code beside definitions too, so that a fault in it is found now and not in the middle of a game.
        for script in catalogue
            .kinds
            .values()
            .flat_map(|k| &k.entries)
            .flat_map(|e| &e.scripts)
        {
            if let Err(error) = self.vm.require(script.trim_end_matches(".luau")) {
                errors.push(error);
            }
        }
        if !errors.is_empty() {
            errors.dedup_by(|a, b| a.to_string() == b.to_string());
            return Err(errors);
        }
        self.collect_steps()?;
        let game = catalogue.game.as_ref();
        if let Some(game) = game {
            if !game.start.is_empty() && self.world.step_function(&game.start).is_none() {
                let known = self.world.steps.iter().map(|s| &**s);
                let hint = super::vm::hint(&game.start, known);
                let message = format!(
                    "the game starts with the step `{}`, which no script defines{hint}",
                    game.start
                );
                return Err(vec![ScriptError::at(
                    &format!("@{}/game.toml", game.pack),
                    None,
                    message,
                )]);
            }
            self.load_asked(&game.pack)?;
        }
        if self.world.tabletop.journal_len() > 0 {
            return Err(vec![ScriptError::new(
                "a script changed the tabletop while it loaded; changes belong into steps",
            )]);
        }
        self.world.loaded = true;
        self.vm.lua().gc_collect().ok();
        Ok(())
    }

    fn collect_steps(&mut self) -> Result<(), Vec<ScriptError>> {
        let l = self.main;
        for (prefix, table, front) in std::mem::take(&mut self.world.step_tables) {
            self.freeze(front)?;
            unsafe {
                push_reference(l, table);
                let mut place = 0;
                loop {
                    place = ffi::lua_rawiter(l, -1, place);
                    if place < 0 {
                        break;
                    }
                    if let Some(name) = text_at(l, -2) {
                        let full: Arc<str> = format!("{prefix}.{name}").into();
                        let function = ffi::lua_ref(l, -1);
                        self.world.functions.insert(full, function);
                    }
                    ffi::lua_pop(l, 2);
                }
                ffi::lua_pop(l, 1);
            }
        }
        self.world.steps.sort_unstable();
        self.world.step_places.clear();
        Ok(())
    }

    /// Freezes what a registry reference holds, with all that it reaches: functions that run later keep no state.
    pub(super) fn freeze(&self, reference: c_int) -> Result<(), Vec<ScriptError>> {
        let mut outcome = Ok(());
        let done = unsafe {
            self.vm.lua().exec_raw::<()>((), |l| {
                push_reference(l, reference);
                outcome = freeze_deep(l, true);
            })
        };
        done.map_err(|e| vec![ScriptError::from(e)])?;
        outcome.map_err(|text| vec![ScriptError::from_text(&text, Vec::new())])
    }

    pub fn vm(&self) -> &Vm {
        &self.vm
    }

    pub fn tabletop(&self) -> &Tabletop {
        &self.world.tabletop
    }

    pub fn tabletop_mut(&mut self) -> &mut Tabletop {
        &mut self.world.tabletop
    }

    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.world.catalogue
    }

    /// Puts another tabletop, made for the same declarations, in the place of this one's.
    pub fn replace_tabletop(&mut self, tabletop: Tabletop) {
        self.drop_thread();
        unsafe { self.world.replace_tabletop(self.main, tabletop) }
        self.vm.start_session();
    }

    /// Starts a step that was taken from the agenda.
    pub fn start(&mut self, step: &Step) -> Halt {
        let Some(function) = self.world.step_function(&step.name) else {
            let hint = super::vm::hint(&step.name, self.world.steps.iter().map(|s| &**s));
            return Halt::Failed(ScriptError::new(format!(
                "there is no step `{}`{hint}",
                step.name
            )));
        };
        self.world.set_prefix(&step.name);
        self.world.triggers.clear();
        let world: *mut World = &mut *self.world;
        unsafe {
            let thread = self.fresh_thread();
            push_reference(thread, function);
            if step.arguments.is_empty() {
                ffi::lua_createtable(thread, 0, 0);
                ffi::lua_setreadonly(thread, -1, 1);
            } else {
                push_value(thread, world, &Value::Map(Arc::new(step.arguments.clone())));
            }
            self.vm.start_budget();
            self.resume(1)
        }
    }

    /// Goes on with the answer to the open decision: numbers of options from 1.
    pub fn answer(&mut self, indices: &[usize], several: bool) -> Halt {
        unsafe {
            let thread = self.thread;
            // The decision's table.
            ffi::lua_settop(thread, -2);
            if several {
                ffi::lua_createtable(thread, indices.len() as c_int, 0);
                for (i, index) in indices.iter().enumerate() {
                    ffi::lua_pushnumber(thread, *index as f64);
                    ffi::lua_rawseti_(thread, -2, i as c_int + 1);
                }
            } else {
                ffi::lua_pushnumber(thread, indices.first().copied().unwrap_or(0) as f64);
            }
            // Each wait for a person ends a budget: a killed question must not end the step either.
            self.vm.start_budget();
            self.resume(1)
        }
    }

    unsafe fn resume(&mut self, arguments: c_int) -> Halt {
        self.world.running = true;
        let status = unsafe { self.vm.resume_raw(self.thread, arguments) };
        self.world.running = false;
        self.suspended = false;
        match status {
            RawOutcome::Yielded(_) => {
                // Only `choose` yields, and it yields its table.
                if unsafe { ffi::lua_type(self.thread, -1) } == ffi::LUA_TTABLE {
                    self.suspended = true;
                    return Halt::Decision;
                }
                Halt::Failed(ScriptError::new("a step yielded without a decision"))
            }
            RawOutcome::Returned(_) => Halt::Done,
            RawOutcome::Failed(error) | RawOutcome::Killed(_, error) => {
                self.end_imagining();
                Halt::Failed(error)
            }
        }
    }

    /// What an `imagine` that was killed left behind; the session rolls the tabletop back itself.
    fn end_imagining(&mut self) {
        self.world.end_imagining_beyond(0);
    }

    unsafe fn fresh_thread(&mut self) -> *mut lua_State {
        unsafe {
            if self.thread.is_null() {
                self.thread = ffi::lua_newthread(self.main);
                ffi::lua_ref(self.main, -1);
                ffi::lua_pop(self.main, 1);
            } else if !self.suspended && ffi::lua_status(self.thread) == ffi::LUA_OK {
                // A step that returned leaves nothing but its results.
                ffi::lua_settop(self.thread, 0);
            } else {
                ffi::lua_resetthread(self.thread);
            }
            self.suspended = false;
            self.thread
        }
    }

    /// Gives up the suspended step; the tabletop is not touched.
    pub fn drop_thread(&mut self) {
        if !self.thread.is_null() {
            unsafe { ffi::lua_resetthread(self.thread) };
        }
        self.suspended = false;
    }

    /// The thread that holds the open decision's table on top.
    pub fn decision_thread(&self) -> Option<*mut lua_State> {
        self.suspended.then_some(self.thread)
    }

    /// Calls a function outside of any step, under a budget of its own; changes are taken back.
    pub fn call(
        &mut self,
        function: c_int,
        push: impl FnOnce(*mut lua_State, *mut World) -> c_int,
    ) -> Result<Value, ScriptError> {
        let world: *mut World = &mut *self.world;
        let mark = self.world.tabletop.mark();
        let triggers = self.world.triggers.len();
        let was_running = std::mem::replace(&mut self.world.running, false);
        let result = unsafe {
            let l = ffi::lua_newthread(self.main);
            push_reference(l, function);
            let count = push(l, world);
            self.vm.start_budget();
            let result = match self.vm.resume_raw(l, count) {
                RawOutcome::Returned(0) => Ok(Value::Nil),
                RawOutcome::Returned(_) => super::call::value_at(l, world, 1, 0).map_err(ScriptError::new),
                RawOutcome::Yielded(_) => Err(ScriptError::new("choose works only while a step runs")),
                RawOutcome::Failed(error) | RawOutcome::Killed(_, error) => Err(error),
            };
            ffi::lua_pop(self.main, 1);
            result
        };
        self.end_imagining();
        self.world.triggers.truncate(triggers);
        self.world.running = was_running;
        self.world.tabletop.rollback(mark);
        result
    }
}
