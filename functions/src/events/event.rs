//! Invocation payloads.

use jiff::Timestamp;
use serde_json::Value;

use super::envelope::Envelope;
use super::field::{at, text};
use super::object::ObjectEvent;
use super::queue::Message;
use super::request::Request;
use super::topic::Published;

/// A record that cannot be used. It is reported and acknowledged: redelivery would not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed record{}: {why}", .id.as_ref().map(|id| format!(" {id}")).unwrap_or_default())]
pub struct Malformed {
    /// The id of the SQS message, if it is one.
    pub id: Option<String>,
    /// The reason.
    pub why: String,
}

impl Malformed {
    /// A malformed record, for this reason.
    pub fn new(why: impl Into<String>) -> Self {
        let why = why.into();
        Self { id: None, why }
    }
}

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

/// Whether it is the test event that S3 sends when notifications are configured.
pub(crate) fn is_test(value: &Value) -> bool {
    text(value, &["Event"]).as_deref() == Some("s3:TestEvent")
}

/// The records of an S3 notification, if this is one.
pub(crate) fn objects(value: &Value) -> Option<Vec<Result<ObjectEvent, Malformed>>> {
    let records = value.get("Records")?.as_array()?;
    let s3 = |record: &Value| {
        let source = text(record, &["eventSource"]);
        record.get("s3").is_some() || source.is_some_and(|source| source.ends_with(":s3"))
    };
    let any = records.iter().any(s3);
    any.then(|| records.iter().map(ObjectEvent::from_record).collect())
}
