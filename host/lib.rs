//! Ludex: rules of tabletop games as hot-reloaded scripts and TOML over a small host.
//!
//! Imports point one way:
//! `tabletop <- pack <- script <- session <- view <- players <- {sim, repl} <- cli`.
pub mod cli;
pub mod pack;
pub mod players;
pub mod repl;
pub mod script;
pub mod session;
pub mod sim;
pub mod tabletop;
pub mod view;

/// Counts what each thread holds, since a step's budget covers the host's memory too.
#[global_allocator]
static MEMORY: tabletop::effort::Counting = tabletop::effort::Counting;
