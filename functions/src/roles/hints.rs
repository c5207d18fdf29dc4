//! From events to hints: which executions a worker is called for.

use millpond::keys::{Key, MailKey};
use millpond::ports::Hint;
use millpond_wakeups::sqs;

use crate::events::{Event, Malformed, Message, ObjectEvent};

/// Where a bucket's engine keeps its objects, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The bucket's name.
    pub bucket: String,
    /// What all keys begin with: empty, or components that each end in `/`.
    pub prefix: String,
}

/// One record of an event: what is acknowledged, or reported, as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The SQS message; `None` where the whole event stands or falls.
    pub message: Option<String>,
    /// What it hints at. None: there is nothing to do.
    pub hints: Vec<Hint>,
    /// How often it was delivered, this time included.
    pub received: u64,
    /// When it was sent.
    pub sent: Option<jiff::Timestamp>,
}

/// What an event means to a worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// Records to be served.
    pub records: Vec<Delivery>,
    /// Records, or parts of them, that mean nothing: told, acknowledged, never retried.
    pub malformed: Vec<Malformed>,
}

impl Deliveries {
    /// Reads an event: batches of SQS (notifications of S3 in any of their forms, or hints sent
    /// by the engine), notifications sent straight, and EventBridge's.
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
                None => all.refuse(None, "an event of EventBridge that is not S3's"),
            },
            Event::Test => {}
            Event::Topic(messages) => {
                for message in messages {
                    match message.map(|message| message.content().objects()) {
                        Ok(Some(objects)) => all.whole(objects, root),
                        Ok(None) => all.refuse(None, "a message of SNS that is none of S3's"),
                        Err(malformed) => all.malformed.push(malformed),
                    }
                }
            }
            Event::Request(_) | Event::Tick(_) | Event::Other(_) => {
                all.refuse(None, "an event that names no execution");
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
                None => self.refuse(id.clone(), "neither a hint nor a notification of S3"),
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
                // The engine's own deletes.
                Ok(object) if !object.created() => {}
                Ok(object) => match hint(&object, root) {
                    Ok(hint) => hints.push(hint),
                    Err(why) => self.refuse(id, format!("{why}: {}/{}", object.bucket, object.key)),
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

/// The mail that was written.
fn hint(object: &ObjectEvent, root: &Root) -> Result<Hint, &'static str> {
    if object.bucket != root.bucket {
        return Err("an object of another bucket than the engine's");
    }
    let key = object.key.strip_prefix(&root.prefix);
    let key = key.ok_or("an object outside the engine's prefix")?;
    let key = Key::parse(key).map_err(|_| "no key of the engine")?;
    let mail = MailKey::parse(&key).ok_or("an object that is no mail")?;
    Ok(Hint {
        queue: mail.queue,
        eid: mail.eid,
        cause: key,
        at: None,
    })
}
