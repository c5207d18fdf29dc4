//! A bucket in a folder: the embedded default, for one machine.
//!
//! Each object is one file with exactly its body, at the path its key spells, so a person can
//! look around with any tool. The folder's own things are in `.millpond/`: `format` (what the
//! folder is), `locks/` (one lock file per shard of keys) and `tmp/` (bodies being written).
//!
//! - **D1** An object's file is only ever replaced whole, by a rename: a reader, or a crash,
//!   never meets half of one.
//! - **D2** Who compares and then writes or deletes holds the key's lock, which all processes
//!   share and which a dying one gives back.
//! - **D3** An answer is given after what it says has reached the disk ([`Durability::Fsync`]).
//! - **D4** Absent is answered only where the folder proves itself with its `format`: an
//!   unmounted disk is [`Gone`](millpond::ports::Fault::Gone), not empty.
//!
//! What must never happen, and the rule that forbids it: a process checks a version, another
//! replaces it, the first renames over it, and an update is lost (D2).

mod bucket;
mod delete;
mod fault;
mod format;
mod list;
mod lock;
mod names;
mod open;
mod read;
mod store;
mod temp;
#[cfg(test)]
mod tests;
mod write;

pub use bucket::DiskBucket;
pub use open::{Durability, OpenError, Options};
