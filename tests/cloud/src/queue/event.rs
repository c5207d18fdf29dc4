//! A batch in the form that the function receives.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::queue::Message;

/// The event of a batch.
#[must_use]
pub fn event<'m>(arn: &str, messages: impl IntoIterator<Item = &'m Message>) -> Value {
    let record = |message: &Message| {
        json!({
            "messageId": message.id,
            "receiptHandle": message.receipt,
            "body": as_s3_writes(&message.body),
            "attributes": message.attributes,
            "messageAttributes": {},
            "md5OfBody": message.md5,
            "eventSource": "aws:sqs",
            "eventSourceARN": arn,
            "awsRegion": crate::REGION,
        })
    };
    let records: Vec<_> = messages.into_iter().map(record).collect();
    json!({ "Records": records })
}

/// A notification with keys in S3's encoding: LocalStack encodes a space as `%20`, S3 as `+`. The
/// MD5 beside it remains that of LocalStack's body.
fn as_s3_writes(body: &str) -> Cow<'_, str> {
    let Ok(mut value) = serde_json::from_str::<Value>(body) else {
        return body.into();
    };
    let Some(records) = value.get_mut("Records").and_then(Value::as_array_mut) else {
        return body.into();
    };
    for record in records {
        if let Some(key) = record.pointer_mut("/s3/object/key") {
            *key = key
                .as_str()
                .map_or(Value::Null, |key| key.replace("%20", "+").into());
        }
    }
    value.to_string().into()
}
