//! Where six modules stand, how arrows move them, and what patterns they make.

pub const MODULES: usize = 6;

pub type Spot = (i8, i8);
pub type Layout = [Spot; MODULES];

/// The eight directions; y grows downward.
pub const COMPASS: [(&str, Spot); 8] = [
    ("n", (0, -1)),
    ("ne", (1, -1)),
    ("e", (1, 0)),
    ("se", (1, 1)),
    ("s", (0, 1)),
    ("sw", (-1, 1)),
    ("w", (-1, 0)),
    ("nw", (-1, -1)),
];

/// No layout is longer than six, so nobody comes to rest farther away than this.
const FARTHEST: i8 = 7;

pub fn adjacent(a: Spot, b: Spot) -> bool {
    a != b && (a.0 - b.0).abs() <= 1 && (a.1 - b.1).abs() <= 1
}

pub fn far(from: Spot, dir: usize, length: i8) -> Spot {
    let (x, y) = COMPASS[dir].1;
    (from.0 + x * length, from.1 + y * length)
}

pub fn on(layout: &Layout, spot: Spot) -> Option<usize> {
    layout.iter().position(|&s| s == spot)
}

/// Whether all six are one group by edges and corners.
pub fn linked(layout: &Layout) -> bool {
    let (mut reached, mut waiting) = (1u8, 1u8);
    while waiting != 0 {
        let one = waiting.trailing_zeros() as usize;
        waiting &= waiting - 1;
        for other in 0..MODULES {
            if reached & (1 << other) == 0 && adjacent(layout[one], layout[other]) {
                reached |= 1 << other;
                waiting |= 1 << other;
            }
        }
    }
    reached == (1 << MODULES) - 1
}

/// The same layout with its box at (0,0).
pub fn normal(layout: &Layout) -> Layout {
    let x = layout.iter().map(|s| s.0).min().unwrap_or(0);
    let y = layout.iter().map(|s| s.1).min().unwrap_or(0);
    layout.map(|s| (s.0 - x, s.1 - y))
}

/// A layout up to translation, as a number.
pub fn number(layout: &Layout) -> u64 {
    let normal = normal(layout);
    normal
        .iter()
        .fold(0, |sum, s| (sum << 6) | ((s.0 as u64) << 3) | s.1 as u64)
}

/// `layout` with a module put down on an empty space, if all stay linked.
pub fn put(layout: &Layout, module: usize, to: Spot) -> Option<Layout> {
    if on(layout, to).is_some() {
        return None;
    }
    let mut after = *layout;
    after[module] = to;
    linked(&after).then_some(after)
}

/// Every way to put a module down elsewhere.
pub fn each_put(layout: &Layout, module: usize, mut found: impl FnMut(Spot, Layout)) {
    let mut tried = [(i8::MAX, 0); MODULES * 8];
    let mut count = 0;
    for other in (0..MODULES).filter(|&other| other != module) {
        for dir in 0..8 {
            let to = far(layout[other], dir, 1);
            if tried[..count].contains(&to) {
                continue;
            }
            tried[count] = to;
            count += 1;
            if let Some(after) = put(layout, module, to) {
                found(to, after);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Slide,
    Step,
    Leap,
    Push,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub kind: Kind,
    pub dirs: Vec<usize>,
}

/// Every legal move of a module by an arrow: direction, length, and the layout after it.
pub fn each_move(layout: &Layout, module: usize, arrow: &Arrow, mut found: impl FnMut(usize, i8, Layout)) {
    for &dir in &arrow.dirs {
        match arrow.kind {
            Kind::Step => {
                if let Some(after) = put(layout, module, far(layout[module], dir, 1)) {
                    found(dir, 1, after);
                }
            }
            Kind::Slide | Kind::Leap => {
                let mut passed = arrow.kind == Kind::Slide;
                for length in 1..=FARTHEST {
                    let to = far(layout[module], dir, length);
                    if on(layout, to).is_some() {
                        passed = true;
                    } else if passed && let Some(after) = put(layout, module, to) {
                        found(dir, length, after);
                    }
                }
            }
            Kind::Push => {
                let after = push(layout, module, dir);
                if linked(&after) {
                    found(dir, 1, after);
                }
            }
        }
    }
}

fn push(layout: &Layout, module: usize, dir: usize) -> Layout {
    let mut after = *layout;
    let mut mover = Some(module);
    while let Some(one) = mover {
        let to = far(layout[one], dir, 1);
        mover = on(layout, to);
        after[one] = to;
    }
    after
}

/// Spaces, some of which want a certain module.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub spaces: Vec<(Spot, Option<usize>)>,
}

impl Pattern {
    /// Rows as content writes them; `letters` by module.
    pub fn parse(rows: &[String], letters: &[char; MODULES]) -> Self {
        let mut spaces = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            for (x, mark) in row.chars().enumerate() {
                let spot = (x as i8, y as i8);
                match mark {
                    '.' => {}
                    '#' => spaces.push((spot, None)),
                    letter => {
                        let module = letters.iter().position(|&l| l == letter);
                        spaces.push((spot, Some(module.expect("a module's letter"))));
                    }
                }
            }
        }
        Self { spaces }
    }

    /// Whether the layout holds the pattern, anywhere. A pattern of six spaces is then the whole layout.
    pub fn is_in(&self, layout: &Layout) -> bool {
        let first = self.spaces[0].0;
        layout.iter().any(|anchor| {
            let shift = (anchor.0 - first.0, anchor.1 - first.1);
            self.spaces.iter().all(|&(spot, wanted)| {
                let there = on(layout, (spot.0 + shift.0, spot.1 + shift.1));
                there.is_some() && (wanted.is_none() || wanted == there)
            })
        })
    }

    /// The pattern with one of its names made general, for each name.
    pub fn eased(&self) -> Vec<Self> {
        let named = (0..self.spaces.len()).filter(|&i| self.spaces[i].1.is_some());
        named
            .map(|i| {
                let mut eased = self.clone();
                eased.spaces[i].1 = None;
                eased
            })
            .collect()
    }

    /// How much is amiss, over all places where the pattern might lie, as few as there may be: the spaces that nobody
    /// stands on, and the modules that would have to move.
    pub fn gaps(&self, layout: &Layout) -> Vec<(u8, u8)> {
        // By shift, which is at most 11 either way.
        let mut votes = [[(0u8, 0u8); 32]; 32];
        let mut touched = [(0usize, 0usize); 36];
        let mut count = 0;
        let near = normal(layout);
        for &(spot, wanted) in &self.spaces {
            for (module, at) in near.iter().enumerate() {
                let shift = ((at.0 - spot.0 + 12) as usize, (at.1 - spot.1 + 12) as usize);
                let vote = &mut votes[shift.0][shift.1];
                if vote.0 == 0 {
                    touched[count] = shift;
                    count += 1;
                }
                vote.0 += 1;
                let claimed = self.spaces.iter().any(|&(_, other)| other == Some(module));
                if wanted == Some(module) || (wanted.is_none() && !claimed) {
                    vote.1 += 1;
                }
            }
        }
        let all = self.spaces.len() as u8;
        touched[..count]
            .iter()
            .map(|&(x, y)| (all - votes[x][y].0, all - votes[x][y].1))
            .collect()
    }
}
