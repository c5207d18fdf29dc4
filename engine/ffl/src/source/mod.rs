//! Source texts: their bytes, lines and origin.
//!
//! A compilation reads several texts. [`Sources`] holds them, and every [`Span`] names its text, so
//! nodes of different files can be part of one program.

mod lines;
mod span;
#[cfg(test)]
mod tests;
mod texts;

pub use lines::{LineIndex, Position};
pub use span::{SourceId, Span};
pub use texts::{MAX_TEXT, Origin, Source, SourceError, Sources};
