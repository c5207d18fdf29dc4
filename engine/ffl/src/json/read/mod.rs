//! JSON to compiled program: strict, with the path of what is refused.

mod block;
mod bytes;
mod decl;
mod document;
mod expr;
mod node;
mod object;
mod scalar;

pub(crate) use bytes::parse_json;
pub use bytes::{MAX_FORM_DEPTH, read};
pub(crate) use document::read_stored;
