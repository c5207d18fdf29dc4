//! Dispatch of the outbox: performs the effects that commits have decided (docs/protocol.md,
//! Dispatch).
//!
//! Effects are recorded in the commit that decides them, use keys that nothing else uses, and are
//! performed after it. Each is a create, so dispatching twice has the effect of dispatching once.
//!
//! - **I6** After the last cause is deleted, every effect of every commit is in the bucket:
//!   causes are deleted only when the outbox of the last commit is dispatched.
//! - Effects that name one execution are performed in recorded order, never concurrently: a
//!   message must not overtake the `start` that precedes it (A3).
//! - **\[R\] A15** The feed object is the last effect: retention may rely on everything before
//!   it.
//! - A dispatch stops at its time limit (`bound.rs`).
//! - **Crash** at any point in between: the next run dispatches the whole outbox again.

mod bound;
mod perform;
mod plan;

pub(crate) use bound::until;
pub(crate) use perform::{DispatchError, begin, perform};
pub(crate) use plan::{Noted, has_effect, plan};
