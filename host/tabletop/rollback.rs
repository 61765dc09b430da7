//! Marks, rollback and commit.
use super::journal::{Entry, Mark};
use super::state::{Tabletop, Versions};

impl Tabletop {
    /// The present place in the journal.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Takes back every change since the mark. Handles of units made since then raise afterwards.
    pub fn rollback(&mut self, mark: Mark) {
        self.lowest = self.lowest.min(mark.0);
        if self.journal.len() > mark.0 {
            // A cache can't tell what came back, so all of them look again.
            let v = &mut self.versions;
            *v = Versions {
                lists: v.lists + 1,
                units: v.units + 1,
                piles: v.piles + 1,
                board: v.board + 1,
                any: v.any + 1,
            };
        }
        while self.journal.len() > mark.0 {
            if let Some(entry) = self.journal.pop() {
                self.take_back(entry);
            }
        }
        self.push_at = self.push_at.min(self.agenda.len());
    }

    /// Forgets what undoes the changes so far; simulations do so at each commit.
    pub fn forget_journal(&mut self) {
        self.journal.clear();
        self.lowest = 0;
    }

    /// The lowest place that the journal was rolled back to since the last call: what was noted beyond
    /// it, outside the tabletop, no longer holds.
    pub fn take_lowest(&mut self) -> Mark {
        Mark(std::mem::replace(&mut self.lowest, usize::MAX))
    }

    /// Where the present step's pushes go; to be kept over a nested run of steps.
    pub fn push_point(&self) -> usize {
        self.push_at
    }

    pub fn set_push_point(&mut self, at: usize) {
        self.push_at = at.min(self.agenda.len());
    }

    fn take_back(&mut self, entry: Entry) {
        match entry {
            Entry::Field { unit, slot, old } => {
                if let Some(unit) = self.units[unit as usize].as_mut() {
                    unit.fields[slot as usize] = old;
                }
            }
            Entry::Place { unit, old, position } => {
                let Some(now) = self.unit(unit).map(|u| u.place) else {
                    return;
                };
                self.lift(unit, now);
                self.lay(unit, old, position);
            }
            Entry::Carried { unit, old } => {
                if let Some(unit) = self.units[unit as usize].as_mut() {
                    unit.place = old;
                }
            }
            Entry::Facing { unit, old } => {
                if let Some(unit) = self.units[unit as usize].as_mut() {
                    unit.facing = old;
                }
            }
            Entry::Face { unit, old } => {
                if let Some(unit) = self.units[unit as usize].as_mut() {
                    unit.face = old;
                }
            }
            Entry::Side { unit, old } => {
                if let Some(unit) = self.units[unit as usize].as_mut() {
                    unit.side = old;
                }
            }
            Entry::Created { unit } => {
                let gone = self.units.pop();
                debug_assert_eq!(self.units.len(), unit as usize);
                if let Some(Some(gone)) = gone {
                    let name = self.name_index(gone.kind, gone.definition);
                    self.made[name] -= 1;
                    self.alive -= 1;
                }
                self.epoch = self.epoch.wrapping_add(1).max(1);
            }
            Entry::Removed { unit, old } => {
                self.units[unit as usize] = Some(*old);
                self.alive += 1;
            }
            Entry::Order { pile, old } => self.piles[pile as usize].units = old.into_vec(),
            Entry::Visibility { pile, old } => self.piles[pile as usize].visibility = old,
            Entry::Drawn { stream, old } => self.streams[stream as usize].seek(old),
            Entry::StreamKey { stream, old } => {
                self.streams[stream as usize] = super::dice::Stream::at(old.0, old.1);
            }
            Entry::SpaceField { space, slot, old } => {
                match old {
                    Some(value) => self.space_fields.insert((space, slot), value),
                    None => self.space_fields.remove(&(space, slot)),
                };
            }
            Entry::Pushed { index } => {
                self.agenda.remove(index as usize);
            }
            Entry::Popped { old } => self.agenda.push(*old),
            Entry::Log => {
                self.log.pop();
            }
            Entry::Result { old } => self.result = old,
        }
    }
}
