//! The events of a call.

use millpond::domain::Json;
use serde_json::{Value, json};

use super::event::{TriggerEvent, json_or_text};
use super::rules::Rules;
use super::source::SourceKind;
use crate::events::{Content, Envelope, Event, Malformed, Message, Published};

/// The events of one record: an event of S3 through EventBridge is one of both sources.
pub(crate) type TriggerEvents = Vec<Result<TriggerEvent, Malformed>>;

impl TriggerEvent {
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
