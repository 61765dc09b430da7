//! Bounded search that knows no game: over states that a caller names, and over layouts of pieces.
//!
//! Nothing here depends on time, addresses or hash order: the same question has the same answer, and a
//! limit is reached at the same place, on every machine.
mod children;
mod distances;
pub mod frontier;
pub mod grid;
pub mod ground;
mod means;
pub mod moves;
mod near;
mod path;
pub mod plan;
pub mod reverse;
pub mod run;
mod seen;
mod shapes;
pub mod target;
#[cfg(test)]
mod tests;
mod votes;

pub use distances::Distances;
pub use grid::{Grid, PIECES, Pieces};
pub use means::{Aim, Gap, Means};
pub use moves::{Change, Expansion, Way};
pub use path::Leg;
pub use plan::{Cost, Edge, Plan};
pub use run::{Order, Progress, Search};
pub use shapes::Shapes;
pub use target::{FORMS, Place, Target};
