//! A definition that is ready to run: every expression, template and schema compiled once.
//!
//! [`Program::begin`] computes what a node asks for, on the state of the barrier. [`Program`]'s other
//! functions turn what came back into contributions. None of them changes anything.

mod begin;
mod children;
mod compile;
mod error;
mod finish;
mod node;
#[cfg(test)]
mod tests;

pub use begin::{Begin, Prompt};
pub use compile::{CompileError, Program};
pub use error::NodeError;
pub use finish::{Finished, Output, Usage};
pub use node::PartError;
