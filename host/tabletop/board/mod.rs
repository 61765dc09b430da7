//! Boards: which spaces there are, what joins them, and every question of geometry about them.
//!
//! Pure integer code: no floats, no clock, no hash order. Lists are sorted by [`Space`](super::Space)
//! unless they say that they follow the board's direction order ([`Topology::direction_names`]).
//! What a game adds (costs, what blocks sight, who stands where) comes in as closures.
pub mod arc;
pub mod connect;
pub mod footprint;
pub mod graph;
pub mod grid;
pub mod hex;
pub mod key;
pub mod lattice;
#[cfg(test)]
mod laws;
pub mod layout;
pub mod line;
pub mod paths;
pub mod pattern;
#[cfg(test)]
mod piece_laws;
pub mod rays;
pub mod segment;
pub mod sight;
pub mod square;
pub mod topology;

pub use graph::{Graph, Region};
pub use lattice::{Lattice, Offset, Orientation};
pub use topology::{Shape, ShapeError, TooMany, Topology};

/// No question answers with, or looks at, more spaces than this; it ends in [`TooMany`] instead.
pub const SPACES_LIMIT: usize = 1_000_000;
