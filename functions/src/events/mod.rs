//! What comes from outside: events of Lambda's sources, read with our own tolerance.
//!
//! The structs are our own and not those of `aws_lambda_events`: there, one record that does
//! not fit (a version with another field type, a missing `eventTime`) fails the whole batch,
//! and a batch that fails as a whole comes again until it lands in the dead-letter queue. Here
//! each record is read by itself, only what is used is asked for, unknown fields and later
//! versions pass, and what cannot be used says why ([`Malformed`]).
//!
//! Keys: S3's notifications encode object keys as forms do (`+`, `%XX`), EventBridge's events
//! do not. [`ObjectEvent::key`] is always the key itself, decoded exactly once, here.

mod content;
mod envelope;
mod event;
mod field;
mod json;
mod key;
mod object;
mod queue;
mod request;
#[cfg(test)]
mod tests;
mod topic;

pub use content::Content;
pub use envelope::Envelope;
pub use event::{Event, Malformed};
pub use json::parse;
pub use key::{BadKey, decode};
pub use object::{Happened, ObjectEvent};
pub use queue::Message;
pub use request::Request;
pub use topic::Published;
