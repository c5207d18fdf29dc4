//! Hints as messages of Amazon SQS: they bypass the bucket's notifications on the way to a worker
//! on Lambda, and delay a timer's hint until its time.
//!
//! - Hints that are sent together share a request: up to ten messages each, several requests
//!   concurrently. A process that may be frozen (a function between two events) calls
//!   [`flush`](SqsWakeups::flush) first.
//! - A timer's hint is delivered at its instant, or up to a second later, never before: a worker
//!   would have to return an early one. Timers that are due after the configured reach are left to
//!   the sweeper, which runs in time.
//! - A message that cannot be sent is logged and dropped: the sweeper finds its cause later.
//!
//! Cost: one SQS request for up to ten hints; none of the bucket.

mod open;
mod post;
mod sender;
#[cfg(test)]
mod tests;

pub use crate::message::{body, parse};
pub use open::OpenError;
pub use post::{Message, Post};
pub use sender::{LONGEST_DELAY, SqsWakeups};
