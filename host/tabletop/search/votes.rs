//! How many steps a layout is away from a target at least.
//!
//! A pattern laid anywhere gets a vote from each of its places that is taken, and a second one if the
//! right piece stands there. A step, a push of a whole line too, takes one space more at most; a step of
//! one piece mends one place, a swap two. The best laying bounds the steps from below.
use super::grid::{CORNER, PIECES, Pieces, Spot};
use super::means::{Gap, Means, SIDES};
use super::moves::Expansion;
use super::target::{FORMS, LAYINGS, ROW, Target};

/// Where a pattern's corner would lie that has its place `offset` on a spot.
#[inline]
fn laying(spot: Spot, offset: i16) -> usize {
    let spot = i16::from(spot);
    (((spot >> 4) + 7) * ROW + (spot & 15) + 7 - offset) as usize
}

/// The spot of a laying's place; the window's last one, which is never in reach, if it lies outside.
#[inline]
fn spot_at(laying: u16, offset: i16) -> Spot {
    let at = laying as i16 + offset;
    let (row, column) = (at / ROW - 7, at % ROW - 7);
    if (0..16).contains(&row) && (0..16).contains(&column) {
        (row << 4 | column) as Spot
    } else {
        Spot::MAX
    }
}

/// Votes for a laying: how many of its places are taken, and how many rightly.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Vote {
    taken: u8,
    right: u8,
}

/// By how many places are taken rightly: how many are taken at most; one more, so that 0 is none.
type Best = [u8; SIDES];

/// The votes for one layout and target.
pub struct Votes {
    votes: Box<[Vote; LAYINGS * FORMS]>,
    /// The layings with votes, and how many.
    laid: [u16; PIECES * PIECES * FORMS],
    count: usize,
    best: Best,
    /// By lifted piece, once asked for; a bit tells.
    lifted: [Best; PIECES],
    known: u8,
    /// The piece whose votes are away.
    up: Option<u8>,
}

impl Default for Votes {
    fn default() -> Self {
        Self {
            votes: Box::new([Vote::default(); LAYINGS * FORMS]),
            laid: [0; PIECES * PIECES * FORMS],
            count: 0,
            best: Best::default(),
            lifted: [Best::default(); PIECES],
            known: 0,
            up: None,
        }
    }
}

impl Votes {
    pub fn count(&mut self, target: &Target, pieces: &Pieces) {
        for &laying in &self.laid[..self.count] {
            self.votes[usize::from(laying)] = Vote::default();
        }
        (self.count, self.known, self.up) = (0, 0, None);
        for (piece, &spot) in pieces.spots().iter().enumerate() {
            for place in target.laid() {
                let at = laying(spot, place.offset);
                let vote = &mut self.votes[at];
                if vote.taken == 0 {
                    self.laid[self.count] = at as u16;
                    self.count += 1;
                }
                vote.taken += 1;
                vote.right += place.fits >> piece & 1;
            }
        }
        self.best = self.best();
    }

    fn best(&self) -> Best {
        // Two at a time, for a slot that was just written is slow to read.
        let (mut best, mut other) = (Best::default(), Best::default());
        let put = |best: &mut Best, laying: u16| {
            let vote = self.votes[usize::from(laying)];
            let most = &mut best[usize::from(vote.right)];
            *most = (*most).max(vote.taken + 1);
        };
        let (pairs, rest) = self.laid[..self.count].as_chunks::<2>();
        for &[one, two] in pairs {
            put(&mut best, one);
            put(&mut other, two);
        }
        for &laying in rest {
            put(&mut best, laying);
        }
        best.iter_mut()
            .zip(other)
            .for_each(|(most, other)| *most = (*most).max(other));
        best
    }

    pub fn gap(&self, target: &Target, means: Means) -> Gap {
        gap(&self.best, target, means)
    }

    /// Lifts a piece, so that its steps can be judged; the one lifted before is put back. Returns the gap
    /// without it.
    #[inline]
    pub fn lift(&mut self, target: &Target, means: Means, pieces: &Pieces, piece: u8) -> Gap {
        let lifted = usize::from(piece);
        if self.up != Some(piece) {
            self.put_back(target, pieces);
            self.up = Some(piece);
            for place in target.laid() {
                let vote = &mut self.votes[laying(pieces.at[lifted], place.offset)];
                vote.taken -= 1;
                vote.right -= place.fits >> piece & 1;
            }
            if self.known >> piece & 1 == 0 {
                self.known |= 1 << piece;
                self.lifted[lifted] = self.best();
            }
        }
        gap(&self.lifted[lifted], target, means)
    }

    /// Marks where a piece must go for a laying with so many right places to win one more: by spot, the
    /// bits of the pieces. Returns the bits of all that are marked. No piece is lifted.
    pub fn mark_nearer(&self, target: &Target, layout: &Expansion, wrong: u8, marks: &mut [u8; 256]) -> u8 {
        marks.fill(0);
        let mut all = 0;
        let right = target.count as u8 - wrong;
        for &at in &self.laid[..self.count] {
            if self.votes[usize::from(at)].right != right {
                continue;
            }
            let form = usize::from(at) / LAYINGS * target.count;
            let spots = target.laid()[form..form + target.count]
                .iter()
                .map(|place| (spot_at(at, place.offset), place.fits));
            let there = spots
                .clone()
                .fold(0, |there, (spot, fits)| there | layout.on(spot) & fits);
            for (spot, fits) in spots {
                if layout.on(spot) == 0 {
                    marks[usize::from(spot)] |= fits & !there;
                    all |= fits & !there;
                }
            }
        }
        all & layout.pieces.all()
    }

    /// The gap once two pieces have changed places.
    pub fn swapped(&mut self, target: &Target, means: Means, pieces: &Pieces, one: u8, other: u8) -> Gap {
        self.put_back(target, pieces);
        let (here, there) = (pieces.at[usize::from(one)], pieces.at[usize::from(other)]);
        self.replace(target, here, one, other);
        self.replace(target, there, other, one);
        let best = self.best();
        self.replace(target, here, other, one);
        self.replace(target, there, one, other);
        gap(&best, target, means)
    }

    /// Counts another piece where one stands.
    fn replace(&mut self, target: &Target, spot: Spot, gone: u8, come: u8) {
        for place in target.laid() {
            let right = &mut self.votes[laying(spot, place.offset)].right;
            *right = right
                .wrapping_sub(place.fits >> gone & 1)
                .wrapping_add(place.fits >> come & 1);
        }
    }

    /// Puts the lifted piece back where it was.
    pub fn put_back(&mut self, target: &Target, pieces: &Pieces) {
        if let Some(piece) = self.up.take() {
            for place in target.laid() {
                let vote = &mut self.votes[laying(pieces.at[usize::from(piece)], place.offset)];
                vote.taken += 1;
                vote.right += place.fits >> piece & 1;
            }
        }
    }

    /// The gap once the lifted piece stands on `to`, from that without it.
    #[inline]
    pub fn gap_at(&self, target: &Target, means: Means, lifted: Gap, piece: u8, to: Spot) -> Gap {
        let (needs, count) = (means.needs(), target.count);
        let mut least = lifted;
        for place in target.laid() {
            let vote = self.votes[laying(to, place.offset)];
            let empty = count - 1 - usize::from(vote.taken);
            let wrong = count - usize::from(vote.right + (place.fits >> piece & 1));
            least = least.least(Gap {
                need: needs[empty][wrong],
                wrong: wrong as u8,
            });
        }
        least
    }
}

fn gap(best: &Best, target: &Target, means: Means) -> Gap {
    let (needs, count) = (means.needs(), target.count);
    let mut least = Gap::FAR;
    for (right, &taken) in best[..=count].iter().enumerate() {
        if taken > 0 {
            let (empty, wrong) = (count + 1 - usize::from(taken), count - right);
            least = least.least(Gap {
                need: needs[empty][wrong],
                wrong: wrong as u8,
            });
        }
    }
    least
}

const _: () = assert!((CORNER as usize + 8 + 7) < 16 + 7, "a landing's layings fit");
