//! Why a drive cannot go on. None of these reaches user code.

use crate::domain::Blocked;

/// The position of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// Its number, over the whole journal.
    pub(crate) number: u64,
    pub(crate) commit: u64,
}

/// Why a drive cannot go on: the fault is in the program, not in the execution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    /// The program does something else than its journal records.
    #[error(
        "the program does not fit the journal: position={position} commit={commit} expected={expected:?} got={got:?}"
    )]
    Nondeterminism {
        /// Number of the entry that does not fit.
        position: u64,
        commit: u64,
        /// What the journal holds.
        expected: String,
        /// What the program did.
        got: String,
    },
    /// The workflow waits for something that is not a frame of its own.
    #[error("{message}")]
    ForeignAwait {
        /// What the author is to do.
        message: String,
    },
    /// Workflow code panicked.
    #[error("{message} at {location}")]
    Panicked {
        /// The text of the panic.
        message: String,
        /// `file:line:column`.
        location: String,
    },
    /// A recorded value is not of the type that the workflow asks for.
    #[error("{frame}: {message}")]
    InvalidValue {
        /// The frame that received it.
        frame: String,
        /// The Rust type asked for.
        expected: String,
        /// The position and the reason.
        message: String,
    },
    /// The journal records a newer version of a change than the program has.
    #[error("change {change} has version {version}, and the program has at most {max}")]
    NewerVersion {
        change: String,
        version: u32,
        max: u32,
    },
    /// The workflow keeps waking itself.
    #[error("the workflow wakes itself without progress")]
    Spins,
}

impl From<super::panic::Panic> for Trouble {
    fn from(panic: super::panic::Panic) -> Self {
        Self::Panicked {
            message: panic.message,
            location: panic.location,
        }
    }
}

/// The reason for which an execution is parked, as a reader of its journal sees it.
impl From<Trouble> for Blocked {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Nondeterminism {
                position,
                commit,
                expected,
                got,
            } => Self::Nondeterminism {
                position,
                commit,
                expected,
                got,
            },
            Trouble::ForeignAwait { message } => Self::ForeignAwait { message },
            Trouble::Panicked { message, location } => Self::Panicked { message, location },
            Trouble::InvalidValue {
                frame,
                expected,
                message,
            } => Self::InvalidValue {
                frame,
                expected,
                message,
            },
            Trouble::NewerVersion {
                change,
                version,
                max,
            } => Self::NewerVersion {
                change,
                version,
                max,
            },
            Trouble::Spins => Self::Stalled {
                crash_count: 0,
                message: trouble.to_string(),
            },
        }
    }
}
