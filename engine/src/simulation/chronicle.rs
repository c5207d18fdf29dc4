//! A record that no process can change: every write that landed, every effect of a step, every
//! response to a client. It is the only input of the oracle.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::domain::{ExecutionId, FrameId, MessageId};
use crate::keys::Key;

#[derive(Debug, Clone)]
pub(super) struct Landed {
    pub(super) key: Key,
    pub(super) body: Bytes,
    /// In true time.
    pub(super) at: Duration,
}

/// The external effect of one attempt.
#[derive(Debug, Clone)]
pub(super) struct Effect {
    pub(super) eid: ExecutionId,
    pub(super) fid: FrameId,
    pub(super) attempt: u32,
    /// Its idempotency key, which differs for another step under the same id.
    pub(super) key: String,
    /// The process life that caused it.
    pub(super) worker: String,
    /// The value of the step if it succeeds: no two effects have the same one.
    pub(super) value: u64,
    /// In true time.
    pub(super) at: Duration,
    /// The number of writes that had landed.
    pub(super) after: usize,
}

#[derive(Debug, Default)]
pub(super) struct Chronicle(Mutex<Written>);

#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) landed: Vec<Landed>,
    pub(super) effects: Vec<Effect>,
    /// Messages whose sending was acknowledged to a client.
    pub(super) acknowledged: Vec<(ExecutionId, MessageId)>,
}

impl Chronicle {
    pub(super) fn open(&self) -> MutexGuard<'_, Written> {
        // No code panics between two changes: a poisoned record is still consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
