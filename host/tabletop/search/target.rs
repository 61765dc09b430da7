//! Patterns of packed layouts.
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
pub(super) struct Laid {
    /// Negative for forms after the first, whose layings have numbers of their own.
    pub(super) offset: i16,
    pub(super) fits: u8,
}

/// A pattern that may be laid anywhere, not turned; or any one of several with as many places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    forms: Vec<Form>,
    /// The places of all forms.
    laid: Vec<Laid>,
    /// Places of a form.
    pub(super) count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    places: Vec<Place>,
    /// Pieces that some place needs fit nowhere else.
    needed: u8,
}

/// The most forms of a target.
pub const FORMS: usize = 4;

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
    pub(super) fn laid(&self) -> &[Laid] {
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
pub(super) const ROW: i16 = 32;
pub(super) const LAYINGS: usize = (16 + 7) * ROW as usize;
