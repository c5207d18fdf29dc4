//! Randomness by the operating system.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use millpond::ports::Entropy;

/// Bytes fetched at once: a run draws ids of 8 to 16 bytes, a system call costs more than
/// all the copying.
const BUFFER: usize = 256;

/// The system's random bytes, fetched ahead into a small buffer.
///
/// A process image that is cloned while it runs (a snapshot of a virtual machine) would draw
/// the buffered bytes twice.
pub struct OsEntropy {
    buffer: Mutex<Buffer>,
}

struct Buffer {
    bytes: [u8; BUFFER],
    used: usize,
}

impl OsEntropy {
    /// Fetches nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        let buffer = Buffer {
            bytes: [0; BUFFER],
            used: BUFFER,
        };
        Self {
            buffer: Mutex::new(buffer),
        }
    }
}

impl Default for OsEntropy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OsEntropy {
    /// Without the bytes: they are the ids of tomorrow.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OsEntropy").finish_non_exhaustive()
    }
}

impl Entropy for OsEntropy {
    /// # Panics
    /// When the system has no randomness to give: ids would collide.
    fn fill(&self, bytes: &mut [u8]) {
        // A panic in `fetch` leaves `used` as it was: no byte is ever given twice.
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in bytes.chunks_mut(BUFFER) {
            if buffer.used + chunk.len() > BUFFER {
                fetch(&mut buffer.bytes);
                buffer.used = 0;
            }
            let end = buffer.used + chunk.len();
            chunk.copy_from_slice(&buffer.bytes[buffer.used..end]);
            buffer.used = end;
        }
    }
}

fn fetch(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system gives randomness");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_draws_are_the_same_across_many_buffers() {
        let entropy: &dyn Entropy = &OsEntropy::new();
        let drawn: BTreeSet<u64> = (0..1000).map(|_| entropy.u64()).collect();
        assert_eq!(drawn.len(), 1000);
    }

    #[test]
    fn a_draw_larger_than_the_buffer_is_filled_to_its_end() {
        let mut bytes = vec![0_u8; 5 * BUFFER + 64];
        OsEntropy::default().fill(&mut bytes);
        // Each piece of 64 zeros in a row has odds of 2^-512.
        assert!(bytes.chunks(64).all(|piece| piece.iter().any(|b| *b != 0)));
        let pieces: BTreeSet<_> = bytes.chunks(64).collect();
        assert_eq!(pieces.len(), 21, "no piece comes twice");
    }

    #[test]
    fn the_buffer_is_never_shown() {
        let entropy = OsEntropy::new();
        entropy.fill(&mut [0; 8]);
        assert_eq!(format!("{entropy:?}"), "OsEntropy { .. }");
    }
}
