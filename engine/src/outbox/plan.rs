//! Turns outbox items into effects.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::domain::{
    Began, Body, Channel, Class, Control, Entry, ExecutionId, Failure, FrameId, MessageId, OnClose,
    Parent, Payload, Provenance, Queue, Record, RetryRequest,
};
use crate::feed::{Event, FeedRecord};
use crate::journal::{Head, Item, Named};
use crate::keys::Key;

/// An entry, with the data of its commit that its effect needs.
#[derive(Debug, Clone)]
pub(crate) struct Noted {
    pub(crate) at: Timestamp,
    pub(crate) by: Provenance,
    pub(crate) entry: Entry,
}

/// An object to create, for one outbox item.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) item: Item,
    pub(crate) what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Timer(Key),
    /// A child's `start` mail, then its head.
    Child(Box<Record>),
    /// A message to an execution whose queue is unknown to the sender.
    Message {
        to: ExecutionId,
        channel: Channel,
        payload: Payload,
        sender: Sender,
    },
    /// Mail to an execution whose queue is known.
    Mail {
        to: ExecutionId,
        queue: Queue,
        body: Body,
        sender: Sender,
    },
    /// The feed object, and the announcements dispatched with it.
    Feed(Box<FeedRecord>, Vec<Item>),
}

/// What a message shows of the decision that sends it.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) mid: MessageId,
    pub(crate) by: Provenance,
    pub(crate) at: Timestamp,
}

impl What {
    /// Returns the execution that the effect names: effects on one execution keep their order.
    pub(crate) fn target(&self) -> Option<ExecutionId> {
        match self {
            Self::Child(record) => Some(record.eid),
            Self::Message { to, .. } | Self::Mail { to, .. } => Some(*to),
            Self::Timer(_) | Self::Feed(..) => None,
        }
    }
}

/// Returns whether an entry of this execution has an effect outside its head.
pub(crate) fn has_effect(entry: &Entry, record: &Record) -> bool {
    match entry {
        Entry::FrameStarted {
            began: Began::Child { .. },
            ..
        }
        | Entry::Sent { .. }
        | Entry::Announced { .. }
        | Entry::ChildClosed { .. }
        | Entry::ChildRetried { .. }
        | Entry::Sliced => true,
        Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
            record.parent.as_ref().is_some_and(|parent| parent.waits)
        }
        _ => false,
    }
}

/// Returns the effects of `items` in recorded order, the feed last. The feed object dispatches
/// announcements, so they are part of it.
pub(crate) fn plan(head: &Head, items: &[Item], entries: &BTreeMap<u64, Noted>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut announced = Vec::new();
    let mut feed = false;
    for item in items {
        let number = match item {
            Item::Named(Named::Timer) => {
                effects.extend(head.timer.clone().map(|key| Effect {
                    item: *item,
                    what: What::Timer(key),
                }));
                continue;
            }
            Item::Named(Named::Feed) => {
                feed = true;
                continue;
            }
            Item::Entry(number) => *number,
        };
        let Some(noted) = entries.get(&number) else {
            continue;
        };
        let decision = Decision {
            record: &head.record,
            generation: head.generation,
            number,
            noted,
        };
        if let Entry::Announced { fid, kind, value } = &noted.entry {
            announced.push((*item, announcement(noted.at, fid, kind, value)));
        } else if let Some(what) = decision.effect() {
            effects.push(Effect { item: *item, what });
        }
    }
    if feed || !announced.is_empty() {
        let (dispatched, events) = announced.into_iter().unzip();
        let what = What::Feed(Box::new(feed_record(head, events)), dispatched);
        effects.push(Effect {
            item: Item::Named(Named::Feed),
            what,
        });
    }
    effects
}

/// An entry that may have an effect, with its number in the journal of the execution.
struct Decision<'a> {
    record: &'a Record,
    generation: u32,
    number: u64,
    noted: &'a Noted,
}

impl Decision<'_> {
    fn effect(&self) -> Option<What> {
        let record = self.record;
        match &self.noted.entry {
            Entry::FrameStarted { fid, began } => self.child(fid, began),
            Entry::Sent {
                to,
                channel,
                payload,
                ..
            } => Some(What::Message {
                to: *to,
                channel: channel.clone(),
                payload: payload.clone(),
                sender: self.sender(Class::Message),
            }),
            Entry::Completed { value } => self.result(Ok(value.clone())),
            Entry::Failed { failure } | Entry::Cancelled { failure } => {
                self.result(Err(failure.clone()))
            }
            Entry::ChildClosed {
                eid: child,
                queue,
                how,
                ..
            } => Some(What::Mail {
                to: *child,
                queue: queue.clone(),
                body: Body::Control(self.close(*how)?),
                sender: self.sender(Class::Control),
            }),
            Entry::ChildRetried {
                eid: child,
                queue,
                generation,
                ..
            } => Some(What::Mail {
                to: *child,
                queue: queue.clone(),
                body: Body::Control(Control::Retry(RetryRequest {
                    reason: format!("its parent {} was retried", record.eid),
                    awaited: Some(*generation),
                    ..RetryRequest::default()
                })),
                sender: self.sender(Class::Control),
            }),
            Entry::Sliced => Some(What::Mail {
                to: record.eid,
                queue: record.queue.clone(),
                body: Body::Slice,
                sender: self.sender(Class::Control),
            }),
            _ => None,
        }
    }

    /// **\[R\]** A message is named by the decision that sends it, so each decision has a name of
    /// its own, and a second dispatch of it finds the first.
    fn sender(&self, class: Class) -> Sender {
        let (at, from) = (self.noted.at, &self.record.eid);
        self.named(MessageId::sent(class, at, from, self.number))
    }

    fn named(&self, mid: MessageId) -> Sender {
        Sender {
            mid,
            by: self.noted.by.clone(),
            at: self.noted.at,
        }
    }

    /// The result for the parent, if the parent waits for it.
    fn result(&self, outcome: Result<Payload, Failure>) -> Option<What> {
        let eid = self.record.eid;
        let parent = self.record.parent.as_ref().filter(|parent| parent.waits)?;
        Some(What::Mail {
            to: parent.eid,
            queue: parent.queue.clone(),
            body: Body::Child {
                fid: parent.fid.clone(),
                eid,
                generation: self.generation,
                outcome,
            },
            sender: self.named(MessageId::result(&eid, self.generation)),
        })
    }

    /// The command to a child that is open when its parent ends.
    fn close(&self, how: OnClose) -> Option<Control> {
        let reason = format!("its parent {} ended", self.record.eid);
        match how {
            OnClose::Cancel => Some(Control::Cancel { reason }),
            OnClose::Terminate => Some(Control::Terminate { reason }),
            OnClose::Abandon => None,
        }
    }

    fn child(&self, fid: &FrameId, began: &Began) -> Option<What> {
        let Began::Child {
            eid,
            workflow,
            version,
            queue,
            args,
            input,
            waits,
            ..
        } = began
        else {
            return None;
        };
        Some(What::Child(Box::new(Record {
            eid: *eid,
            workflow: workflow.clone(),
            version: version.clone(),
            args: args.clone(),
            args_digest: input.clone(),
            queue: queue.clone(),
            parent: Some(Parent {
                eid: self.record.eid,
                queue: self.record.queue.clone(),
                fid: fid.clone(),
                waits: *waits,
            }),
            depth: self.record.depth.child(),
            budget: self.record.budget,
            dispatch_key: None,
            n: 0,
            nonce: None,
            created_by: self.noted.by.clone(),
            created_at: self.noted.at,
            start_at: None,
        })))
    }
}

fn announcement(at: Timestamp, fid: &FrameId, kind: &Channel, value: &Payload) -> Event {
    Event {
        kind: format!("announce.{kind}"),
        commit: None,
        at,
        note: None,
        fid: Some(fid.clone()),
        value: Some(value.clone()),
    }
}

fn feed_record(head: &Head, announced: Vec<Event>) -> FeedRecord {
    let lifecycle = head.news.iter().map(|news| Event {
        kind: news.kind.clone(),
        commit: Some(news.commit),
        at: news.at,
        note: news.note.clone(),
        fid: None,
        value: None,
    });
    let mut events: Vec<Event> = lifecycle.chain(announced).collect();
    events.sort_by_key(|event| event.at);
    FeedRecord::of(head, events)
}
