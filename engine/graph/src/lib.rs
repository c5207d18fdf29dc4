//! Graph workflows: definitions as data, nodes and edges over a typed state.
//!
//! This crate is pure: it reads, checks and computes. It has no clock, no randomness and no I/O.

pub mod check;
pub mod definition;
pub mod pointer;
pub mod read;
