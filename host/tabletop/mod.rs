//! The tabletop: boards, dice, units, piles, agenda and journal as plain data.
//! No Lua, no files, no word of any game.
pub mod agenda;
pub mod board;
pub mod change;
pub mod declared;
pub mod dice;
pub mod effort;
pub mod hash;
pub mod hidden;
pub mod journal;
pub mod migrate;
pub mod rollback;
pub mod save;
pub mod search;
pub mod space;
pub mod state;
pub mod unit;
pub mod value;

pub use agenda::Step;
pub use change::Refused;
pub use declared::{Declarations, Visibility};
pub use journal::Mark;
pub use space::Space;
pub use state::{GAME, Tabletop};
pub use unit::{Place, Unit};
pub use value::{UnitId, Value, ValueType};
