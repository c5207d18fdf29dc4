//! The values of the engine: ids and names, JSON values, failures, entries, mail.
//!
//! This module has no behaviour. All of its types are stored, so their serde form is the stored
//! format.

mod actor;
mod blocked;
mod budget;
mod depth;
mod entry;
mod failure;
mod frames;
mod id;
mod json;
mod mail;
mod message_id;
mod name;
mod part;
mod record;
mod retry;
mod stamp;
#[cfg(test)]
mod tests;

pub use actor::{Actor, ActorKind, Provenance};
pub use blocked::Blocked;
pub use budget::Budget;
pub use depth::Depth;
pub use entry::{Commit, Entry};
pub use failure::{Failure, kind};
pub use frames::{Began, Lost, Wait};
pub use id::{Digest, ExecutionId, FrameId};
pub use json::{Json, Payload, ValueError};
pub use mail::{Body, Control, Mail};
pub use message_id::{Class, MessageId};
pub use name::{Channel, FrameName, InvalidName, MAX_TEXT, Queue, Text, Workflow};
pub use part::{Range, Segment};
pub(crate) use record::is_first;
pub use record::{OnClose, Parent, Record, Status};
pub use retry::{Again, Retried, RetryRequest};
pub(crate) use stamp::{stamp, unstamp};
