//! A session: runs steps as transactions, asks decisions, records answers, undoes, saves, reloads.
mod concede;
pub mod content;
pub mod damage;
pub mod decision;
pub mod edit;
pub mod file;
pub mod lookahead;
pub mod options;
pub mod question;
pub mod recorded;
pub mod recorder;
pub mod recording;
pub mod reload;
pub mod replay;
pub mod resume;
pub mod run;
pub mod spec;
pub mod undo;

pub use content::{Content, LoadError};
pub use decision::{Choice, Decision, Kind, Refusal};
pub use recorded::{Fault, Recorded};
pub use run::{Session, Status};
