//! A board: its spaces, directions, metric and neighbours.
use thiserror::Error;

use super::graph::{Graph, Region};
use super::grid::Extent;
use super::lattice::{Lattice, Offset};
use super::{SPACES_LIMIT, hex, square};
use crate::tabletop::space::{COORDINATE_LIMIT, Space};

/// A board as declared. `spaces` is `None` for a board without bounds.
#[derive(Clone, Debug)]
pub enum Shape {
    /// `flat` decides how it is drawn and what its directions are called.
    Hex { flat: bool, spaces: Option<Vec<Offset>> },
    /// `diagonal` makes spaces neighbours that touch by a corner: eight instead of four.
    Square {
        diagonal: bool,
        spaces: Option<Vec<Offset>>,
    },
    Graph {
        regions: Vec<Region>,
        edges: Vec<(usize, usize)>,
    },
}

/// Why a declared board can't be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShapeError {
    #[error("space ({q},{r}) lies outside the limit of {COORDINATE_LIMIT} either way")]
    OutsideLimit { q: i32, r: i32 },
    #[error(
        "the board has {count} spaces, more than {SPACES_LIMIT}: leave them out for a board without bounds"
    )]
    TooManySpaces { count: usize },
    #[error("two regions have the id `{id}`: rename one")]
    DuplicateRegion { id: String },
    #[error("an edge joins region `{id}` to itself: remove it")]
    EdgeToItself { id: String },
    #[error("an edge names region {index}, but there are {count} (counted from 0)")]
    UnknownRegion { index: usize, count: usize },
}

/// A question that would look at more than [`SPACES_LIMIT`] spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "this takes more than {SPACES_LIMIT} spaces: ask for a smaller distance or budget, or bound the board"
)]
pub struct TooMany;

/// A board of the tabletop. Its index is carried by every [`Space`] of it.
#[derive(Clone, Debug)]
pub struct Topology {
    board: u8,
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Grid {
        lattice: Lattice,
        names: &'static [&'static str],
        flat: bool,
        extent: Extent,
    },
    Graph(Graph),
}

impl Topology {
    /// Builds the board of index `board` (the order of declaration, from 0).
    ///
    /// # Errors
    /// A space beyond the coordinate limit, too many spaces, or a faulty graph.
    pub fn new(board: u8, name: impl Into<String>, shape: Shape) -> Result<Self, ShapeError> {
        let kind = match shape {
            Shape::Hex { flat, spaces } => Kind::Grid {
                lattice: Lattice::Hex,
                names: if flat {
                    &hex::FLAT_NAMES
                } else {
                    &hex::POINTY_NAMES
                },
                flat,
                extent: extent(board, spaces)?,
            },
            Shape::Square { diagonal, spaces } => Kind::Grid {
                lattice: if diagonal {
                    Lattice::Square8
                } else {
                    Lattice::Square4
                },
                names: if diagonal {
                    &square::NAMES_8
                } else {
                    &square::NAMES_4
                },
                flat: false,
                extent: extent(board, spaces)?,
            },
            Shape::Graph { regions, edges } => Kind::Graph(Graph::new(regions, &edges)?),
        };
        Ok(Self {
            board,
            name: name.into(),
            kind,
        })
    }

    pub fn board(&self) -> u8 {
        self.board
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arrangement of a regular board; `None` for a graph.
    #[inline]
    pub fn lattice(&self) -> Option<Lattice> {
        match &self.kind {
            Kind::Grid { lattice, .. } => Some(*lattice),
            Kind::Graph(_) => None,
        }
    }

    pub fn graph(&self) -> Option<&Graph> {
        match &self.kind {
            Kind::Grid { .. } => None,
            Kind::Graph(graph) => Some(graph),
        }
    }

    /// Whether a hex board is drawn with a flat side up.
    pub fn is_flat(&self) -> bool {
        matches!(self.kind, Kind::Grid { flat: true, .. })
    }

    /// All spaces, sorted; `None` for a board without bounds.
    pub fn spaces(&self) -> Option<Vec<Space>> {
        match &self.kind {
            Kind::Grid { extent, .. } => extent.spaces().map(<[Space]>::to_vec),
            Kind::Graph(graph) => Some(
                (0..graph.regions().len() as i32)
                    .map(|index| Space::new(index, 0, self.board))
                    .collect(),
            ),
        }
    }

    /// Whether the board has no bounds but the coordinate limit.
    pub fn is_unbounded(&self) -> bool {
        matches!(&self.kind, Kind::Grid { extent, .. } if extent.spaces().is_none())
    }

    /// Whether `space` is a space of this board.
    #[inline]
    pub fn contains(&self, space: Space) -> bool {
        space.board == self.board
            && match &self.kind {
                Kind::Grid { extent, .. } => extent.contains(space.q, space.r, space.board),
                Kind::Graph(graph) => {
                    space.r == 0 && usize::try_from(space.q).is_ok_and(|index| index < graph.regions().len())
                }
            }
    }

    /// The neighbours on the board, in direction order (a graph: in order of declaration).
    /// A space of another board has none.
    #[inline]
    pub fn neighbours(&self, space: Space) -> Neighbours<'_> {
        match &self.kind {
            Kind::Grid { lattice, extent, .. } if space.board == self.board => Neighbours(Near::Grid {
                space,
                extent,
                offsets: lattice.directions().iter(),
            }),
            Kind::Graph(graph) if space.board == self.board && space.r == 0 => Neighbours(Near::Graph {
                board: self.board,
                indexes: graph.neighbours(space.q).iter(),
            }),
            _ => Neighbours(Near::Graph {
                board: self.board,
                indexes: [].iter(),
            }),
        }
    }

    /// Whether two different spaces of this board are neighbours.
    pub fn adjacent(&self, a: Space, b: Space) -> bool {
        self.contains(a)
            && self.contains(b)
            && match &self.kind {
                Kind::Grid { lattice, .. } => lattice.joins((b.q - a.q, b.r - a.r)),
                Kind::Graph(graph) => graph.neighbours(a.q).binary_search(&b.q).is_ok(),
            }
    }

    /// The names of the directions, in the board's fixed order: hex counterclockwise from east
    /// (pointy `e ne nw w sw se`, flat `se ne n nw sw s`), square clockwise from north. A graph has none.
    pub fn direction_names(&self) -> &'static [&'static str] {
        match &self.kind {
            Kind::Grid { names, .. } => names,
            Kind::Graph(_) => &[],
        }
    }

    /// The index of the direction named `name`.
    pub fn direction(&self, name: &str) -> Option<u8> {
        self.direction_names()
            .iter()
            .position(|&known| known == name)
            .map(|index| index as u8)
    }

    /// The direction that leads back.
    pub fn opposite(&self, direction: u8) -> Option<u8> {
        let count = self.direction_names().len() as u8;
        (direction < count).then(|| (direction + count / 2) % count)
    }

    /// The place `steps` along `direction`, on the board or not; `None` for an unknown direction or
    /// a place that no board reaches.
    pub fn step(&self, space: Space, direction: u8, steps: i32) -> Option<Space> {
        let &(dq, dr) = self.lattice()?.directions().get(usize::from(direction))?;
        let q = dq.checked_mul(steps)?.checked_add(space.q)?;
        Some(Space::new(
            q,
            dr.checked_mul(steps)?.checked_add(space.r)?,
            space.board,
        ))
    }

    /// The direction and the steps that lead straight from `a` to `b`, if any do.
    pub fn ray_between(&self, a: Space, b: Space) -> Option<(u8, u32)> {
        if a.board != self.board || b.board != self.board {
            return None;
        }
        let lattice = self.lattice()?;
        let offset = (b.q - a.q, b.r - a.r);
        let (direction, exact) = lattice.bearing(offset)?;
        exact.then(|| (direction, lattice.length(offset)))
    }

    /// The direction in which `b` lies exactly, near or far.
    pub fn direction_between(&self, a: Space, b: Space) -> Option<u8> {
        self.ray_between(a, b).map(|(direction, _)| direction)
    }

    /// Steps between two spaces by the board's metric, holes or not; hops on a graph.
    /// `None` between boards and between regions that no path joins.
    pub fn distance(&self, a: Space, b: Space) -> Option<u32> {
        if a.board != self.board || b.board != self.board {
            return None;
        }
        match &self.kind {
            Kind::Grid { lattice, .. } => Some(lattice.length((b.q - a.q, b.r - a.r))),
            Kind::Graph(graph) if self.contains(a) && self.contains(b) => graph.hops(a.q)[b.q as usize],
            Kind::Graph(_) => None,
        }
    }

    /// The spaces at distance `n`, sorted.
    ///
    /// # Errors
    /// [`TooMany`] on a board without bounds.
    pub fn ring(&self, space: Space, n: u32) -> Result<Vec<Space>, TooMany> {
        self.around(space, n, true)
    }

    /// The spaces at distance `n` or less, `space` included, sorted.
    ///
    /// # Errors
    /// [`TooMany`] on a board without bounds.
    pub fn within(&self, space: Space, n: u32) -> Result<Vec<Space>, TooMany> {
        self.around(space, n, false)
    }

    fn around(&self, space: Space, n: u32, ring: bool) -> Result<Vec<Space>, TooMany> {
        if space.board != self.board {
            return Ok(Vec::new());
        }
        let counts = |distance: Option<u32>| distance.is_some_and(|d| if ring { d == n } else { d <= n });
        let (lattice, extent) = match &self.kind {
            Kind::Grid { lattice, extent, .. } => (*lattice, extent),
            Kind::Graph(graph) => {
                let hops = if space.r == 0 {
                    graph.hops(space.q)
                } else {
                    Vec::new()
                };
                let regions = hops.iter().enumerate().filter(|&(_, &hops)| counts(hops));
                return Ok(regions
                    .map(|(index, _)| Space::new(index as i32, 0, self.board))
                    .collect());
            }
        };
        let count = if ring {
            lattice.ring_count(n)
        } else {
            lattice.within_count(n)
        };
        if let Some(spaces) = extent.spaces()
            && spaces.len() as u64 <= count
        {
            return Ok(spaces
                .iter()
                .copied()
                .filter(|&other| counts(self.distance(space, other)))
                .collect());
        }
        if count > SPACES_LIMIT as u64 {
            return Err(TooMany);
        }
        let n = n as i32;
        let mut found = Vec::with_capacity(count as usize);
        for q in -n..=n {
            let (low, high) = lattice.column(q, n);
            // A ring has its whole edge in the outer columns and two spaces in the others.
            let stride = if ring && q.abs() < n {
                (high - low).max(1)
            } else {
                1
            };
            let rows = (low..=high).step_by(stride as usize);
            found.extend(
                rows.map(|r| space.offset(q, r))
                    .filter(|&near| self.contains(near)),
            );
        }
        Ok(found)
    }
}

fn extent(board: u8, spaces: Option<Vec<Offset>>) -> Result<Extent, ShapeError> {
    let Some(spaces) = spaces else {
        return Ok(Extent::unbounded());
    };
    if spaces.len() > SPACES_LIMIT {
        return Err(ShapeError::TooManySpaces { count: spaces.len() });
    }
    let limit = COORDINATE_LIMIT as u32;
    match spaces
        .iter()
        .find(|(q, r)| q.unsigned_abs() > limit || r.unsigned_abs() > limit)
    {
        Some(&(q, r)) => Err(ShapeError::OutsideLimit { q, r }),
        None => Ok(Extent::bounded(board, &spaces)),
    }
}

/// The neighbours of a space; see [`Topology::neighbours`].
#[derive(Clone, Debug)]
pub struct Neighbours<'a>(Near<'a>);

#[derive(Clone, Debug)]
enum Near<'a> {
    Grid {
        space: Space,
        extent: &'a Extent,
        offsets: std::slice::Iter<'static, Offset>,
    },
    Graph {
        board: u8,
        indexes: std::slice::Iter<'a, i32>,
    },
}

impl Iterator for Neighbours<'_> {
    type Item = Space;

    #[inline]
    fn next(&mut self) -> Option<Space> {
        match &mut self.0 {
            Near::Grid {
                space,
                extent,
                offsets,
            } => offsets.find_map(|&(dq, dr)| {
                let (q, r) = (space.q.wrapping_add(dq), space.r.wrapping_add(dr));
                extent
                    .contains(q, r, space.board)
                    .then_some(Space::new(q, r, space.board))
            }),
            Near::Graph { board, indexes } => indexes.next().map(|&index| Space::new(index, 0, *board)),
        }
    }
}
