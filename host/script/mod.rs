//! The Luau VM and what scripts may do: the API, one file for each of its tables.
pub mod api;
mod asked;
mod atoms;
pub mod call;
mod cases;
pub mod console;
mod content_check;
pub mod declare;
mod handle;
mod install;
mod misspelt;
mod places;
mod program;
pub mod show;
pub mod vm;
pub mod world;

pub use cases::{Asked, Case};
pub use content_check::{is_of_start, problem_at_line, problem_of};
pub use misspelt::Speller;
pub use program::{Halt, PackModules, Program};
pub use world::World;
