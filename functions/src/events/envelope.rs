//! EventBridge's events.

use serde_json::Value;

use super::event::Malformed;
use super::field::text;
use super::object::ObjectEvent;

/// An event of EventBridge, kept whole: patterns and templates look at all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// The event's id, the same when it is delivered again.
    pub id: Option<String>,
    /// Who sent it: `aws.s3`, `com.example.orders`.
    pub source: String,
    /// Its kind: `Object Created`.
    pub detail_type: String,
    /// All of it.
    pub event: Value,
}

impl Envelope {
    /// The event, if this JSON is one: it has `source`, `detail-type` and `detail`.
    #[must_use]
    pub fn read(event: &Value) -> Option<Self> {
        event.get("detail")?;
        Some(Self {
            id: text(event, &["id"]),
            source: text(event, &["source"])?,
            detail_type: text(event, &["detail-type"])?,
            event: event.clone(),
        })
    }

    /// What happened to which object, when S3 sent it.
    #[must_use]
    pub fn object(&self) -> Option<Result<ObjectEvent, Malformed>> {
        let ours = self.source == "aws.s3" && self.event.pointer("/detail/object").is_some();
        ours.then(|| ObjectEvent::from_envelope(&self.event))
    }
}
