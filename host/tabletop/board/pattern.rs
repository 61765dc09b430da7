//! Patterns of pieces: where on the board an arrangement is found or can be laid.
use super::{Lattice, Offset, Orientation};
use crate::tabletop::{Space, effort};

/// One place of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub offset: Offset,
    /// The caller's number of a requirement; `None` for a place that any piece fills.
    pub needs: Option<u32>,
}

/// Places relative to an origin, which need not be a place itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Place>);

/// How much of what lies on the board a pattern must account for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Every piece given stands on a place of the pattern.
    Exact,
    /// Pieces beside the pattern don't matter.
    Subset,
}

/// An image of a pattern on the board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placement {
    /// Where the pattern's origin lies.
    pub origin: Space,
    pub orientation: Orientation,
    /// The space of each place, in the pattern's order.
    pub spaces: Vec<Space>,
}

impl Pattern {
    /// The order of the places is kept: answers list their spaces in it. Of two places at one offset
    /// the first is kept.
    pub fn new(places: impl IntoIterator<Item = Place>) -> Self {
        let mut kept: Vec<Place> = Vec::new();
        for place in places {
            if kept.iter().all(|other| other.offset != place.offset) {
                kept.push(place);
            }
        }
        Self(kept)
    }

    pub fn places(&self) -> &[Place] {
        &self.0
    }

    /// Every image of the pattern with its origin on one of `origins`, in the order of `origins`, then
    /// of `orientations`. Images that cover the same spaces with the same needs come once. Whether they
    /// lie on the board is not asked.
    pub fn placements(
        &self,
        lattice: Lattice,
        origins: &[Space],
        orientations: &[Orientation],
    ) -> Vec<Placement> {
        let mut kept = Images::default();
        for &origin in origins {
            for &orientation in orientations {
                if effort::is_spent() {
                    break;
                }
                kept.add(self, self.lay(lattice, origin, orientation));
            }
        }
        kept.placements
    }

    /// Where the pattern is found among `pieces` (the spaces that are taken), sorted by origin, then
    /// orientation; images that cover the same spaces with the same needs come once.
    ///
    /// `fits(space, need)` says whether what stands on a taken space meets a requirement; `origins`
    /// may restrict where the origin lies.
    pub fn matches(
        &self,
        lattice: Lattice,
        pieces: &[Space],
        mode: Mode,
        orientations: &[Orientation],
        origins: Option<&[Space]>,
        mut fits: impl FnMut(Space, u32) -> bool,
    ) -> Vec<Placement> {
        let mut taken = pieces.to_vec();
        taken.sort_unstable();
        taken.dedup();
        let count = self.0.len();
        if taken.len() < count || (mode == Mode::Exact && taken.len() > count) {
            return Vec::new();
        }
        // A place with a requirement has the fewest candidates, so the pattern is hung up on it.
        let Some(hook) = self
            .0
            .iter()
            .find(|place| place.needs.is_some())
            .or(self.0.first())
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for &piece in &taken {
            if hook.needs.is_some_and(|need| !fits(piece, need)) {
                continue;
            }
            for &orientation in orientations {
                if effort::is_spent() {
                    break;
                }
                let (q, r) = lattice.orient(hook.offset, orientation);
                let origin = piece.offset(-q, -r);
                if origins.is_some_and(|origins| !origins.contains(&origin)) {
                    continue;
                }
                let all_taken = self.0.iter().all(|place| {
                    let space = shifted(lattice, origin, place.offset, orientation);
                    taken.binary_search(&space).is_ok() && place.needs.is_none_or(|need| fits(space, need))
                });
                if all_taken {
                    found.push(self.lay(lattice, origin, orientation));
                }
            }
        }
        found.sort_unstable();
        let mut kept = Images::default();
        for placement in found {
            if effort::is_spent() {
                break;
            }
            kept.add(self, placement);
        }
        kept.placements
    }

    fn lay(&self, lattice: Lattice, origin: Space, orientation: Orientation) -> Placement {
        let spaces = self
            .0
            .iter()
            .map(|place| shifted(lattice, origin, place.offset, orientation))
            .collect();
        Placement {
            origin,
            orientation,
            spaces,
        }
    }
}

fn shifted(lattice: Lattice, origin: Space, offset: Offset, orientation: Orientation) -> Space {
    let (q, r) = lattice.orient(offset, orientation);
    origin.offset(q, r)
}

/// Placements in order of arrival, without those that look like an earlier one.
#[derive(Default)]
struct Images {
    seen: std::collections::BTreeSet<Vec<(Space, Option<u32>)>>,
    placements: Vec<Placement>,
}

impl Images {
    fn add(&mut self, pattern: &Pattern, placement: Placement) {
        let needs = pattern.0.iter().map(|place| place.needs);
        let mut image: Vec<_> = placement.spaces.iter().copied().zip(needs).collect();
        image.sort_unstable();
        if self.seen.insert(image) {
            self.placements.push(placement);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPRIGHT: [Orientation; 1] = [Orientation { flip: false, turn: 0 }];
    const RED: u32 = 7;

    fn at(q: i32, r: i32) -> Space {
        Space::new(q, r, 0)
    }

    /// `#` any piece, `R` a red one.
    fn pattern(rows: &[&str]) -> Pattern {
        let places = rows.iter().enumerate().flat_map(|(r, row)| {
            row.chars()
                .enumerate()
                .filter(|&(_, mark)| mark != '.')
                .map(move |(q, mark)| Place {
                    offset: (q as i32, r as i32),
                    needs: (mark == 'R').then_some(RED),
                })
        });
        Pattern::new(places)
    }

    fn origins(pattern: &Pattern, mode: Mode, orientations: &[Orientation]) -> Vec<Space> {
        // A red stone at (7,-4) and five others in a block of three by two.
        let stones: Vec<Space> = (0..3)
            .flat_map(|q| (0..2).map(move |r| at(7 + q, r - 4)))
            .collect();
        let found = pattern.matches(
            Lattice::Square8,
            &stones,
            mode,
            orientations,
            None,
            |space, need| need == RED && space == at(7, -4),
        );
        found.iter().map(|placement| placement.origin).collect()
    }

    #[test]
    fn an_exact_match_uses_every_piece_wherever_it_lies() {
        assert_eq!(
            origins(&pattern(&["R##", "###"]), Mode::Exact, &UPRIGHT),
            [at(7, -4)]
        );
        assert!(origins(&pattern(&["#R#", "###"]), Mode::Exact, &UPRIGHT).is_empty());
        assert!(origins(&pattern(&["R##", "##."]), Mode::Exact, &UPRIGHT).is_empty());
        assert!(origins(&pattern(&["R##", "###", "#.."]), Mode::Subset, &UPRIGHT).is_empty());
    }

    #[test]
    fn turned_and_mirrored_images_count_only_when_asked() {
        let quarter = Lattice::Square8.orientations(true, false);
        assert!(origins(&pattern(&["#R", "##", "##"]), Mode::Exact, &UPRIGHT).is_empty());
        assert!(origins(&pattern(&["#R", "##", "##"]), Mode::Exact, &quarter).len() == 1);
        let mirrored = Lattice::Square8.orientations(false, true);
        assert!(origins(&pattern(&["##R", "###"]), Mode::Exact, &UPRIGHT).is_empty());
        assert_eq!(
            origins(&pattern(&["##R", "###"]), Mode::Exact, &mirrored),
            [at(9, -4)]
        );
    }

    #[test]
    fn a_subset_ignores_other_pieces() {
        assert_eq!(origins(&pattern(&["R#"]), Mode::Subset, &UPRIGHT), [at(7, -4)]);
        assert!(origins(&pattern(&["#R"]), Mode::Subset, &UPRIGHT).is_empty());
        assert_eq!(
            origins(&pattern(&["#..", "..#"]), Mode::Subset, &UPRIGHT),
            [at(7, -4)]
        );
        let everywhere = origins(
            &pattern(&["##"]),
            Mode::Subset,
            &Lattice::Square8.orientations(true, true),
        );
        assert_eq!(
            everywhere.len(),
            7,
            "seven pairs of squares with a common edge, each once"
        );
    }

    #[test]
    fn origins_can_be_restricted() {
        let stones = [at(0, 0), at(1, 0), at(2, 0)];
        let pair = pattern(&["##"]);
        let found = pair.matches(
            Lattice::Square4,
            &stones,
            Mode::Subset,
            &UPRIGHT,
            Some(&[at(1, 0)]),
            |_, _| true,
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].spaces, [at(1, 0), at(2, 0)]);
    }

    #[test]
    fn a_lopsided_hex_pattern_has_twelve_images() {
        let place = |q, r, needs| Place {
            offset: (q, r),
            needs,
        };
        let lopsided = Pattern::new([place(0, 0, Some(RED)), place(1, 0, None), place(2, -1, None)]);
        let all = Lattice::Hex.orientations(true, true);
        assert_eq!(lopsided.placements(Lattice::Hex, &[at(0, 0)], &all).len(), 12);
        let straight = Pattern::new([place(0, 0, Some(RED)), place(1, 0, None)]);
        assert_eq!(straight.placements(Lattice::Hex, &[at(0, 0)], &all).len(), 6);
        assert!(
            Pattern::new([])
                .matches(Lattice::Hex, &[], Mode::Exact, &all, None, |_, _| true)
                .is_empty()
        );
    }
}
