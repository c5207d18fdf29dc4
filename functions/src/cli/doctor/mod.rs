//! `doctor`: checks the bucket's guarantees, the integrity of every object, and whether every
//! execution can be woken.
//!
//! What is checked, in this order: the settings of the bucket (`settings.rs`), the permissions
//! (`permissions.rs`), the latency (`latency.rs`), the clock (`skew.rs`), and then every probe of the
//! conformance suite (`checks.rs`). A bucket that fails a probe is rejected. The executions in it
//! come last.

mod checks;
mod command;
mod finding;
mod latency;
mod leftovers;
mod permissions;
mod report;
mod settings;
mod skew;
mod target;
#[cfg(test)]
mod tests;

pub(super) use command::Args;
