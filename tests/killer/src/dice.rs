//! Seeded random numbers.

use millpond::ports::Entropy as _;
use millpond_testing::SeededEntropy;

#[derive(Debug)]
pub(crate) struct Dice(SeededEntropy);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// A number of at least `low` and below `high`.
    pub(crate) fn between(&self, low: u64, high: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        low + u64::from_le_bytes(bytes) % (high - low).max(1)
    }

    /// True with this probability in percent.
    pub(crate) fn percent(&self, chance: u64) -> bool {
        self.between(0, 100) < chance
    }
}
