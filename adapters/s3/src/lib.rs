//! A bucket in an object store with the S3 protocol: AWS (Standard and Express One Zone), `MinIO`,
//! `SeaweedFS`, `LocalStack`.
//!
//! - **S1** Each call at the port is one request: the retries of the SDK and its HTTP client are
//!   disabled, since a retry of a write that landed receives 412. The exceptions are a 409, which
//!   shows that the write had no effect yet (`write.rs`), the pages of a listing that contain only
//!   objects of other programs, and the lists of Express (`list.rs`).
//! - **S2** One table alone maps replies to outcomes (`fault.rs`).
//! - **S3** An object is returned whole or not at all.
//! - **S4** One place adds the prefix to each outgoing key and removes it from each incoming one
//!   (`names.rs`).
//!
//! The forbidden interleaving, and the rule that forbids it: a create lands, its reply is lost, the
//! client retries below the port, and the writer receives `Refused` for its own commit (S1).

mod body;
mod bucket;
mod delete;
mod fault;
mod fetch;
mod inspect;
mod list;
mod names;
mod open;
mod options;
mod read;
mod reply;
mod retry_after;
#[cfg(test)]
mod tests;
mod url;
mod watch;
mod write;

pub use bucket::S3Bucket;
pub use fetch::{Fetched, Wanted};
pub use inspect::{Rule, RuleAction, Versioning};
pub use open::OpenError;
pub use options::Options;
pub use url::UrlError;
