//! The archive: a finished execution in one object (docs/protocol.md, Retention).
//!
//! `archive/{sh}/{eid}`: JSON lines. The first describes the execution, each commit of its journal
//! follows, and the last holds the digest of all bytes before it. Large values are inlined up to a
//! bound; beyond it they are separate objects, `archive-blob/{sh}/{eid}/{sha256}`.
//!
//! - **I10** It is complete before any object of the execution is deleted: a journal that cannot be
//!   read to its last entry and value is not archived.
//! - **Its bytes follow from the head.** All writers that archive the same head write the same
//!   bytes, so *found equal* is a success after a lost reply or beside another writer.
//! - **\[R\] Only the archive of a later head replaces it**: of a later commit, or of a later
//!   execution under the same key. The bad interleaving: a pass archives a failed execution, and is
//!   slow to write; an operator re-opens it, it ends again, and another pass archives and expires
//!   it; the slow pass replaces the archive that the tombstone names.
//! - **Crash** after it: an archive beside a live head. Retention retries.
//!
//! It is plain text. The engine links no compressor: the codec at the port compresses archives like
//! all objects, and without the codec any tool can read them.
//!
//! Price: 1 P, + 1 P for each separate value; 1 G for each segment and each large value. Reading it
//! back: 1 G, + 1 G for each separate value.

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
