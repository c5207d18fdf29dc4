//! Reads the text of a definition, in JSON, YAML or TOML, into JSON with the place of each value.
//!
//! The formats differ in how they write a value and in nothing else: the same definition gives the
//! same JSON. What JSON cannot hold, or could hold only with less precision, is an error: a key that
//! is given twice, a whole number beyond 64 bits, infinity, and a key that is not text.

mod json;
mod source;
#[cfg(all(test, feature = "yaml", feature = "toml"))]
mod tests;
#[cfg(feature = "toml")]
mod toml;
mod tree;
#[cfg(feature = "yaml")]
mod yaml;

pub use source::{Format, Place, Places, ReadError, Source, read};
