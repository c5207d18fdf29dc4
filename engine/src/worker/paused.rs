//! The pause of one execution.

use std::time::Duration;

/// A pause after a run without effect.
#[derive(Debug)]
pub(super) struct Paused {
    pub(super) until: Duration,
    pub(super) times: u32,
    /// Whether the execution takes no messages, so that a hint for one does not end the pause.
    pub(super) full: bool,
    /// Whether a poll has begun since the pause ended.
    pub(super) looked: bool,
}
