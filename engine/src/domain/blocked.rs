//! Why an execution is parked.

use serde::{Deserialize, Serialize};

/// Why the engine parked an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Blocked {
    /// The program does not ask for what the journal holds.
    Nondeterminism {
        /// Number of the entry that does not fit.
        position: u64,
        /// The commit it stands in.
        commit: u64,
        /// What the journal holds.
        expected: String,
        /// What the program did.
        got: String,
    },
    /// The workflow waits for something that is not a frame of its own.
    ForeignAwait {
        /// What to do about it.
        message: String,
    },
    /// Runs ended without progress, again and again.
    Stalled {
        /// How often.
        crash_count: u32,
        /// The last cause that is known.
        message: String,
    },
    /// An object of this execution cannot be read.
    Unreadable {
        /// Which.
        key: String,
        /// Why.
        message: String,
    },
}

impl std::fmt::Display for Blocked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nondeterminism {
                position,
                commit,
                expected,
                got,
            } => write!(
                f,
                "the program does not ask for what the journal holds: expected={expected}, \
                 got={got}, entry={position}, commit={commit}"
            ),
            Self::ForeignAwait { message } => f.write_str(message),
            Self::Stalled {
                crash_count,
                message,
            } => write!(f, "{message}: crash_count={crash_count}"),
            Self::Unreadable { key, message } => write!(f, "{message}: key={key}"),
        }
    }
}
