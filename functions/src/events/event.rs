//! Invocation payloads.

use jiff::Timestamp;
use serde_json::Value;

use super::envelope::Envelope;
use super::field::{at, text};
use super::malformed::Malformed;
use super::object::{ObjectEvent, is_test, objects};
use super::queue::Message;
use super::request::Request;
use super::topic::Published;

/// The payload of an invocation.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A batch of SQS.
    Queue(Vec<Result<Message, Malformed>>),
    /// An S3 notification.
    Objects(Vec<Result<ObjectEvent, Malformed>>),
    /// The test event that S3 sends when notifications are configured.
    Test,
    /// Messages of SNS.
    Topic(Vec<Result<Published, Malformed>>),
    /// An event of EventBridge.
    Envelope(Envelope),
    /// A request to the Function URL, payload 2.0.
    Request(Result<Request, Malformed>),
    /// EventBridge Scheduler's `{"tick": ...}`: the instant it was scheduled for.
    Tick(Result<Timestamp, Malformed>),
    /// None of these.
    Other(Value),
}

impl Event {
    /// Recognizes the payload of an invocation.
    #[must_use]
    pub fn read(value: Value) -> Self {
        if is_test(&value) {
            return Self::Test;
        }
        if let Some(objects) = objects(&value) {
            return Self::Objects(objects);
        }
        if let Some(Value::Array(records)) = value.get("Records") {
            // All records of a call have one source, even if one of them does not name it.
            let source = |name| records.iter().find_map(|record| text(record, &[name]));
            if source("eventSource").as_deref() == Some("aws:sqs") {
                return Self::Queue(records.iter().map(Message::from_record).collect());
            }
            if source("EventSource").as_deref() == Some("aws:sns") {
                return Self::Topic(records.iter().map(Published::from_record).collect());
            }
        }
        if let Some(envelope) = Envelope::read(&value) {
            return Self::Envelope(envelope);
        }
        if at(&value, &["requestContext", "http"]).is_some() {
            return Self::Request(Request::read(&value));
        }
        match value.get("tick") {
            Some(tick) => Self::Tick(instant(tick)),
            None => Self::Other(value),
        }
    }
}

fn instant(tick: &Value) -> Result<Timestamp, Malformed> {
    let text = tick.as_str();
    let text = text.ok_or_else(|| Malformed::new("its `tick` is not text"))?;
    let what = |error| {
        Malformed::new(format!(
            "its `tick` is not a timestamp: {error}: tick={text:?}"
        ))
    };
    text.parse().map_err(what)
}
