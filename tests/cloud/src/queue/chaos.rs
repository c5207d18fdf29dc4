//! What a queue may do wrong, and more of it than usual.

use millpond::ports::Entropy as _;
use millpond_testing::SeededEntropy;

/// Faults of delivery, drawn from a seed. None by default.
#[derive(Debug, Clone, Default)]
pub struct Chaos {
    /// Where the draws begin.
    pub seed: u64,
    /// The most times that one receive of a message is delivered: each is drawn from 1 to this.
    pub copies: u64,
    /// How many messages are held back and drawn from at random; 0 keeps the server's order.
    pub shuffle: usize,
    /// How many of a hundred messages are lost: deleted, and never delivered.
    pub lost_percent: u64,
}

/// Draws from a seed.
#[derive(Debug)]
pub(crate) struct Dice(SeededEntropy);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// A number below `limit`, 0 if that is 0.
    pub(crate) fn below(&self, limit: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes) % limit.max(1)
    }

    /// The index of one of `count` things.
    pub(crate) fn index(&self, count: usize) -> usize {
        let count = u64::try_from(count).expect("so many do not fit into memory");
        usize::try_from(self.below(count)).expect("it is below a usize")
    }
}
