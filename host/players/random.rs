//! The random bot: a stream of its own, never one of play.
use super::candidates;
use crate::session::question::Bounds;
use crate::session::{Decision, Kind};
use crate::tabletop::dice::{Stream, derive_key};

/// Numbers set aside for each answer, so that a choice depends only on how many came before.
const NUMBERS: u64 = 1 << 16;

/// The stream of a seat's bot.
pub fn stream(seed: u64, seat: &str) -> Stream {
    Stream::at(derive_key(seed, seat, "bot"), 0)
}

/// Goes to the numbers of the answer that follows `answers` others.
pub fn seek(stream: &mut Stream, answers: usize) {
    stream.seek(answers as u64 * NUMBERS);
}

/// Any answer from options that the seat may choose.
pub fn choose(chance: &mut Stream, decision: &Decision, seat: &str) -> Vec<usize> {
    let own = candidates::own(decision, seat);
    let bounds = Bounds {
        kind: decision.kind,
        min: decision.min,
        max: decision.max.min(own.len()),
        options: own.len(),
    };
    pick(chance, bounds)
        .into_iter()
        .map(|number| own[number - 1])
        .collect()
}

/// Any answer within bounds, as numbers from 1.
pub fn pick(chance: &mut Stream, bounds: Bounds) -> Vec<usize> {
    let count = bounds.options as u64;
    if !matches!(bounds.kind, Kind::Some | Kind::Ordered) {
        return vec![chance.below(count) as usize + 1];
    }
    let many = bounds.min + chance.below((bounds.max.saturating_sub(bounds.min)) as u64 + 1) as usize;
    let mut all: Vec<usize> = (1..=bounds.options).collect();
    for at in 0..many.min(all.len()) {
        let other = at + chance.below((all.len() - at) as u64) as usize;
        all.swap(at, other);
    }
    all.truncate(many);
    if bounds.kind == Kind::Some {
        all.sort_unstable();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_within_their_bounds() {
        let mut chance = stream(7, "x");
        let mut counts = [0; 5];
        for _ in 0..2_000 {
            let bounds = Bounds {
                kind: Kind::Some,
                min: 1,
                max: 3,
                options: 4,
            };
            let picked = pick(&mut chance, bounds);
            assert!((1..=3).contains(&picked.len()) && picked.is_sorted_by(|a, b| a < b));
            picked.iter().for_each(|number| counts[*number] += 1);
        }
        assert!(
            counts[1..].iter().all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
    }
}
