//! An event in the form in which rules process it.
//!
//! | source | the event |
//! |---|---|
//! | `eventbridge` | the event as it arrived |
//! | `s3` | EventBridge's form of the event, the key decoded, also if S3 itself reported it |
//! | `sqs` | `message_id`, `body` (JSON, or text), `attributes`, `queue` |
//! | `sns` | `message_id`, `topic`, `subject`, `message` (JSON, or text) |
//! | `webhook` | `method`, `path`, `query`, `headers` (in lower case), `body` (JSON, or text) |

use std::sync::Arc;

use millpond::domain::Digest;
use serde_json::{Map, Value, json};

use super::source::SourceKind;
use crate::events::{ObjectEvent, Request, parse};

/// An event in the form in which rules process it.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerEvent {
    /// The kind of its source.
    pub source: SourceKind,
    /// The value that patterns are matched with, and templates read.
    pub value: Value,
    /// Identifies the event: unique, and the same when the event is delivered again.
    pub identity: String,
    /// The object that it concerns.
    pub object: Option<ObjectEvent>,
    /// The request, for a webhook.
    pub request: Option<Arc<Request>>,
    /// The ARN of the queue or topic whose message carried it; `None` if the source itself called
    /// the function.
    pub via: Option<String>,
    /// The event carried by a message whose queue or topic no rule accepts for it.
    pub(crate) refused: Option<String>,
}

impl TriggerEvent {
    pub(super) fn new(source: SourceKind, value: Value, identity: String) -> Self {
        Self {
            source,
            value,
            identity,
            object: None,
            request: None,
            via: None,
            refused: None,
        }
    }

    /// A change of an object.
    #[must_use]
    pub fn of_object(object: ObjectEvent) -> Self {
        let (event, identity) = (object.to_json(), object.identity());
        Self {
            object: Some(object),
            ..Self::new(SourceKind::S3, event, identity)
        }
    }

    /// A request to the Function URL.
    #[must_use]
    pub fn of_request(request: Request) -> Self {
        let body = String::from_utf8_lossy(&request.body);
        let event = json!({
            "method": request.method,
            "path": request.path,
            "query": query(&request.query),
            "headers": request.headers,
            "body": if is_form(&request) { form(&body) } else { json_or_text(&body) },
        });
        let identity = Digest::of(&request.body).to_string();
        Self {
            request: Some(Arc::new(request)),
            ..Self::new(SourceKind::Webhook, event, identity)
        }
    }

    /// The path of the request.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.request.as_ref().map(|request| request.path.as_str())
    }
}

pub(super) fn json_or_text(text: &str) -> Value {
    parse(text).unwrap_or_else(|_| text.into())
}

fn is_form(request: &Request) -> bool {
    let kind = request.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The fields of a form. A form with the single field `payload`, which GitHub and Slack send, is
/// only the envelope of that value.
fn form(body: &str) -> Value {
    let fields = form_urlencoded::parse(body.as_bytes());
    let fields = fields.map(|(name, value)| (name.into_owned(), json_or_text(&value)));
    let mut fields: Map<String, Value> = fields.collect();
    match (fields.len(), fields.remove("payload")) {
        (1, Some(payload)) => payload,
        (_, Some(payload)) => {
            fields.insert("payload".to_owned(), payload);
            fields.into()
        }
        _ => fields.into(),
    }
}

/// The parameters of a query. If a name is repeated, the last value counts.
fn query(text: &str) -> Value {
    let pairs = form_urlencoded::parse(text.as_bytes());
    let pairs = pairs.map(|(name, value)| (name.into_owned(), value.into()));
    Value::Object(pairs.collect::<Map<_, _>>())
}
