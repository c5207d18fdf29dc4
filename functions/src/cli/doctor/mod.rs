//! `doctor`: does the bucket keep what it promises, is everything whole, and can it be woken?
//!
//! What a bucket is asked, in this order: its settings (`settings.rs`), what we may do with it
//! (`permissions.rs`), how fast it is (`latency.rs`), what time it has (`skew.rs`), and then
//! every probe of the conformance suite (`exam.rs`). A bucket that fails a probe is refused. The
//! executions in it come last.

mod command;
mod concern;
mod exam;
mod latency;
mod left;
mod permissions;
mod report;
mod settings;
mod skew;
#[cfg(test)]
mod tests;

pub(super) use command::Args;
