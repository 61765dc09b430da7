//! Who answers a decision: a person by text, or a bot.
pub mod bot;
pub mod candidates;
pub mod greedy;
pub mod person;
pub mod random;
pub mod search;

pub use bot::Bot;
