//! Problems that an audit finds.

use jiff::Timestamp;
use serde::Serialize;

use crate::domain::{ExecutionId, Status, Workflow};
use crate::journal::Head;
use crate::keys::Key;

/// A problem that requires action by an operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// An execution is not over, and nothing can wake it.
    Asleep {
        /// The execution.
        eid: ExecutionId,
        /// Its type.
        workflow: Workflow,
        /// Its current status.
        status: Status,
        /// The missing cause.
        why: Asleep,
    },
    /// A head cannot be read, and is never overwritten; or it is missing, although feed objects,
    /// mail or timers name the execution.
    Corrupt {
        /// The key of the head.
        key: Key,
        /// What is wrong with it.
        why: String,
    },
    /// An object that an execution names, a segment of its journal or a large value, is missing
    /// or differs from what was written. The execution is blocked by it as soon as it needs it.
    Broken {
        /// The execution.
        eid: ExecutionId,
        /// The object's key.
        key: Key,
        /// What is wrong with it.
        why: String,
    },
    /// An object at a key that the engine never writes: it is skipped.
    Foreign {
        /// Its key.
        key: Key,
    },
    /// A lease ends more than two of its durations ahead: the clock of its holder is wrong, or that of
    /// the auditor. It is honoured for its duration after the last change of the head.
    FarLease {
        /// The execution.
        eid: ExecutionId,
        /// Its type.
        workflow: Workflow,
        /// The worker that holds the lease.
        worker: String,
        /// Its end, by the clock of that worker.
        until: Timestamp,
    },
    /// A later release wrote a head, or an object that it names: this release leaves it alone.
    Newer {
        /// Its key.
        key: Key,
        /// Its format.
        format: u32,
    },
}

/// What is missing for an execution that nothing can wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asleep {
    /// It was never run, and its `start` mail is gone.
    NoStart,
    /// Its lease has expired, and there is no cause for another run.
    NoCause,
    /// The timer that its head names is gone.
    NoTimer,
    /// A child ended, and its result was never delivered.
    NoResult,
    /// It waits, but for nothing that can happen.
    NoWait,
}

impl std::fmt::Display for Asleep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoStart => "it was never run, and the mail that starts it is gone",
            Self::NoCause => "its lease's time is over, and there is no mail and no timer",
            Self::NoTimer => "the timer that its head names is gone",
            Self::NoResult => "a child ended, and its result never came",
            Self::NoWait => "it waits for nothing that can come",
        })
    }
}

/// Returns the finding about a lease that a clock far ahead has set (N10).
pub(super) fn far_lease(head: &Head, now: Timestamp) -> Option<Finding> {
    let lease = head.lease.as_ref()?;
    lease.is_far_ahead(now).then(|| Finding::FarLease {
        eid: head.record.eid,
        workflow: head.record.workflow.clone(),
        worker: lease.worker.clone(),
        until: lease.until,
    })
}
