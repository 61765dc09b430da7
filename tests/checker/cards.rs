//! What a player has besides the layout, and the way of the cards.

/// A card that lies hidden.
pub const HIDDEN: u8 = 254;
/// No card.
pub const NONE: u8 = 255;
pub const HAND_LIMIT: u32 = 5;

/// Some cards in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pile {
    count: u8,
    cards: [u8; 12],
}

impl Pile {
    const NONE: Self = Self {
        count: 0,
        cards: [0; 12],
    };

    pub fn list(&self) -> &[u8] {
        &self.cards[..self.count as usize]
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn add(&mut self, card: u8) {
        self.cards[self.count as usize] = card;
        self.count += 1;
    }

    pub fn take_first(&mut self) -> u8 {
        let first = self.cards[0];
        self.cards.copy_within(1.., 0);
        self.count -= 1;
        self.cards[self.count as usize] = 0;
        first
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn keep_first(&mut self, count: usize) {
        while self.len() > count {
            self.count -= 1;
            self.cards[self.count as usize] = 0;
        }
    }
}

impl FromIterator<u8> for Pile {
    fn from_iter<I: IntoIterator<Item = u8>>(cards: I) -> Self {
        let mut pile = Self::default();
        cards.into_iter().for_each(|card| pile.add(card));
        pile
    }
}

impl std::fmt::Debug for Pile {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:?}", self.list())
    }
}

/// Everything but the layout and the mission. Sets of modules and of cards are bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Means {
    pub active: u8,
    pub points: u8,
    /// The card in play.
    pub play: u8,
    pub hand: u16,
    /// Top first; what the player doesn't know is `HIDDEN`.
    pub deck: Pile,
    /// Oldest first.
    pub discard: Pile,
    /// The cards that lie on the hidden places of the deck.
    pub unseen: u16,
}

pub const NOTHING: Means = Means {
    active: 0,
    points: 0,
    play: NONE,
    hand: 0,
    deck: Pile::NONE,
    discard: Pile::NONE,
    unseen: 0,
};

pub fn members(set: u16) -> impl Iterator<Item = u8> {
    (0..16).filter(move |card| set & (1 << card) != 0)
}

impl Means {
    pub fn is_active(&self, module: usize) -> bool {
        self.active & (1 << module) != 0
    }

    pub fn flipped(&self, module: usize) -> Self {
        let mut after = self.clone();
        after.active &= !(1 << module);
        after
    }

    /// An empty deck is made of the discard pile at once, the oldest card on top.
    fn turn_over(&mut self) {
        if self.deck.len() == 0 {
            self.deck = self.discard;
            self.discard.clear();
        }
    }

    pub fn put_on_discard(&mut self, card: u8) {
        self.discard.add(card);
        self.turn_over();
    }

    /// The card in play goes, with its points.
    pub fn clear_play(&mut self) {
        self.points = 0;
        if self.play != NONE {
            let card = std::mem::replace(&mut self.play, NONE);
            self.put_on_discard(card);
        }
    }

    pub fn pay(&self) -> Self {
        let mut after = self.clone();
        after.points -= 1;
        if after.points == 0 {
            after.clear_play();
        }
        after
    }

    pub fn played(&self, card: u8, points: u8) -> Self {
        let mut after = self.clone();
        after.hand &= !(1 << card);
        after.clear_play();
        after.play = card;
        after.points = points;
        after
    }

    pub fn may_draw(&self) -> bool {
        self.hand.count_ones() < HAND_LIMIT && self.deck.len() > 0
    }

    /// Takes the deck's top card: each card that it may be, with the means without it. A hidden one may be any of those
    /// unseen.
    pub fn each_top(&self, mut found: impl FnMut(u8, Self)) {
        let mut rest = self.clone();
        let top = rest.deck.take_first();
        rest.turn_over();
        if top == HIDDEN {
            for card in members(self.unseen) {
                let unseen = self.unseen & !(1 << card);
                found(
                    card,
                    Self {
                        unseen,
                        ..rest.clone()
                    },
                );
            }
        } else {
            found(top, rest);
        }
    }

    /// Each way that a draw may turn out.
    pub fn each_draw(&self, mut found: impl FnMut(Self)) {
        self.each_top(|card, mut rest| {
            rest.hand |= 1 << card;
            found(rest);
        });
    }

    /// Leaves out what can't matter if at most `draws` cards will be drawn: what lies deeper in the deck, and, as long
    /// as the deck lasts, what is discarded.
    pub fn forget(&mut self, draws: usize) {
        if self.deck.len() >= draws {
            self.deck.keep_first(draws);
            self.discard.clear();
        }
        if !self.deck.list().contains(&HIDDEN) {
            self.unseen = 0;
        }
    }
}
