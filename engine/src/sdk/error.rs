//! Errors of user code: of a step, of a workflow.

use std::any::Any;
use std::fmt;

use super::FrameError;
use crate::domain::{Failure, FrameId, kind};

/// Why an attempt of a step failed.
///
/// `?` turns any error of the standard kind into one; its kind is then the short name of the
/// error's type, by which [`Retry`](crate::Retry) and callers can match the failure. It does
/// not implement `Error` itself, because the blanket `From` would then conflict.
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

    /// The name to match on.
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

/// Why a workflow failed.
///
/// `?` turns any error of the standard kind into one. A [`FrameError`] keeps the kind of what
/// failed below it, so a parent can match the failure of a child's step.
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

    /// What ends a generation; the frame table has the input of the next one.
    pub(super) fn continued() -> Self {
        Self::new(kind::CONTINUED, "the workflow continues as new")
    }

    /// The name to match on.
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

fn failure_of<E: std::error::Error + 'static>(error: &E) -> Failure {
    let any: &dyn Any = error;
    match any.downcast_ref::<FrameError>() {
        Some(frame) => frame.failure(),
        None => Failure::new(short_name(std::any::type_name::<E>()), chain(error))
            .of_frame(frame_below(error)),
    }
}

/// `core::num::ParseIntError` is `ParseIntError`; generic arguments are left out.
fn short_name(path: &str) -> &str {
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit("::").next().unwrap_or(plain)
}

/// The frame whose failure is among the sources of an error.
fn frame_below(error: &(dyn std::error::Error + 'static)) -> Option<FrameId> {
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(frame) = source.downcast_ref::<FrameError>() {
            return frame.failure().frame;
        }
        next = source.source();
    }
    None
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
