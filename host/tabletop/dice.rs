//! Named dice streams. The generator is ChaCha8; deriving seeds, ranges and shuffles are ours, so
//! that a library upgrade can't change a replay. Golden vectors below hold all three.
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Written into saves; a change of anything in this file needs a new one.
pub const ALGORITHM: &str = "chacha8-sha256-1";

/// One stream: its key and how many numbers were drawn from it.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u8; 32],
    drawn: u64,
    rng: ChaCha8Rng,
}

/// The key of the stream `name` of a session with `seed`. `fork` names a derived family, empty for play.
pub fn derive_key(seed: u64, name: &str, fork: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"ludex stream 1\0");
    hash.update(seed.to_le_bytes());
    hash.update((name.len() as u64).to_le_bytes());
    hash.update(name.as_bytes());
    hash.update(fork.as_bytes());
    hash.finalize().into()
}

impl Stream {
    /// A stream that has drawn `drawn` numbers already.
    pub fn at(key: [u8; 32], drawn: u64) -> Self {
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_word_pos(u128::from(drawn) * 2);
        Self { key, drawn, rng }
    }

    /// What identifies the stream's state: its key and how many numbers were drawn.
    pub fn state(&self) -> ([u8; 32], u64) {
        (self.key, self.drawn)
    }

    /// How many numbers were drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Goes back (or forward) to the state after `drawn` numbers.
    pub fn seek(&mut self, drawn: u64) {
        self.rng.set_word_pos(u128::from(drawn) * 2);
        self.drawn = drawn;
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.rng.next_u64()
    }

    /// A whole number from 0 to `bound - 1`, each equally likely; 0 where `bound` is 0.
    ///
    /// Numbers of the incomplete last run of `2^64` are drawn again, so no value is favoured.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        let rest = (u64::MAX % bound + 1) % bound;
        loop {
            let number = self.draw();
            if number <= u64::MAX - rest {
                return number % bound;
            }
        }
    }

    /// Shuffles in place: Fisher and Yates from the last place to the first.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(name: &str) -> Stream {
        Stream::at(derive_key(7, name, ""), 0)
    }

    #[test]
    fn golden_vectors() {
        let mut deal = stream("deal");
        let drawn: Vec<u64> = (0..4).map(|_| deal.draw()).collect();
        assert_eq!(drawn, GOLDEN_DRAWS);
        let mut deal = stream("deal");
        let rolled: Vec<u64> = (0..12).map(|_| deal.below(6)).collect();
        assert_eq!(rolled, GOLDEN_BELOW_6);
        let mut cards: Vec<u32> = (0..10).collect();
        stream("deal").shuffle(&mut cards);
        assert_eq!(cards, GOLDEN_SHUFFLE);
    }

    const GOLDEN_DRAWS: [u64; 4] = [
        4507460904839446202,
        9841768007478290944,
        1943821494674601888,
        9029338532293731391,
    ];
    const GOLDEN_BELOW_6: [u64; 12] = [2, 4, 0, 1, 1, 3, 3, 1, 4, 1, 4, 3];
    const GOLDEN_SHUFFLE: [u32; 10] = [9, 8, 4, 3, 6, 1, 5, 0, 7, 2];

    #[test]
    fn a_stream_goes_on_after_seek_as_if_never_left() {
        let mut straight = stream("deal");
        let all: Vec<u64> = (0..50).map(|_| straight.draw()).collect();
        for cut in 0..50 {
            let (key, _) = stream("deal").state();
            let mut again = Stream::at(key, cut);
            assert_eq!(again.draw(), all[cut as usize]);
        }
    }

    #[test]
    fn streams_are_independent() {
        assert_ne!(stream("deal").draw(), stream("deck").draw());
        assert_ne!(derive_key(7, "deal", ""), derive_key(8, "deal", ""));
        assert_ne!(derive_key(7, "deal", ""), derive_key(7, "deal", "imagine"));
    }

    #[test]
    fn every_value_of_a_range_is_about_equally_likely() {
        let mut counts = [0u32; 6];
        let mut die = stream("die");
        for _ in 0..60_000 {
            counts[die.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|c| (9_500..10_500).contains(c)), "{counts:?}");
    }
}
