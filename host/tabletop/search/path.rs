//! The way that a search found, leg by leg.
use super::grid::Pieces;
use super::moves::Expansion;
use super::plan::Plan;
use super::run::{LAYOUT, Point, ROOT, Search};

/// One step of a path that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    pub label: u32,
    /// The piece that moved by itself, if the leg has one.
    pub mover: Option<u8>,
    /// Pieces with their new spaces, the mover first.
    pub moved: Vec<(u8, (i32, i32))>,
}

impl Search {
    /// The state in which the way that was found ends.
    #[cfg(test)]
    pub fn end(&self) -> u16 {
        (self.points[self.found.expect("a way") as usize].key >> 48) as u16
    }

    /// The way that was found, from the start.
    pub fn path(&self, plan: &Plan) -> Vec<Leg> {
        let mut numbers: Vec<u32> = Vec::new();
        let mut at = self.found.unwrap_or(ROOT);
        while at != ROOT {
            numbers.push(at);
            at = self.points[at as usize].parent;
        }
        numbers.reverse();
        let mut origin = self.origin;
        let pairs = numbers.windows(2);
        pairs
            .map(|pair| {
                self.leg(
                    plan,
                    self.points[pair[0] as usize],
                    self.points[pair[1] as usize],
                    &mut origin,
                )
            })
            .collect()
    }

    fn leg(&self, plan: &Plan, from: Point, to: Point, origin: &mut (i32, i32)) -> Leg {
        let edges = plan
            .node((from.key >> 48) as u16)
            .edges
            .as_deref()
            .unwrap_or_default();
        let edge = &edges[usize::from(to.edge)];
        let pieces = Pieces::unpack(from.key & LAYOUT, plan.ground.count);
        let mut made = None;
        let mut layout = Expansion::new(&plan.ground.grid, pieces);
        for way in edge
            .moves
            .iter()
            .flat_map(|&moves| plan.ground.moves[usize::from(moves)].iter())
        {
            layout.each(way, |change| {
                if made.is_none() && change.apply(&pieces).pack() == to.key & LAYOUT {
                    made = Some(change);
                }
            });
        }
        let Some(change) = made else {
            return Leg {
                label: edge.label,
                mover: None,
                moved: Vec::new(),
            };
        };
        let after = change.apply(&pieces);
        let space = |spot: u8| {
            let corner = i32::from(super::grid::CORNER);
            (
                origin.0 + i32::from(spot & 15) - corner,
                origin.1 + i32::from(spot >> 4) - corner,
            )
        };
        let mover = change.mover();
        let mut moved: Vec<(u8, (i32, i32))> = (0..pieces.count)
            .filter(|&i| pieces.at[usize::from(i)] != after.at[usize::from(i)])
            .map(|i| (i, space(after.at[usize::from(i)])))
            .collect();
        moved.sort_by_key(|&(piece, _)| Some(piece) != mover);
        let (row, column) = after.corner();
        *origin = space(row << 4 | column);
        Leg {
            label: edge.label,
            mover,
            moved,
        }
    }
}
