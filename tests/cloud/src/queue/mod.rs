//! Queues of LocalStack's SQS, and the event source mappings that deliver their messages to
//! functions.
//!
//! The server provides visibility, delays, receive counts and the dead-letter queue. A mapping
//! works like Lambda's pollers: it receives, forms batches, invokes, and deletes the messages that
//! were not reported as failed. Messages reported as failed, and all messages of a batch whose
//! invocation failed, remain in the queue and become visible again after the visibility timeout.
//!
//! A mapping can have more faults than SQS usually has: see [`Chaos`].

mod answer;
mod chaos;
mod event;
mod mapping;
mod settings;
mod sqs;

pub use answer::{Answer, verdict};
pub use chaos::Chaos;
pub(crate) use chaos::Dice;
pub use event::event;
pub use mapping::{Counts, Mapping};
pub use settings::Settings;
pub use sqs::{Attributes, Depth, Message, Queue};
