//! Answers to requests.

use serde_json::{Value, json};

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status: 202 done, 200 no rule matched, 400 malformed, 401 not authentic, 404 unknown
    /// path, 405 not a POST, 422 refused by the rules, 503 to be sent again.
    pub status: u16,
    /// The body, in JSON.
    pub body: Value,
}

impl Answer {
    pub(super) fn error(status: u16, message: &str) -> Self {
        Self {
            status,
            body: json!({"error": message}),
        }
    }

    /// The form that a Function URL expects.
    pub(super) fn payload(&self) -> Value {
        let mut headers = json!({"content-type": "application/json"});
        if self.status == 405 {
            headers["allow"] = json!("POST");
        }
        json!({
            "statusCode": self.status,
            "headers": headers,
            "body": self.body.to_string(),
        })
    }
}
