//! The common parts of all stored objects.
//!
//! - [`Document`]: a JSON object with a `format` and a checksum. A newer format is rejected by name
//!   and left as it is; changed bytes are corrupt, never a value.
//! - Large values ([`offload`], [`resolve`]) are separate objects, created before the object that
//!   names them.
//! - [`amend`] is the only loop that replaces an object, apart from the commit of a head, whose
//!   `Unknown` has its own rule (`journal/commit.rs`). The only loop that creates an object is
//!   [`Ports::create`](crate::ports::Ports::create).

mod amend;
mod blob;
pub(crate) mod checksum;
mod document;
mod error;

pub(crate) use amend::{Amended, Change, amend};
pub(crate) use blob::{carry, offload, offload_until, resolve, resolve_at};
pub(crate) use document::{Document, check_format, decode};
pub use error::LoadError;
