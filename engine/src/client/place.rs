//! The executions of a start key, one after the other.
//!
//! The first is (key, 0). If a key is free again, its next start begins an execution with an id of
//! its own, and the tombstone of (key, 0) names it by its number, `next`.
//!
//! - **\[R\] No two executions share an id**, so nothing of one can reach the other. The bad
//!   interleaving: a run reads a tombstone; the key becomes free and is started again; the run lists
//!   the mailbox, and deletes the first message of the next execution.
//! - **\[R\]** `next` is written by compare-and-swap, before the execution that it names begins. Two
//!   starters of a free key: one writes `next`, the other is refused and finds it, whether the head
//!   that it names exists yet or not.

use std::time::Duration;

use super::{Engine, EngineError};
use crate::domain::{ExecutionId, Text};
use crate::journal::{CommitError, Journal};
use crate::ports::Ports;
use crate::stored::LoadError;

/// The newest execution of a key.
pub(super) struct Place {
    /// Its number.
    pub(super) n: u32,
    /// Its head; `None` if it has not begun.
    pub(super) found: Option<Journal>,
    /// The tombstone of (key, 0), if `found` is another execution.
    first: Option<Journal>,
}

impl Place {
    /// Steps 1 and 2 of a keyed start: reads the head of (key, 0), and of the execution that its
    /// tombstone names. 1 G, 2 G if the key was used before.
    pub(super) async fn of(ports: &Ports, key: &Text) -> Result<Self, LoadError> {
        let first = Journal::load(ports, &ExecutionId::keyed(key, 0)).await?;
        let next = first
            .as_ref()
            .and_then(|first| first.head.archived.as_ref()?.next);
        Ok(match next {
            None => Self {
                n: 0,
                found: first,
                first: None,
            },
            Some(n) => Self {
                n,
                found: Journal::load(ports, &ExecutionId::keyed(key, n)).await?,
                first,
            },
        })
    }

    /// Step 4: writes the number of the next execution into the tombstone of (key, 0). Returns
    /// that number; `None` if another starter was faster. 1 P.
    pub(super) async fn advance(
        self,
        ports: &Ports,
        ttl: Duration,
    ) -> Result<Option<u32>, CommitError> {
        let Some(mut first) = self.first.or(self.found) else {
            return Ok(None);
        };
        let (next, deadline) = (self.n + 1, ports.clock.monotonic() + ttl);
        let named =
            first.amend_tombstone(ports, |_, archived| archived.next = Some(next), deadline);
        match named.await {
            Ok(()) => Ok(Some(next)),
            Err(CommitError::Lost { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Engine {
    /// Returns the id of the newest execution of a start key, whether it has begun or not. 1 G,
    /// 2 G if the key was used before.
    ///
    /// # Errors
    /// The key is invalid; the store failed, or a head cannot be read.
    pub async fn newest_of(&self, key: &str) -> Result<ExecutionId, EngineError> {
        let key = Text::parse(key)?;
        let place = Place::of(&self.core.ports, &key).await?;
        Ok(ExecutionId::keyed(&key, place.n))
    }

    /// Returns the execution that followed this one under its key, if any. 1 G for any but the
    /// first one.
    pub(super) async fn next_of(
        &self,
        ended: &Journal,
    ) -> Result<Option<ExecutionId>, EngineError> {
        let record = &ended.head.record;
        let Some(key) = &record.dispatch_key else {
            return Ok(None);
        };
        let key = Text::parse(key)?;
        let next = match record.n {
            0 => ended
                .head
                .archived
                .as_ref()
                .and_then(|archived| archived.next),
            n => {
                let first = Journal::load(&self.core.ports, &ExecutionId::keyed(&key, 0)).await?;
                let next = first.and_then(|first| first.head.archived?.next);
                next.filter(|next| *next > n)
            }
        };
        Ok(next.map(|next| ExecutionId::keyed(&key, next)))
    }
}
