//! Bots by name, and what each answers.
use super::{greedy, random, search};
use crate::script::vm::ScriptError;
use crate::session::{Decision, Session};

/// A player that is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bot {
    /// Any option, each equally likely.
    Random,
    /// The option that leads to the best score at its next decision.
    Greedy,
    /// As greedy, several decisions deep.
    Search,
}

impl Bot {
    pub const NAMES: [&'static str; 3] = ["random", "greedy", "search"];

    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "random" => Self::Random,
            "greedy" => Self::Greedy,
            "search" => Self::Search,
            _ => return None,
        })
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Search => "search",
        }
    }

    /// Whether it needs the game's `rules/score.luau`.
    pub const fn needs_score(self) -> bool {
        !matches!(self, Self::Random)
    }

    /// The numbers (from 1) of the options that it chooses. It depends on what the seat can see, the seed
    /// and how many answers were given before; never on hidden cards or on a stream of play.
    ///
    /// # Errors
    /// What the game's score raised.
    pub fn choose(
        self,
        session: &mut Session,
        decision: &Decision,
        seat: &str,
        answers: usize,
    ) -> Result<Vec<usize>, ScriptError> {
        let seed = session.tabletop().seed();
        let mut chance = random::stream(seed, seat);
        random::seek(&mut chance, answers);
        match self {
            Self::Random => Ok(random::choose(&mut chance, decision, seat)),
            Self::Greedy => greedy::choose(session, decision, seat, &mut chance),
            Self::Search => search::choose(session, decision, seat, &mut chance),
        }
    }
}
