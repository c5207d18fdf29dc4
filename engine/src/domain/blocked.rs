//! Reasons why an execution is parked.

use serde::{Deserialize, Serialize};

/// The reason why the engine parked an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Blocked {
    /// The program does not match the journal.
    Nondeterminism {
        /// The number of the entry that does not match.
        position: u64,
        /// The commit that contains the entry.
        commit: u64,
        /// The content of the journal.
        expected: String,
        /// The action of the program.
        got: String,
    },
    /// The workflow awaits a future that is not one of its frames.
    ForeignAwait {
        /// The remedy.
        message: String,
    },
    /// Workflow code panicked.
    Panicked {
        /// The text of the panic.
        message: String,
        /// `file:line:column` of the panic.
        location: String,
    },
    /// A recorded value is not of the type that the workflow asks for.
    #[serde(alias = "unfit_value")]
    InvalidValue {
        /// The frame that received the value.
        frame: String,
        /// The Rust type that the workflow asks for.
        expected: String,
        /// The position in the value, and the reason.
        message: String,
    },
    /// A change has a newer version than the code: another build decided it.
    NewerVersion {
        /// The name of the change.
        change: String,
        /// The version that the journal records.
        version: u32,
        /// The newest version that the code has.
        max: u32,
    },
    /// Runs ended repeatedly without progress.
    Stalled {
        /// The number of crashes.
        crash_count: u32,
        /// The last known cause.
        message: String,
    },
    /// The execution has made all the requests of its budget.
    Budget {
        /// The requests of that day.
        requests: u64,
        /// The number that it may make in a day.
        max: u64,
    },
    /// Too many messages arrived that the workflow does not receive.
    Inbox {
        /// The channel with most of them.
        channel: String,
        /// The number of unread messages on all channels.
        unread: u64,
    },
    /// An object of this execution cannot be read.
    Unreadable {
        /// The key of the object.
        key: String,
        /// The reason why it cannot be read.
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
            Self::Panicked { message, location } => write!(
                f,
                "workflow code panicked; fix it, deploy it and `resume`: at={location}, \
                 message={message}"
            ),
            Self::InvalidValue {
                frame,
                expected,
                message,
            } => write!(
                f,
                "a recorded value is not of the type that the workflow asks for; deploy code that \
                 reads it and `resume`: frame={frame}, expected={expected}, message={message}"
            ),
            Self::NewerVersion {
                change,
                version,
                max,
            } => write!(
                f,
                "it took a branch that this build does not have; deploy a build that has it and \
                 `resume`: change={change}, version={version}, newest here={max}"
            ),
            Self::Stalled {
                crash_count,
                message,
            } => write!(f, "{message}: crash_count={crash_count}"),
            Self::Budget { requests, max } => write!(
                f,
                "it has used its budget of requests for this day; `resume --budget N` sets a larger \
                 one, `resume` continues on another day: requests={requests}, budget={max}"
            ),
            Self::Inbox { channel, unread } => write!(
                f,
                "its inbox is full, since messages arrive that no `receive` consumes: \
                 channel={channel}, unread={unread}"
            ),
            Self::Unreadable { key, message } => write!(f, "{message}: key={key}"),
        }
    }
}
