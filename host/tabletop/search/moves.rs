//! How pieces may move, declared rather than called, so that a search can list moves without a script.
use super::grid::{Grid, PIECES, Pieces, Spot, inside, reach};

/// One way of changing a layout. After it all pieces must be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A piece travels straight and lands on an empty space, as in [`rays`](crate::tabletop::board::rays);
    /// `pushes` goes one space and shoves the pieces ahead. `directions` are bits.
    Ray {
        piece: u8,
        directions: u8,
        min: u8,
        max: u8,
        passes: u8,
        pushes: bool,
    },
    /// One of some pieces is lifted, if it stands beside one of `from`, and set down on an empty space beside
    /// one of `to`. All three are bits; with none in `from` or `to` that doesn't matter.
    Place { pieces: u8, from: u8, to: u8 },
    /// Any two pieces change places, or only two neighbours.
    Swap { beside: bool },
}

/// A change that keeps the pieces linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// One piece goes elsewhere.
    Step {
        piece: u8,
        to: Spot,
    },
    /// A piece and those before it go one space.
    Push {
        piece: u8,
        pieces: Pieces,
    },
    Swap {
        one: u8,
        other: u8,
    },
}

impl Change {
    #[inline]
    pub fn apply(&self, pieces: &Pieces) -> Pieces {
        let mut after = *pieces;
        match *self {
            Self::Step { piece, to } => after.at[usize::from(piece)] = to,
            Self::Push { pieces, .. } => after = pieces,
            Self::Swap { one, other } => after.at.swap(usize::from(one), usize::from(other)),
        }
        after
    }

    /// The piece that moves by itself, if one does.
    pub fn mover(&self) -> Option<u8> {
        match *self {
            Self::Step { piece, .. } | Self::Push { piece, .. } => Some(piece),
            Self::Swap { .. } => None,
        }
    }
}

/// A layout with what is needed to list its changes.
pub struct Expansion<'a> {
    grid: &'a Grid,
    pub pieces: Pieces,
    /// By spot, the bit of the piece there, and the bits of the pieces beside it.
    on: [u8; 256],
    touch: [u8; 256],
    /// By lifted piece: the groups that the others form then, and how many; 0 until asked for.
    groups: [[u8; PIECES]; PIECES],
    grouped: [u8; PIECES],
    /// The last row and column where a landing can touch a piece.
    high: (u8, u8),
}

impl<'a> Expansion<'a> {
    pub fn new(grid: &'a Grid, pieces: Pieces) -> Self {
        let (mut on, mut touch) = ([0; 256], [0; 256]);
        let mut high = (0, 0);
        for (i, &spot) in pieces.spots().iter().enumerate() {
            on[usize::from(spot)] = 1 << i;
            high = (high.0.max((spot >> 4) + 1), high.1.max((spot & 15) + 1));
            for beside in grid.around(spot) {
                touch[usize::from(beside)] |= 1 << i;
            }
        }
        Self {
            grid,
            pieces,
            on,
            touch,
            groups: [[0; PIECES]; PIECES],
            grouped: [0; PIECES],
            high,
        }
    }

    /// The bit of the piece on a spot, or 0.
    #[inline]
    pub fn on(&self, spot: Spot) -> u8 {
        self.on[usize::from(spot)]
    }

    pub fn adjacent(&self, one: u8, other: u8) -> bool {
        self.grid.adjacent(
            self.pieces.at[usize::from(one)],
            self.pieces.at[usize::from(other)],
        )
    }

    fn group(&mut self, piece: u8) {
        let lifted = usize::from(piece);
        if self.grouped[lifted] != 0 {
            return;
        }
        let mut left = self.pieces.all() & !(1 << piece);
        let mut count = 0;
        while left != 0 {
            let mut group = left & left.wrapping_neg();
            let mut open = group;
            while open != 0 {
                let spot = self.pieces.at[open.trailing_zeros() as usize];
                let more = self.touch[usize::from(spot)] & left & !group;
                open = (open & (open - 1)) | more;
                group |= more;
            }
            self.groups[lifted][count] = group;
            count += 1;
            left &= !group;
        }
        self.grouped[lifted] = count as u8;
    }

    /// Whether all are linked once the lifted piece is put down; [`Self::group`] was called.
    #[inline]
    fn holds(&self, piece: u8, to: Spot) -> bool {
        let lifted = usize::from(piece);
        let touched = self.touch[usize::from(to)];
        let groups = &self.groups[lifted][..usize::from(self.grouped[lifted])];
        groups.iter().all(|group| group & touched != 0)
    }

    /// Calls `found` for each change of one way, in a fixed order. A push of all pieces changes nothing
    /// that a layout holds and is left out.
    pub fn each(&mut self, way: &Way, found: impl FnMut(Change)) {
        self.each_wanted(way, u8::MAX, |_, _| true, found);
    }

    /// As [`Self::each`], but where one piece goes to a spot by itself, only if the piece's bit is in `movers`
    /// and that is `wanted`.
    #[inline]
    pub fn each_wanted(
        &mut self,
        way: &Way,
        movers: u8,
        wanted: impl Fn(u8, Spot) -> bool,
        mut found: impl FnMut(Change),
    ) {
        match *way {
            Way::Ray {
                piece,
                pushes: true,
                directions,
                ..
            } => {
                self.group(piece);
                for direction in bits(directions) {
                    self.push(piece, direction, &wanted, &mut found);
                }
            }
            Way::Ray {
                piece,
                directions,
                min,
                max,
                passes,
                ..
            } => {
                if movers >> piece & 1 == 0 {
                    return;
                }
                self.group(piece);
                let high = self.high;
                for direction in bits(directions) {
                    let (mut to, mut passed) = (self.pieces.at[usize::from(piece)], 0);
                    for length in 1..=max {
                        to = self.grid.from(to, direction);
                        if !inside(to) || to >> 4 > high.0 || to & 15 > high.1 {
                            break;
                        }
                        if self.on(to) != 0 {
                            passed += 1;
                        } else if length >= min
                            && passed >= passes
                            && wanted(piece, to)
                            && self.holds(piece, to)
                        {
                            found(Change::Step { piece, to });
                        }
                    }
                }
            }
            Way::Place { pieces, from, to } => {
                for piece in bits(pieces & movers & self.pieces.all()) {
                    if from == 0 || self.touch[usize::from(self.pieces.at[usize::from(piece)])] & from != 0 {
                        self.place(piece, to & !(1 << piece), to == 0, &wanted, &mut found);
                    }
                }
            }
            Way::Swap { beside } => {
                for one in 0..self.pieces.count {
                    for other in one + 1..self.pieces.count {
                        if !beside || self.adjacent(one, other) {
                            found(Change::Swap { one, other });
                        }
                    }
                }
            }
        }
    }

    /// Sets a piece down beside one of some pieces, or anywhere.
    fn place(
        &mut self,
        piece: u8,
        beside: u8,
        anywhere: bool,
        wanted: &impl Fn(u8, Spot) -> bool,
        found: &mut impl FnMut(Change),
    ) {
        self.group(piece);
        let mut put = |to: Spot| {
            if self.on(to) == 0 && wanted(piece, to) && self.holds(piece, to) {
                found(Change::Step { piece, to });
            }
        };
        if beside.count_ones() == 1 {
            let centre = self.pieces.at[beside.trailing_zeros() as usize];
            self.grid.around(centre).for_each(put);
        } else {
            let near = |to: &Spot| anywhere || self.touch[usize::from(*to)] & beside != 0;
            reach(self.high).filter(near).for_each(&mut put);
        }
    }

    fn push(
        &self,
        piece: u8,
        direction: u8,
        wanted: &impl Fn(u8, Spot) -> bool,
        found: &mut impl FnMut(Change),
    ) {
        let mut after = self.pieces;
        let (mut moving, mut spot, mut moved) = (piece, self.pieces.at[usize::from(piece)], 0);
        loop {
            spot = self.grid.from(spot, direction);
            after.at[usize::from(moving)] = spot;
            moved += 1;
            match self.on(spot) {
                0 => break,
                next => moving = next.trailing_zeros() as u8,
            }
        }
        if moved == 1 {
            if wanted(piece, spot) && self.holds(piece, spot) {
                found(Change::Step { piece, to: spot });
            }
        } else if moved < self.pieces.count && self.grid.linked(&after) {
            found(Change::Push { piece, pieces: after });
        }
    }
}

pub(super) fn bits(mut mask: u8) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as u8;
        mask &= mask.wrapping_sub(1);
        (next < 8).then_some(next)
    })
}
