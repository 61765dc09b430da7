//! Boards of named regions joined by edges.
use std::collections::{BTreeMap, VecDeque};

use super::topology::ShapeError;

/// A region as declared. `at` tells only where to draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub id: String,
    pub label: String,
    pub at: (f64, f64),
}

/// Regions and edges; a region is known by its index, in the order of declaration.
#[derive(Clone, Debug)]
pub struct Graph {
    regions: Vec<Region>,
    by_id: BTreeMap<String, usize>,
    /// For each region the sorted indexes of its neighbours.
    joined: Vec<Vec<i32>>,
}

impl Graph {
    /// Edges join both ways; repeating one is harmless.
    ///
    /// # Errors
    /// Two regions of one id, an edge to a region that isn't there, or from a region to itself.
    pub fn new(regions: Vec<Region>, edges: &[(usize, usize)]) -> Result<Self, ShapeError> {
        let mut by_id = BTreeMap::new();
        for (index, region) in regions.iter().enumerate() {
            if by_id.insert(region.id.clone(), index).is_some() {
                return Err(ShapeError::DuplicateRegion {
                    id: region.id.clone(),
                });
            }
        }
        let mut joined = vec![Vec::new(); regions.len()];
        for &(a, b) in edges {
            if a == b && a < regions.len() {
                return Err(ShapeError::EdgeToItself {
                    id: regions[a].id.clone(),
                });
            }
            if a.max(b) >= regions.len() {
                return Err(ShapeError::UnknownRegion {
                    index: a.max(b),
                    count: regions.len(),
                });
            }
            joined[a].push(b as i32);
            joined[b].push(a as i32);
        }
        for neighbours in &mut joined {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        Ok(Self {
            regions,
            by_id,
            joined,
        })
    }

    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The index of the region named `id`.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The indexes of the neighbours, in order of declaration; none for an unknown index.
    pub fn neighbours(&self, index: i32) -> &[i32] {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.joined.get(index))
            .map_or(&[], Vec::as_slice)
    }

    /// Hops from `start` to every region; `None` where no path leads.
    pub fn hops(&self, start: i32) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.regions.len()];
        let Some(first) = usize::try_from(start).ok().and_then(|index| hops.get_mut(index)) else {
            return hops;
        };
        *first = Some(0);
        let mut queue = VecDeque::from([start]);
        while let Some(region) = queue.pop_front() {
            let next = hops[region as usize].map(|count| count + 1);
            for &neighbour in self.neighbours(region) {
                if hops[neighbour as usize].is_none() {
                    hops[neighbour as usize] = next;
                    queue.push_back(neighbour);
                }
            }
        }
        hops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(id: &str) -> Region {
        Region {
            id: id.into(),
            label: String::new(),
            at: (0.0, 0.0),
        }
    }

    #[test]
    fn hops_count_edges_and_stop_at_islands() {
        let names = ["north", "south", "east", "isle"];
        let graph = Graph::new(names.map(region).into(), &[(0, 1), (1, 2), (1, 0)]).unwrap();
        assert_eq!(graph.hops(0), [Some(0), Some(1), Some(2), None]);
        assert_eq!(graph.neighbours(1), [0, 2]);
        assert_eq!(graph.find("isle"), Some(3));
        assert!(graph.neighbours(-1).is_empty() && graph.hops(9).iter().all(Option::is_none));
    }

    #[test]
    fn faulty_graphs_are_refused() {
        let message = |names: &[&str], edges| {
            Graph::new(names.iter().map(|id| region(id)).collect(), edges)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(&["a", "a"], &[]),
            "two regions have the id `a`: rename one"
        );
        assert_eq!(
            message(&["a"], &[(0, 0)]),
            "an edge joins region `a` to itself: remove it"
        );
        assert_eq!(
            message(&["a"], &[(0, 3)]),
            "an edge names region 3, but there are 1 (counted from 0)"
        );
    }
}
