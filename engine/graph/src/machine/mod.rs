//! A run of a graph as a machine: events in, commands out.
//!
//! The machine has no clock, no I/O and no async. Its caller gives it what happened, with the time
//! at which it happened, and carries out the commands. Each transition makes one checkpoint.
//!
//! A caller that reports the same events makes the same checkpoints: [`Machine::advance`] until it
//! returns nothing, then [`Machine::handle`] for one event, and so on.
//!
//! - **M1** `sequence` grows by one with each transition, and with nothing else.
//! - **M2** A transition that its row of [`Transition`] does not permit changes nothing.
//! - **M3** Contributions, ordinals, outcomes and the failure follow the order of the frontier,
//!   never the order in which work ends. Without M3, a replay on another worker could reduce two
//!   contributions to one key the other way round.
//! - **M4** A control keeps its sequence. Evidence of an attempt only grows.

mod admission;
mod advance;
mod attempt;
mod barrier;
mod begin;
mod checkpoint;
mod control;
mod due;
mod ended;
mod event;
mod failure;
mod handle;
mod notice;
mod resolve;
mod rules;
mod settlement;
mod show;
mod start;
mod stop;
#[cfg(test)]
pub(crate) mod tests;
mod transition;
mod work;

pub use attempt::{Abort, Attempt, Evidence, Role};
pub use checkpoint::{Admission, Checkpoint, Outcome, Phase, Position, Source, Staged};
pub use control::{Asked, Control, Open};
pub use event::{Bound, Command, Ending, Event, Handled, Notice, Rejection, Step};
pub use failure::Failure;
pub use rules::{Complete, Rules};
pub use settlement::{Decision, Resolution, Settlement, SettlementState, Settlements};
pub use show::{Interaction, InteractionKind, KindOfCheckpoint, Status};
pub use start::{Machine, Rest, Start};
pub use transition::{Disallowed, Transition};
