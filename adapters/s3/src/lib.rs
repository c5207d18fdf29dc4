//! An object store that speaks S3 as bucket: AWS (Standard and Express One Zone), `MinIO`,
//! `SeaweedFS`, `LocalStack`.
//!
//! - **S1** Each call at the port is one request: what the SDK and its HTTP client would try again
//!   by themselves is off, since a retry that meets its own first try hears 412. The exceptions
//!   are a 409, which says that nothing happened yet (`write.rs`), the pages of a listing
//!   that show only what is not ours, and the lists of Express (`list.rs`).
//! - **S2** What an answer means is decided in one table, and nowhere else (`fault.rs`).
//! - **S3** An object is given whole or not at all.
//! - **S4** The prefix is put before each key on the way out, and taken off on the way in, in
//!   one place (`names.rs`).
//!
//! What must never happen, and the rule that forbids it: a create lands, its reply is lost, the
//! client tries again behind the port, and the writer hears `Refused` for its own commit (S1).

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
