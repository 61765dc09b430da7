//! How far it is from every layout to every mission, and what makes cards good by it (section 2.2 of both rule lists).
use std::collections::BTreeSet;

use super::layout::{Arrow, Layout, MODULES, Pattern, each_move, normal};
use super::rules::{Pack, Rules};
use super::shapes::{All, Order, orders};

/// What a layout's single moves lead to, for all layouts: `after[begins[n]..begins[n + 1]]`.
pub struct Moves {
    begins: Vec<u32>,
    after: Vec<u32>,
}

pub const FAR: u8 = u8::MAX;

impl Moves {
    /// `arrows` by module.
    pub fn new(all: &All, arrows: &[Vec<Arrow>; MODULES]) -> Self {
        let (mut begins, mut after) = (vec![0], Vec::new());
        let mut found = Vec::new();
        for number in 0..all.count() {
            let layout = all.layout(number);
            for (module, arrows) in arrows.iter().enumerate() {
                for arrow in arrows {
                    each_move(&layout, module, arrow, |_, _, changed| {
                        found.push(all.number(&changed) as u32)
                    });
                }
            }
            found.sort_unstable();
            found.dedup();
            after.append(&mut found);
            begins.push(after.len() as u32);
        }
        Self { begins, after }
    }

    fn of(&self, number: usize) -> &[u32] {
        &self.after[self.begins[number] as usize..self.begins[number + 1] as usize]
    }

    /// Moves from each layout to the nearest goal.
    pub fn distances(&self, goals: &[usize]) -> Vec<u8> {
        let mut table = vec![FAR; self.begins.len() - 1];
        goals.iter().for_each(|&goal| table[goal] = 0);
        for distance in 1.. {
            let reached = (0..table.len())
                .filter(|&n| table[n] == FAR && self.of(n).iter().any(|&a| table[a as usize] == distance - 1))
                .collect::<Vec<_>>();
            if reached.is_empty() {
                break;
            }
            reached.iter().for_each(|&n| table[n] = distance);
        }
        table
    }

    /// How many layouts can be reached from one.
    pub fn reached(&self, from: usize) -> usize {
        let mut seen = vec![false; self.begins.len() - 1];
        seen[from] = true;
        let (mut waiting, mut count) = (vec![from as u32], 0);
        while let Some(number) = waiting.pop() {
            count += 1;
            for &after in self.of(number as usize) {
                if !std::mem::replace(&mut seen[after as usize], true) {
                    waiting.push(after);
                }
            }
        }
        count
    }
}

/// Every layout that is the pattern.
pub fn ends(all: &All, pattern: &Pattern) -> Vec<usize> {
    let spaces: Layout = std::array::from_fn(|i| pattern.spaces[i].0);
    let shape = all.shape(&spaces);
    let layouts = (0..all.orders.len()).map(|order| shape * all.orders.len() + order);
    layouts.filter(|&n| pattern.is_in(&all.layout(n))).collect()
}

/// The deals of an opening block of so many columns.
pub fn openings(all: &All, columns: usize) -> Vec<usize> {
    let spaces: Layout = std::array::from_fn(|i| ((i % columns) as i8, (i / columns) as i8));
    let shape = all.shape(&spaces);
    (0..all.orders.len())
        .map(|order| shape * all.orders.len() + order)
        .collect()
}

/// What a mission takes: least, mean, most.
#[derive(Clone, Copy)]
pub struct Taken {
    pub least: u8,
    pub mean: f64,
    pub most: u8,
}

impl std::fmt::Display for Taken {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:.2} ({}-{})", self.mean, self.least, self.most)
    }
}

pub fn taken(table: &[u8], from: &[usize]) -> Taken {
    let distances = || from.iter().map(|&n| table[n]);
    Taken {
        least: distances().min().expect("a layout"),
        mean: distances().map(f64::from).sum::<f64>() / from.len() as f64,
        most: distances().max().expect("a layout"),
    }
}

/// A card's mission from all opening deals, and from the end layouts of all other missions.
pub struct Measured {
    pub card: String,
    pub openings: Taken,
    pub others: Taken,
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "{:<8} from openings {}, from other missions {}",
            self.card, self.openings, self.others
        )
    }
}

pub fn measure(all: &All, moves: &Moves, pack: &Pack, columns: usize) -> Vec<Measured> {
    let ends: Vec<Vec<usize>> = pack.cards.iter().map(|card| ends(all, &card.mission)).collect();
    let openings = openings(all, columns);
    let of = |(number, card): (usize, &super::rules::Card)| {
        let table = moves.distances(&ends[number]);
        let others: Vec<usize> = (0..ends.len())
            .filter(|&other| other != number)
            .flat_map(|other| ends[other].clone())
            .collect();
        Measured {
            card: card.id.clone(),
            openings: taken(&table, &openings),
            others: taken(&table, &others),
        }
    };
    pack.cards.iter().enumerate().map(of).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[test]
fn shapes_and_layouts_are_as_many_as_there_must_be() {
    let all = All::new();
    assert_eq!(all.shapes.len(), 3_832);
    assert_eq!(all.orders.len(), 720);
    assert_eq!(all.count(), 2_759_040);
    // The numbers are those of the layouts: tried on every hundredth, so that it takes no time.
    for number in (0..all.count()).step_by(101) {
        assert_eq!(all.number(&all.layout(number)), number);
    }
}

/// The pack's README has a table of the same figures, which the game's own search found: `| Name | rows | least | mean |
/// most | least | mean | most |`.
fn same_in_readme(game: &str, measured: &[Measured]) {
    let path = super::root().join("content").join(game).join("README.md");
    let readme = std::fs::read_to_string(path).expect("a README");
    for one in measured {
        let row = readme.lines().find_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let is_it = cells.len() > 8 && cells[0].to_lowercase() == one.card;
            is_it.then(|| {
                cells[2..8]
                    .iter()
                    .map(|c| c.parse().expect("a number"))
                    .collect::<Vec<f64>>()
            })
        });
        let near = |mean: f64| (mean * 100.0).round() / 100.0;
        let of = |t: Taken| [f64::from(t.least), near(t.mean), f64::from(t.most)];
        let wanted = [of(one.openings), of(one.others)].concat();
        assert_eq!(row, Some(wanted), "{game}: the README's row of {}", one.card);
    }
}

/// RM 2.2, constraint 7: from at least half of the opening deals each module has a legal move.
#[test]
fn modules_of_rove_can_move_at_the_start() {
    let rules = super::rove::Rove::new(&super::root());
    for (number, module) in rules.pack().modules.iter().enumerate() {
        let moves = |order: &Order| {
            let mut layout = [(0, 0); MODULES];
            for (place, &m) in order.iter().enumerate() {
                layout[m as usize] = ((place % 3) as i8, (place / 3) as i8);
            }
            let mut count = 0;
            for arrow in &module.active {
                each_move(&layout, number, arrow, |_, _, _| count += 1);
            }
            count > 0
        };
        let able = orders().iter().filter(|order| moves(order)).count();
        assert!(able >= 360, "{} can move in {able} of 720 deals", module.id);
    }
}

/// Layouts up to translation that a card's arrows reach with so many points.
fn reached(from: Layout, arrows: &[Arrow], points: usize) -> BTreeSet<Layout> {
    let mut found = BTreeSet::from([normal(&from)]);
    for _ in 0..points {
        for layout in found.clone() {
            for module in 0..MODULES {
                for arrow in arrows {
                    each_move(&layout, module, arrow, |_, _, changed| {
                        found.insert(normal(&changed));
                    });
                }
            }
        }
    }
    found
}

/// AQ 2.2, constraint 3: the points of a card by what it reaches; 4: one point leaves a choice; 5: few keep to one axis.
#[test]
fn cards_of_aqua_rove_give_points_by_what_they_reach() {
    let rules = super::aqua::Aqua::new(&super::root());
    let block = std::array::from_fn(|i| ((i % 2) as i8, (i / 2) as i8));
    let mut on_one_axis = 0;
    for card in &rules.pack().cards {
        let (one, two) = (
            reached(block, &card.arrows, 1).len() - 1,
            reached(block, &card.arrows, 2).len(),
        );
        println!(
            "{}: {} points, {one} with the first, {two} with two",
            card.id, card.base
        );
        let good = match two {
            400.. => 2..=2,
            200.. => 2..=3,
            100.. => 3..=3,
            _ => 4..=4,
        };
        assert!(
            good.contains(&card.base),
            "{}: {two} layouts for {} points",
            card.id,
            card.base
        );
        assert!(one >= 10, "{}: {one} results", card.id);
        let dirs = || card.arrows.iter().flat_map(|a| &a.dirs);
        let axis = |other: [usize; 2]| dirs().all(|d| other.contains(d));
        on_one_axis += usize::from(axis([0, 4]) || axis([2, 6]));
    }
    assert!(on_one_axis <= 4, "{on_one_axis} cards keep to one axis");
}

/// RM 2.2, constraints 5, 6 and 7: solvable, spread, and arrows that reach nearly everything.
#[test]
#[ignore = "a minute in a release build: `cargo test --release --test checker -- --ignored`"]
fn missions_of_rove_are_within_reach_and_well_spread() {
    let rules = super::rove::Rove::new(&super::root());
    let all = All::new();
    let arrows = std::array::from_fn(|m| rules.pack().modules[m].active.clone());
    let moves = Moves::new(&all, &arrows);
    let opening = openings(&all, 3)[0];
    let reached = moves.reached(opening);
    println!(
        "{reached} of {} layouts can be reached from an opening",
        all.count()
    );
    assert!(reached as f64 >= 0.999 * all.count() as f64);
    let measured = measure(&all, &moves, rules.pack(), 3);
    for one in &measured {
        println!("{one}");
        assert_ne!(one.openings.most, FAR, "{}: not from every opening", one.card);
        assert_ne!(one.others.most, FAR, "{}: not from every mission", one.card);
        assert!((4.5..=7.5).contains(&one.others.mean), "{one}");
    }
    same_in_readme(super::ROVE, &measured);
    let others = measured.iter().map(|m| m.others.mean);
    let set = mean(others.clone());
    println!("mean of the set: {set:.2}");
    assert!((5.2..=5.8).contains(&set), "the set's mean is {set}");
    assert!(
        others.clone().filter(|&m| m < 5.2).count() >= 3,
        "too few easy missions"
    );
    assert!(others.filter(|&m| m > 6.3).count() >= 2, "too few hard missions");
}

/// Every arrow that a card of the set shows, as if all lay in play.
fn all_arrows(pack: &Pack) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for shown in pack.cards.iter().flat_map(|card| &card.arrows) {
        for &dir in &shown.dirs {
            let arrow = Arrow {
                kind: shown.kind,
                dirs: vec![dir],
            };
            if !arrows.contains(&arrow) {
                arrows.push(arrow);
            }
        }
    }
    arrows
}

/// AQ 2.2, constraint 5: with all arrows together every layout can be reached from every other.
/// AQ 2.2, constraint 6: the mean distance from the opening deals.
#[test]
#[ignore = "a minute in a release build: `cargo test --release --test checker -- --ignored`"]
fn missions_of_aqua_rove_are_within_reach_and_well_spread() {
    let rules = super::aqua::Aqua::new(&super::root());
    let all = All::new();
    let arrows = all_arrows(rules.pack());
    let moves = Moves::new(&all, &std::array::from_fn(|_| arrows.clone()));
    let opening = openings(&all, 2)[0];
    assert_eq!(moves.reached(opening), all.count(), "from an opening");
    let back = moves.distances(&[opening]);
    assert!(!back.contains(&FAR), "back to the opening");
    let measured = measure(&all, &moves, rules.pack(), 2);
    for one in &measured {
        println!("{one}");
        assert!((3.0..=5.5).contains(&one.openings.mean), "{one}");
    }
    same_in_readme(super::AQUA, &measured);
    let openings = measured.iter().map(|m| m.openings.mean);
    let set = mean(openings.clone());
    println!("mean of the set: {set:.2}");
    assert!((3.5..=4.5).contains(&set), "the set's mean is {set}");
    assert!(openings.clone().any(|m| m > 5.0), "no hard mission");
    // Slides along rows and columns alone suffice, too.
    let slides = Arrow {
        kind: super::layout::Kind::Slide,
        dirs: vec![0, 2, 4, 6],
    };
    drop(moves);
    let moves = Moves::new(&all, &std::array::from_fn(|_| vec![slides.clone()]));
    assert_eq!(moves.reached(opening), all.count(), "by slides");
}
