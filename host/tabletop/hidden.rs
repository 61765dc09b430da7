//! Who sees what, and look-ahead that doesn't peek: forked streams and reshuffled hidden cards.
use super::declared::Visibility;
use super::dice::{self, Stream};
use super::journal::Entry;
use super::state::Tabletop;
use super::unit::Place;
use super::value::UnitId;

impl Tabletop {
    /// Whether `seat` (or everybody, for `None`) sees the card at a position counted from the bottom.
    pub fn sees(&self, seat: Option<&str>, pile: u16, position: usize) -> bool {
        let state = &self.piles[pile as usize];
        match state.visibility {
            Visibility::All => true,
            Visibility::None => false,
            Visibility::Top => position + 1 == state.units.len(),
            Visibility::Owner => {
                let owner = self.declared.piles[pile as usize].owner.as_deref();
                self.declared.seats.len() == 1 || (seat.is_some() && owner == seat)
            }
        }
    }

    /// Whether a seat sees which unit this is: all but cards that lie hidden.
    pub fn sees_unit(&self, seat: Option<&str>, unit: UnitId) -> bool {
        let Some(Place::Pile(pile)) = self.unit(unit).map(|u| u.place) else {
            return true;
        };
        let cards = &self.piles[pile as usize].units;
        let place = cards.iter().position(|card| *card == unit);
        place.is_none_or(|place| self.sees(seat, pile, place))
    }

    /// The cards of a pile, top first; `None` where the seat doesn't see one.
    pub fn seen(&self, seat: Option<&str>, pile: u16) -> Vec<Option<UnitId>> {
        let cards = &self.piles[pile as usize].units;
        (0..cards.len())
            .rev()
            .map(|i| self.sees(seat, pile, i).then_some(cards[i]))
            .collect()
    }

    /// Whether a move out of a pile shows a card that somebody didn't see.
    pub(super) fn reveals(&self, _unit: UnitId, from: u16, to: Place) -> bool {
        match self.piles[from as usize].visibility {
            Visibility::All => false,
            Visibility::Owner => self.declared.seats.len() > 1,
            Visibility::Top => true,
            Visibility::None => match to {
                Place::Pile(pile) => self.piles[pile as usize].visibility != Visibility::None,
                _ => true,
            },
        }
    }

    /// Begins to imagine: streams are forked, and what `seat` can't see is reshuffled among itself.
    /// The changes are journaled; roll back to a mark taken before, then call `end_imagining`.
    pub fn begin_imagining(&mut self, seat: Option<&str>, sample: u64) {
        if self.imagining == 0 {
            self.guesses = sample << 20;
        }
        self.imagining += 1;
        let fork = format!("imagine {sample}");
        for index in 0..self.streams.len() {
            let old = self.streams[index].state();
            let name = format!("{}\0{}\0{}", self.declared.streams[index], old.1, self.imagining);
            let key = dice::derive_key(self.seed, &name, &fork);
            self.streams[index] = Stream::at(key, 0);
            self.note(Entry::StreamKey {
                stream: index as u16,
                old: Box::new(old),
            });
        }
        let mut chance = Stream::at(dice::derive_key(self.seed, "hidden cards", &fork), 0);
        self.reshuffle_hidden(seat, &mut chance);
    }

    pub fn end_imagining(&mut self) {
        self.imagining = self.imagining.saturating_sub(1);
    }

    /// A number below `bound` for a policy that chooses at random while imagining: from what everybody
    /// knows of the course so far, never from a stream of play.
    pub fn imagined_number(&mut self, bound: u64) -> u64 {
        self.guesses += 1;
        let known = format!("{} {} {}", self.guesses, self.log.len(), self.units.len());
        Stream::at(dice::derive_key(self.seed, "policy", &known), 0).below(bound)
    }

    pub fn is_imagining(&self) -> bool {
        self.imagining > 0
    }

    /// Deals the cards that `seat` can't see anew among the places where it can't see any, kind by kind.
    /// The result depends only on which cards are hidden, not on how they really lie.
    pub fn reshuffle_hidden(&mut self, seat: Option<&str>, chance: &mut Stream) {
        let mut places: Vec<(u16, u16, usize)> = Vec::new();
        for pile in 0..self.piles.len() as u16 {
            for position in 0..self.pile(pile).len() {
                if !self.sees(seat, pile, position)
                    && let Some(unit) = self.unit(self.pile(pile)[position])
                {
                    places.push((unit.kind, pile, position));
                }
            }
        }
        if places.len() < 2 {
            return;
        }
        places.sort_unstable();
        let mut orders: Vec<Vec<UnitId>> = self.piles.iter().map(|p| p.units.clone()).collect();
        for group in places.chunk_by(|a, b| a.0 == b.0) {
            let mut cards: Vec<UnitId> = group.iter().map(|(_, pile, at)| self.pile(*pile)[*at]).collect();
            cards.sort_unstable();
            chance.shuffle(&mut cards);
            for ((_, pile, at), card) in group.iter().zip(cards) {
                orders[*pile as usize][*at] = card;
            }
        }
        for (pile, order) in orders.into_iter().enumerate() {
            if order != self.piles[pile].units {
                self.repile(pile as u16, order);
            }
        }
    }

    /// Puts the units with these keys on top of a pile, the first uppermost: for loaded shuffles.
    pub fn arrange_pile(&mut self, pile: u16, keys: &[String]) -> Result<(), String> {
        let mut rest = self.pile(pile).to_vec();
        let mut top = Vec::new();
        for key in keys {
            let found = rest.iter().position(|u| self.unit_key(*u) == *key);
            let at = found.ok_or_else(|| format!("`{key}` is not in the pile that is shuffled"))?;
            top.push(rest.remove(at));
        }
        rest.extend(top.into_iter().rev());
        self.reorder(pile, rest);
        Ok(())
    }

    /// As `reorder`, for an order that may bring cards of other piles.
    fn repile(&mut self, pile: u16, order: Vec<UnitId>) {
        for id in &order {
            let Some(unit) = self.units[*id as usize].as_mut() else {
                continue;
            };
            if unit.place != Place::Pile(pile) {
                let old = std::mem::replace(&mut unit.place, Place::Pile(pile));
                // Only the place: the two orders, journaled beside it, hold the positions.
                self.note(Entry::Carried { unit: *id, old });
            }
        }
        self.reorder(pile, order);
    }
}
