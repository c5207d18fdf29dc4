//! The content of messages.

use serde_json::Value;

use super::envelope::Envelope;
use super::json::parse;
use super::malformed::Malformed;
use super::object::{ObjectEvent, is_test, objects};
use super::topic::Published;

/// The content of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// The records of an S3 notification.
    Objects(Vec<Result<ObjectEvent, Malformed>>),
    /// The test event that S3 sends when notifications are configured. It is ignored.
    Test,
    /// An event of EventBridge, S3's own included.
    Envelope(Envelope),
    /// A message of SNS, around any of the others.
    Published(Published),
    /// Other JSON: a hint, or an application's message.
    Json(Value),
    /// Not JSON.
    Text(String),
}

impl Content {
    /// Recognizes the content of a body.
    #[must_use]
    pub fn read(body: &str) -> Self {
        let Ok(value) = parse(body) else {
            return Self::Text(body.to_owned());
        };
        if is_test(&value) {
            return Self::Test;
        }
        if let Some(objects) = objects(&value) {
            return Self::Objects(objects);
        }
        if let Some(published) = Published::wrapped(&value) {
            return Self::Published(published);
        }
        match Envelope::read(&value) {
            Some(envelope) => Self::Envelope(envelope),
            None => Self::Json(value),
        }
    }

    /// The changes of objects that it reports: in an S3 notification, in EventBridge's event of S3,
    /// or in either inside a message of SNS. `None` if it reports something else.
    #[must_use]
    pub fn objects(&self) -> Option<Vec<Result<ObjectEvent, Malformed>>> {
        match self {
            Self::Objects(objects) => Some(objects.clone()),
            Self::Test => Some(Vec::new()),
            Self::Envelope(envelope) => envelope.object().map(|object| vec![object]),
            // A message of SNS contains no other: a topic cannot subscribe to a topic.
            Self::Published(published) => match published.content() {
                Self::Published(_) => None,
                inner => inner.objects(),
            },
            Self::Json(_) | Self::Text(_) => None,
        }
    }
}

impl Published {
    /// Recognizes the content of the message.
    #[must_use]
    pub fn content(&self) -> Content {
        Content::read(&self.message)
    }
}
