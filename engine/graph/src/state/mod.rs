//! The state of a run: which keys it has, how contributions change them, and what their schemas
//! permit.
//!
//! A change of the state is computed on a copy and validated before it replaces the state, so a refused
//! change leaves the state as it was.

mod effort;
mod error;
mod number;
mod path;
mod reduce;
mod schema;
mod shape;
mod size;
#[cfg(test)]
mod tests;
mod values;

pub use error::{Refusal, StateError};
pub use path::{InvalidPath, MissingPath, Path};
pub use reduce::{ReduceError, reduce};
pub(crate) use reduce::{fits, type_of};
pub use schema::{InvalidSchema, Schema, Violation};
pub(crate) use shape::beginning;
pub use shape::{Contribution, Shape};
pub(crate) use size::refuse_large;
pub use size::size;
pub use values::{State, size_of_state, to_object};
