//! Why a step or block failed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use millpond::domain::kind;

use super::Place;
use crate::value::EvalError;

/// The error of a step: what a catch reads as `error` and `error_type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// `error_type`
    pub kind: Arc<str>,
    /// `error`
    pub message: Arc<str>,
    /// The path of the innermost step or block that failed; empty for the workflow.
    pub path: Arc<str>,
    cancelled: bool,
}

impl Fault {
    /// An error of the step or block at `path`.
    #[must_use]
    pub fn new(kind: &str, message: impl fmt::Display, path: &str) -> Self {
        Self {
            kind: kind.into(),
            message: message.to_string().into(),
            path: path.into(),
            cancelled: false,
        }
    }

    /// The execution was asked to stop while the step at `path` ran.
    pub(crate) fn cancelled(path: &str) -> Self {
        Self {
            cancelled: true,
            ..Self::new(kind::CANCELLED, "the execution was asked to stop", path)
        }
    }

    pub(super) fn at(place: &Place, kind: &str, message: impl fmt::Display) -> Self {
        Self::new(kind, message, place.path())
    }

    /// An expression that cannot be evaluated.
    pub(super) fn evaluation(error: &EvalError, place: &Place) -> Self {
        Self::at(place, error.error_type(), error)
    }

    /// Whether the execution was asked to stop: no catch runs. A handler that reports an error of
    /// this kind does not cause it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// What has failed in a block that runs: the errors of its statements, cases or elements, in text
/// order.
#[derive(Debug, Default)]
pub(super) struct Failures(BTreeMap<usize, Fault>);

/// What failed in a block: the first error in text order, and how many there are.
#[derive(Debug)]
pub(super) struct BlockFailure {
    first: Fault,
    count: usize,
}

impl Failures {
    pub(super) fn add(&mut self, at: usize, fault: Fault) {
        self.0.insert(at, fault);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The end of the block: `value` if nothing failed.
    pub(super) fn or<T>(self, value: T) -> Result<T, BlockFailure> {
        let count = self.0.len();
        match first_of(self.0.into_values()) {
            Ok(()) => Ok(value),
            Err(first) => Err(BlockFailure { first, count }),
        }
    }
}

impl From<Fault> for BlockFailure {
    fn from(first: Fault) -> Self {
        Self { first, count: 1 }
    }
}

impl BlockFailure {
    /// The first error alone.
    pub(super) fn into_first(self) -> Fault {
        self.first
    }

    /// The error of the block: `n failed: `, then the message of the first.
    pub(super) fn into_fault(self) -> Fault {
        if self.first.cancelled {
            return self.first;
        }
        Fault {
            message: format!("{} failed: {}", self.count, self.first.message).into(),
            ..self.first
        }
    }
}

/// Fails with the first error, with a cancellation before any other: no catch may run then.
pub(super) fn first_of(faults: impl IntoIterator<Item = Fault>) -> Result<(), Fault> {
    let mut first: Option<Fault> = None;
    for fault in faults {
        if fault.cancelled {
            return Err(fault);
        }
        first.get_or_insert(fault);
    }
    first.map_or(Ok(()), Err)
}
