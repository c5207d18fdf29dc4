//! The time port.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// Time, as the engine sees it.
///
/// Correctness never rests on it: a wrong clock costs early steals and late timers, never a
/// lost or doubled commit (docs/protocol.md, What holds).
#[async_trait]
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The instant now, by the wall.
    fn now(&self) -> Timestamp;

    /// Time since some fixed point in this process; never steps back.
    fn monotonic(&self) -> Duration;

    /// Returns after `duration`.
    async fn sleep(&self, duration: Duration);
}
