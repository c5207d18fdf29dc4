//! The mailbox: objects that name an execution and make it run (docs/protocol.md, Mail).
//!
//! - **I3** A message whose create succeeded is absorbed exactly once: its mid is in its key, which
//!   is created once, and in the journal from the commit that absorbs it. The late retry of a
//!   sender finds the key, or leaves stale mail that the next run deletes by its mid.
//! - Mail is deleted only by a run, after the commit that holds its mid is dispatched. The bad
//!   interleaving this forbids: absorb, delete, crash before the commit.

mod absorb;
mod send;

use crate::domain::Mail;
use crate::stored::Document;

pub(crate) use absorb::{Early, Listing, Slot, decode, fetch, list, order, read, read_early};
#[cfg(any(test, feature = "testing"))]
pub(crate) use send::encode;
pub(crate) use send::{Sent, notify, put, send};

impl Document for Mail {
    const FORMAT: u32 = Self::FORMAT;
}
