//! Expressions (CEL) and templates: compiled once, pure, limited in size and work.
//!
//! The `cel` crate parses and evaluates. Three things are added here, because a run must compute the
//! same on every machine and come to an end:
//!
//! - Only names and functions that exist are accepted, so an error in a name is found at compile time.
//! - A macro over an object visits its keys in the order of their bytes. The crate keeps objects in
//!   hash tables, so its own order differs from process to process.
//! - Work is counted before it is done: see `meter.rs`.

mod convert;
mod errors;
mod evaluate;
mod infer;
mod lower;

mod meter;
mod parse;
mod scope;
mod template;
#[cfg(test)]
mod tests;
mod types;

pub use evaluate::{Compiled, EvaluateError};
pub use infer::Finding;
pub(crate) use parse::FUNCTIONS;
pub use parse::{Names, ParseError, Parsed};
pub use scope::Scope;
pub(crate) use template::expressions;
pub use template::{Template, TemplateError};
pub use types::{Type, Types};
