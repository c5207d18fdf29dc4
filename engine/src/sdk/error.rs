//! What goes wrong in user code: in a step, in a frame, in a workflow.

use std::any::Any;
use std::fmt;

use crate::domain::{Failure, Fid, InvalidName, ValueError, kind};

/// Why an attempt of a step failed.
///
/// `?` turns any error of the standard kind into one; its kind is then the short name of the
/// error's type, which [`Retry`](crate::Retry) and whoever matches the failure can name. Not
/// such an error itself, since the blanket `From` would not be coherent.
///
/// ```
/// use millpond::StepError;
///
/// async fn parse(text: String) -> Result<i64, StepError> {
///     if text.is_empty() {
///         return Err(StepError::new("Empty", "nothing to parse").terminal());
///     }
///     Ok(text.parse()?) // kind `ParseIntError`
/// }
/// # assert_eq!(StepError::from("x".parse::<i64>().unwrap_err()).kind(), "ParseIntError");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError(Failure);

impl StepError {
    /// An error of this kind.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Failure::new(kind, message))
    }

    /// The same, not to be retried.
    #[must_use]
    pub fn terminal(self) -> Self {
        Self(self.0.terminal())
    }

    /// The word to match on.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// What happened, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for StepError {
    fn from(error: E) -> Self {
        Self(failure_of(&error))
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        error.0
    }
}

/// What a workflow ends with when it does not end well.
///
/// `?` turns any error of the standard kind into one. A [`FrameError`] keeps the kind of what
/// failed below it, so a parent can match what a child's step said.
///
/// ```
/// use millpond::Failed;
///
/// fn check(amount: &str) -> Result<i64, Failed> {
///     let amount: i64 = amount.parse()?;
///     if amount < 0 {
///         return Err(Failed::new("Negative", "an amount is at least 0"));
///     }
///     Ok(amount)
/// }
/// # assert_eq!(check("-1").unwrap_err().kind(), "Negative");
/// # assert_eq!(check("?").unwrap_err().kind(), "ParseIntError");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed(Failure);

impl Failed {
    /// A failure of this kind.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Failure::new(kind, message))
    }

    /// The word to match on.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// What happened, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether it stems from a frame that yielded [`FrameError::Cancelled`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.kind == kind::CANCELLED
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(failure_of(&error))
    }
}

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Self {
        failed.0
    }
}

/// Why a frame (a step, a wait, a child, a message to send) gave no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The step failed for good: its retries are used up, or no retry could help.
    #[error("step failed: fid={fid}: {failure}")]
    StepFailed {
        /// The frame.
        fid: Fid,
        /// Why.
        failure: Failure,
    },
    /// The child execution did not end well.
    #[error("child failed: fid={fid}: {failure}")]
    ChildFailed {
        /// The frame.
        fid: Fid,
        /// Why.
        failure: Failure,
    },
    /// The execution was asked to stop. Clean-up goes on under
    /// [`Context::shielded`](crate::Context::shielded).
    #[error("cancelled: fid={fid}")]
    Cancelled {
        /// The frame.
        fid: Fid,
    },
    /// A value cannot be stored, or what was stored or received is not of the type asked for.
    #[error("value of frame {frame}: {source}")]
    Value {
        /// The frame id, or its name when the frame never came to be.
        frame: String,
        /// Why.
        source: ValueError,
    },
    /// A value is over the hard cap.
    #[error("value of frame {frame} is too large: bytes={bytes} most={most}")]
    PayloadTooLarge {
        /// The name of the frame, which never came to be.
        frame: String,
        /// The value's size.
        bytes: usize,
        /// The cap.
        most: usize,
    },
    /// A name or key breaks its rule; the frame never came to be.
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    /// The key was used before under this parent; this second frame never came to be.
    #[error("frame key used twice: fid={fid}")]
    Duplicate {
        /// The frame that has the key.
        fid: Fid,
    },
    /// The instant to wait for lies beyond the year 9999; the frame never came to be.
    #[error("no such instant: frame={frame}")]
    Instant {
        /// The name of the frame.
        frame: String,
    },
    /// The context was used outside of its workflow, in a step or in a task of its own. Frames
    /// belong to the workflow: use them there, and pass the step what it needs.
    #[error("frame used outside of its workflow: frame={frame}")]
    Outside {
        /// The name of the frame.
        frame: String,
    },
}

impl FrameError {
    /// The failure this ends a workflow (or an attempt) with: the kind of what failed below.
    fn failure(&self) -> Failure {
        let word = match self {
            Self::StepFailed { fid, failure } | Self::ChildFailed { fid, failure } => {
                return Failure {
                    terminal: failure.terminal,
                    ..Failure::new(failure.kind.as_str(), format!("{fid}: {}", failure.message))
                };
            }
            Self::Cancelled { .. } => kind::CANCELLED,
            Self::Value { .. } => kind::VALUE,
            Self::PayloadTooLarge { .. } => kind::PAYLOAD_TOO_LARGE,
            Self::InvalidName(_) => "InvalidName",
            Self::Duplicate { .. } => "DuplicateFrame",
            Self::Instant { .. } => "Instant",
            Self::Outside { .. } => "Outside",
        };
        Failure::new(word, self.to_string())
    }
}

fn failure_of<E: std::error::Error + 'static>(error: &E) -> Failure {
    let any: &dyn Any = error;
    match any.downcast_ref::<FrameError>() {
        Some(frame) => frame.failure(),
        None => Failure::new(short_name(std::any::type_name::<E>()), chain(error)),
    }
}

/// `core::num::ParseIntError` is `ParseIntError`; generic arguments are left out.
fn short_name(path: &str) -> &str {
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit("::").next().unwrap_or(plain)
}

/// The message and those of its sources, unless a message already repeats its source.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        next = source.source();
    }
    text
}
