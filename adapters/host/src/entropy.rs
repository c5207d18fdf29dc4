//! The operating system's randomness.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use millpond::ports::Entropy;

/// Number of bytes fetched at once: a run draws ids of 8 to 16 bytes, and a system call costs more
/// than all the copying.
const BUFFER: usize = 256;

/// The system's random bytes, prefetched into a small buffer.
///
/// If a process image is cloned while it runs (a snapshot of a virtual machine), both copies draw
/// the same buffered bytes.
pub struct OsEntropy {
    buffer: Mutex<Buffer>,
}

struct Buffer {
    bytes: [u8; BUFFER],
    used: usize,
}

impl OsEntropy {
    /// Creates the source; the first draw fetches bytes.
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
    /// Omits the buffered bytes, since future ids consist of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OsEntropy").finish_non_exhaustive()
    }
}

impl Entropy for OsEntropy {
    /// # Panics
    /// If the system provides no randomness: ids would collide.
    fn fill(&self, bytes: &mut [u8]) {
        // A panic in `fetch` leaves `used` unchanged: no byte is ever returned twice.
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
        // The probability of 64 zeros in a row is 2^-512 for each piece.
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
