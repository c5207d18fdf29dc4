//! Events of EventBridge.

use serde_json::Value;

use super::field::text;
use super::malformed::Malformed;
use super::object::ObjectEvent;

/// An event of EventBridge, kept whole for patterns and templates.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// The event's id, the same when it is delivered again.
    pub id: Option<String>,
    /// Its sender: `aws.s3`, `com.example.orders`.
    pub source: String,
    /// Its kind: `Object Created`.
    pub detail_type: String,
    /// The whole event.
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

    /// The change of an object that it reports, if its sender is S3.
    #[must_use]
    pub fn object(&self) -> Option<Result<ObjectEvent, Malformed>> {
        let ours = self.source == "aws.s3" && self.event.pointer("/detail/object").is_some();
        ours.then(|| ObjectEvent::from_envelope(&self.event))
    }
}
