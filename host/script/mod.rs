//! The Luau VM and what scripts may do: the API, one file for each of its tables.
pub mod api;
mod atoms;
pub mod call;
pub mod declare;
mod handle;
mod program;
pub mod vm;
pub mod world;

pub use program::{Asked, Case, Halt, PackModules, Program};
pub use world::World;
