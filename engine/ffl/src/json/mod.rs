//! The JSON form of a compiled program, which is public and stable.
//!
//! [`lower`] makes a compiled program of a syntax tree, [`emit`] writes its JSON form, and [`read`]
//! reads it back to an equal program. The reader also accepts older forms, in which a program and a
//! namespace have a list of declarations per kind.

mod document;
mod emit;
mod error;
mod lower;
mod read;

pub use document::{Document, EDITION, FORMAT, Format};
pub use emit::{emit, emit_pretty};
pub use error::ReadError;
pub use lower::{Detail, lower};
pub(crate) use lower::{hex, rank};
pub use read::{MAX_FORM_DEPTH, read};
pub(crate) use read::{parse_json, read_stored};
