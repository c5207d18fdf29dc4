//! Events of Lambda's sources, read record by record.
//!
//! `aws_lambda_events` is not used: there, one unexpected record (a later version with another
//! field type, a missing `eventTime`) fails the whole batch, which is then redelivered until it
//! reaches the dead-letter queue. Here each record is read by itself, only the fields in use are
//! required, unknown fields and later versions are accepted, and a record that cannot be used is
//! reported with the reason ([`Malformed`]).
//!
//! S3's notifications encode object keys as forms do (`+`, `%XX`), EventBridge's events do not.
//! [`ObjectEvent::key`] is always the key itself, decoded exactly once, here.

mod content;
mod envelope;
mod event;
mod field;
mod json;
mod key;
mod malformed;
mod object;
mod queue;
mod request;
#[cfg(test)]
mod tests;
mod topic;

pub use content::Content;
pub use envelope::Envelope;
pub use event::Event;
pub use json::parse;
pub use key::{BadKey, decode};
pub use malformed::Malformed;
pub use object::{Happened, ObjectEvent};
pub use queue::Message;
pub use request::Request;
pub use topic::Published;
