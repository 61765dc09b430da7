//! What a VM keeps beside its Lua state, and the interrupt that ends a step over its budget.
//!
//! The first safepoint over the budget *yields*, which no `pcall` can catch. Where Luau can't
//! yield (a sort comparator, a gsub callback, a metamethod, a module that loads) it raises, and
//! raises again at every later safepoint, until the host drops the thread.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;

use mlua::ffi::{self, lua_State};

use super::budget::{Budget, Kill};
use super::compile::{BytecodeCache, Compiled};
use super::error::Frame;
use super::modules::Modules;
use super::protect::Protect;
use super::{raw, ticker};
use crate::tabletop::effort::{self, Limits};

/// What a step may make the host hold, and a session, in budgets of the VM's memory: fields, journal, log,
/// agenda and the states of searches.
const STEP: isize = 4;
const SESSION: isize = 16;

/// A step that was ended, and where it was.
#[derive(Clone, Debug)]
pub struct Killed {
    pub kill: Kill,
    pub trace: Vec<Frame>,
}

/// The state of one VM outside Lua. It lives as long as the Lua state does.
pub struct Guard {
    callbacks: *const ffi::lua_Callbacks,
    pub main: *mut lua_State,
    pub budget: Cell<Budget>,
    /// Safepoints left; below zero every safepoint takes the slow path.
    left: Cell<i64>,
    deadline: Cell<u64>,
    /// What the thread may hold during this step, and what it held when the session began.
    most: Cell<isize>,
    began_with: Cell<isize>,
    killed: RefCell<Option<Killed>>,
    /// The thread that the host resumed last, null outside `resume`.
    pub current: Cell<*mut lua_State>,
    pub protect: Cell<Option<Protect>>,
    pub modules: Rc<dyn Modules>,
    pub cache: Arc<BytecodeCache>,
    /// Modules that load now, outermost first.
    pub loading: RefCell<Vec<String>>,
    /// Modules that could not be loaded, with the error's text and trace: others that need them fail alike.
    pub failed: RefCell<HashMap<String, (String, Vec<Frame>)>>,
    /// Loaded chunks by chunk name.
    pub chunks: RefCell<HashMap<String, Arc<Compiled>>>,
    /// Addresses of frozen values that can't be collected.
    pub frozen: RefCell<HashSet<usize>>,
    /// The trace of the error that a `require` is passing on, with its text.
    pub traced: RefCell<Option<(String, Vec<Frame>)>>,
    /// The names of all globals, once `freeze` has fixed them.
    pub globals: RefCell<BTreeSet<String>>,
    pub sealed: Cell<bool>,
}

thread_local! {
    /// The guard of the VM that ran last; VMs never leave their thread.
    static LAST: Cell<*const Guard> = const { Cell::new(ptr::null()) };
    static ALL: RefCell<Vec<*const Guard>> = const { RefCell::new(Vec::new()) };
}

impl Guard {
    /// A guard that watches the Lua state `main` from now on.
    ///
    /// # Safety
    /// `main` is the main thread of a Lua state that doesn't outlive the guard.
    pub unsafe fn install(
        main: *mut lua_State,
        modules: Rc<dyn Modules>,
        budget: Budget,
        cache: Arc<BytecodeCache>,
    ) -> Rc<Self> {
        let callbacks = unsafe { ffi::lua_callbacks(main) };
        let guard = Rc::new(Self {
            callbacks,
            main,
            budget: Cell::new(budget),
            left: Cell::new(0),
            deadline: Cell::new(0),
            most: Cell::new(isize::MAX),
            began_with: Cell::new(effort::held()),
            killed: RefCell::default(),
            current: Cell::new(ptr::null_mut()),
            protect: Cell::new(None),
            modules,
            cache,
            loading: RefCell::default(),
            failed: RefCell::default(),
            chunks: RefCell::default(),
            frozen: RefCell::default(),
            traced: RefCell::default(),
            globals: RefCell::default(),
            sealed: Cell::new(false),
        });
        ALL.with_borrow_mut(|all| all.push(Rc::as_ptr(&guard)));
        guard.start_budget();
        unsafe { (*callbacks).interrupt = Some(interrupt) };
        guard
    }

    /// The guard of a running Lua state.
    ///
    /// # Safety
    /// `state` belongs to a VM of this thread.
    #[inline]
    pub unsafe fn of<'a>(state: *mut lua_State) -> &'a Self {
        unsafe {
            let callbacks = ffi::lua_callbacks(state).cast_const();
            let last = LAST.get();
            if !last.is_null() && ptr::eq((*last).callbacks, callbacks) {
                &*last
            } else {
                find(callbacks)
            }
        }
    }

    /// The guard that a function installed with `raw::set_function` carries as its upvalue.
    ///
    /// # Safety
    /// The running function was installed with the guard's address.
    #[inline]
    pub unsafe fn upvalue<'a>(state: *mut lua_State) -> &'a Self {
        unsafe { &*ffi::lua_tolightuserdata(state, ffi::lua_upvalueindex(1)).cast::<Self>() }
    }

    pub fn address(&self) -> *const c_void {
        ptr::from_ref(self).cast()
    }

    /// A new step: the whole budget, and no kill.
    #[inline]
    pub fn start_budget(&self) {
        let budget = self.budget.get();
        self.left
            .set(i64::try_from(budget.safepoints).unwrap_or(i64::MAX));
        self.deadline.set(ticker::deadline(budget.step_time));
        let memory = isize::try_from(budget.memory).unwrap_or(isize::MAX);
        let step = effort::held().saturating_add(memory.saturating_mul(STEP));
        let session = self
            .began_with
            .get()
            .saturating_add(memory.saturating_mul(SESSION));
        self.most.set(step.min(session));
        if self.killed.borrow().is_some() {
            self.killed.replace(None);
        }
    }

    /// The whole wall time again, but no new safepoints: after a wait for a person.
    pub fn start_clock(&self) {
        self.deadline.set(ticker::deadline(self.budget.get().step_time));
    }

    /// What the thread holds now is no longer the session's.
    pub fn start_session(&self) {
        self.began_with.set(effort::held());
    }

    /// The limits that the host's own loops and allocations keep to while the step runs.
    #[inline]
    pub fn limits(&self) -> Limits {
        Limits {
            deadline: self.deadline.get(),
            most: self.most.get(),
        }
    }

    /// Safepoints used since the step began.
    pub fn used(&self) -> u64 {
        self.budget
            .get()
            .safepoints
            .saturating_sub(self.left.get().max(0) as u64)
    }

    #[inline]
    pub fn is_killed(&self) -> bool {
        self.left.get() < 0 && self.killed.borrow().is_some()
    }

    pub fn killed(&self) -> Option<Killed> {
        self.killed.borrow().clone()
    }

    /// Ends the step; every later safepoint passes it on.
    pub fn kill(&self, kill: Kill, trace: Vec<Frame>) {
        self.left.set(-1);
        let mut killed = self.killed.borrow_mut();
        if killed.is_none() {
            *killed = Some(Killed { kill, trace });
        }
    }

    /// Raises the kill's sentence.
    ///
    /// # Safety
    /// As `raw::raise`; the step was killed.
    pub unsafe fn raise_kill(&self, state: *mut lua_State) -> ! {
        let kill = self
            .killed
            .borrow()
            .as_ref()
            .map_or(Kill::Time, |killed| killed.kill);
        unsafe { raw::raise(state, kill.message(&self.budget.get())) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let gone = ptr::from_ref(self);
        // During thread exit the lists may be gone already.
        let _ = ALL.try_with(|all| all.borrow_mut().retain(|guard| !ptr::eq(*guard, gone)));
        let _ = LAST.try_with(|last| {
            if ptr::eq(last.get(), gone) {
                last.set(ptr::null());
            }
        });
    }
}

#[cold]
unsafe fn find<'a>(callbacks: *const ffi::lua_Callbacks) -> &'a Guard {
    ALL.with_borrow(|all| {
        let found = all
            .iter()
            .find(|guard| ptr::eq(unsafe { (***guard).callbacks }, callbacks));
        let guard = *found.expect("a Lua state without a guard");
        LAST.set(guard);
        unsafe { &*guard }
    })
}

unsafe extern "C-unwind" fn interrupt(state: *mut lua_State, gc: c_int) {
    if gc >= 0 {
        return;
    }
    let guard = unsafe { Guard::of(state) };
    let left = guard.left.get() - 1;
    guard.left.set(left);
    if left < 0 || ticker::now() >= guard.deadline.get() {
        unsafe { over(state, guard, left) }
    }
}

#[cold]
unsafe fn over(state: *mut lua_State, guard: &Guard, left: i64) {
    unsafe {
        let kill = if left < 0 { Kill::Safepoints } else { Kill::Time };
        if !guard.is_killed() {
            guard.kill(kill, raw::trace(state));
        }
        guard.left.set(-1);
        if ptr::eq(state, guard.current.get()) && ffi::lua_isyieldable(state) != 0 {
            ffi::lua_yield(state, 0);
        } else {
            guard.raise_kill(state);
        }
    }
}
