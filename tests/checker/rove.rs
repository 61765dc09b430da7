//! ROVE: modules have arrows, cards have patterns.
use std::path::Path;

use super::cards::{Means, NONE, members};
use super::layout::{COMPASS, Kind, Layout, MODULES, Pattern, adjacent, each_move, each_put, far, put};
use super::rules::{Act, Found, Pack, Reach, Rules, What};

pub struct Rove {
    pack: Pack,
    brain: usize,
    coil: usize,
    gripper: usize,
    laser: usize,
    motor: usize,
    sensor: usize,
}

impl Rove {
    pub fn new(root: &Path) -> Self {
        let pack = Pack::read(root, "rove-modules");
        Self {
            brain: pack.module("brain"),
            coil: pack.module("coil"),
            gripper: pack.module("gripper"),
            laser: pack.module("laser"),
            motor: pack.module("motor"),
            sensor: pack.module("sensor"),
            pack,
        }
    }

    /// The results of an ability that changes the layout.
    fn each_result(&self, of: usize, layout: &Layout, mut found: impl FnMut(What, Layout)) {
        if of == self.brain {
            let beside = layout[self.brain];
            for mover in (0..MODULES).filter(|&m| m != self.brain) {
                for dir in 0..COMPASS.len() {
                    let to = far(beside, dir, 1);
                    if let Some(after) = put(layout, mover, to) {
                        found(What::Put(mover, to), after);
                    }
                }
            }
        } else if of == self.coil {
            each_put(layout, self.coil, |to, after| {
                found(What::Put(self.coil, to), after)
            });
        } else if of == self.laser {
            for one in 0..MODULES {
                for other in one + 1..MODULES {
                    let mut after = *layout;
                    after.swap(one, other);
                    found(What::Swap(one, other), after);
                }
            }
        } else if of == self.motor {
            for mover in 0..MODULES {
                for dir in 0..COMPASS.len() {
                    if let Some(after) = put(layout, mover, far(layout[mover], dir, 1)) {
                        found(What::Shift(mover, dir), after);
                    }
                }
            }
        }
    }

    fn each_use(&self, by: usize, of: usize, goal: &Pattern, layout: &Layout, means: &Means, found: Found) {
        let after = means.flipped(by);
        if of == self.sensor {
            if means.may_draw() {
                let act = Act::Use {
                    by,
                    of,
                    what: What::Plain,
                };
                after.each_draw(|drawn| found(act, layout, &drawn, false));
            }
        } else {
            self.each_result(of, layout, |what, changed| {
                found(Act::Use { by, of, what }, &changed, &after, goal.is_in(&changed));
            });
        }
    }
}

impl Rules for Rove {
    fn pack(&self) -> &Pack {
        &self.pack
    }

    fn each(&self, mission: u8, layout: &Layout, means: &Means, found: Found) {
        let goal = self.mission(mission);
        if means.points > 0 {
            let after = means.pay();
            for (number, module) in self.pack.modules.iter().enumerate() {
                let shown = if means.is_active(number) {
                    &module.active
                } else {
                    &module.spent
                };
                for arrow in shown {
                    each_move(layout, number, arrow, |dir, length, changed| {
                        let act = Act::Move {
                            module: number,
                            dir,
                            length,
                        };
                        found(act, &changed, &after, goal.is_in(&changed));
                    });
                }
            }
        }
        for card in members(means.hand) {
            let facts = &self.pack.cards[card as usize];
            let matches = facts.pattern.as_ref().is_some_and(|p| p.is_in(layout));
            let points = if matches { facts.matched } else { facts.base };
            found(Act::Play(card), layout, &means.played(card, points), false);
        }
        for by in (0..MODULES).filter(|&m| means.is_active(m)) {
            if by != self.gripper {
                self.each_use(by, by, goal, layout, means, found);
                continue;
            }
            for of in (0..MODULES).filter(|&m| adjacent(layout[by], layout[m])) {
                self.each_use(by, of, goal, layout, means, found);
            }
        }
    }

    fn worth(&self, card: u8) -> u32 {
        let card = &self.pack.cards[card as usize];
        u32::from(card.base.max(card.matched))
    }

    fn draws(&self, means: &Means) -> usize {
        usize::from(means.is_active(self.sensor)) + usize::from(means.is_active(self.gripper))
    }

    fn reach(&self, means: &Means) -> Reach {
        let points = self.most_points(means);
        let count = |modules: &[usize]| modules.iter().filter(|&&m| means.is_active(m)).count() as u32;
        let pusher = |m: &super::rules::Module| m.active.iter().chain(&m.spent).any(|a| a.kind == Kind::Push);
        Reach {
            steps: points + count(&[self.brain, self.coil, self.motor, self.gripper]),
            swaps: count(&[self.laser, self.gripper]),
            pushes: points > 0 && self.pack.modules.iter().any(pusher),
            eases: false,
        }
    }

    fn forget(&self, means: &mut Means) {
        let draws = self.draws(means);
        means.forget(draws);
        if means.deck.len() >= draws {
            // Which card it is counts only where it might be drawn again.
            means.play = NONE;
        }
    }
}
