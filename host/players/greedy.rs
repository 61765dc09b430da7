//! The greedy bot: tries each answer in its head and keeps the one with the best score.
use super::candidates;
use crate::script::vm::ScriptError;
use crate::session::lookahead::Ahead;
use crate::session::{Decision, Session};
use crate::tabletop::dice::Stream;

/// Courses of play that each answer is tried with.
const SAMPLES: u64 = 4;
/// Answers that are tried.
const ANSWERS: usize = 200;

/// The answer with the best mean score; of equals the first.
pub fn choose(
    session: &mut Session,
    decision: &Decision,
    seat: &str,
    chance: &mut Stream,
) -> Result<Vec<usize>, ScriptError> {
    let answers = candidates::answers(decision, seat, ANSWERS, chance);
    if let [only] = &answers[..] {
        return Ok(only.clone());
    }
    let mut ahead = Ahead::new(session, seat);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for answer in answers {
        let mut sum = 0.0;
        for sample in 0..SAMPLES {
            sum += ahead.try_line(std::slice::from_ref(&answer), sample)?.score;
        }
        if best.as_ref().is_none_or(|(score, _)| sum > *score) {
            best = Some((sum, answer));
        }
    }
    Ok(best.map_or_else(Vec::new, |(_, answer)| answer))
}
