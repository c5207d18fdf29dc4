//! What is wrong with a source text, as data.
//!
//! The parser and the checks give [`Diagnostic`]s; [`located`] adds file names, lines and columns
//! and is what the JSON form consists of.

mod code;
mod diagnostic;
mod located;
#[cfg(feature = "render")]
mod render;
#[cfg(test)]
mod tests;

pub use code::{Code, Severity};
pub use diagnostic::{Diagnostic, Label, sort};
pub use located::{Located, LocatedLabel, Place, located};
#[cfg(feature = "render")]
pub use render::render;
