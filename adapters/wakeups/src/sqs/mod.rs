//! Hints as messages of Amazon SQS: they spare a worker on Lambda the way over the bucket's
//! notifications, and keep a timer's hint until its time.
//!
//! - Hints that are rung together share a request: up to ten messages each, several requests at
//!   once. A process that may be frozen (a function between two events) calls
//!   [`flush`](SqsWakeups::flush) first.
//! - A timer's hint is delivered at its instant, or up to a second later, never before: what comes
//!   before its time would have to be sent away again. What is due later than
//!   the reach that it is opened with is left to the sweeper, which passes by in time.
//! - A message that cannot be sent is logged and dropped: the sweeper brings its cause again.
//!
//! Price: one SQS request for up to ten hints; none of the bucket.

mod open;
mod post;
mod sender;
#[cfg(test)]
mod tests;

pub use crate::message::{body, parse};
pub use open::OpenError;
pub use post::{Message, Post};
pub use sender::{LONGEST_DELAY, SqsWakeups};
