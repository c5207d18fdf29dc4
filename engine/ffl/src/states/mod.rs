//! The states of steps and blocks: derived, not stored.
//!
//! A pure function of a program, an input and the outcomes in a journal gives the tree of steps with
//! states, values and times: the interpreter runs, and its decisions are recorded.

mod derivation;
mod node;
mod recorder;
mod state;

pub use derivation::Derivation;
pub use node::{Node, Reached};
pub use state::{ObjectType, State};
