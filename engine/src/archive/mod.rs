//! The archive: a finished execution in one object (docs/protocol.md, Retention).
//!
//! `archive/{sh}/{eid}`: JSON lines. The first says what the execution was, then comes each commit
//! of its journal, and the last holds the digest of all bytes before it. Large values stand in
//! the lines up to a bound, beyond it beside them, as `archive-blob/{sh}/{eid}/{sha256}`.
//!
//! - **I10** It is whole before anything of the execution is deleted: a journal that cannot be
//!   read to its last entry and value is not archived.
//! - **Its bytes follow from the head.** Whoever archives the same head writes the same bytes, so
//!   after a lost reply, or beside another writer, *found equal* is done.
//! - **\[R\] It is replaced by that of a later head only**: of a later commit, or of a later
//!   execution under the same key. The bad interleaving: a pass archives a failed execution, and is
//!   slow to write; somebody re-opens it, it ends again, and another pass archives and buries it;
//!   the slow one replaces the archive that the tombstone names.
//! - **Crash** after it: an archive beside a live head. Retention comes again.
//!
//! It is plain text. The engine links no compressor: the codec at the port compresses archives
//! as all objects, and without it they can be read with any tool.
//!
//! Price: 1 P, + 1 P for each value beside it; 1 G for each segment and each large value.
//! Reading it back: 1 G, + 1 G for each value beside it.

mod compose;
mod form;
mod put;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use compose::{Composed, compose};
pub(crate) use form::Archive;
pub(crate) use put::{Put, put};
pub(crate) use read::{read, value};
