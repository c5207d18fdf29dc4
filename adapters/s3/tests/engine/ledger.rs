//! What steps did to the world outside, over all processes of a test.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use millpond::{Attempt, ExecutionId, StepError};
use tokio::sync::Notify;

use crate::stage::LONG;

/// Shared by the test and the steps of its workflows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    done: Mutex<BTreeMap<(ExecutionId, String), Vec<u32>>>,
    reported: Notify,
}

impl Ledger {
    /// A step's effect.
    pub(crate) fn effect(&self, attempt: &Attempt) {
        let frame = (attempt.eid(), attempt.fid().to_string());
        let mut done = self.0.done.lock().expect("no holder panics");
        done.entry(frame).or_default().push(attempt.number());
        self.0.reported.notify_waiters();
    }

    /// A step's whole body: the effect, then `value`.
    #[expect(clippy::unused_async, reason = "the shape of a step")]
    pub(crate) async fn gives<T>(self, attempt: Attempt, value: T) -> Result<T, StepError> {
        self.effect(&attempt);
        Ok(value)
    }

    /// The numbers of the attempts that had an effect, by step.
    pub(crate) fn attempts(&self) -> Vec<Vec<u32>> {
        let done = self.0.done.lock().expect("no holder panics");
        done.values().cloned().collect()
    }

    /// Effects so far.
    pub(crate) fn count(&self) -> usize {
        self.attempts().iter().map(Vec::len).sum()
    }

    /// Waits for so many effects.
    pub(crate) async fn reaches(&self, count: usize) {
        let reached = async {
            loop {
                let mut reported = std::pin::pin!(self.0.reported.notified());
                reported.as_mut().enable();
                if self.count() >= count {
                    return;
                }
                reported.await;
            }
        };
        let reached = tokio::time::timeout(LONG, reached).await;
        reached.unwrap_or_else(|_| panic!("{} effects, not {count}", self.count()));
    }
}
