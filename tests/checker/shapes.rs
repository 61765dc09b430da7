//! All layouts up to translation: which spaces six linked modules may take, and who stands on which of them.
use std::collections::{BTreeSet, HashMap};

use super::layout::{COMPASS, Layout, MODULES, Spot, far, normal};

/// The spaces of a layout in order, whoever stands there.
pub type Shape = [Spot; MODULES];

/// Grows shapes space by space: all that so many linked spaces can make.
pub fn grown(spaces: usize) -> BTreeSet<Vec<Spot>> {
    let mut found = BTreeSet::from([vec![(0, 0)]]);
    for _ in 1..spaces {
        let mut larger = BTreeSet::new();
        for shape in &found {
            for &spot in shape {
                for dir in 0..COMPASS.len() {
                    let next = far(spot, dir, 1);
                    if !shape.contains(&next) {
                        let mut more = shape.clone();
                        more.push(next);
                        larger.insert(at_origin(more));
                    }
                }
            }
        }
        found = larger;
    }
    found
}

fn at_origin(mut shape: Vec<Spot>) -> Vec<Spot> {
    let x = shape.iter().map(|s| s.0).min().unwrap_or(0);
    let y = shape.iter().map(|s| s.1).min().unwrap_or(0);
    shape.iter_mut().for_each(|s| *s = (s.0 - x, s.1 - y));
    shape.sort_unstable();
    shape
}

/// Who stands on the shape's spaces, in their order.
pub type Order = [u8; MODULES];

pub fn orders() -> Vec<Order> {
    fn extend(so_far: &mut Vec<u8>, found: &mut Vec<Order>) {
        if let Ok(order) = Order::try_from(so_far.as_slice()) {
            found.push(order);
            return;
        }
        for module in 0..MODULES as u8 {
            if !so_far.contains(&module) {
                so_far.push(module);
                extend(so_far, found);
                so_far.pop();
            }
        }
    }
    let mut found = Vec::new();
    extend(&mut Vec::new(), &mut found);
    found
}

/// Every layout up to translation, numbered.
pub struct All {
    pub shapes: Vec<Shape>,
    pub orders: Vec<Order>,
    shape: HashMap<Shape, u32, rustc_hash::FxBuildHasher>,
    order: Vec<u16>,
}

impl All {
    pub fn new() -> Self {
        let shapes: Vec<Shape> = grown(MODULES)
            .into_iter()
            .map(|s| s.try_into().expect("six"))
            .collect();
        let orders = orders();
        let mut order = vec![u16::MAX; 1 << (3 * MODULES)];
        for (number, one) in orders.iter().enumerate() {
            order[code(one)] = number as u16;
        }
        let shape = shapes.iter().enumerate().map(|(i, s)| (*s, i as u32)).collect();
        Self {
            shapes,
            orders,
            shape,
            order,
        }
    }

    pub fn count(&self) -> usize {
        self.shapes.len() * self.orders.len()
    }

    pub fn shape(&self, spaces: &[Spot; MODULES]) -> usize {
        let mut sorted = normal(spaces);
        sorted.sort_unstable();
        self.shape[&sorted] as usize
    }

    pub fn number(&self, layout: &Layout) -> usize {
        let near = normal(layout);
        let mut placed: [(Spot, u8); MODULES] = std::array::from_fn(|m| (near[m], m as u8));
        placed.sort_unstable();
        let shape = self.shape[&placed.map(|p| p.0)] as usize;
        shape * self.orders.len() + self.order[code(&placed.map(|p| p.1))] as usize
    }

    pub fn layout(&self, number: usize) -> Layout {
        let shape = &self.shapes[number / self.orders.len()];
        let mut layout = [(0, 0); MODULES];
        for (space, &module) in self.orders[number % self.orders.len()].iter().enumerate() {
            layout[module as usize] = shape[space];
        }
        layout
    }
}

fn code(order: &Order) -> usize {
    order.iter().fold(0, |sum, &m| (sum << 3) | m as usize)
}
