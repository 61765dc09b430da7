//! Up to eight linked pieces on an endless grid in 48 bits: what a search copies, compares and hashes.

/// The most pieces of a layout.
pub const PIECES: usize = 8;

/// A place in a window of 16 by 16: `row << 4 | column`. Pieces of an unpacked layout lie from
/// [`CORNER`] on; linked as they are, they fill at most eight rows and columns, and one landing beside
/// them lies at most one further out.
pub type Spot = u8;

/// The row and column of the layout's least corner in the window.
pub const CORNER: u8 = 4;
/// The rows and columns in which a landing can touch another piece.
const REACH: std::ops::RangeInclusive<u8> = CORNER - 1..=CORNER + 8;

/// Which spots lie in [`REACH`] both ways.
static INSIDE: [bool; 256] = {
    let mut inside = [false; 256];
    let mut spot = 0;
    while spot < 256 {
        let (row, column) = (spot as u8 >> 4, spot as u8 & 15);
        inside[spot] = row >= CORNER - 1 && row <= CORNER + 8 && column >= CORNER - 1 && column <= CORNER + 8;
        spot += 1;
    }
    inside
};

pub(super) fn inside(spot: Spot) -> bool {
    INSIDE[usize::from(spot)]
}

/// The spots up to a row and column at which a landing can touch a piece, row by row.
pub(super) fn reach(high: (u8, u8)) -> impl Iterator<Item = Spot> {
    let columns = move || *REACH.start()..=high.1.min(*REACH.end());
    (*REACH.start()..=high.0.min(*REACH.end()))
        .flat_map(move |row| columns().map(move |column| row << 4 | column))
}

/// The directions of a grid; spaces one step apart are neighbours, and linked pieces are neighbours of neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    steps: Vec<(i32, i32)>,
    /// The same as differences of spots.
    deltas: Vec<i16>,
    /// Bit `32 + delta` for each.
    near: u64,
}

impl Grid {
    /// From the steps of the directions, in the board's order. `None` unless each goes at most one
    /// row and column.
    pub fn new(steps: &[(i32, i32)]) -> Option<Self> {
        if steps.is_empty() || steps.len() > 8 || steps.iter().any(|(q, r)| q.abs() > 1 || r.abs() > 1) {
            return None;
        }
        let deltas: Vec<i16> = steps.iter().map(|&(q, r)| (r * 16 + q) as i16).collect();
        let near = deltas.iter().fold(0, |near, delta| near | 1 << (32 + delta));
        Some(Self {
            steps: steps.to_vec(),
            deltas,
            near,
        })
    }

    pub fn directions(&self) -> usize {
        self.steps.len()
    }

    /// The direction that leads back.
    pub(super) fn opposite(&self, direction: u8) -> Option<u8> {
        let (q, r) = self.steps[usize::from(direction)];
        let back = self.steps.iter().position(|&step| step == (-q, -r))?;
        Some(back as u8)
    }

    #[inline]
    pub(super) fn from(&self, spot: Spot, direction: u8) -> Spot {
        (i16::from(spot) + self.deltas[usize::from(direction)]) as Spot
    }

    pub(super) fn around(&self, spot: Spot) -> impl Iterator<Item = Spot> + '_ {
        self.deltas
            .iter()
            .map(move |delta| (i16::from(spot) + delta) as Spot)
    }

    /// Whether two spots are neighbours.
    #[inline]
    pub fn adjacent(&self, a: Spot, b: Spot) -> bool {
        let delta = i16::from(b) - i16::from(a);
        (-31..=31).contains(&delta) && self.near >> (32 + delta) & 1 == 1
    }

    /// Whether the pieces hang together. They are bits of a window whose rows have a ninth, empty column, so
    /// that a shift never joins the end of one row with the next.
    pub fn linked(&self, pieces: &Pieces) -> bool {
        let (row, column) = pieces.corner();
        let mut all = 0u128;
        for spot in pieces.spots() {
            let (row, column) = ((spot >> 4) - row, (spot & 15) - column);
            if row > 7 || column > 7 {
                return false;
            }
            all |= 1 << (row * 9 + column);
        }
        let mut reached = all & all.wrapping_neg();
        loop {
            let grown = all & self.grown(reached);
            if grown == reached {
                return reached == all;
            }
            reached = grown;
        }
    }

    #[inline]
    fn grown(&self, set: u128) -> u128 {
        // All eight directions: along the row, then up and down.
        if self.steps.len() == 8 {
            let wide = set | set << 1 | set >> 1;
            return wide | wide << 9 | wide >> 9;
        }
        self.steps.iter().fold(set, |grown, &(q, r)| match r * 9 + q {
            shift @ 0.. => grown | set << shift,
            shift => grown | set >> -shift,
        })
    }
}

/// A layout unpacked into the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    pub(super) at: [Spot; PIECES],
    pub(super) count: u8,
}

impl Pieces {
    /// From spaces `(q, r)`, with the space that comes to lie in the window's corner. `None` for no
    /// pieces, more than [`PIECES`], two on one space, or a spread of more than eight rows or columns.
    pub fn new(spaces: &[(i32, i32)]) -> Option<(Self, (i32, i32))> {
        if spaces.is_empty() || spaces.len() > PIECES {
            return None;
        }
        let q = spaces.iter().map(|s| s.0).min()?;
        let r = spaces.iter().map(|s| s.1).min()?;
        let mut at = [0; PIECES];
        for (i, space) in spaces.iter().enumerate() {
            let (column, row) = (space.0.abs_diff(q), space.1.abs_diff(r));
            if column > 7 || row > 7 || spaces[..i].contains(space) {
                return None;
            }
            at[i] = (row as u8 + CORNER) << 4 | (column as u8 + CORNER);
        }
        Some((
            Self {
                at,
                count: spaces.len() as u8,
            },
            (q, r),
        ))
    }

    pub fn spots(&self) -> &[Spot] {
        &self.at[..usize::from(self.count)]
    }

    pub(super) fn all(&self) -> u8 {
        (((1u16) << self.count) - 1) as u8
    }

    /// The least row and column.
    #[inline]
    pub(super) fn corner(&self) -> (u8, u8) {
        let spots = self.spots().iter();
        spots.fold((15, 15), |(row, column), spot| {
            (row.min(spot >> 4), column.min(spot & 15))
        })
    }

    /// One number of 48 bits: the same for two layouts just when one is the other shifted.
    #[inline]
    pub fn pack(&self) -> u64 {
        let (row, column) = self.corner();
        let mut key = 0;
        for (i, spot) in self.spots().iter().enumerate() {
            let place = ((spot >> 4) - row) << 3 | ((spot & 15) - column);
            key |= u64::from(place) << (6 * i);
        }
        key
    }

    #[inline]
    pub fn unpack(key: u64, count: u8) -> Self {
        let mut at = [0; PIECES];
        for (i, spot) in at[..usize::from(count)].iter_mut().enumerate() {
            let place = (key >> (6 * i)) as u8 & 63;
            *spot = ((place >> 3) + CORNER) << 4 | ((place & 7) + CORNER);
        }
        Self { at, count }
    }
}
