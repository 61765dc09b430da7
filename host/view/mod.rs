//! A tabletop as people and programs see it: as text, as JSON, for one seat or whole.
pub mod board;
pub mod clean;
pub mod decision;
mod graph;
mod grid;
mod map;
pub mod pieces;
pub mod piles;
pub mod state;
pub mod style;
pub mod value;
pub mod viewer;

pub use clean::{clean, clean_line};
pub use style::Style;
pub use viewer::Viewer;
