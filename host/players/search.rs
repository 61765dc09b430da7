//! The search bot: looks several of its own decisions ahead, on sampled courses of play.
use super::candidates;
use crate::script::vm::ScriptError;
use crate::session::lookahead::Ahead;
use crate::session::{Decision, Session};
use crate::tabletop::dice::Stream;

/// Own decisions in a line.
const DEPTH: usize = 3;
const SAMPLES: u64 = 2;
/// Answers tried at the first decision, and at later ones.
const FIRST: usize = 60;
const LATER: usize = 6;

/// The answer whose best line has the best mean score; of equals the first.
pub fn choose(
    session: &mut Session,
    decision: &Decision,
    seat: &str,
    chance: &mut Stream,
) -> Result<Vec<usize>, ScriptError> {
    let answers = candidates::answers(decision, seat, FIRST, chance);
    if let [only] = &answers[..] {
        return Ok(only.clone());
    }
    let mut ahead = Ahead::new(session, seat);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for answer in answers {
        let mut sum = 0.0;
        for sample in 0..SAMPLES {
            let mut line = vec![answer.clone()];
            sum += value(&mut ahead, &mut line, sample, chance)?;
        }
        if best.as_ref().is_none_or(|(score, _)| sum > *score) {
            best = Some((sum, answer));
        }
    }
    Ok(best.map_or_else(Vec::new, |(_, answer)| answer))
}

/// The best score that a line leads to.
fn value(
    ahead: &mut Ahead,
    line: &mut Vec<Vec<usize>>,
    sample: u64,
    chance: &mut Stream,
) -> Result<f64, ScriptError> {
    let reached = ahead.try_line(line, sample)?;
    let Some(bounds) = reached.next.filter(|_| line.len() < DEPTH) else {
        return Ok(reached.score);
    };
    let mut best = f64::NEG_INFINITY;
    for answer in candidates::numbers(bounds, LATER, chance) {
        line.push(answer);
        best = best.max(value(ahead, line, sample, chance)?);
        line.pop();
    }
    Ok(best)
}
