//! The checker itself against what the rule lists state: counted results, and that leaving out what comes too short
//! changes no answer.
use std::collections::{BTreeMap, BTreeSet};

use super::cards::{HIDDEN, Means, NOTHING};
use super::layout::{Arrow, COMPASS, Kind, Layout, MODULES, each_move, normal};
use super::rules::{Act, Pack, Rules};
use super::search::{Answer, Question, can_complete};

/// The standard layouts of both lists: three modules a row, or two, in the order that they name.
fn block(pack: &Pack, names: [&str; MODULES], columns: usize) -> Layout {
    let mut layout = [(0, 0); MODULES];
    for (place, name) in names.iter().enumerate() {
        layout[pack.module(name)] = ((place % columns) as i8, (place / columns) as i8);
    }
    layout
}

const ROVE: [&str; MODULES] = ["brain", "coil", "gripper", "laser", "motor", "sensor"];
const AQUA: [&str; MODULES] = ["brain", "rudder", "propeller", "engine", "gadget", "sonar"];

/// Results of each active module's ability, by its id.
fn results(rules: &dyn Rules, layout: &Layout, active: u8) -> BTreeMap<String, usize> {
    let means = Means { active, ..NOTHING };
    let mut count = BTreeMap::new();
    rules.each(0, layout, &means, &mut |act, _, _, _| {
        if let Act::Use { by, of, .. } = act
            && by == of
        {
            *count.entry(rules.pack().modules[by].id.clone()).or_default() += 1;
        }
    });
    count
}

#[test]
fn abilities_have_as_many_results_as_the_lists_say() {
    let rove = super::rove::Rove::new(&super::root());
    let start = block(rove.pack(), ROVE, 3);
    let found = results(&rove, &start, 0b11_1111);
    let wanted = [("brain", 25), ("coil", 14), ("laser", 15), ("motor", 22)];
    assert_eq!(found, wanted.map(|(id, count)| (id.to_owned(), count)).into());
    let aqua = super::aqua::Aqua::new(&super::root());
    let start = block(aqua.pack(), AQUA, 2);
    let mut found = results(&aqua, &start, 0b11_1111);
    found.remove("rudder");
    let wanted = [("brain", 41), ("gadget", 11), ("propeller", 14)];
    assert_eq!(found, wanted.map(|(id, count)| (id.to_owned(), count)).into());
}

/// AQ-MOVE-14.
#[test]
fn arrows_have_as_many_moves_as_the_list_says() {
    let layout = block(super::aqua::Aqua::new(&super::root()).pack(), AQUA, 2);
    let straight = vec![0, 2, 4, 6];
    let arrows = [
        (Kind::Step, (0..COMPASS.len()).collect(), 22),
        (Kind::Slide, straight.clone(), 24),
        (Kind::Slide, vec![1, 3, 5, 7], 20),
        (Kind::Push, straight, 24),
    ];
    for (kind, dirs, wanted) in arrows {
        let arrow = Arrow { kind, dirs };
        let mut count = 0;
        (0..MODULES).for_each(|module| each_move(&layout, module, &arrow, |_, _, _| count += 1));
        assert_eq!(count, wanted, "{arrow:?}");
    }
}

/// Means that soon come to an end, so that everything can be tried.
fn small_means(rules: &dyn Rules) -> Vec<Means> {
    let cards = rules.pack().cards.len();
    let mut list = Vec::new();
    for module in 0..MODULES {
        let active = 1 << module;
        list.push(Means { active, ..NOTHING });
        list.push(Means {
            active,
            points: 1,
            play: (module % cards) as u8,
            ..NOTHING
        });
        list.push(Means {
            active,
            hand: 1 << module,
            deck: [7, HIDDEN].into_iter().collect(),
            unseen: 0b11 << 8,
            ..NOTHING
        });
        list.push(Means {
            active: active | 1 << ((module + 1) % MODULES),
            ..NOTHING
        });
    }
    list
}

/// Some thirty layouts from which the mission is near, and some more.
fn layouts(rules: &dyn Rules, mission: u8) -> Vec<Layout> {
    let pattern = rules.mission(mission);
    let mut found = BTreeSet::new();
    for turn in 0..MODULES {
        let mut layout: Layout = std::array::from_fn(|module| pattern.spaces[(module + turn) % MODULES].0);
        let arrow = Arrow {
            kind: Kind::Step,
            dirs: (0..COMPASS.len()).collect(),
        };
        for step in 0..3 {
            let mut after = Vec::new();
            each_move(&layout, (turn + step) % MODULES, &arrow, |_, _, changed| {
                after.push(normal(&changed))
            });
            found.extend(after.first().copied());
            layout = after.last().copied().unwrap_or(layout);
        }
    }
    found.into_iter().collect()
}

#[test]
fn what_comes_too_short_may_be_left_out() {
    for rules in [super::ROVE, super::AQUA].map(|game| super::rules_of(&super::root(), game)) {
        let (mut yes, mut no) = (0, 0);
        for mission in [0, 4, 9] {
            for layout in layouts(&*rules, mission).into_iter().step_by(3) {
                for means in small_means(&*rules) {
                    let question = |prunes| Question {
                        rules: &*rules,
                        mission,
                        layout,
                        means: &means,
                        limit: 2_000,
                        prunes,
                    };
                    let (plain, _) = can_complete(&question(false));
                    if plain != Answer::TooMany {
                        assert_eq!(can_complete(&question(true)).0, plain, "{layout:?} {means:?}");
                        *(if plain == Answer::Yes { &mut yes } else { &mut no }) += 1;
                    }
                }
            }
        }
        assert!(yes > 20 && no > 20, "{yes} yes, {no} no");
    }
}
