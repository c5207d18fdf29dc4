//! The time port.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// The source of time for the engine.
///
/// Correctness does not depend on it: a wrong clock causes early lease takeovers and late timers,
/// never a lost or doubled commit (docs/protocol.md, What holds).
#[async_trait]
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the current instant of the wall clock.
    fn now(&self) -> Timestamp;

    /// Returns the time since a fixed point in this process. It never decreases.
    fn monotonic(&self) -> Duration;

    /// Waits for `duration`.
    async fn sleep(&self, duration: Duration);
}
