//! Random choices from a seed.

use crate::ports::Entropy;
use crate::testing::SeededEntropy;

/// Draws that are equal for equal seeds.
#[derive(Debug)]
pub(super) struct Dice(SeededEntropy);

impl Dice {
    /// The draws of `seed`; `stream` separates the draws of different purposes.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mixed = SeededEntropy::new(seed);
        let first = (&mixed as &dyn Entropy).u64();
        Self(SeededEntropy::new(first ^ (stream << 32 | stream)))
    }

    pub(super) fn next(&self) -> u64 {
        (&self.0 as &dyn Entropy).u64()
    }

    /// A number below `end`; 0 if `end` is 0.
    pub(super) fn below(&self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }

    /// An index into a sequence of length `len`.
    pub(super) fn index(&self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }

    /// A number from `low` to below `end`.
    pub(super) fn between(&self, low: u64, end: u64) -> u64 {
        low + self.below(end.saturating_sub(low))
    }

    /// True with this probability in a thousand.
    pub(super) fn chance(&self, in_thousand: u64) -> bool {
        self.below(1_000) < in_thousand
    }

    pub(super) fn pick<T: Copy>(&self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}
