//! Aqua ROVE: cards have the arrows, and a pair that gives a point more.
use std::path::Path;

use super::cards::{Means, NONE, members};
use super::layout::{Kind, Layout, MODULES, Pattern, adjacent, each_move, each_put};
use super::rules::{Act, Found, Pack, Reach, Rules, What};

const PAIR_BONUS: u8 = 1;
const ENGINE_BONUS: u8 = 2;
const SONAR_DRAWS: usize = 2;

pub struct Aqua {
    pack: Pack,
    eased: Vec<Vec<Pattern>>,
    brain: usize,
    rudder: usize,
    propeller: usize,
    engine: usize,
    gadget: usize,
    sonar: usize,
}

impl Aqua {
    pub fn new(root: &Path) -> Self {
        let pack = Pack::read(root, "aqua-rove");
        Self {
            eased: pack.cards.iter().map(|card| card.mission.eased()).collect(),
            brain: pack.module("brain"),
            rudder: pack.module("rudder"),
            propeller: pack.module("propeller"),
            engine: pack.module("engine"),
            gadget: pack.module("gadget"),
            sonar: pack.module("sonar"),
            pack,
        }
    }

    /// The layouts that Brain, Gadget and Propeller make.
    fn each_result(&self, by: usize, layout: &Layout, active_after: u8, mut found: impl FnMut(What, Layout)) {
        let unspent = |m: usize| active_after & (1 << m) != 0;
        for mover in 0..MODULES {
            if by == self.brain && adjacent(layout[by], layout[mover]) {
                each_put(layout, mover, |to, after| found(What::Put(mover, to), after));
            } else if by == self.gadget {
                for other in (mover + 1..MODULES).filter(|&o| adjacent(layout[mover], layout[o])) {
                    let mut after = *layout;
                    after.swap(mover, other);
                    found(What::Swap(mover, other), after);
                }
            } else if by == self.propeller && !unspent(mover) {
                each_put(layout, mover, |to, after| {
                    if (0..MODULES).any(|m| unspent(m) && adjacent(layout[m], to)) {
                        found(What::Put(mover, to), after);
                    }
                });
            }
        }
    }

    fn each_discard(&self, layout: &Layout, means: &Means, found: Found) {
        for card in members(means.hand) {
            let act = Act::Use {
                by: self.sonar,
                of: self.sonar,
                what: What::Discard(card),
            };
            let mut after = means.flipped(self.sonar);
            after.hand &= !(1 << card);
            after.put_on_discard(card);
            draw(&after, SONAR_DRAWS, &mut |drawn| found(act, layout, drawn, false));
        }
    }

    fn has_push(&self, card: u8) -> bool {
        self.pack.cards[card as usize]
            .arrows
            .iter()
            .any(|a| a.kind == Kind::Push)
    }
}

/// Draws as many as hand and deck allow.
fn draw(means: &Means, count: usize, found: &mut dyn FnMut(&Means)) {
    if count == 0 || !means.may_draw() {
        return found(means);
    }
    means.each_draw(|drawn| draw(&drawn, count - 1, found));
}

impl Rules for Aqua {
    fn pack(&self) -> &Pack {
        &self.pack
    }

    fn each(&self, mission: u8, layout: &Layout, means: &Means, found: Found) {
        let goal = self.mission(mission);
        if means.points > 0 {
            let after = means.pay();
            for module in 0..MODULES {
                for arrow in &self.pack.cards[means.play as usize].arrows {
                    each_move(layout, module, arrow, |dir, length, changed| {
                        let act = Act::Move { module, dir, length };
                        found(act, &changed, &after, goal.is_in(&changed));
                    });
                }
            }
        }
        for card in members(means.hand) {
            let facts = &self.pack.cards[card as usize];
            let paired = facts.pair.is_some_and(|(a, b)| adjacent(layout[a], layout[b]));
            let points = facts.base + if paired { PAIR_BONUS } else { 0 };
            found(Act::Play(card), layout, &means.played(card, points), false);
        }
        for by in (0..MODULES).filter(|&m| means.is_active(m)) {
            let plain = Act::Use {
                by,
                of: by,
                what: What::Plain,
            };
            let mut after = means.flipped(by);
            if by == self.rudder {
                if self.eased[mission as usize].iter().any(|p| p.is_in(layout)) {
                    found(plain, layout, &after, true);
                }
            } else if by == self.engine {
                if means.play != NONE {
                    after.points += ENGINE_BONUS;
                    found(plain, layout, &after, false);
                }
            } else if by == self.sonar {
                self.each_discard(layout, means, found);
            } else {
                self.each_result(by, layout, after.active, |what, changed| {
                    let act = Act::Use { by, of: by, what };
                    found(act, &changed, &after, goal.is_in(&changed));
                });
            }
        }
    }

    fn worth(&self, card: u8) -> u32 {
        u32::from(self.pack.cards[card as usize].base + PAIR_BONUS)
    }

    fn most_points(&self, means: &Means) -> u32 {
        let hand: u32 = members(means.hand).map(|card| self.worth(card)).sum();
        let points = u32::from(means.points) + hand + self.best_draws(means);
        points
            + if means.is_active(self.engine) {
                u32::from(ENGINE_BONUS)
            } else {
                0
            }
    }

    fn draws(&self, means: &Means) -> usize {
        if means.is_active(self.sonar) {
            SONAR_DRAWS
        } else {
            0
        }
    }

    fn reach(&self, means: &Means) -> Reach {
        let points = self.most_points(means);
        let count = |modules: &[usize]| modules.iter().filter(|&&m| means.is_active(m)).count() as u32;
        let held = members(means.hand).chain((means.play != NONE).then_some(means.play));
        Reach {
            steps: points + count(&[self.brain, self.propeller]),
            swaps: count(&[self.gadget]),
            // Sonar might draw one that pushes.
            pushes: means.is_active(self.sonar) || held.into_iter().any(|card| self.has_push(card)),
            eases: means.is_active(self.rudder),
        }
    }

    fn forget(&self, means: &mut Means) {
        means.forget(self.draws(means));
    }
}
