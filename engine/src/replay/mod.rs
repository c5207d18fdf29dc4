//! Replay: a sans-IO driver of one workflow. Journal entries go in, one at a time and in order;
//! what the workflow decides comes out.
//!
//! The bad interleaving: two steps race, B ends before A, the workflow takes B's branch; a later
//! run hands it A first, and it takes the other branch over the same journal. So:
//!
//! - **Live order is journal order.** A live outcome is appended first, then delivered like any
//!   entry, and the workflow is polled until it rests before the next one. A replay therefore
//!   sees the same sequence of states as the run that wrote the journal.
//! - **What the workflow decides is never delivered, but compared.** It must decide the same
//!   again; the first entry it does not account for is a nondeterminism.
//! - **Nothing but frames wakes it.** Any other wake could come at another moment next time.
//!
//! The loop of a run: `deliver`, `turn`, for each entry; `check_frames` after each commit that
//! says how many frames it knew; `go_live`; then append `take_entries`, commit, and run the
//! `steps`, appending and delivering as things happen.

mod attempt;
mod body;
mod deliver;
mod drive;
mod flag;
mod frame_error;
pub(crate) mod frames;
mod misfit;
mod place;
mod poll;
mod register;
mod report;
mod retry;
mod seed;
mod slot;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod trouble;

pub use attempt::Attempt;
pub(crate) use attempt::{Canceller, idempotency_key};
pub(crate) use drive::{Drive, Turn};
pub use frame_error::FrameError;
pub use frames::FrameKind;
pub(crate) use frames::step::{Phase, StepState};
pub(crate) use place::Place;
pub(crate) use register::Refused;
#[cfg(test)]
pub(crate) use report::OpenFrame;
pub use retry::Retry;
pub(crate) use seed::{Code, Limits, Seed};
pub(crate) use table::Table;
pub(crate) use tree::Tree;
pub use tree::{AttemptView, Frame, FrameStatus};
pub(crate) use trouble::{Position, Trouble};
