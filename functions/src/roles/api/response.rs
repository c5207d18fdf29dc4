//! An HTTP response.

use std::collections::BTreeMap;

use serde_json::Value;

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Headers; names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, as text.
    pub body: String,
}

impl Response {
    /// A JSON document.
    #[must_use]
    pub fn json(status: u16, document: &Value) -> Self {
        let kind = ("content-type".to_owned(), "application/json".to_owned());
        Self {
            status,
            headers: BTreeMap::from([kind]),
            body: document.to_string(),
        }
    }

    /// Sets a header, replacing one of that name.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.insert(name.to_owned(), value.into());
        self
    }

    /// The form that a Function URL expects (payload 2.0).
    #[must_use]
    pub fn to_lambda(&self) -> Value {
        serde_json::json!({
            "statusCode": self.status,
            "headers": self.headers,
            "body": self.body,
            "isBase64Encoded": false,
        })
    }
}
