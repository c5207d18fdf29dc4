//! The run of a graph, as a workflow of the engine: the machine over frames.
//!
//! One run is one execution. Its workflow is the id of the definition, its version the revision. The
//! [machine](crate::machine) decides every transition; this module maps its commands to frames, and
//! what the frames yield to its events. Everything between two frames is computed, and costs no
//! request.
//!
//! | graph | engine |
//! |---|---|
//! | activation | scope `s{superstep}/{node}-{rank}` of its id |
//! | attempt of an action | step `do:{attempt}` in it, without retry: the run waits between attempts |
//! | interaction | receive on channel `graph.{sequence}.{generation}`; the key of the message is `decision` |
//! | control of the run | receive on channel `graph.control`, always open |
//! | sleep | sleep until its instant |
//! | children | child frames `{definition}:{key}`; a message on their `graph.control` cancels them |
//! | deadlines, waits for attempts | one sleep until the earliest of them |
//! | time of an event | `now` |
//! | snapshot, reply | pure steps `snapshot:{sequence}` and `reply:{id}` |
//!
//! The engine's cancel is a cancel without fence. Everything but the control receive is under a
//! shield, so a run that stops ends in order.
//!
//! - **G1** A frame yields one event, and each event is handled at its own `now`, in the order of the
//!   journal. So a replay makes the same checkpoints, and asks for the same frames.
//! - **G2** What a run waits for is dropped in the poll in which the machine closes its control.
//!   Without G2, a later message would be consumed and lost.
//!
//! Price: N actions one after the other N + 5 write requests; actions that begin together share the
//! commit that begins them; state nodes, conditions and barriers none.

mod action;
mod activity;
mod children;
mod end;
mod envelope;
mod gate;
mod graphs;
mod handlers;
mod interpret;
mod message;
mod perform;
mod snapshot;
mod support;
#[cfg(test)]
mod tests;
mod timer;
mod wait;
mod work;

pub use activity::{Activity, ActivityStatus, activities};
pub use envelope::{Beginning, Envelope, Parent};
pub use graphs::{GraphError, Graphs, Request, StartError};
pub use handlers::{Answer, Call, Handlers, Place};
pub use message::{CONTROL, ControlMessage, Reply, Verb, decide, decision_channel};
pub use snapshot::{Asked, Halted, Snapshot, reply, snapshot};
pub use support::Unsupported;
