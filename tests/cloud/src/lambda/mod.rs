//! The Lambda service: functions, their instances, and the Runtime API that each instance polls.
//!
//! An instance is a child process with a Runtime API of its own. It is started when an invocation
//! finds no idle one, processes one invocation at a time, and is frozen (SIGSTOP) from its request
//! for the next invocation until one arrives. An instance that has not responded at its deadline is
//! killed, and so is one that exceeds its memory. If an instance exits, its invocation fails, and
//! the next one starts a new instance.
//!
//! Omitted, since Millpond does not depend on them: extensions, response streaming, the share of
//! processor time by memory, and the second attempt at a failed init within the same invocation
//! (here a failed init fails the invocation).

mod api;
mod chain;
mod failure;
mod function;
mod instance;
mod process;
mod report;
mod spec;

pub use chain::{Chains, Lineage, MOST_HOPS};
pub use failure::Failure;
pub use function::Function;
pub use report::{Report, Summary};
pub use spec::Spec;

/// The maximum size of the event and of the response of an invocation, in bytes.
pub const MOST_BYTES: usize = 6 * 1024 * 1024;
