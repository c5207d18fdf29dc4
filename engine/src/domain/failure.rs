//! Failures as stored in the journal.

use serde::{Deserialize, Serialize};

use super::FrameId;

/// The kinds of failure that the engine itself produces.
pub mod kind {
    /// The execution was cancelled.
    pub const CANCELLED: &str = "cancelled";
    /// The execution was terminated without running its code.
    pub const TERMINATED: &str = "terminated";
    /// User code panicked.
    pub const PANIC: &str = "panic";
    /// An attempt exceeded its time-out.
    pub const TIMEOUT: &str = "timeout";
    /// An attempt vanished with its worker more often than allowed.
    pub const ATTEMPT_LOST: &str = "attempt_lost";
    /// A value cannot be stored, or cannot be read.
    pub const VALUE: &str = "value";
    /// A value exceeds the hard cap.
    pub const PAYLOAD_TOO_LARGE: &str = "payload_too_large";
    /// A child would be too far below the root of its tree.
    pub const DEPTH: &str = "depth";
    /// A child cannot be retried, because it is archived.
    pub const ARCHIVED: &str = "archived";
    /// No worker of the deployment serves the queue of a child.
    pub const QUEUE: &str = "queue";
    /// The workflow continues as new: what [`Context::continue_as_new`](crate::Context::continue_as_new)
    /// returns.
    pub const CONTINUED: &str = "continued";
    /// The journal reached its bound.
    pub const HISTORY_TOO_LONG: &str = "history_too_long";
}

/// The maximum size of a message in bytes; a longer one is cut and marked.
pub(super) const MAX_MESSAGE: usize = 8 * 1024;

/// The failure of a step, a child or an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A short identifier for matching: a type name chosen by the author, or one of [`kind`].
    pub kind: String,
    /// A description for human readers; cut at 8 KiB.
    pub message: String,
    /// True if no retry can help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// The frame whose failure became this one, if the workflow passed it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameId>,
}

impl Failure {
    /// Creates a failure of this kind.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: cut(kind.into(), 256),
            message: cut(message.into(), MAX_MESSAGE),
            terminal: false,
            frame: None,
        }
    }

    /// Marks the failure as terminal: it is not retried.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        self.terminal = true;
        self
    }

    /// Names the frame whose failure this is.
    #[must_use]
    pub(crate) fn of_frame(mut self, frame: Option<FrameId>) -> Self {
        self.frame = frame;
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kind)?;
        if self.message.is_empty() {
            return Ok(()); // a cancellation without a reason
        }
        write!(f, ": {}", self.message)
    }
}

/// Cuts `text` to `most` bytes and appends a mark. The mark contains the original size, also if the
/// text was cut before.
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

/// Splits a cut text: the number of bytes before the mark, and the original number.
fn mark(text: &str) -> Option<(usize, usize)> {
    let (body, whole) = text.strip_suffix(" bytes]")?.rsplit_once("... [cut, ")?;
    Some((body.len(), whole.parse().ok()?))
}
