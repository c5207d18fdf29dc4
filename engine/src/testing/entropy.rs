//! Randomness from a seed.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ports::Entropy;

/// The increment of `SplitMix64`: odd, so that the state visits every `u64` once.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random bytes that are the same for the same seed: `SplitMix64`. Not suitable for
/// secrets.
#[derive(Debug)]
pub struct SeededEntropy {
    state: AtomicU64,
}

impl SeededEntropy {
    /// Starts the sequence of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }

    fn draw(&self) -> u64 {
        // Relaxed: each draw needs a distinct state, not an order among other memory.
        mixed(self.state.fetch_add(STEP, Ordering::Relaxed))
    }

    /// The draw number `n` of the sequence of `seed`, counted from 0.
    pub(super) const fn nth(seed: u64, n: u64) -> u64 {
        mixed(seed.wrapping_add(STEP.wrapping_mul(n)))
    }
}

const fn mixed(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(STEP);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.draw().to_le_bytes()[..chunk.len()]);
        }
    }
}
