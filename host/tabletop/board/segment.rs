//! Exact meetings of a straight segment with the spaces of a regular board.
//!
//! A space has its centre at `6 * (q, r)`, so centres, corners and edge midpoints are integers. On hex
//! boards these are axial coordinates: straight lines and their crossings are the same in them.
use std::cmp::Ordering;

use super::{Lattice, Offset};
use crate::tabletop::Space;

/// Points for each unit of `q` and `r`.
pub const SCALE: i64 = 6;

/// A point in scaled coordinates.
pub type Point = (i64, i64);

/// A share of the segment, as a fraction with a positive denominator.
#[derive(Clone, Copy, Debug)]
pub struct Share(i64, i64);

impl Share {
    fn order(self, other: Self) -> Ordering {
        (i128::from(self.0) * i128::from(other.1)).cmp(&(i128::from(other.0) * i128::from(self.1)))
    }
}

/// How a segment meets a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// It runs through the inside for some length.
    Inside,
    /// It runs along the border for some length, and never inside.
    Border,
    /// It passes through one corner, and no more.
    Corner,
}

/// A meeting with the stretch of the segment where it happens.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub space: Space,
    pub meeting: Meeting,
    /// Whether the space lies to the left (in scaled coordinates, `r` downward: clockwise). Of no
    /// meaning when the segment runs inside.
    pub left: bool,
    from: Share,
    to: Share,
}

impl Contact {
    /// Whether two contacts share a point of the segment.
    pub fn touches(&self, other: &Self) -> bool {
        self.from.order(other.to).is_le() && other.from.order(self.to).is_le()
    }
}

/// A segment between two points of one board.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub lattice: Lattice,
    pub board: u8,
    pub start: Point,
    pub end: Point,
}

/// The centre of a space.
pub fn centre(space: Space) -> Point {
    (SCALE * i64::from(space.q), SCALE * i64::from(space.r))
}

/// The point half-way to the place at `offset`: for a neighbour by an edge that edge's midpoint, for a
/// diagonal neighbour the corner.
pub fn halfway(space: Space, offset: Offset) -> Point {
    let (x, y) = centre(space);
    (
        x + SCALE / 2 * i64::from(offset.0),
        y + SCALE / 2 * i64::from(offset.1),
    )
}

impl Segment {
    /// Calls `visit` for every space met, by `r`, then `q`, until it says false. Spaces that are met
    /// only in the segment's first or last point don't count.
    pub fn meetings(&self, mut visit: impl FnMut(Contact) -> bool) {
        if self.start == self.end {
            return;
        }
        // Half the height and width of a space in scaled coordinates.
        let half = match self.lattice {
            Lattice::Hex => 4,
            Lattice::Square4 | Lattice::Square8 => 3,
        };
        let indexes =
            |low: i64, high: i64| -((half - low).div_euclid(SCALE))..=(high + half).div_euclid(SCALE);
        let (start, end) = (self.start, self.end);
        let (dx, dy) = (end.0 - start.0, end.1 - start.1);
        for r in indexes(start.1.min(end.1), start.1.max(end.1)) {
            let (low, high) = (SCALE * r - half, SCALE * r + half);
            let (mut left, mut right) = (start.0.min(end.0), start.0.max(end.0));
            if dy != 0 {
                // Where the segment enters and leaves the row, one point wider against rounding.
                let at = |y: i64| start.0 + (dx * (y - start.1)).div_euclid(dy);
                let (a, b) = (at(low), at(high));
                (left, right) = (left.max(a.min(b) - 1), right.min(a.max(b) + 1));
            }
            for q in indexes(left, right) {
                if let Some(contact) = self.meet(q, r)
                    && !visit(contact)
                {
                    return;
                }
            }
        }
    }

    /// How the segment meets the space `(q, r)`.
    fn meet(&self, q: i64, r: i64) -> Option<Contact> {
        let (x, y) = (SCALE * q, SCALE * r);
        let (a, b) = (
            (self.start.0 - x, self.start.1 - y),
            (self.end.0 - x, self.end.1 - y),
        );
        let (mut from, mut to, mut along) = (Share(0, 1), Share(1, 1), false);
        let mut clip = |fa: i64, fb: i64| {
            // Outside where the linear function that goes from `fa` to `fb` is positive.
            if fa > 0 && fb > 0 {
                return false;
            }
            if fa == 0 && fb == 0 {
                along = true;
            } else if fa > 0 {
                let share = Share(fa, fa - fb);
                if share.order(from).is_gt() {
                    from = share;
                }
            } else if fb > 0 {
                let share = Share(-fa, fb - fa);
                if share.order(to).is_lt() {
                    to = share;
                }
            }
            true
        };
        let mut strip =
            |fa: i64, fb: i64, half: i64| clip(fa - half, fb - half) && clip(-fa - half, -fb - half);
        let met = match self.lattice {
            Lattice::Hex => {
                strip(a.0 - a.1, b.0 - b.1, 6)
                    && strip(a.0 + 2 * a.1, b.0 + 2 * b.1, 6)
                    && strip(2 * a.0 + a.1, 2 * b.0 + b.1, 6)
            }
            Lattice::Square4 | Lattice::Square8 => strip(a.0, b.0, 3) && strip(a.1, b.1, 3),
        };
        if !met {
            return None;
        }
        let meeting = match from.order(to) {
            Ordering::Greater => return None,
            Ordering::Equal if from.0 == 0 || to.0 == to.1 => return None,
            Ordering::Equal => Meeting::Corner,
            Ordering::Less if along => Meeting::Border,
            Ordering::Less => Meeting::Inside,
        };
        let (dx, dy) = (self.end.0 - self.start.0, self.end.1 - self.start.1);
        // The centre of the space seen from the start is at `-a`.
        let left = dx * -a.1 - dy * -a.0 > 0;
        Some(Contact {
            space: Space::new(q as i32, r as i32, self.board),
            meeting,
            left,
            from,
            to,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(lattice: Lattice, start: Point, end: Point) -> Vec<(i32, i32, Meeting)> {
        let mut found = Vec::new();
        Segment {
            lattice,
            board: 0,
            start,
            end,
        }
        .meetings(|contact| {
            found.push((contact.space.q, contact.space.r, contact.meeting));
            true
        });
        found.sort();
        found
    }

    #[test]
    fn a_line_along_a_hex_edge_borders_the_spaces_beside_it() {
        use Meeting::{Border, Inside};
        assert_eq!(
            met(Lattice::Hex, (0, 0), (6, 6)),
            [(0, 0, Inside), (0, 1, Border), (1, 0, Border), (1, 1, Inside)]
        );
    }

    #[test]
    fn a_diagonal_passes_the_corner_of_a_square() {
        use Meeting::{Corner, Inside};
        assert_eq!(
            met(Lattice::Square8, (0, 0), (6, 6)),
            [(0, 0, Inside), (0, 1, Corner), (1, 0, Corner), (1, 1, Inside)]
        );
    }

    #[test]
    fn a_line_between_rows_of_squares_runs_along_borders() {
        use Meeting::Border;
        let found = met(Lattice::Square4, (3, 3), (15, 3));
        assert_eq!(
            found,
            [(1, 0, Border), (1, 1, Border), (2, 0, Border), (2, 1, Border)]
        );
    }

    #[test]
    fn the_far_ends_of_the_board_stay_exact() {
        let far = SCALE * 1_000_000;
        let mut inside = 0;
        let segment = Segment {
            lattice: Lattice::Hex,
            board: 0,
            start: (-far, far),
            end: (-far + 60, far - 18),
        };
        segment.meetings(|contact| {
            inside += u32::from(contact.meeting == Meeting::Inside);
            true
        });
        assert_eq!(
            inside,
            met(Lattice::Hex, (0, 0), (60, -18))
                .iter()
                .filter(|met| met.2 == Meeting::Inside)
                .count() as u32
        );
    }

    /// Whether segments `ab` and `cd` share a point, by the turns that their ends make.
    fn cross(a: Point, b: Point, c: Point, d: Point) -> bool {
        let turn =
            |a: Point, b: Point, c: Point| ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum();
        let on = |a: Point, b: Point, c: Point| {
            turn(a, b, c) == 0
                && (a.0.min(b.0)..=a.0.max(b.0)).contains(&c.0)
                && (a.1.min(b.1)..=a.1.max(b.1)).contains(&c.1)
        };
        (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0)
            || on(a, b, c)
            || on(a, b, d)
            || on(c, d, a)
            || on(c, d, b)
    }

    #[test]
    fn a_space_is_met_just_when_the_line_shares_a_point_with_its_outline() {
        let hexagon = [(2, 2), (-2, 4), (-4, 2), (-2, -2), (2, -4), (4, -2)];
        let square = [(3, 3), (-3, 3), (-3, -3), (3, -3)];
        for (lattice, corners) in [(Lattice::Hex, &hexagon[..]), (Lattice::Square8, &square[..])] {
            for (q, r) in (-5..=5).flat_map(|q| (-5..=5).map(move |r| (q, r))) {
                let end = (q * SCALE, r * SCALE);
                let found: Vec<(i64, i64)> = met(lattice, (0, 0), end)
                    .iter()
                    .map(|met| (i64::from(met.0), i64::from(met.1)))
                    .filter(|&space| space != (0, 0) && space != (q, r))
                    .collect();
                let outline = |&(x, y): &(i64, i64)| {
                    let corner = |index: usize| {
                        let (dx, dy) = corners[index % corners.len()];
                        (x * SCALE + dx, y * SCALE + dy)
                    };
                    (0..corners.len()).any(|index| cross((0, 0), end, corner(index), corner(index + 1)))
                };
                let expected: Vec<(i64, i64)> = (-7..=7)
                    .flat_map(|x| (-7..=7).map(move |y| (x, y)))
                    .filter(|&space| space != (0, 0) && space != (q, r))
                    .filter(outline)
                    .collect();
                assert_eq!(found, expected, "{lattice:?} ({q},{r})");
            }
        }
    }
}
