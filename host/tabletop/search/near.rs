//! Layouts a step or two away from a target, found backwards from it. They end a search before its widest
//! levels: what is among them is as good as found, and what isn't needs more steps.
use rustc_hash::FxHashMap;

use super::grid::{Grid, Pieces};
use super::moves::{Expansion, Way, bits};
use super::target::Target;

/// How many paid steps are looked back. A third would shorten long searches by another third, but finding them
/// takes ten times as long.
pub const DEPTH: u8 = 2;
/// The most layouts that are kept.
const LAYOUTS: usize = 400_000;

type Depths = FxHashMap<u64, u8>;

#[derive(Clone)]
pub struct Near(FxHashMap<u64, Looked>);

/// What is known of a layout that was looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The fewest paid steps to the target, if they are at most [`DEPTH`].
    pub steps: Option<u8>,
    /// Whether it is at most one change of any kind away.
    pub is_next: bool,
}

impl Near {
    /// `None` where looking back takes too much, or one can't look back: a target with many layouts, paid steps
    /// other than moves along rays, directions without opposites.
    pub fn new(grid: &Grid, count: u8, paid: &[Way], all: &[Box<[Way]>], target: &Target) -> Option<Self> {
        let turn = |ways: &[Way]| {
            ways.iter()
                .map(|way| turned(grid, way))
                .collect::<Option<Vec<_>>>()
        };
        let (paid, all) = (turn(paid)?, turn(&all.concat())?);
        if !paid.iter().all(|way| matches!(way, Way::Ray { .. })) {
            return None;
        }
        let goals: Vec<u64> = target.layouts(count)?.iter().map(Pieces::pack).collect();
        let steps = look_back(grid, count, &paid, &goals, DEPTH)?;
        let mut all_looked: FxHashMap<u64, Looked> = steps
            .into_iter()
            .map(|(layout, steps)| {
                let steps = Some(steps);
                (
                    layout,
                    Looked {
                        steps,
                        is_next: false,
                    },
                )
            })
            .collect();
        for layout in look_back(grid, count, &all, &goals, 1)?.into_keys() {
            all_looked.entry(layout).or_default().is_next = true;
        }
        Some(Self(all_looked))
    }

    #[inline]
    pub fn look(&self, layout: u64) -> Looked {
        self.0.get(&layout).copied().unwrap_or_default()
    }
}

fn look_back(grid: &Grid, count: u8, ways: &[Way], goals: &[u64], depth: u8) -> Option<Depths> {
    let mut level = goals.to_vec();
    let mut steps: Depths = goals.iter().map(|&layout| (layout, 0)).collect();
    for depth in 1..=depth {
        let mut next = Vec::new();
        for layout in level {
            before(grid, Pieces::unpack(layout, count), ways, |earlier| {
                steps.entry(earlier).or_insert_with(|| {
                    next.push(earlier);
                    depth
                });
            });
            if steps.len() > LAYOUTS {
                return None;
            }
        }
        level = next;
    }
    Some(steps)
}

/// The way that leads back.
pub(super) fn turned(grid: &Grid, way: &Way) -> Option<Way> {
    Some(match *way {
        Way::Ray {
            piece,
            directions,
            min,
            max,
            passes,
            pushes,
        } => {
            let mut back = bits(directions).map(|direction| grid.opposite(direction));
            Way::Ray {
                piece,
                directions: back.try_fold(0, |all, direction| Some(all | 1 << direction?))?,
                min,
                max,
                passes,
                pushes,
            }
        }
        Way::Place { pieces, from, to } => Way::Place {
            pieces,
            from: to,
            to: from,
        },
        Way::Swap { .. } => *way,
    })
}

/// The layouts from which one step leads here. A slide or leap goes back as it came; before a push any of
/// the pieces in a row ahead may have stood one space nearer.
pub(super) fn before(grid: &Grid, pieces: Pieces, ways: &[Way], mut found: impl FnMut(u64)) {
    let mut layout = Expansion::new(grid, pieces);
    for way in ways {
        match *way {
            Way::Ray {
                piece,
                directions,
                pushes: true,
                ..
            } => {
                for direction in bits(directions) {
                    let here = pieces.at[usize::from(piece)];
                    let back = grid.from(here, direction);
                    if layout.on(back) != 0 {
                        continue;
                    }
                    let Some(forward) = grid.opposite(direction) else {
                        continue;
                    };
                    let mut earlier = pieces;
                    earlier.at[usize::from(piece)] = back;
                    let (mut spot, mut moved) = (here, 1);
                    loop {
                        // All of them at once is no step: a layout doesn't tell where it lies.
                        if moved < pieces.count && grid.linked(&earlier) {
                            found(earlier.pack());
                        }
                        let ahead = grid.from(spot, forward);
                        let next = layout.on(ahead);
                        if next == 0 {
                            break;
                        }
                        earlier.at[next.trailing_zeros() as usize] = spot;
                        (spot, moved) = (ahead, moved + 1);
                    }
                }
            }
            _ => layout.each(way, |change| found(change.apply(&pieces).pack())),
        }
    }
}

#[cfg(test)]
pub fn before_one(grid: &Grid, pieces: Pieces, way: &Way) -> Vec<u64> {
    let mut found = Vec::new();
    let way = turned(grid, way).expect("a way back");
    before(grid, pieces, &[way], |earlier| found.push(earlier));
    found
}
