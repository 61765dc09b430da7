//! The answers that a bot compares.
use super::random;
use crate::session::question::Bounds;
use crate::session::{Decision, Kind};
use crate::tabletop::dice::Stream;

/// The options that a seat may choose, as numbers from 1.
pub fn own(decision: &Decision, seat: &str) -> Vec<usize> {
    let may = decision.options.iter().enumerate();
    may.filter(|(_, option)| option.seat.as_deref().is_none_or(|only| only == seat))
        .map(|(at, _)| at + 1)
        .collect()
}

/// At most `limit` different answers of a seat, as numbers from 1: all of them if they are few, else a
/// random selection. Never none for a decision that the seat may answer.
pub fn answers(decision: &Decision, seat: &str, limit: usize, chance: &mut Stream) -> Vec<Vec<usize>> {
    let own = own(decision, seat);
    let bounds = Bounds {
        kind: decision.kind,
        min: decision.min,
        max: decision.max.min(own.len()),
        options: own.len(),
    };
    numbers(bounds, limit, chance)
        .into_iter()
        .map(|answer| answer.into_iter().map(|number| own[number - 1]).collect())
        .collect()
}

/// As [`answers`], for any decision within bounds.
pub fn numbers(bounds: Bounds, limit: usize, chance: &mut Stream) -> Vec<Vec<usize>> {
    let count = bounds.options;
    if !matches!(bounds.kind, Kind::Some | Kind::Ordered) {
        let mut all: Vec<Vec<usize>> = (1..=count).map(|number| vec![number]).collect();
        if all.len() > limit {
            chance.shuffle(&mut all);
            all.truncate(limit);
            all.sort_unstable();
        }
        return all;
    }
    if bounds.kind == Kind::Some && count <= 6 {
        let subsets =
            (0u32..1 << count).filter(|set| (bounds.min..=bounds.max).contains(&(set.count_ones() as usize)));
        return subsets
            .map(|set| {
                (1..=count)
                    .filter(|number| set >> (number - 1) & 1 == 1)
                    .collect()
            })
            .take(limit)
            .collect();
    }
    let mut all: Vec<Vec<usize>> = (0..limit * 2).map(|_| random::pick(chance, bounds)).collect();
    all.sort_unstable();
    all.dedup();
    chance.shuffle(&mut all);
    all.truncate(limit);
    all.sort_unstable();
    all
}
