//! Layouts, changes and patterns against the rays of boards.
mod plans;

use std::collections::{BTreeMap, BTreeSet};

use super::near;
use super::*;
use crate::tabletop::Space;
use crate::tabletop::board::rays::{self, Spec};
use crate::tabletop::board::{Shape, Topology};

fn board() -> Topology {
    Topology::new(
        0,
        "grid",
        Shape::Square {
            diagonal: true,
            spaces: None,
        },
    )
    .unwrap()
}

fn steps(board: &Topology) -> Vec<(i32, i32)> {
    let origin = Space::new(0, 0, 0);
    let step = |direction| {
        board
            .step(origin, direction as u8, 1)
            .map(|space| (space.q, space.r))
    };
    (0..board.direction_names().len())
        .map(|direction| step(direction).unwrap())
        .collect()
}

/// Six stones: one slides straight, one leaps, two step, one pushes, one slides every way.
const WAYS: [Way; 6] = [
    ray(0, 0x55, 9, 0, false),
    ray(1, 0xff, 9, 1, false),
    ray(2, 0xff, 1, 0, false),
    ray(3, 0xaa, 9, 0, false),
    ray(4, 0x55, 1, 0, true),
    ray(5, 0xff, 9, 0, false),
];

const fn ray(piece: u8, directions: u8, max: u8, passes: u8, pushes: bool) -> Way {
    Way::Ray {
        piece,
        directions,
        min: 1,
        max,
        passes,
        pushes,
    }
}

const SWAP: Way = Way::Swap { beside: false };
const TRADE: Way = Way::Swap { beside: true };
/// Two pieces go from beside some to beside others.
const FLY: Way = Way::Place {
    pieces: 0b0110,
    from: 0b1001,
    to: 0b11_0000,
};

const fn anywhere(piece: u8) -> Way {
    Way::Place {
        pieces: 1 << piece,
        from: 0,
        to: 0,
    }
}

/// Any other piece goes beside this one.
const fn beside(piece: u8) -> Way {
    Way::Place {
        pieces: !(1 << piece),
        from: 0,
        to: 1 << piece,
    }
}

struct Luck(u64);

impl Luck {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// A random walk away from a shuffled block.
fn wander(grid: &Grid, luck: &mut Luck, length: usize) -> Pieces {
    let mut spaces: Vec<(i32, i32)> = (0..6).map(|i| (i % 3, i / 3)).collect();
    for i in (1..6).rev() {
        spaces.swap(i, luck.below(i + 1));
    }
    let mut pieces = Pieces::new(&spaces).unwrap().0;
    for _ in 0..length {
        let after = successors(grid, pieces, &WAYS);
        pieces = Pieces::unpack(after[luck.below(after.len())], 6);
    }
    pieces
}

fn successors(grid: &Grid, pieces: Pieces, ways: &[Way]) -> Vec<u64> {
    let mut after = Vec::new();
    let mut layout = Expansion::new(grid, pieces);
    for way in ways {
        layout.each(way, |change| after.push(change.apply(&pieces).pack()));
    }
    after
}

fn spaces(pieces: Pieces) -> Vec<Space> {
    let spots = pieces.spots().iter();
    spots
        .map(|spot| Space::new(i32::from(spot & 15), i32::from(spot >> 4), 0))
        .collect()
}

/// By the rays of the board: slow, general and tested on its own.
fn by_rays(board: &Topology, pieces: Pieces, ways: &[Way]) -> BTreeSet<u64> {
    let from = spaces(pieces);
    let mut after = BTreeSet::new();
    for way in ways {
        let Way::Ray {
            piece,
            directions,
            min,
            max,
            passes,
            pushes,
        } = *way
        else {
            continue;
        };
        let directions: Vec<u8> = (0..8).filter(|d| directions >> d & 1 == 1).collect();
        let spec = Spec {
            directions: &directions,
            min: u32::from(min),
            max: (max < 9).then_some(u32::from(max)),
            passes: u32::from(passes),
            pushes,
            connected: true,
        };
        for made in rays::moves(board, &from, usize::from(piece), &spec).unwrap() {
            let mut to = from.clone();
            to[usize::from(piece)] = made.to;
            for (pushed, space) in made.pushed {
                to[pushed] = space;
            }
            let to: Vec<(i32, i32)> = to.iter().map(|s| (s.q, s.r)).collect();
            after.insert(Pieces::new(&to).unwrap().0.pack());
        }
    }
    after.remove(&pieces.pack());
    after
}

#[test]
fn packed_moves_are_those_of_the_board() {
    let board = board();
    let grid = Grid::new(&steps(&board)).unwrap();
    let mut luck = Luck(7);
    for length in 0..150 {
        let pieces = wander(&grid, &mut luck, length % 12);
        let mut packed: BTreeSet<u64> = successors(&grid, pieces, &WAYS).into_iter().collect();
        packed.remove(&pieces.pack());
        assert_eq!(packed, by_rays(&board, pieces, &WAYS), "{:?}", spaces(pieces));
    }
}

#[test]
fn the_other_ways_keep_pieces_apart_and_linked() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let block = Pieces::new(&[(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
        .unwrap()
        .0;
    assert_eq!(successors(&grid, block, &[anywhere(1)]).len(), 14);
    assert_eq!(successors(&grid, block, &[beside(0)]).len(), 25);
    assert_eq!(successors(&grid, block, &[SWAP]).len(), 15);
    let line = Pieces::new(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)])
        .unwrap()
        .0;
    assert_eq!(successors(&grid, line, &[anywhere(2)]).len(), 2);
    for ways in [anywhere(4), beside(2)] {
        for key in successors(&grid, line, &[ways]) {
            assert!(grid.linked(&Pieces::unpack(key, 6)));
        }
    }
}

#[test]
fn looking_back_turns_every_change_round() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let mut luck = Luck(5);
    let ways: Vec<Way> = WAYS
        .into_iter()
        .chain([SWAP, beside(2), anywhere(4), TRADE, FLY])
        .collect();
    for _ in 0..40 {
        let here = wander(&grid, &mut luck, 4);
        for way in &ways {
            let back = |layout| near::before_one(&grid, Pieces::unpack(layout, 6), way);
            for later in successors(&grid, here, &[*way]) {
                assert!(back(later).contains(&here.pack()), "{way:?} from {here:?}");
            }
            for earlier in back(here.pack()) {
                let on = successors(&grid, Pieces::unpack(earlier, 6), &[*way]);
                assert!(on.contains(&here.pack()), "{way:?} to {here:?}");
            }
        }
    }
}

#[test]
fn patterns_are_found_where_the_board_finds_them() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let block = Pieces::new(&[(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
        .unwrap()
        .0;
    let layout = Expansion::new(&grid, block);
    let place = |row, column, needs| Place { row, column, needs };
    let is_in = |places: &[Place], exact| Target::new(&[places], 6, exact).is_in(&layout);
    assert!(is_in(&[place(0, 0, Some(3)), place(0, 1, None)], false));
    assert!(!is_in(&[place(0, 0, None), place(0, 1, Some(3))], false));
    assert!(is_in(&[place(0, 0, None), place(1, 1, Some(4))], false));
    assert!(is_in(
        &[place(4, 3, None), place(4, 4, Some(4)), place(4, 5, None)],
        false
    ));
    assert!(!is_in(&[place(0, 0, Some(3)), place(0, 9, None)], false));
    assert!(!is_in(&[place(0, 0, Some(3)), place(0, 1, None)], true));
}

#[test]
fn shapes_and_layouts_are_all_there() {
    let grid = Grid::new(&steps(&board())).unwrap();
    // Pieces that touch by edges or corners: 1, 4, 20, 110, 638, 3832 shapes.
    let counts = [1, 4, 20, 110, 638, 3832];
    let mut labelled = 1;
    for (count, shapes) in (1..).zip(counts) {
        let all = Shapes::new(&grid, count, usize::MAX).unwrap();
        labelled *= usize::from(count);
        assert_eq!((all.shapes(), all.layouts()), (shapes, shapes * labelled));
    }
    assert_eq!(Shapes::new(&grid, 6, usize::MAX).unwrap().layouts(), 2_759_040);
    assert!(Shapes::new(&grid, 6, 2_759_039).is_none());
    // Every layout of four pieces has a number of its own.
    let four = Shapes::new(&grid, 4, usize::MAX).unwrap();
    let ways: Vec<Way> = (0..4).map(anywhere).chain([SWAP]).collect();
    let block = Pieces::new(&[(0, 0), (1, 0), (0, 1), (1, 1)]).unwrap().0.pack();
    let (mut seen, mut open) = (BTreeSet::from([block]), vec![block]);
    while let Some(layout) = open.pop() {
        let after = successors(&grid, Pieces::unpack(layout, 4), &ways);
        open.extend(after.into_iter().filter(|&next| seen.insert(next)));
    }
    let numbers: BTreeSet<usize> = seen.iter().filter_map(|&layout| four.number(layout)).collect();
    assert_eq!((seen.len(), numbers.len()), (2640, 2640));
    assert_eq!(numbers.last(), Some(&2639));
}

/// Of four pieces, one pushing, against searching forward from every layout.
#[test]
fn distances_are_those_of_searching_forward() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let mut plan = Plan::new(grid.clone(), 4);
    let ways = vec![
        ray(0, 0x55, 9, 0, false),
        ray(1, 0xff, 9, 1, false),
        ray(3, 0x0f, 1, 0, true),
    ];
    let walk = plan.add_moves(ways.clone());
    let place = |row, column, needs| Place { row, column, needs };
    let target = plan.add_pattern(Target::new(
        &[&[
            place(0, 0, Some(3)),
            place(0, 1, None),
            place(1, 2, None),
            place(2, 2, Some(1)),
        ]],
        4,
        true,
    ));
    let mut table = plan.distances(walk, target, 10_000).unwrap();
    while !table.run(plan.ground(), 7) {}
    let pattern = &plan.ground().patterns[usize::from(target)];
    let block = Pieces::new(&[(0, 0), (1, 0), (0, 1), (1, 1)]).unwrap().0.pack();
    let everywhere: Vec<Way> = (0..4).map(anywhere).chain([SWAP]).collect();
    let (mut all, mut open) = (BTreeSet::from([block]), vec![block]);
    while let Some(layout) = open.pop() {
        let after = successors(&grid, Pieces::unpack(layout, 4), &everywhere);
        open.extend(after.into_iter().filter(|&next| all.insert(next)));
    }
    // Forward, level by level, from the layouts known so far.
    let mut known: BTreeMap<u64, u8> = BTreeMap::new();
    for &layout in &all {
        if pattern.is_in(&Expansion::new(&grid, Pieces::unpack(layout, 4))) {
            known.insert(layout, 0);
        }
    }
    for depth in 1..u8::MAX {
        let more: Vec<u64> = all
            .iter()
            .copied()
            .filter(|layout| !known.contains_key(layout))
            .filter(|&layout| {
                let after = successors(&grid, Pieces::unpack(layout, 4), &ways);
                after.iter().any(|next| known.contains_key(next))
            })
            .collect();
        if more.is_empty() {
            break;
        }
        known.extend(more.into_iter().map(|layout| (layout, depth)));
    }
    for &layout in &all {
        assert_eq!(
            table.of(layout),
            known.get(&layout).copied(),
            "{:?}",
            Pieces::unpack(layout, 4)
        );
    }
    assert_eq!(table.counts().iter().sum::<u32>() as usize, known.len());
    assert!(known.len() > 500 && known.len() < all.len(), "{}", known.len());
}
