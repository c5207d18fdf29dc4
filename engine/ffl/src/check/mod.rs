//! The checks of a program: one file per family of codes.
//!
//! All checks run over the whole program, and all errors are reported, sorted by position. The
//! checks assume texts that were parsed without errors: a tree that lacks parts would cause errors
//! which are no mistakes of the author.

mod arguments;
mod block;
mod call;
mod checker;
mod declaration;
mod duplicates;
mod expr;
mod implicit;
mod inputs;
mod members;
mod mixins;
mod prompt;
mod recursion;
mod reference;
mod scope;
mod some;
mod steps;
mod target;
mod types;
mod when;
mod yields;

pub use checker::{MAX_DECLARATIONS, check};
pub(crate) use prompt::placeholders;
