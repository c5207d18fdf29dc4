//! A bucket in one SQLite file: the embedded default, fast with durability on.
//!
//! One row is one object. Writes of a process go through one thread, which takes all that wait
//! into one transaction: one flush of the disk answers them together (group commit). Reads and
//! lists go beside it, on connections of their own, and see what was committed when they began.
//! Any number of processes of one machine may share the file; SQLite's locks arbitrate.
//!
//! - **Q1** A write compares and changes its row within one transaction; no two overlap, of
//!   whatever process.
//! - **Q2** An answer is given after the commit that holds what it says, refusals too: they may
//!   rest on a row that another request of the same group has just made.
//! - **Q3** A version is never given twice: it is this opening's random name and a count. A row
//!   that is deleted and made again has another one.
//! - **Q4** Absent is answered only by the file that the path names: a file that was removed or
//!   replaced under an open bucket is [`Gone`](millpond::ports::Fault::Gone), or opened anew,
//!   never served from the dead one.
//!
//! What must never happen, and the rule that forbids it: a refusal is answered from a
//! transaction that then fails, so a caller gives up an object that nobody has (Q2).

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
