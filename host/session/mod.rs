//! A session: runs steps as transactions, asks decisions, records answers, undoes, saves, reloads.
pub mod decision;
pub mod question;
pub mod recording;
pub mod reload;
pub mod run;
pub mod spec;
pub mod undo;

pub use decision::{Choice, Decision, Kind, Refusal};

pub use run::{Session, Status};
