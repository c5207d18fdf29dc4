//! The Lambda service: functions, their instances, and the Runtime API that each instance asks.
//!
//! An instance is a child process with a Runtime API of its own. It is started when an invocation
//! finds no idle one, takes one invocation at a time, and is frozen (SIGSTOP) from the moment it
//! asks for the next one until there is one. What has not answered at its deadline is killed, and
//! so is what outgrows its memory. An instance that ends fails the invocation it had, and the next
//! one meets a new instance.
//!
//! Left out, because nothing of ours rests on it: extensions, response streaming, the share of
//! processor time by memory, and the second attempt at a failed init within the same invocation
//! (here a failed init fails the invocation).

mod api;
mod failure;
mod function;
mod instance;
mod process;
mod report;
mod spec;

pub use failure::Failure;
pub use function::Function;
pub use report::{Report, Summary};
pub use spec::Spec;

/// The largest event and the largest response of an invocation, in bytes.
pub const MOST_BYTES: usize = 6 * 1024 * 1024;
