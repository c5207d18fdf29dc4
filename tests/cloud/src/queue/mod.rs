//! Queues of LocalStack's SQS, and the event source mappings that hand their messages to functions.
//!
//! Visibility, delays, receive counts and the dead-letter queue are the server's. A mapping does
//! what Lambda's pollers do: it receives, makes batches, invokes, and deletes what was not
//! reported as failed. What is reported, and the whole of a batch whose invocation failed, stays
//! in the queue and comes back when its visibility ends.
//!
//! A mapping can be made to be worse than SQS usually is: see [`Chaos`].

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
