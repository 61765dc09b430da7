//! Which spaces of a regular board exist: all of them, or a set kept as a bitmap.
use crate::tabletop::space::{COORDINATE_LIMIT, Space};

/// The spaces of a regular board.
#[derive(Clone, Debug)]
pub struct Extent(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Unbounded,
    Bitmap {
        low: (i32, i32),
        width: u32,
        height: u32,
        bits: Vec<u64>,
        spaces: Vec<Space>,
    },
    /// Few spaces strewn so wide that a bitmap would be mostly empty.
    Sparse(Vec<Space>),
}

/// A bitmap may take this many bits whatever it holds, and 64 a space beyond.
const FREE_BITS: u64 = 1 << 20;

impl Extent {
    pub const fn unbounded() -> Self {
        Self(Kind::Unbounded)
    }

    /// The given spaces; order and repetition don't matter.
    pub fn bounded(board: u8, spaces: &[(i32, i32)]) -> Self {
        let mut spaces: Vec<Space> = spaces.iter().map(|&(q, r)| Space::new(q, r, board)).collect();
        spaces.sort_unstable();
        spaces.dedup();
        let low = (
            spaces.iter().map(|space| space.q).min().unwrap_or(0),
            spaces.iter().map(|space| space.r).min().unwrap_or(0),
        );
        let span = |far: Option<i32>, near: i32| far.map_or(0, |far| (far - near + 1) as u32);
        let width = span(spaces.iter().map(|space| space.q).max(), low.0);
        let height = span(spaces.iter().map(|space| space.r).max(), low.1);
        let area = u64::from(width) * u64::from(height);
        if area > FREE_BITS.max(64 * spaces.len() as u64) {
            return Self(Kind::Sparse(spaces));
        }
        let mut bits = vec![0; area.div_ceil(64) as usize];
        for space in &spaces {
            let bit = (space.q - low.0) as usize * height as usize + (space.r - low.1) as usize;
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self(Kind::Bitmap {
            low,
            width,
            height,
            bits,
            spaces,
        })
    }

    /// Whether `(q, r)` is a space; `board` is the board of the extent's spaces.
    #[inline]
    pub fn contains(&self, q: i32, r: i32, board: u8) -> bool {
        match &self.0 {
            Kind::Unbounded => {
                let limit = COORDINATE_LIMIT as u32;
                q.unsigned_abs() <= limit && r.unsigned_abs() <= limit
            }
            Kind::Bitmap {
                low,
                width,
                height,
                bits,
                ..
            } => {
                // A coordinate below the low corner wraps to a huge number.
                let (column, row) = (q.wrapping_sub(low.0) as u32, r.wrapping_sub(low.1) as u32);
                column < *width && row < *height && {
                    let bit = column as usize * *height as usize + row as usize;
                    bits[bit / 64] >> (bit % 64) & 1 == 1
                }
            }
            Kind::Sparse(spaces) => spaces.binary_search(&Space::new(q, r, board)).is_ok(),
        }
    }

    /// The sorted spaces of a bounded board.
    pub fn spaces(&self) -> Option<&[Space]> {
        match &self.0 {
            Kind::Unbounded => None,
            Kind::Bitmap { spaces, .. } | Kind::Sparse(spaces) => Some(spaces),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitmap_and_a_sparse_set_hold_exactly_their_spaces() {
        for spaces in [
            vec![(0, 0), (-3, 2), (5, -7), (0, 0)],
            vec![(-1_000_000, 9), (1_000_000, -1_000_000)],
        ] {
            let extent = Extent::bounded(2, &spaces);
            assert!(spaces.iter().all(|&(q, r)| extent.contains(q, r, 2)));
            for (q, r) in [
                (1, 0),
                (0, 1),
                (-4, 2),
                (6, -7),
                (i32::MIN, i32::MAX),
                (i32::MAX, i32::MIN),
            ] {
                assert!(!extent.contains(q, r, 2));
            }
            let listed = extent.spaces().unwrap();
            assert!(listed.is_sorted() && listed.iter().all(|space| space.board == 2));
        }
        assert!(!Extent::bounded(0, &[]).contains(0, 0, 0));
    }

    #[test]
    fn an_unbounded_board_ends_at_the_coordinate_limit() {
        let extent = Extent::unbounded();
        assert!(extent.contains(1_000_000, -1_000_000, 0));
        assert!(!extent.contains(1_000_001, 0, 0) && !extent.contains(0, i32::MIN, 0));
        assert!(extent.spaces().is_none());
    }
}
