//! The sandboxed Luau VM: globals, budgets, modules, ordered iteration, errors with a place.
//!
//! Absent on purpose: files, network, clock, chance, coroutines, bytecode from outside, addresses,
//! weak tables, and any order that differs from run to run.
mod budget;
mod bytecode;
mod compile;
mod describe;
mod each;
mod error;
mod freeze;
mod globals;
mod guard;
mod locals;
mod machine;
mod modules;
mod names;
mod protect;
pub mod raw;
mod rewrite;
mod strings;
mod tables;
mod ticker;
mod tokens;

pub use budget::{Budget, Kill};
pub use bytecode::GlobalUse;
pub use compile::{BytecodeCache, Refused, global_uses, is_expression, is_unfinished, syntax_error};
pub use error::{Frame, ScriptError};
pub use locals::declared as locals;
pub use machine::{Outcome, RawOutcome, Vm};
pub use modules::{ModuleSource, Modules, note_trace};
pub use names::{hint, hint_and, nearest, shown};
pub use protect::Protect;
pub use tokens::{Kind, Token, tokens};

/// Freezes the value at the stack's top with everything that it reaches; the sentence of a function in it
/// that keeps state. With `lasting` the value is never collected.
///
/// # Safety
/// `state` is the state of a VM, in a protected call.
pub unsafe fn freeze_deep(state: *mut mlua::lua_State, lasting: bool) -> Result<(), String> {
    unsafe { freeze::deep(state, guard::Guard::of(state), lasting) }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
