//! Pins: the revision of everything that a run may start by name, fixed when the run starts.
//!
//! Every descendant of a run uses its pins, so an upload changes nothing in a run that executes, and
//! one id is one revision in a whole tree. A definition that names itself is pinned to the revision
//! that is started. What a definition names with a revision needs no pin, but its own children do.

mod resolve;
#[cfg(test)]
mod tests;

pub use resolve::{Pins, Resolver, Wanted};
