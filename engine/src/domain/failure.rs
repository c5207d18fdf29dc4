//! Failures as they stand in the journal.

use serde::{Deserialize, Serialize};

/// The kinds of failure the engine itself gives.
pub mod kind {
    /// The execution was asked to stop.
    pub const CANCELLED: &str = "cancelled";
    /// The execution was ended without being asked.
    pub const TERMINATED: &str = "terminated";
    /// User code panicked.
    pub const PANIC: &str = "panic";
    /// An attempt took longer than its time-out.
    pub const TIMEOUT: &str = "timeout";
    /// An attempt vanished with its worker, once too often.
    pub const ATTEMPT_LOST: &str = "attempt_lost";
    /// A value cannot be stored, or not be read back.
    pub const VALUE: &str = "value";
    /// A value is over the hard cap.
    pub const PAYLOAD_TOO_LARGE: &str = "payload_too_large";
    /// The journal reached its bound.
    pub const HISTORY_TOO_LONG: &str = "history_too_long";
}

/// Longest message kept, in bytes; longer ones are cut with a mark.
pub(super) const MAX_MESSAGE: usize = 8 * 1024;

/// Why something failed: a step, a child, an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A short word to match on: a type name of the author's, or one of [`kind`].
    pub kind: String,
    /// What happened, for people; cut at 8 KiB.
    pub message: String,
    /// No retry can help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: cut(kind.into(), 256),
            message: cut(message.into(), MAX_MESSAGE),
            terminal: false,
        }
    }

    /// The same, not to be retried.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        self.terminal = true;
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kind)?;
        if self.message.is_empty() {
            return Ok(()); // a cancellation for which nobody gave a reason
        }
        write!(f, ": {}", self.message)
    }
}

/// Cuts `text` to `most` bytes and a mark, which tells the size of the whole also when what
/// was cut before is cut again.
pub(super) fn cut(mut text: String, most: usize) -> String {
    let marked = mark(&text);
    let (body, whole) = marked.unwrap_or((text.len(), text.len()));
    if body > most {
        let end = (0..=most)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        text.truncate(end);
        text.push_str(&format!("... [cut, {whole} bytes]"));
    }
    text
}

/// The bytes before the mark of a text that was cut, and those it had once.
fn mark(text: &str) -> Option<(usize, usize)> {
    let (body, whole) = text.strip_suffix(" bytes]")?.rsplit_once("... [cut, ")?;
    Some((body.len(), whole.parse().ok()?))
}
