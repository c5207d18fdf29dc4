//! Converts events to hints: which executions a worker is invoked for.

use millpond::keys::{Key, MailKey};
use millpond::ports::Hint;
use millpond_wakeups::sqs;

use crate::events::{Event, Malformed, Message, ObjectEvent};

/// Where the engine's objects are, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The bucket's name.
    pub bucket: String,
    /// The prefix of all keys: empty, or components that each end in `/`.
    pub prefix: String,
}

/// One record of an event, which is acknowledged or reported as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The SQS message; `None` if only the event as a whole can be acknowledged.
    pub message: Option<String>,
    /// Its hints. Without any, there is nothing to do.
    pub hints: Vec<Hint>,
    /// How often it was delivered, this time included.
    pub received: u64,
    /// When it was sent.
    pub sent: Option<jiff::Timestamp>,
}

/// What an event means to a worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// Records to serve.
    pub records: Vec<Delivery>,
    /// Records, or parts of them, without a meaning: logged, acknowledged, never retried.
    pub malformed: Vec<Malformed>,
}

impl Deliveries {
    /// Reads an event: SQS batches (with S3 notifications in any form, or hints of the engine), direct
    /// S3 notifications, and EventBridge events.
    #[must_use]
    pub fn read(event: Event, root: &Root) -> Self {
        let mut all = Self::default();
        match event {
            Event::Queue(messages) => {
                for message in messages {
                    match message {
                        Ok(message) => all.message(&message, root),
                        Err(malformed) => all.malformed.push(malformed),
                    }
                }
            }
            Event::Objects(objects) => all.whole(objects, root),
            Event::Envelope(envelope) => match envelope.object() {
                Some(object) => all.whole(vec![object], root),
                None => all.refuse(None, "an EventBridge event that is not from S3"),
            },
            Event::Test => {}
            Event::Topic(messages) => {
                for message in messages {
                    match message.map(|message| message.content().objects()) {
                        Ok(Some(objects)) => all.whole(objects, root),
                        Ok(None) => all.refuse(None, "an SNS message that is not from S3"),
                        Err(malformed) => all.malformed.push(malformed),
                    }
                }
            }
            Event::Request(_) | Event::Tick(_) | Event::Other(_) => {
                all.refuse(None, "an event that does not refer to an execution");
            }
        }
        all
    }

    fn message(&mut self, message: &Message, root: &Root) {
        let id = Some(message.id.clone());
        let mut hints = Vec::new();
        if let Some(hint) = sqs::parse(&message.body) {
            hints.push(hint);
        } else {
            match message.content().objects() {
                Some(objects) => hints = self.objects(id.as_deref(), objects, root),
                None => self.refuse(id.clone(), "neither a hint nor an S3 notification"),
            }
        }
        self.records.push(Delivery {
            message: id,
            hints,
            received: message.received,
            sent: message.sent,
        });
    }

    /// An event without messages: its records are one delivery.
    fn whole(&mut self, objects: Vec<Result<ObjectEvent, Malformed>>, root: &Root) {
        let sent = objects.iter().flatten().find_map(|object| {
            let time = object.time.as_deref()?;
            time.parse().ok()
        });
        let hints = self.objects(None, objects, root);
        self.records.push(Delivery {
            message: None,
            hints,
            received: 1,
            sent,
        });
    }

    fn objects(
        &mut self,
        message: Option<&str>,
        objects: Vec<Result<ObjectEvent, Malformed>>,
        root: &Root,
    ) -> Vec<Hint> {
        let mut hints = Vec::new();
        for object in objects {
            let id = message.map(str::to_owned);
            match object {
                // Deletes by the engine.
                Ok(object) if !object.created() => {}
                Ok(object) => match hint(&object, root) {
                    Ok(hint) => hints.push(hint),
                    Err(why) => {
                        let (bucket, key) = (&object.bucket, &object.key);
                        self.refuse(id, format!("{why}: bucket={bucket}, key={key}"));
                    }
                },
                Err(malformed) => self.malformed.push(Malformed { id, ..malformed }),
            }
        }
        hints
    }

    fn refuse(&mut self, id: Option<String>, why: impl Into<String>) {
        let why = why.into();
        self.malformed.push(Malformed { id, why });
    }
}

/// The hint for a mail object.
fn hint(object: &ObjectEvent, root: &Root) -> Result<Hint, &'static str> {
    if object.bucket != root.bucket {
        return Err("the object is in another bucket than the engine's objects");
    }
    let key = object.key.strip_prefix(&root.prefix);
    let key = key.ok_or("the object is outside the engine's prefix")?;
    let key = Key::parse(key).map_err(|_| "the key is not valid for the engine")?;
    let mail = MailKey::parse(&key).ok_or("the object is not mail")?;
    Ok(Hint {
        queue: mail.queue,
        eid: mail.eid,
        cause: key,
        at: None,
    })
}
