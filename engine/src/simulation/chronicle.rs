//! What nobody inside can change: every write that landed, every effect of a step, every
//! answer that a client got. The oracle judges from this alone.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use crate::domain::{ExecutionId, FrameId, MessageId};
use crate::keys::Key;

/// One write that landed.
#[derive(Debug, Clone)]
pub(super) struct Landed {
    pub(super) key: Key,
    pub(super) body: Bytes,
    /// True time.
    pub(super) at: Duration,
}

/// One attempt's effect on the world outside.
#[derive(Debug, Clone)]
pub(super) struct Effect {
    pub(super) eid: ExecutionId,
    pub(super) fid: FrameId,
    pub(super) attempt: u32,
    /// The process life that did it.
    pub(super) worker: String,
    /// What the step gives, if it succeeds: no two effects give the same.
    pub(super) value: u64,
    /// True time.
    pub(super) at: Duration,
    /// How many writes had landed.
    pub(super) after: usize,
}

#[derive(Debug, Default)]
pub(super) struct Chronicle(Mutex<Written>);

#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) landed: Vec<Landed>,
    pub(super) effects: Vec<Effect>,
    /// Messages whose sending a client was told to have happened.
    pub(super) acknowledged: Vec<(ExecutionId, MessageId)>,
}

impl Chronicle {
    pub(super) fn open(&self) -> MutexGuard<'_, Written> {
        // Nothing panics between two changes: a poisoned one is still whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
