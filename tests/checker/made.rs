//! Positions made up near the edge between lost and not lost: a mission's end, disturbed a little, with few means.
use std::path::Path;

use super::cards::{HIDDEN, Means, NONE, Pile};
use super::compare::Chance;
use super::games::{DISAGREE, Position, Table};
use super::layout::{Layout, MODULES, each_put, normal};
use super::rules::Rules;
use super::search::{Answer, Question, can_complete};

/// What was compared.
#[derive(Debug, Default)]
pub struct Count {
    pub lost: usize,
    pub not_lost: usize,
    pub left_open: usize,
    pub left_out: usize,
    pub left_out_lost: usize,
}

/// The cards in some order.
fn shuffled(count: usize, chance: &mut Chance) -> Vec<u8> {
    let mut cards: Vec<u8> = (0..count as u8).collect();
    (1..count).for_each(|i| cards.swap(i, chance.below(i + 1)));
    cards
}

/// An end of the mission, one to three changes away from itself.
fn disturbed(rules: &dyn Rules, mission: u8, chance: &mut Chance) -> Layout {
    let pattern = rules.mission(mission);
    let named: Vec<usize> = pattern.spaces.iter().filter_map(|s| s.1).collect();
    let mut others: Vec<usize> = (0..MODULES).filter(|m| !named.contains(m)).collect();
    let mut layout = [(0, 0); MODULES];
    for &(spot, wanted) in &pattern.spaces {
        let module = wanted.unwrap_or_else(|| others.remove(chance.below(others.len())));
        layout[module] = spot;
    }
    for _ in 0..1 + chance.below(3) {
        if chance.below(2) == 0 {
            layout.swap(chance.below(MODULES), chance.below(MODULES));
        } else {
            let mut found = Vec::new();
            each_put(&layout, chance.below(MODULES), |_, after| found.push(after));
            if !found.is_empty() {
                layout = found[chance.below(found.len())];
            }
        }
    }
    normal(&layout)
}

fn made(rules: &dyn Rules, chance: &mut Chance) -> Position {
    let mut cards = shuffled(rules.pack().cards.len(), chance).into_iter();
    let mut take = |count: usize| cards.by_ref().take(count).collect::<Vec<u8>>();
    let mission = take(1)[0];
    let layout = disturbed(rules, mission, chance);
    let points = [0, 0, 0, 1, 2][chance.below(5)];
    let hand = take([0, 0, 0, 1, 1, 2, 5][chance.below(7)]);
    let deck = take([0, 1, 2, 2, 3][chance.below(5)]);
    let discard = if deck.is_empty() {
        Vec::new()
    } else {
        take(chance.below(3))
    };
    let play = if points > 0 { take(1)[0] } else { NONE };
    let turned = chance.below(2) == 0;
    let known = |place: usize| place == 0 || turned;
    let of = |cards: &[u8]| cards.iter().fold(0, |set, card| set | 1 << card);
    let means = Means {
        active: (0..MODULES)
            .filter(|_| chance.below(3) == 0)
            .fold(0, |set, module| set | 1 << module),
        points,
        play,
        hand: of(&hand),
        deck: (0..deck.len())
            .map(|i| if known(i) { deck[i] } else { HIDDEN })
            .collect(),
        discard: discard.into_iter().collect::<Pile>(),
        unseen: (0..deck.len())
            .filter(|&i| !known(i))
            .fold(0, |set, i| set | 1 << deck[i]),
    };
    Position {
        mission,
        layout,
        means,
    }
}

/// Compares so many; those that take more states than `limit` are left out.
pub fn compare(root: &Path, game: &str, rules: &dyn Rules, wanted: usize, limit: usize) -> Count {
    let mut table = Table::new(root, game, "normal");
    table.deal(1);
    let (mut count, mut chance) = (Count::default(), Chance(7));
    while count.lost + count.not_lost < wanted {
        let at = made(rules, &mut chance);
        if rules.mission(at.mission).is_in(&at.layout) {
            continue;
        }
        let question = Question {
            rules,
            mission: at.mission,
            layout: at.layout,
            means: &at.means,
            limit,
            prunes: true,
        };
        let answer = can_complete(&question).0;
        let verdict = table.verdict(&at);
        match (answer, verdict.as_str()) {
            (Answer::TooMany, verdict) => {
                count.left_out += 1;
                count.left_out_lost += usize::from(verdict == "lost");
            }
            (_, "unknown") => {
                assert!(
                    rules.most_points(&at.means) > super::compare::FEW,
                    "{DISAGREE}left open: {at:?}"
                );
                count.left_open += 1;
            }
            (Answer::No, "lost") => count.lost += 1,
            (Answer::Yes, "not lost") => count.not_lost += 1,
            _ => panic!("{DISAGREE}the game says {verdict}, the checker {answer:?}: {at:?}"),
        }
    }
    println!("{game}, made up: {count:?}");
    count
}
