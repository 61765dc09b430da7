//! Positions made up near the edge between lost and not lost: a mission's end, disturbed a little, with few means.
use std::collections::HashSet;
use std::path::Path;

use super::cards::{HAND_LIMIT, HIDDEN, Means, NONE, NOTHING, Pile, members};
use super::compare::{Chance, FEW};
use super::games::{DISAGREE, Position, Table};
use super::layout::{Layout, MODULES, each_put, normal};
use super::rules::Rules;
use super::search::{Answer, Question, can_complete};

/// What was compared.
#[derive(Debug, Default)]
pub struct Count {
    pub lost: usize,
    pub not_lost: usize,
    /// Those that are not lost thanks to an unknown card alone, and of them those that not every unknown card saves.
    pub saved_by_unknown: usize,
    pub saved_by_some: usize,
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

/// An end of the mission, so many changes away from itself.
fn disturbed(rules: &dyn Rules, mission: u8, changes: usize, chance: &mut Chance) -> Layout {
    let pattern = rules.mission(mission);
    let named: Vec<usize> = pattern.spaces.iter().filter_map(|s| s.1).collect();
    let mut others: Vec<usize> = (0..MODULES).filter(|m| !named.contains(m)).collect();
    let mut layout = [(0, 0); MODULES];
    for &(spot, wanted) in &pattern.spaces {
        let module = wanted.unwrap_or_else(|| others.remove(chance.below(others.len())));
        layout[module] = spot;
    }
    for _ in 0..changes {
        if chance.below(2) == 0 {
            layout.swap(chance.below(MODULES), chance.below(MODULES));
        } else {
            layout = moved(&layout, chance);
        }
    }
    normal(&layout)
}

/// One module set down elsewhere, if it can be lifted at all.
fn moved(layout: &Layout, chance: &mut Chance) -> Layout {
    let mut found = Vec::new();
    each_put(layout, chance.below(MODULES), |_, after| found.push(after));
    match found.len() {
        0 => *layout,
        many => normal(&found[chance.below(many)]),
    }
}

/// Whether a module may bring a card; most of what is intricate comes of that.
fn draws(rules: &dyn Rules, module: usize) -> bool {
    let active = 1 << module;
    rules.draws(&Means { active, ..NOTHING }) > 0
}

fn made(rules: &dyn Rules, chance: &mut Chance) -> Position {
    let mut cards = shuffled(rules.pack().cards.len(), chance).into_iter();
    let mut take = |count: usize| cards.by_ref().take(count).collect::<Vec<u8>>();
    let mission = take(1)[0];
    // Now and then nearly all must come from the deck.
    let scarce = chance.below(3) == 0;
    let changes = if scarce {
        2 + chance.below(4)
    } else {
        1 + chance.below(3)
    };
    let layout = disturbed(rules, mission, changes, chance);
    let points = if scarce {
        0
    } else {
        [0, 0, 0, 1, 2][chance.below(5)]
    };
    let hands = if scarce {
        [0, 0, 0, 1, 1, 1, 1]
    } else {
        [0, 0, 0, 1, 1, 2, 5]
    };
    let hand = take(hands[chance.below(7)]);
    let decks = if scarce { [1, 2, 3, 4, 5] } else { [0, 1, 2, 2, 3] };
    let deck = take(decks[chance.below(5)]);
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
            .filter(|&module| match draws(rules, module) {
                true => scarce || chance.below(2) == 0,
                false => chance.below(if scarce { 6 } else { 3 }) == 0,
            })
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

/// Positions that a walk looks at.
const WALK: usize = 16;

/// One thing more or less: an ability, a point, a card of the hand or of the deck; or one module that stands elsewhere.
/// Nothing where that can't be.
fn altered(rules: &dyn Rules, at: &Position, more: bool, chance: &mut Chance) -> Option<Position> {
    let cards = rules.pack().cards.len();
    let mut after = at.clone();
    if !more && chance.below(6) == 0 {
        after.layout = moved(&at.layout, chance);
        return (after.layout != at.layout).then_some(after);
    }
    let means = &mut after.means;
    let deck = means.deck.list().iter().filter(|&&card| card != HIDDEN);
    let on_table = deck
        .chain(means.discard.list())
        .fold(0, |set, card| set | 1 << card);
    let play = if means.play == NONE { 0 } else { 1 << means.play };
    let used = means.hand | means.unseen | on_table | play | 1 << at.mission;
    let (module, card) = (1 << chance.below(MODULES), 1 << chance.below(cards));
    let is_free = used & card == 0;
    match (chance.below(4), more) {
        (0, true) => means.active |= module,
        (0, false) => means.active &= !module,
        (1, true) if (1..4).contains(&means.points) => means.points += 1,
        (1, false) if means.points > 0 => *means = means.pay(),
        (2, true) if is_free && means.hand.count_ones() < HAND_LIMIT => means.hand |= card,
        (2, false) => means.hand &= !card,
        (3, true) if is_free && means.deck.list().contains(&HIDDEN) => {
            means.deck.add(HIDDEN);
            means.unseen |= card;
        }
        // The last card of the deck would be replaced by the discard pile.
        (3, false) if means.deck.len() > 1 => {
            let last = means.deck.len() - 1;
            if means.deck.list()[last] == HIDDEN {
                means.unseen &= means.unseen - 1;
            }
            means.deck.keep_first(last);
        }
        _ => {}
    }
    (after.means != at.means).then_some(after)
}

/// Compares so many; those that take more states than `limit` are left out. From each position it walks along the edge:
/// what isn't lost has less afterwards, what is lost has more.
pub fn compare(root: &Path, game: &str, rules: &dyn Rules, wanted: usize, limit: usize) -> Count {
    let mut table = Table::new(root, game, "normal");
    table.deal(1);
    let (mut count, mut chance) = (Count::default(), Chance(7));
    let mut seen = HashSet::new();
    while count.lost + count.not_lost < wanted {
        let mut at = made(rules, &mut chance);
        for _ in 0..WALK {
            if rules.mission(at.mission).is_in(&at.layout) {
                break;
            }
            let is_new = seen.insert((at.mission, at.layout, at.means.clone()));
            let more = match is_new.then(|| judge(rules, &mut table, &at, limit, &mut count)) {
                Some(Answer::Yes) => false,
                Some(Answer::No) => true,
                Some(Answer::TooMany) => break,
                None => chance.below(2) == 0,
            };
            while let Some(after) = (0..20).find_map(|_| altered(rules, &at, more, &mut chance)) {
                at = after;
                // The way to lost is the longer one.
                if more || chance.below(2) == 0 {
                    break;
                }
            }
        }
    }
    println!("{game}, made up: {count:?}");
    count
}

fn judge(rules: &dyn Rules, table: &mut Table, at: &Position, limit: usize, count: &mut Count) -> Answer {
    let question = Question {
        rules,
        mission: at.mission,
        layout: at.layout,
        means: &at.means,
        limit,
        prunes: true,
    };
    let answer = can_complete(&question).0;
    let verdict = table.verdict(at);
    match (answer, verdict.as_str()) {
        (Answer::TooMany, verdict) => {
            count.left_out += 1;
            count.left_out_lost += usize::from(verdict == "lost");
        }
        (_, "unknown") => {
            assert!(rules.most_points(&at.means) > FEW, "{DISAGREE}left open: {at:?}");
            count.left_open += 1;
        }
        (Answer::No, "lost") => count.lost += 1,
        (Answer::Yes, "not lost") => {
            count.not_lost += 1;
            if at.means.unseen != 0 {
                let mut each = members(at.means.unseen);
                count.saved_by_unknown += usize::from(is_lost_with(&question, 0));
                count.saved_by_some += usize::from(each.any(|card| is_lost_with(&question, 1 << card)));
            }
        }
        _ => panic!("{DISAGREE}the game says {verdict}, the checker {answer:?}: {at:?}"),
    }
    answer
}

/// Whether all would be lost if the hidden cards were these.
fn is_lost_with(question: &Question, unseen: u16) -> bool {
    let means = Means {
        unseen,
        ..question.means.clone()
    };
    let asked = Question {
        means: &means,
        ..*question
    };
    can_complete(&asked).0 == Answer::No
}
