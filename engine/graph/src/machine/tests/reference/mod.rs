//! A second machine, written apart from the first and as simply as possible.
//!
//! It keeps no index and no cache: each answer is computed from the definition and from the whole
//! history of events, which is replayed for each question. It has actions with and without
//! retries, state nodes, inputs, sleeps, children and joins; agents are tested elsewhere.

mod random;
mod replay;
mod shape;
mod supersteps;

pub(crate) use random::definitions;
pub(crate) use replay::{Input, Phase, Replay, replay};
