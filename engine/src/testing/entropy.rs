//! Randomness from a seed.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ports::Entropy;

/// The step of `SplitMix64`: odd, so that the state walks through every `u64` once.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random bytes that are the same for the same seed: `SplitMix64`. Not for secrets.
#[derive(Debug)]
pub struct SeededEntropy {
    state: AtomicU64,
}

impl SeededEntropy {
    /// Begins the sequence of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }

    fn draw(&self) -> u64 {
        // Relaxed: each draw needs its own state, not an order among other memory.
        mixed(self.state.fetch_add(STEP, Ordering::Relaxed))
    }

    /// The draw number `n` of the sequence of `seed`, from 0 on.
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
