//! What all stored objects have in common.
//!
//! - [`Document`]: a JSON object with a `format` and a checksum. A newer format is refused by name
//!   and left alone; bytes that changed are corrupt, never a value.
//! - Large values ([`offload`], [`resolve`]) are objects of their own, created before what names them.
//! - [`amend`] is the only loop that replaces an object, apart from the commit of a head, whose
//!   `Unknown` has a rule of its own (`journal/commit.rs`). The only loop that creates an object is
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
