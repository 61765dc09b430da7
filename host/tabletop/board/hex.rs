//! Hex arithmetic: axial `(q, r)`, directions counterclockwise from east.
use hexx::Hex;

use super::lattice::Offset;

/// Counterclockwise on screen with `r` growing downward.
pub const DIRECTIONS: [Offset; 6] = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
pub const POINTY_NAMES: [&str; 6] = ["e", "ne", "nw", "w", "sw", "se"];
pub const FLAT_NAMES: [&str; 6] = ["se", "ne", "n", "nw", "sw", "s"];

/// Steps from the origin to `offset`.
pub fn length((q, r): Offset) -> u32 {
    Hex::new(q, r).ulength()
}

/// `offset` turned by 60 degrees `turns` times, so that direction `d` becomes `d + turns`.
pub fn turn((q, r): Offset, turns: u8) -> Offset {
    let turned = Hex::new(q, r).rotate_ccw(u32::from(turns));
    (turned.x, turned.y)
}

/// `offset` mirrored: `(1, 0)` and `(0, 1)` change places.
pub const fn mirror((q, r): Offset) -> Offset {
    (r, q)
}

/// The lowest and highest `r` within `n` steps of the origin in column `q`, for `|q| <= n`.
pub fn column(q: i32, n: i32) -> (i32, i32) {
    ((-n).max(-q - n), n.min(n - q))
}

/// The space nearest to the point `(q, r) / scale`. A tie goes to the space that holds the point
/// moved by a hair along `(1, 2)` in axial terms, so a line read from either end is the same.
pub fn round(q: i64, r: i64, scale: i64) -> Offset {
    // Ties differ by multiples of 1 / (2 * scale), and the hair stays far below that.
    const HAIR: i64 = 16;
    let (unit, q, r) = (scale * HAIR, q * HAIR + 1, r * HAIR + 2);
    let s = -q - r;
    let nearest = |value: i64| (2 * value + unit).div_euclid(2 * unit);
    let (mut rq, mut rr, rs) = (nearest(q), nearest(r), nearest(s));
    let off = |rounded: i64, value: i64| (rounded * unit - value).abs();
    let (dq, dr, ds) = (off(rq, q), off(rr, r), off(rs, s));
    if dq > dr && dq > ds {
        rq = -rr - rs;
    } else if dr > ds {
        rr = -rq - rs;
    }
    (rq as i32, rr as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_follows_the_direction_order() {
        for (index, &direction) in DIRECTIONS.iter().enumerate() {
            for turns in 0..6 {
                assert_eq!(
                    turn(direction, turns),
                    DIRECTIONS[(index + usize::from(turns)) % 6]
                );
            }
        }
        assert_eq!(mirror(mirror((3, -5))), (3, -5));
    }

    #[test]
    fn rounding_far_from_the_origin_is_exact() {
        assert_eq!(
            round(4_000_000_000_001, -4_000_000_000_003, 4_000_000),
            (1_000_000, -1_000_000)
        );
        assert_eq!(round(-1, 0, 2), (0, 0));
        assert_eq!(round(1, 0, 2), (1, 0));
    }
}
