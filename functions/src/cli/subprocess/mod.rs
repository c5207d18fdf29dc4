//! Programs as handlers: one process per attempt, with its input on standard input and its result
//! on standard output. The languages differ only in how they read the output.

mod failed;
mod group;
mod output;
mod run;

pub(super) use failed::Failed;
pub(super) use run::{Limits, Ran, run};
