//! The script layer: the sandboxed Luau VM that rules run in.
pub mod vm;
