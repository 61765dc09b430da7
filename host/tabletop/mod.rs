//! The tabletop: boards, dice, units, piles, agenda and journal as plain data.
//! No Lua, no files, no word of any game.
pub mod board;
pub mod space;
pub mod value;

pub use space::Space;
pub use value::{Value, ValueType};
