//! OpenTelemetry traces that follow an execution across all its runs, in whatever process.
//!
//! An execution is one trace: its id is the trace's. Nothing has to be stored or handed on, so a
//! run on Lambda, its next one elsewhere a week later and a child's (a trace of its own, named by an
//! attribute) need not know of each other. The first span of each run hangs below one that nobody
//! sends, since nobody is there from begin to end.

mod join;
mod traces;

pub use join::{join, root, trace_id};
pub use traces::{TelemetryError, Traces};
