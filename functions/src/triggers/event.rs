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

use millpond::domain::{Digest, Json};
use serde_json::{Map, Value, json};

use super::rules::Rules;
use super::source::SourceKind;
use crate::events::{
    Content, Envelope, Event, Malformed, Message, ObjectEvent, Published, Request, parse,
};

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

/// The events of one record: an event of S3 through EventBridge is one of both sources.
pub(crate) type TriggerEvents = Vec<Result<TriggerEvent, Malformed>>;

impl TriggerEvent {
    fn new(source: SourceKind, value: Value, identity: String) -> Self {
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

    /// All events of one call, record by record. A record that is neither an event nor a message is
    /// malformed.
    pub(crate) fn of_event(event: Event, rules: &Rules) -> Vec<TriggerEvents> {
        match event {
            Event::Queue(messages) => {
                let messages = messages.into_iter();
                let messages = messages.map(|message| match message {
                    Ok(message) => Self::of_message(message, rules),
                    Err(error) => vec![Err(error)],
                });
                messages.collect()
            }
            Event::Objects(objects) => objects
                .into_iter()
                .map(|object| vec![object.map(Self::of_object)])
                .collect(),
            Event::Topic(topic) => {
                let topic = topic.into_iter();
                let topic = topic.map(|published| match published {
                    Ok(published) => Self::of_published(published, rules),
                    Err(error) => vec![Err(error)],
                });
                topic.collect()
            }
            Event::Envelope(envelope) => vec![Self::of_envelope(envelope)],
            Event::Request(request) => vec![vec![request.map(Self::of_request)]],
            Event::Test => Vec::new(),
            Event::Tick(_) => malformed("a tick of a schedule"),
            Event::Other(value) => {
                let start: String = value.to_string().chars().take(200).collect();
                malformed(&format!("neither event nor batch: {start}"))
            }
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

    /// An event of EventBridge; if it reports the change of an object, that event as well.
    pub(crate) fn of_envelope(envelope: Envelope) -> TriggerEvents {
        let object = envelope.object();
        let bridge = identified(envelope.id, &envelope.event)
            .map(|identity| Self::new(SourceKind::EventBridge, envelope.event, identity));
        let mut all = vec![bridge];
        all.extend(object.map(|object| object.map(Self::of_object)));
        all
    }

    /// A message of SNS, or the event it carries if a rule names the topic.
    pub(crate) fn of_published(published: Published, rules: &Rules) -> TriggerEvents {
        let content = published.content();
        let topic = published.topic.clone();
        Self::carried(content, topic, rules, || Self::plain_published(published))
    }

    fn plain_published(published: Published) -> Self {
        let event = json!({
            "message_id": published.id,
            "topic": published.topic,
            "subject": published.subject,
            "message": json_or_text(&published.message),
        });
        Self::new(SourceKind::Sns, event, published.id)
    }

    /// A message of SQS, or the event it carries if a rule names the queue.
    pub(crate) fn of_message(message: Message, rules: &Rules) -> TriggerEvents {
        let (content, queue) = (message.content(), message.queue.clone());
        Self::carried(content, queue, rules, || {
            let event = json!({
                "message_id": message.id,
                "body": json_or_text(&message.body),
                "attributes": message.attributes,
                "queue": message.queue,
            });
            Self::new(SourceKind::Sqs, event, message.id)
        })
    }

    /// Every sender to a queue or topic can write a message that has the form of an S3 or
    /// EventBridge event. Therefore a carried event counts only if a rule accepts it from there;
    /// otherwise the message is processed as a plain message. The topic in an SNS message inside an
    /// SQS message is unverified: the queue counts.
    fn carried(
        content: Content,
        arn: Option<String>,
        rules: &Rules,
        plain: impl FnOnce() -> Self,
    ) -> TriggerEvents {
        let what = match content {
            Content::Test => return Vec::new(),
            Content::Json(_) | Content::Text(_) => return vec![Ok(plain())],
            Content::Objects(_) => "an event of S3",
            Content::Envelope(_) => "an event of EventBridge",
            Content::Published(_) => "a message of SNS",
        };
        let arn = match arn {
            Some(arn) if rules.accept(&arn) => arn,
            arn => {
                let from = arn.as_deref().unwrap_or("unknown");
                let refused = format!(
                    "it carries {what}: to accept that, name its queue or topic in `via` of a \
                     trigger: from={from}"
                );
                let refused = Some(refused);
                return vec![Ok(Self { refused, ..plain() })];
            }
        };
        let mut events = Self::of_content(content);
        for event in events.iter_mut().flatten() {
            event.via = Some(arn.clone());
        }
        events
    }

    fn of_content(content: Content) -> TriggerEvents {
        match content {
            Content::Objects(objects) => objects
                .into_iter()
                .map(|object| object.map(Self::of_object))
                .collect(),
            Content::Envelope(envelope) => Self::of_envelope(envelope),
            Content::Published(published) => match published.content() {
                Content::Json(_) | Content::Text(_) | Content::Published(_) => {
                    vec![Ok(Self::plain_published(published))]
                }
                inner => Self::of_content(inner),
            },
            Content::Test | Content::Json(_) | Content::Text(_) => Vec::new(),
        }
    }
}

fn malformed(what: &str) -> Vec<TriggerEvents> {
    let why = format!("the starter does not handle this: {what}");
    vec![vec![Err(Malformed::new(why))]]
}

fn identified(id: Option<String>, event: &Value) -> Result<String, Malformed> {
    match id {
        Some(id) => Ok(id),
        None => Json::of(event)
            .map(|json| json.digest().to_string())
            .map_err(|error| Malformed::new(format!("it is not a valid value: {error}"))),
    }
}

fn json_or_text(text: &str) -> Value {
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
