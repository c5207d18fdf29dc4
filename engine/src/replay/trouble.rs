//! Why a drive cannot go on. None of these reaches user code.

/// Where an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// Its number, over the whole journal.
    pub(crate) number: u64,
    /// The commit it stands in.
    pub(crate) commit: u64,
}

/// Why a drive cannot go on: the program is at fault, not the execution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    /// The program does not do what the journal says it did.
    #[error(
        "the program does not fit the journal: position={position} commit={commit} expected={expected:?} got={got:?}"
    )]
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
    #[error("{message}")]
    ForeignAwait {
        /// What to do about it.
        message: String,
    },
    /// The workflow wakes itself for ever.
    #[error("the workflow wakes itself without progress")]
    Spins,
}
