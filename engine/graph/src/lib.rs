//! Graph workflows: definitions as data, nodes and edges over a typed state.
//!
//! This crate is pure: it reads, checks and computes. It has no clock, no randomness and no I/O.

mod category;
pub mod check;
pub mod definition;
pub mod draw;
pub mod express;
mod limits;
pub mod pins;
pub mod pointer;
pub mod program;
mod reach;
pub mod read;
pub mod state;

pub use category::Category;
pub use limits::{LimitExceeded, Limits};
