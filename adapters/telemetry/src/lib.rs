//! OpenTelemetry traces that follow an execution across all its runs, in whatever process.
//!
//! An execution is one trace, whose id is the execution's id. No context has to be stored or
//! propagated, so a run on Lambda, the next run elsewhere a week later, and a child's run (a trace
//! of its own, linked by an attribute) need no reference to each other. The first span of each run
//! has a parent span that is never exported, since no process exists for the execution's whole
//! duration.

mod join;
mod traces;

pub use join::{join, root, trace_id};
pub use traces::{TelemetryError, Traces};
