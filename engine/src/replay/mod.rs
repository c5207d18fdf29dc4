//! Replay: a sans-IO driver of one workflow. Its input is journal entries, one at a time and in
//! order; its output is what the workflow decides.
//!
//! The bad interleaving: two steps race, B ends before A, and the workflow takes B's branch. A
//! later run delivers A first, and the workflow takes the other branch over the same journal. So:
//!
//! - **Live order is journal order.** A live outcome is appended first, then delivered like any
//!   entry, and the workflow is polled until it waits before the next one. A replay therefore
//!   passes the same sequence of states as the run that wrote the journal.
//! - **What the workflow decides is never delivered, but compared.** It must decide the same
//!   again; the first entry it does not account for is a nondeterminism.
//! - **Only frames wake it.** Any other wake could come at another moment in the next replay.
//!
//! The loop of a run: `deliver`, `activate`, for each entry; `check_frames` after each commit that
//! has a count of frames; `go_live`; then append `take_entries`, commit, and run the
//! `steps`, appending and delivering their outcomes.
//!
//! `sdk` depends on this room: what a workflow calls there becomes a frame here. Nothing here
//! depends on `sdk`.

mod attempt;
mod body;
mod deliver;
mod drive;
mod flag;
mod frame_error;
pub(crate) mod frames;
mod misfit;
mod panic;
mod place;
mod poll;
mod register;
mod report;
mod retries;
mod retry;
mod seed;
mod shown;
mod slot;
mod states;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod trouble;
mod version;

pub use attempt::Attempt;
pub(crate) use attempt::{Canceller, idempotency_key};
pub(crate) use drive::{Activation, Drive};
pub use frame_error::FrameError;
pub use frames::FrameKind;
pub(crate) use frames::step::{Phase, StepState};
pub(crate) use place::Place;
pub(crate) use register::Refused;
pub use report::AwaitedFrame;
#[cfg(test)]
pub(crate) use report::OpenFrame;
pub use retry::Retry;
pub(crate) use seed::{Code, Limits, Seed};
pub use states::State;
pub(crate) use states::States;
pub(crate) use table::Table;
pub(crate) use tree::Tree;
pub use tree::{AttemptView, Frame, FrameStatus};
pub(crate) use trouble::{Position, Trouble};
pub(crate) use version::Versions;
