//! Whether pieces hang together by the neighbourhood of their board.
use super::{Lattice, TooMany, Topology};
use crate::tabletop::{Space, effort};

/// Sets of at most this many spaces are held as bits of one word.
pub(super) const FEW: usize = 64;

/// The mask of the first `count` spaces.
pub(super) const fn first(count: usize) -> u64 {
    if count >= FEW { u64::MAX } else { (1 << count) - 1 }
}

impl Topology {
    /// Whether the spaces form one group. No space and one space do; a repeated space counts once;
    /// a space off the board hangs together with nothing.
    pub fn connected(&self, spaces: &[Space]) -> bool {
        match spaces {
            [] => true,
            [only] => self.contains(*only),
            _ if spaces.len() > FEW => self.components(spaces).len() == 1 && self.contains(spaces[0]),
            _ => {
                let all = first(spaces.len());
                spaces.iter().all(|&space| self.contains(space)) && self.flood(spaces, 0, all) == all
            }
        }
    }

    /// The groups: each sorted, the groups by their first space. A space off the board stands alone.
    pub fn components(&self, spaces: &[Space]) -> Vec<Vec<Space>> {
        let mut sorted = spaces.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut seen = vec![false; sorted.len()];
        let mut groups = Vec::new();
        for start in 0..sorted.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let (mut group, mut next) = (vec![sorted[start]], 0);
            while let Some(&space) = group.get(next) {
                next += 1;
                if !self.contains(space) {
                    continue;
                }
                for near in self.neighbours(space) {
                    if let Ok(index) = sorted.binary_search(&near)
                        && !std::mem::replace(&mut seen[index], true)
                    {
                        group.push(near);
                    }
                }
            }
            group.sort_unstable();
            groups.push(group);
        }
        groups
    }

    /// Which of at most [`FEW`] spaces, all on the board, hang together with `spaces[start]`, going
    /// only through those in `among`.
    pub(super) fn flood(&self, spaces: &[Space], start: usize, among: u64) -> u64 {
        let mut reached = 1 << start;
        let mut open: u64 = reached;
        let mut left = among & !reached;
        while open != 0 && left != 0 {
            let here = spaces[open.trailing_zeros() as usize];
            let near = self.beside(spaces, here, left);
            open = (open & (open - 1)) | near;
            reached |= near;
            left &= !near;
        }
        reached
    }

    /// Which of the spaces in `among`, all on the board, are `place` or its neighbours.
    #[inline]
    pub(super) fn beside(&self, spaces: &[Space], place: Space, among: u64) -> u64 {
        // One loop for each lattice: this is the hottest code of all.
        match self.lattice() {
            Some(Lattice::Square8) => pick(spaces, among, |space| {
                space.q.abs_diff(place.q) <= 1 && space.r.abs_diff(place.r) <= 1
            }),
            Some(Lattice::Square4) => pick(spaces, among, |space| {
                space.q.abs_diff(place.q) + space.r.abs_diff(place.r) <= 1
            }),
            Some(Lattice::Hex) => pick(spaces, among, |space| {
                let (q, r) = (space.q - place.q, space.r - place.r);
                q.unsigned_abs() <= 1 && r.unsigned_abs() <= 1 && (q + r).unsigned_abs() <= 1
            }),
            None => pick(spaces, among, |space| {
                space == place || self.adjacent(space, place)
            }),
        }
    }
}

#[inline]
fn pick(spaces: &[Space], among: u64, joined: impl Fn(Space) -> bool) -> u64 {
    let all = spaces.iter().enumerate();
    all.fold(0, |mask, (index, &space)| {
        mask | (u64::from(joined(space)) << index)
    }) & among
}

/// Whether the pieces hang together once some of them stand elsewhere.
pub(super) fn connected_after(
    board: &Topology,
    pieces: &[Space],
    shifts: impl Iterator<Item = (usize, Space)>,
) -> bool {
    let (mut few, mut many) = ([Space::new(0, 0, 0); FEW], Vec::new());
    let after = if pieces.len() <= FEW {
        &mut few[..pieces.len()]
    } else {
        many.resize(pieces.len(), few[0]);
        &mut many[..]
    };
    after.copy_from_slice(pieces);
    for (index, space) in shifts {
        after[index] = space;
    }
    board.connected(after)
}

/// The pieces that stay when one is lifted, as groups, so that each landing is judged in one pass.
pub(super) struct Rest<'a> {
    board: &'a Topology,
    pieces: &'a [Space],
    piece: usize,
    /// The others as bits, and their groups; unused for more than [`FEW`] pieces.
    others: u64,
    groups: [u64; FEW],
    count: usize,
}

impl<'a> Rest<'a> {
    pub(super) fn new(board: &'a Topology, pieces: &'a [Space], piece: usize, needed: bool) -> Self {
        let mut rest = Self {
            board,
            pieces,
            piece,
            others: 0,
            groups: [0; FEW],
            count: 0,
        };
        if needed && pieces.len() <= FEW {
            rest.others = first(pieces.len()) & !(1 << piece);
            let mut left = rest.others;
            while left != 0 {
                let group = board.flood(pieces, left.trailing_zeros() as usize, left);
                rest.groups[rest.count] = group;
                rest.count += 1;
                left &= !group;
            }
        }
        rest
    }

    /// Whether all pieces hang together once the lifted one is put on `to`.
    pub(super) fn holds(&self, to: Space) -> bool {
        if self.pieces.len() > FEW {
            return connected_after(self.board, self.pieces, std::iter::once((self.piece, to)));
        }
        let near = self.board.beside(self.pieces, to, self.others);
        self.groups[..self.count].iter().all(|group| group & near != 0)
    }
}

/// The empty spaces on which a piece can be set down so that all pieces hang together, in order; with `on`
/// only those of these spaces. `pieces` are the positions of all, on `board` and no two alike.
///
/// # Errors
/// [`TooMany`] for a lone piece on a board without bounds, if `on` doesn't limit it.
pub fn landings(
    board: &Topology,
    pieces: &[Space],
    piece: usize,
    on: Option<&[Space]>,
) -> Result<Vec<Space>, TooMany> {
    let mut found = match on {
        Some(on) => on
            .iter()
            .copied()
            .filter(|&space| board.contains(space))
            .collect(),
        None if pieces.len() == 1 => board.spaces().ok_or(TooMany)?,
        None => {
            let others = pieces.iter().enumerate().filter(|(other, _)| *other != piece);
            others
                .flat_map(|(_, &space)| board.neighbours(space))
                .collect::<Vec<_>>()
        }
    };
    found.sort_unstable();
    found.dedup();
    let rest = Rest::new(board, pieces, piece, true);
    found.retain(|&to| !effort::is_spent() && !pieces.contains(&to) && rest.holds(to));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabletop::board::Shape;

    fn at(q: i32, r: i32) -> Space {
        Space::new(q, r, 0)
    }

    #[test]
    fn corners_join_only_where_the_board_says_so() {
        let board = |diagonal| {
            Topology::new(
                0,
                "grid",
                Shape::Square {
                    diagonal,
                    spaces: None,
                },
            )
            .unwrap()
        };
        let stones = [at(0, 0), at(1, 1), at(2, 0)];
        assert!(board(true).connected(&stones));
        assert!(!board(false).connected(&stones));
        assert_eq!(board(false).components(&stones).len(), 3);
    }

    #[test]
    fn the_smallest_sets_and_spaces_off_the_board() {
        let spaces = Some(vec![(0, 0), (1, 0)]);
        let board = Topology::new(0, "grid", Shape::Hex { flat: false, spaces }).unwrap();
        assert!(board.connected(&[]) && board.connected(&[at(0, 0)]));
        assert!(board.connected(&[at(0, 0), at(1, 0), at(0, 0)]));
        assert!(!board.connected(&[at(5, 5)]) && !board.connected(&[at(1, 0), at(2, 0)]));
        assert!(!board.connected(&[at(0, 0), Space::new(0, 0, 1)]));
        assert_eq!(board.components(&[at(2, 0), at(1, 0)]), [[at(1, 0)], [at(2, 0)]]);
    }
}
