//! How many changes each layout of a plan is away from a pattern, found backwards from the pattern.
use super::grid::Pieces;
use super::ground::Ground;
use super::moves::Way;
use super::near::{before, turned};
use super::shapes::Shapes;

/// No changes lead from a layout to the pattern.
const NEVER: u8 = u8::MAX;
/// More changes than this aren't told apart.
const MOST: u8 = NEVER - 1;

/// Steps by layout, all that are linked.
pub struct Distances {
    shapes: Shapes,
    steps: Vec<u8>,
    /// How many layouts are so many changes away.
    counts: Vec<u32>,
    ways: Vec<Way>,
    /// Layouts of the last level, and how many of them were looked back from.
    level: Vec<u64>,
    next: Vec<u64>,
    at: usize,
}

impl Distances {
    /// For a set of changes and a pattern; [`Self::run`] finds them. `None` if there are more layouts than `limit`,
    /// the pattern has too many of its own, or a change has no way back.
    pub fn new(ground: &Ground, moves: u16, target: u16, limit: usize) -> Option<Self> {
        let ways = ground.moves[usize::from(moves)].iter();
        let ways = ways
            .map(|way| turned(&ground.grid, way))
            .collect::<Option<Vec<_>>>()?;
        let goals = ground.patterns[usize::from(target)].layouts(ground.count)?;
        let shapes = Shapes::new(&ground.grid, ground.count, limit)?;
        let mut table = Self {
            steps: vec![NEVER; shapes.layouts()],
            shapes,
            counts: vec![0],
            ways,
            level: Vec::new(),
            next: Vec::new(),
            at: 0,
        };
        for goal in goals.iter().map(Pieces::pack) {
            if let Some(number) = table.shapes.number(goal)
                && std::mem::replace(&mut table.steps[number], 0) == NEVER
            {
                table.level.push(goal);
                table.counts[0] += 1;
            }
        }
        Some(table)
    }

    /// Looks back from about so many more layouts; tells whether all is found.
    pub fn run(&mut self, ground: &Ground, slice: usize) -> bool {
        for _ in 0..slice {
            let Some(&layout) = self.level.get(self.at) else {
                if self.next.is_empty() {
                    return true;
                }
                self.counts.push(self.next.len() as u32);
                self.level = std::mem::take(&mut self.next);
                self.at = 0;
                continue;
            };
            self.at += 1;
            let depth = (self.counts.len()).min(usize::from(MOST)) as u8;
            let (shapes, steps, next) = (&self.shapes, &mut self.steps, &mut self.next);
            before(
                &ground.grid,
                Pieces::unpack(layout, ground.count),
                &self.ways,
                |earlier| {
                    if let Some(number) = shapes.number(earlier)
                        && steps[number] == NEVER
                    {
                        steps[number] = depth;
                        next.push(earlier);
                    }
                },
            );
        }
        false
    }

    /// The fewest changes from a packed layout; `None` if none lead to the pattern.
    pub fn of(&self, layout: u64) -> Option<u8> {
        let steps = self.steps[self.shapes.number(layout)?];
        (steps != NEVER).then_some(steps)
    }

    /// How many layouts are no change away, one, two and so on.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// All that was found, for [`Self::restore`].
    pub fn bytes(&self) -> &[u8] {
        &self.steps
    }

    /// Takes over what was found before; tells whether it can be that.
    pub fn restore(&mut self, bytes: &[u8]) -> bool {
        if bytes.len() != self.steps.len() {
            return false;
        }
        self.steps.copy_from_slice(bytes);
        self.counts.clear();
        for &steps in bytes.iter().filter(|&&steps| steps != NEVER) {
            let steps = usize::from(steps);
            if self.counts.len() <= steps {
                self.counts.resize(steps + 1, 0);
            }
            self.counts[steps] += 1;
        }
        (self.level, self.next) = (Vec::new(), Vec::new());
        true
    }

    /// The shapes that pieces can have.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }
}
