//! A bucket in one SQLite file: the embedded default, fast with durability on.
//!
//! One row is one object. One thread performs the writes of a process, and combines all waiting
//! ones into one transaction: one disk flush confirms them together (group commit). Reads and lists
//! run in parallel, on connections of their own, and see the state committed before they began. Any
//! number of processes of one machine may share the file; SQLite's locks arbitrate.
//!
//! - **Q1** A write compares and changes its row within one transaction; no two overlap, in any
//!   process.
//! - **Q2** A reply follows the commit that contains its basis. This includes refusals: they may
//!   depend on a row that another request of the same group has just written.
//! - **Q3** A version is never reused: it consists of this opening's random name and a count. A
//!   row that is deleted and created again has another version.
//! - **Q4** Only the file at the path determines absence: if a file was removed or replaced under
//!   an open bucket, the bucket is [`Gone`](millpond::ports::Fault::Gone), or opened anew, and
//!   never served from the removed file.
//!
//! The forbidden interleaving, and the rule that forbids it: a refusal is reported from a
//! transaction that then fails, so a caller gives up an object that has no holder (Q2).

mod apply;
mod bucket;
mod connection;
mod fault;
mod open;
mod readers;
mod requests;
#[cfg(test)]
mod tests;
mod writer;

pub use bucket::SqliteBucket;
pub use open::{Durability, OpenError, Options};
