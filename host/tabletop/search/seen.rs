//! The nodes that a search keeps: an index from key to node without allocation in the inner loop.

/// Where each key's node is: open addressing over node numbers, the keys being kept by the nodes.
#[derive(Default)]
pub struct Seen {
    slots: Vec<u32>,
    count: usize,
}

const EMPTY: u32 = u32::MAX;

impl Seen {
    /// Forgets all; gives memory back that an unusually large search took.
    pub fn clear(&mut self) {
        if self.slots.len() > 1 << 16 || self.slots.is_empty() {
            self.slots = vec![EMPTY; 1 << 10];
        } else if self.count > 0 {
            self.slots.fill(EMPTY);
        }
        self.count = 0;
    }

    /// The node of a key if there is one; otherwise `fresh` becomes it.
    #[inline]
    pub fn find_or_add(&mut self, key: u64, fresh: u32, key_of: impl Fn(u32) -> u64) -> Option<u32> {
        if self.count * 2 >= self.slots.len() {
            self.grow(&key_of);
        }
        let mask = self.slots.len() - 1;
        let mut at = spread(key) & mask;
        loop {
            match self.slots[at] {
                EMPTY => {
                    self.slots[at] = fresh;
                    self.count += 1;
                    return None;
                }
                node if key_of(node) == key => return Some(node),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self, key_of: &impl Fn(u32) -> u64) {
        let bigger = vec![EMPTY; (self.slots.len() * 2).max(1 << 10)];
        let mask = bigger.len() - 1;
        for node in std::mem::replace(&mut self.slots, bigger) {
            if node != EMPTY {
                let mut at = spread(key_of(node)) & mask;
                while self.slots[at] != EMPTY {
                    at = (at + 1) & mask;
                }
                self.slots[at] = node;
            }
        }
    }
}

/// The same on every machine, and good enough for open addressing.
#[inline]
fn spread(key: u64) -> usize {
    let mixed = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize
}
