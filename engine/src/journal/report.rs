//! Logs what a landed commit contains, for operators: [`EXECUTION`](crate::process::EXECUTION).
//!
//! A line is written after its commit has landed, so that each line is durable, and none is
//! written twice. Values are never logged: only names, numbers and failures.

use crate::domain::{Began, Commit, Entry, Record, Wait};
use crate::process::EXECUTION;

/// Logs each change in the life of an execution, and each attempt of a step.
pub(super) fn report(record: &Record, commit: &Commit) {
    if !tracing::enabled!(target: EXECUTION, tracing::Level::WARN) {
        return;
    }
    commit.entries.iter().for_each(|entry| log(record, entry));
}

/// One line. Failed and blocked executions need an operator, so they are warnings.
fn log(record: &Record, entry: &Entry) {
    let (eid, workflow, version) = (&record.eid, &record.workflow, &record.version);
    let (queue, key) = (&record.queue, record.dispatch_key.as_deref());
    macro_rules! line {
        ($level:ident, $($field:tt)*) => {
            tracing::$level!(
                target: EXECUTION, %eid, %workflow, %version, %queue, key, $($field)*
            )
        };
    }
    if let Some(event) = entry.lifecycle() {
        match entry {
            Entry::Failed { failure } => line!(warn, why = %failure, "{event}"),
            Entry::Blocked(why) => line!(warn, %why, "{event}"),
            Entry::Cancelled { failure } => line!(info, why = %failure, "{event}"),
            Entry::Paused { reason } => line!(info, why = %reason, "{event}"),
            _ => line!(info, "{event}"),
        }
        return;
    }
    match entry {
        Entry::FrameStarted {
            fid,
            began: Began::Step { attempt, .. },
        } => line!(info, %fid, attempt, "attempt started"),
        Entry::FrameCompleted { fid, .. } => line!(info, %fid, "step completed"),
        Entry::FrameFailed { fid, failure } => line!(info, %fid, why = %failure, "step failed"),
        Entry::FrameSuspended {
            fid,
            wait: Wait::Retry {
                attempt, failure, ..
            },
        } => line!(info, %fid, attempt, why = %failure, "attempt failed"),
        _ => {}
    }
}
