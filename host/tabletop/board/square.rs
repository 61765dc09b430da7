//! Square arithmetic: `(x, y)` in `q` and `r`, `y` growing downward, directions clockwise from north.
use super::lattice::Offset;

pub const DIRECTIONS_4: [Offset; 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
pub const NAMES_4: [&str; 4] = ["n", "e", "s", "w"];
pub const DIRECTIONS_8: [Offset; 8] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];
pub const NAMES_8: [&str; 8] = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];

/// `offset` turned clockwise by 90 degrees `turns` times.
pub const fn turn((x, y): Offset, turns: u8) -> Offset {
    match turns % 4 {
        0 => (x, y),
        1 => (-y, x),
        2 => (-x, -y),
        _ => (y, -x),
    }
}

/// `offset` mirrored: east and west change places.
pub const fn mirror((x, y): Offset) -> Offset {
    (-x, y)
}

/// `value / scale` rounded to the nearest integer, a tie upward: the same from either end of a line.
pub fn nearest(value: i64, scale: i64) -> i32 {
    (2 * value + scale).div_euclid(2 * scale) as i32
}
