//! What a message carries.

use serde_json::Value;

use super::envelope::Envelope;
use super::event::{Malformed, is_test, objects};
use super::json::parse;
use super::object::ObjectEvent;
use super::topic::Published;

/// What the body of a message is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// An S3 notification: each of its records by itself.
    Objects(Vec<Result<ObjectEvent, Malformed>>),
    /// What S3 sends when notifications are set up. Nothing follows from it.
    Test,
    /// An event of EventBridge, S3's own included.
    Envelope(Envelope),
    /// A message of SNS, around any of the others.
    Published(Published),
    /// Other JSON: a hint, or what somebody sent.
    Json(Value),
    /// Not JSON.
    Text(String),
}

impl Content {
    /// Tells what a body is.
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

    /// What happened to objects, however it is wrapped: an S3 notification, EventBridge's
    /// event of S3, or either in a message of SNS. `None` if it is about something else.
    #[must_use]
    pub fn objects(&self) -> Option<Vec<Result<ObjectEvent, Malformed>>> {
        match self {
            Self::Objects(objects) => Some(objects.clone()),
            Self::Test => Some(Vec::new()),
            Self::Envelope(envelope) => envelope.object().map(|object| vec![object]),
            // A topic's message holds no further topic's: SNS cannot subscribe to SNS.
            Self::Published(published) => match published.content() {
                Self::Published(_) => None,
                inner => inner.objects(),
            },
            Self::Json(_) | Self::Text(_) => None,
        }
    }
}
