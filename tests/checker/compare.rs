//! The comparison: positions of games in which the quick accept failed, judged by both.
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::cards::{HIDDEN, Means};
use super::games::{self, Choice, DISAGREE, Position, Said, Table, is_as_foreseen, keys_after};
use super::layout::{Layout, MODULES, Pattern, normal};
use super::rules::{Act, Rules};
use super::search::{Answer, Question, can_complete};

/// A small generator; never one of play.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// How a game is played: how often each kind of action is thought of, and how often the nearest result is taken.
struct Style {
    moves: usize,
    plays: usize,
    uses: [usize; MODULES],
    near: usize,
    /// Whether the nearest result is sought among all kinds.
    any: bool,
}

impl Style {
    fn new(chance: &mut Chance) -> Self {
        let mut weight = |weights: &[usize]| weights[chance.below(weights.len())];
        Self {
            moves: weight(&[2, 8, 30]),
            plays: weight(&[1, 3, 8]),
            uses: [(); MODULES].map(|()| weight(&[0, 0, 1, 3])),
            near: weight(&[0, 5, 8, 10]),
            any: weight(&[0, 0, 1]) == 1,
        }
    }

    fn weight(&self, act: Act) -> usize {
        match act {
            Act::Move { .. } => self.moves,
            Act::Play(_) => self.plays,
            Act::Use { by, .. } => self.uses[by],
        }
    }

    /// One of the options; what is not thought of only if there is nothing else.
    fn choose(&self, options: &[Choice], goal: &Pattern, chance: &mut Chance) -> usize {
        let mut kinds: Vec<(usize, Act)> = Vec::new();
        for option in options {
            if !kinds.iter().any(|&(_, act)| same_kind(act, option.act)) {
                kinds.push((self.weight(option.act), option.act));
            }
        }
        let total: usize = kinds.iter().map(|k| k.0).sum();
        let mut ticket = chance.below(total);
        let chosen = kinds.iter().find(|(weight, _)| {
            let drawn = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            drawn
        });
        let kind = chosen.map_or_else(|| kinds[chance.below(kinds.len())].1, |k| k.1);
        let seeks = chance.below(10) < self.near;
        let fits = |&i: &usize| (seeks && self.any) || same_kind(options[i].act, kind);
        let of_kind: Vec<usize> = (0..options.len()).filter(fits).collect();
        if !seeks {
            return of_kind[chance.below(of_kind.len())];
        }
        let amiss = |i: usize| match options[i].completes {
            true => 0,
            false => {
                1 + goal
                    .gaps(&options[i].layout)
                    .iter()
                    .map(|g| g.1)
                    .min()
                    .unwrap_or(0)
            }
        };
        let least = of_kind.iter().map(|&i| amiss(i)).min();
        let best: Vec<usize> = of_kind.into_iter().filter(|&i| Some(amiss(i)) == least).collect();
        best[chance.below(best.len())]
    }
}

fn same_kind(one: Act, other: Act) -> bool {
    match (one, other) {
        (Act::Move { .. }, Act::Move { .. }) | (Act::Play(_), Act::Play(_)) => true,
        (Act::Use { by, .. }, Act::Use { by: of, .. }) => by == of,
        _ => false,
    }
}

/// What is to be compared.
pub struct Plan {
    /// Positions of each verdict.
    pub lost: usize,
    pub not_lost: usize,
    /// Positions in which a card that the player can't know might be drawn, of either verdict.
    pub unknown_draws: usize,
    /// Positions that the quick accept let pass.
    pub accepted: usize,
    /// States that the checker may look at; what takes more is left out.
    pub limit: usize,
    pub first_seed: u64,
    pub time: Option<Duration>,
}

/// What was compared.
#[derive(Debug, Default)]
pub struct Count {
    pub games: u64,
    pub decisions: usize,
    pub lost: usize,
    pub not_lost: usize,
    pub unknown_draws: usize,
    /// Those that are not lost thanks to an unknown card alone.
    pub saved_by_unknown: usize,
    pub accepted: usize,
    /// Verdicts that the game left open beyond the points up to which it must decide.
    pub left_open: usize,
    /// Those that took the checker too many states, and how many of them the game calls lost.
    pub left_out: usize,
    pub left_out_lost: usize,
    /// The most states that a verdict took.
    pub most_states: usize,
}

impl Plan {
    fn is_done(&self, count: &Count, since: Instant) -> bool {
        let enough = count.lost >= self.lost
            && count.not_lost >= self.not_lost
            && count.unknown_draws >= self.unknown_draws
            && count.accepted >= self.accepted;
        enough || self.time.is_some_and(|time| since.elapsed() > time)
    }

    /// Whether a position of this sort is still wanted.
    fn wants(&self, count: &Count, said: &Said, unknown: bool) -> bool {
        if said.quickly {
            return count.accepted < self.accepted;
        }
        let enough = match said.verdict == "lost" {
            true => count.lost >= self.lost,
            false => count.not_lost >= self.not_lost,
        };
        !enough || (unknown && count.unknown_draws < self.unknown_draws)
    }
}

/// One comparison under way.
pub struct Comparison<'a> {
    pub rules: &'a dyn Rules,
    pub plan: Plan,
    pub count: Count,
    seen: HashSet<(u8, Layout, Means)>,
    since: Instant,
}

/// Up to this many points in the best case the game decides exactly (RM-END-06, AQ-END-09).
pub const FEW: u32 = 4;
const DIFFICULTIES: [&str; 3] = ["normal", "hard", "impossible"];

impl<'a> Comparison<'a> {
    pub fn new(rules: &'a dyn Rules, plan: Plan) -> Self {
        Self {
            rules,
            plan,
            count: Count::default(),
            seen: HashSet::new(),
            since: Instant::now(),
        }
    }

    /// Plays and compares until the plan is fulfilled.
    pub fn run(&mut self, root: &Path, game: &str) {
        let mut tables = DIFFICULTIES.map(|difficulty| Table::new(root, game, difficulty));
        let mut seed = self.plan.first_seed;
        while !self.plan.is_done(&self.count, self.since) {
            let table = &mut tables[seed as usize % DIFFICULTIES.len()];
            self.play(table, seed);
            self.count.games += 1;
            seed += 1;
            if self.plan.time.is_none() && self.count.games.is_multiple_of(200) {
                println!("{game}, so far: {:?}", self.count);
            }
        }
    }

    fn play(&mut self, table: &mut Table, seed: u64) {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let style = Style::new(&mut chance);
        table.deal(seed);
        let mut path: Vec<String> = Vec::new();
        loop {
            let told = |what: &str| {
                format!(
                    "{DISAGREE}seed {seed}, {} after {path:?}: {what}",
                    DIFFICULTIES[seed as usize % 3]
                )
            };
            if self.plan.is_done(&self.count, self.since) {
                return;
            }
            let offered = table.offered();
            if offered.is_none() && table.result().as_deref() != Some("lost") {
                return;
            }
            let at = table.look();
            self.judge(table, &at, &told);
            let Some(offered) = offered else { return };
            self.count.decisions += 1;
            let options = games::options(self.rules, &at);
            same_keys(&offered, &keys_after(&options, &[]), &told);
            let chosen = &options[style.choose(&options, self.rules.mission(at.mission), &mut chance)];
            for (given, key) in chosen.keys.iter().enumerate() {
                if given > 0 {
                    let offered = table.offered().unwrap_or_default();
                    same_keys(&offered, &keys_after(&options, &chosen.keys[..given]), &told);
                }
                table.answer(std::slice::from_ref(key));
            }
            self.follow(table, &at, chosen, &options, &told);
            path.extend(chosen.keys.iter().cloned());
        }
    }

    /// Compares what an action led to.
    fn follow(
        &self,
        table: &mut Table,
        at: &Position,
        chosen: &Choice,
        options: &[Choice],
        told: &dyn Fn(&str) -> String,
    ) {
        if table.result().as_deref() == Some("won") {
            return;
        }
        let came = table.look();
        let mut foreseen = Vec::new();
        for option in options.iter().filter(|o| o.keys == chosen.keys) {
            if option.completes {
                games::after_completion(self.rules, &option.layout, &option.means, &mut foreseen);
            } else {
                let means = option.means.clone();
                foreseen.push(Position {
                    mission: at.mission,
                    layout: option.layout,
                    means,
                });
            }
        }
        assert!(
            foreseen.iter().any(|one| is_as_foreseen(one, &came)),
            "{}\nexpected {foreseen:?}\ngot {came:?}",
            told(&chosen.keys.join(" "))
        );
    }

    fn can(&mut self, at: &Position, means: &Means) -> Answer {
        let (answer, states) = can_complete(&Question {
            rules: self.rules,
            mission: at.mission,
            layout: at.layout,
            means,
            limit: self.plan.limit,
            prunes: true,
        });
        self.count.most_states = self.count.most_states.max(states);
        answer
    }

    fn judge(&mut self, table: &mut Table, at: &Position, told: &dyn Fn(&str) -> String) {
        let (taken, wanted) = table.known(at);
        assert!(
            taken == wanted,
            "{}",
            told(&format!("{taken} is taken as known, not {wanted}"))
        );
        let said = table.said();
        let draws = self.rules.draws(&at.means);
        let unknown = at
            .means
            .deck
            .list()
            .iter()
            .take(draws)
            .any(|&card| card == HIDDEN)
            && (draws > 0 && self.may_draw_two(&at.means));
        if !self.plan.wants(&self.count, &said, unknown)
            || !self
                .seen
                .insert((at.mission, normal(&at.layout), at.means.clone()))
        {
            return;
        }
        let answer = self.can(at, &at.means);
        if answer == Answer::TooMany {
            self.count.left_out += 1;
            self.count.left_out_lost += usize::from(said.verdict == "lost");
            return;
        }
        let lost = answer == Answer::No;
        if said.verdict == "unknown" {
            assert!(
                self.rules.most_points(&at.means) > FEW,
                "{}",
                told(&format!("left open: {at:?}"))
            );
            self.count.left_open += 1;
            return;
        }
        let agrees = lost == (said.verdict == "lost") && !(lost && said.quickly);
        assert!(
            agrees,
            "{}",
            told(&format!(
                "the game says {said:?}, the checker lost = {lost}: {at:?}"
            ))
        );
        if said.quickly {
            self.count.accepted += 1;
            return;
        }
        *(if lost {
            &mut self.count.lost
        } else {
            &mut self.count.not_lost
        }) += 1;
        if unknown {
            self.count.unknown_draws += 1;
            let none = Means {
                unseen: 0,
                ..at.means.clone()
            };
            self.count.saved_by_unknown += usize::from(!lost && self.can(at, &none) == Answer::No);
        }
    }

    /// Whether an unknown place can be reached at all; `draws` counts what abilities allow at most.
    fn may_draw_two(&self, means: &Means) -> bool {
        // Sonar needs a card to discard.
        let has_plain_draw = self.rules.pack().modules.iter().any(|m| m.id == "sensor");
        has_plain_draw || means.hand != 0
    }
}

fn same_keys(
    offered: &std::collections::BTreeSet<String>,
    foreseen: &std::collections::BTreeSet<&str>,
    told: &dyn Fn(&str) -> String,
) {
    let offered: std::collections::BTreeSet<&str> = offered.iter().map(String::as_str).collect();
    let more: Vec<_> = offered.difference(foreseen).collect();
    let fewer: Vec<_> = foreseen.difference(&offered).collect();
    assert!(
        more.is_empty() && fewer.is_empty(),
        "{}",
        told(&format!(
            "offered against the rules: {more:?}; not offered: {fewer:?}"
        ))
    );
}
