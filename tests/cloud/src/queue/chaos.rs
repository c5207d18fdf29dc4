//! Faults that a queue may have, more frequent than usual.

use millpond::ports::Entropy as _;
use millpond_testing::SeededEntropy;

/// Faults of delivery, drawn from a seed. None by default.
#[derive(Debug, Clone, Default)]
pub struct Chaos {
    /// The seed of the random numbers.
    pub seed: u64,
    /// Maximum number of deliveries per receive of a message: each is drawn from 1 to this.
    pub copies: u64,
    /// Number of messages that are held back and delivered in random order; 0 keeps the server's
    /// order.
    pub shuffle: usize,
    /// Percentage of messages that are lost: deleted, and never delivered.
    pub lost_percent: u64,
}

/// Seeded random numbers.
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

    /// A random index into `count` items.
    pub(crate) fn index(&self, count: usize) -> usize {
        let count = u64::try_from(count).expect("so many do not fit into memory");
        usize::try_from(self.below(count)).expect("it is below a usize")
    }
}
