//! Messages of SNS.

use serde_json::Value;

use super::field::{at, must, text};
use super::malformed::Malformed;

/// A message of a topic, delivered to the function or inside a message of SQS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its id.
    pub id: String,
    /// The topic's ARN.
    pub topic: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// Its text.
    pub message: String,
}

impl Published {
    /// Reads one record of the event that SNS gives a function.
    ///
    /// # Errors
    /// [`Malformed`]: it has no id or no text.
    pub fn from_record(record: &Value) -> Result<Self, Malformed> {
        let sns = at(record, &["Sns"]).unwrap_or(&Value::Null);
        Self::fields(sns).map_err(Malformed::new)
    }

    /// The message, if this JSON is the envelope that SNS sends to SQS.
    pub(crate) fn wrapped(body: &Value) -> Option<Self> {
        let whole = text(body, &["Type"])? == "Notification" && body.get("TopicArn").is_some();
        whole.then(|| Self::fields(body).ok()).flatten()
    }

    fn fields(sns: &Value) -> Result<Self, String> {
        let message = at(sns, &["Message"]).and_then(Value::as_str);
        Ok(Self {
            id: must(sns, &["MessageId"])?,
            topic: text(sns, &["TopicArn"]),
            subject: text(sns, &["Subject"]),
            message: message
                .ok_or_else(|| "it has no text as its `Message`".to_owned())?
                .to_owned(),
        })
    }
}
