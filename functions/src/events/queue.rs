//! Messages of SQS.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use super::content::Content;
use super::field::{at, must, number, text};
use super::malformed::Malformed;

/// A message of an SQS batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id, which the answer of a batch refers to (`batchItemFailures`).
    pub id: String,
    /// Its body.
    pub body: String,
    /// How often it was delivered, including now (`ApproximateReceiveCount`); 0 if unknown.
    pub received: u64,
    /// When it was sent (`SentTimestamp`).
    pub sent: Option<Timestamp>,
    /// Its group, in a FIFO queue.
    pub group: Option<String>,
    /// The queue's ARN.
    pub queue: Option<String>,
    /// The sender's own attributes that are text.
    pub attributes: BTreeMap<String, String>,
}

impl Message {
    /// Reads one record of a batch.
    ///
    /// # Errors
    /// [`Malformed`]: it has no id or no body.
    pub fn from_record(record: &Value) -> Result<Self, Malformed> {
        let malformed = |why| Malformed {
            id: text(record, &["messageId"]),
            why,
        };
        let id = must(record, &["messageId"]).map_err(malformed)?;
        let body = at(record, &["body"]).and_then(Value::as_str);
        let body = body.ok_or_else(|| malformed("it has no text as its `body`".to_owned()))?;
        let sent = number(record, &["attributes", "SentTimestamp"]);
        let sent = sent.and_then(|ms| Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok());
        let attributes = at(record, &["messageAttributes"]).and_then(Value::as_object);
        let attributes = attributes.into_iter().flatten();
        Ok(Self {
            id,
            body: body.to_owned(),
            received: number(record, &["attributes", "ApproximateReceiveCount"]).unwrap_or(0),
            sent,
            group: text(record, &["attributes", "MessageGroupId"]),
            queue: text(record, &["eventSourceARN"]),
            attributes: attributes
                .filter_map(|(name, value)| Some((name.clone(), text(value, &["stringValue"])?)))
                .collect(),
        })
    }

    /// Recognizes the content of the body.
    #[must_use]
    pub fn content(&self) -> Content {
        Content::read(&self.body)
    }
}
