//! Patterns of packed layouts, and how many steps a layout is away from one at least.
//!
//! A pattern laid anywhere gets a vote from each of its places that is taken, and a second one if the
//! right piece stands there. A step, a push of a whole line too, takes one space more at most; a step of
//! one piece mends one place, a swap two. The best laying bounds the steps from below.
use super::grid::{CORNER, PIECES, Pieces, Spot};
use super::moves::Expansion;

/// One place of a pattern, by row and column, and the piece that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub row: u8,
    pub column: u8,
    pub needs: Option<u8>,
}

/// A place as votes are counted for it: its distance from the corner's laying, and the pieces that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Laid {
    /// Negative for forms after the first, whose layings have numbers of their own.
    offset: i16,
    fits: u8,
}

/// A pattern that may be laid anywhere, not turned; or any one of several with as many places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    forms: Vec<Form>,
    /// The places of all forms.
    laid: Vec<Laid>,
    /// Places of a form.
    count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    places: Vec<Place>,
    /// Pieces that some place needs fit nowhere else.
    needed: u8,
}

/// The most forms of a target.
pub const FORMS: usize = 4;

/// What a searcher can still do to a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means {
    /// Steps and pushes at most.
    pub steps: u8,
    /// Of these, how many cost nothing of the first kind, and how many nothing at all.
    pub free: u8,
    pub gratis: u8,
    pub swaps: u8,
    /// Whether a step may be a push.
    pub pushes: bool,
    /// How many paid steps can surely follow, whatever the layout.
    pub sure: u8,
    pub aim: Aim,
}

/// What a state needs of a layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// The target.
    #[default]
    Target,
    /// What it is that brings the target into reach: a target of its own, by number among those of a search,
    /// which every layout fits that fits the target.
    Other(u8),
    /// Nothing: whoever gets here is there.
    Nothing,
}

/// By whether pieces may be pushed, swaps, and places not taken and not taken rightly: the fewest steps.
static NEEDS: [[[[u8; SIDES]; SIDES]; SWAPS]; 2] = {
    let mut needs = [[[[0; SIDES]; SIDES]; SWAPS]; 2];
    let mut swaps = 0;
    while swaps < SWAPS {
        let mut empty = 0;
        while empty < SIDES {
            let mut wrong = 0;
            while wrong < SIDES {
                let mended = wrong.saturating_sub(2 * swaps);
                let pushed: u8 = if wrong > 0 && swaps == 0 { 1 } else { 0 };
                needs[0][swaps][empty][wrong] = if empty > mended { empty as u8 } else { mended as u8 };
                needs[1][swaps][empty][wrong] = if empty > pushed as usize {
                    empty as u8
                } else {
                    pushed
                };
                wrong += 1;
            }
            empty += 1;
        }
        swaps += 1;
    }
    needs
};

const SIDES: usize = PIECES + 1;
/// More swaps than this mend no more.
const SWAPS: usize = PIECES / 2 + 1;

impl Means {
    /// The fewest steps for a layout with so many places not taken rightly, whichever they are.
    #[inline]
    pub fn least(self, wrong: u8) -> u8 {
        self.needs()[0][usize::from(wrong).min(PIECES)]
    }

    /// The swaps, as far as it matters how many they are.
    #[inline]
    pub(super) fn telling_swaps(self) -> u8 {
        self.swaps.min(SWAPS as u8 - 1)
    }

    #[inline]
    fn needs(self) -> &'static [[u8; SIDES]; SIDES] {
        &NEEDS[usize::from(self.pushes)][usize::from(self.telling_swaps())]
    }
}

/// How far a layout is away from a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The fewest steps.
    pub need: u8,
    /// Places not taken rightly in the best laying: an estimate, and 0 just when the pattern is there.
    pub wrong: u8,
}

impl Gap {
    const FAR: Self = Self {
        need: u8::MAX,
        wrong: u8::MAX,
    };

    #[inline]
    fn least(self, other: Self) -> Self {
        Self {
            need: self.need.min(other.need),
            wrong: self.wrong.min(other.wrong),
        }
    }
}

impl Target {
    /// `exact`: every piece of `count` stands on a place of the pattern. Of `forms`, lists of as many places each,
    /// any one will do; those that linked pieces can't fill are left out.
    pub fn new(forms: &[&[Place]], count: u8, exact: bool) -> Self {
        let forms: Vec<Form> = forms
            .iter()
            .filter_map(|places| Form::new(places, count, exact))
            .take(FORMS)
            .collect();
        let mut laid = Vec::new();
        for (number, form) in forms.iter().enumerate() {
            laid.extend(form.places.iter().map(|place| Laid {
                offset: i16::from(place.row) * ROW + i16::from(place.column) - (number * LAYINGS) as i16,
                fits: place.needs.map_or(!form.needed, |n| 1 << n),
            }));
        }
        Self {
            count: forms.first().map_or(0, |form| form.places.len()),
            forms,
            laid,
        }
    }

    /// Every layout of so many pieces that is the pattern and nothing else; `None` if there are too many.
    pub(super) fn layouts(&self, count: u8) -> Option<Vec<Pieces>> {
        let mut all = Vec::new();
        for form in &self.forms {
            all.extend(form.layouts(count)?);
        }
        (!all.is_empty() && all.len() <= LAYOUTS).then_some(all)
    }

    /// No places for a pattern that is never found.
    #[inline]
    fn laid(&self) -> &[Laid] {
        &self.laid
    }

    /// Whether it can matter that two pieces change places.
    pub fn tells_apart(&self, one: u8, other: u8) -> bool {
        let mut needed = self.forms.iter().map(|form| form.needed);
        needed.any(|needed| (needed >> one | needed >> other) & 1 == 1)
    }

    /// Whether the pattern is found among the pieces.
    pub fn is_in(&self, layout: &Expansion) -> bool {
        self.forms.iter().any(|form| form.is_in(layout))
    }
}

impl Form {
    /// `None` if linked pieces can't fill it.
    fn new(places: &[Place], count: u8, exact: bool) -> Option<Self> {
        let mut places = places.to_vec();
        let row = places.iter().map(|p| p.row).min()?;
        let column = places.iter().map(|p| p.column).min()?;
        for place in &mut places {
            place.row -= row;
            place.column -= column;
        }
        let twice = (1..places.len()).any(|i| {
            places[..i].iter().any(|p| {
                (p.row, p.column) == (places[i].row, places[i].column)
                    || (p.needs.is_some() && p.needs == places[i].needs)
            })
        });
        let count = usize::from(count);
        let never = twice
            || places.len() > count
            || (exact && places.len() != count)
            || places
                .iter()
                .any(|p| p.row > 7 || p.column > 7 || p.needs.is_some_and(|n| usize::from(n) >= count));
        let needed = places
            .iter()
            .filter_map(|p| p.needs)
            .fold(0, |bits, n| bits | 1u8.checked_shl(n.into()).unwrap_or(0));
        (!never).then_some(Self { places, needed })
    }

    fn layouts(&self, count: u8) -> Option<Vec<Pieces>> {
        if self.places.len() != usize::from(count) {
            return None;
        }
        let mut all = vec![(
            Pieces {
                at: [0; PIECES],
                count,
            },
            0u8,
        )];
        for place in &self.places {
            let spot = (place.row + CORNER) << 4 | (place.column + CORNER);
            let mut next = Vec::new();
            for (pieces, placed) in all {
                for piece in 0..count {
                    let fits = place
                        .needs
                        .map_or(self.needed >> piece & 1 == 0, |needed| needed == piece);
                    if fits && placed >> piece & 1 == 0 {
                        let mut more = pieces;
                        more.at[usize::from(piece)] = spot;
                        next.push((more, placed | 1 << piece));
                    }
                }
            }
            if next.len() > LAYOUTS {
                return None;
            }
            all = next;
        }
        Some(all.into_iter().map(|(pieces, _)| pieces).collect())
    }

    fn is_in(&self, layout: &Expansion) -> bool {
        let hook = self
            .places
            .iter()
            .find(|p| p.needs.is_some())
            .unwrap_or(&self.places[0]);
        let laid = |hung: Spot| {
            self.places.iter().all(|place| {
                let row = (hung >> 4) as i16 + i16::from(place.row) - i16::from(hook.row);
                let column = (hung & 15) as i16 + i16::from(place.column) - i16::from(hook.column);
                if !(0..16).contains(&row) || !(0..16).contains(&column) {
                    return false;
                }
                let on = layout.on((row << 4 | column) as Spot);
                on != 0 && place.needs.map_or(on & self.needed == 0, |n| on == 1 << n)
            })
        };
        match hook.needs {
            Some(piece) => laid(layout.pieces.at[usize::from(piece)]),
            None => layout.pieces.spots().iter().any(|&spot| laid(spot)),
        }
    }
}

/// More layouts than this of one pattern are not listed.
const LAYOUTS: usize = 1_000;

/// Layings are numbered by where the pattern's corner lies; rows are 32 wide, so that none coincide.
const ROW: i16 = 32;
const LAYINGS: usize = (16 + 7) * ROW as usize;

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
