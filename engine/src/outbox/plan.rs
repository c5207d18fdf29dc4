//! Turns outbox items into effects.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::domain::{
    Began, Body, Channel, Control, Digest, Entry, ExecutionId, Failure, FrameId, MessageId,
    OnClose, Payload, Provenance, Queue, Record, Workflow,
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
        mid: MessageId,
        by: Provenance,
        at: Timestamp,
    },
    /// Mail to an execution whose queue is known.
    Mail {
        to: ExecutionId,
        queue: Queue,
        body: Body,
        mid: MessageId,
        by: Provenance,
        at: Timestamp,
    },
    /// The feed object, and the announcements dispatched with it.
    Feed(Box<FeedRecord>, Vec<Item>),
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
            Item::Entry(number) => number,
        };
        let Some(noted) = entries.get(number) else {
            continue;
        };
        if let Entry::Announced { fid, kind, value } = &noted.entry {
            announced.push((*item, announcement(noted.at, fid, kind, value)));
        } else if let Some(what) = effect(&head.record, head.commit, noted) {
            effects.push(Effect { item: *item, what });
        }
    }
    if feed || !announced.is_empty() {
        let (dispatched, events) = announced.into_iter().unzip();
        let what = What::Feed(Box::new(told(head, events)), dispatched);
        effects.push(Effect {
            item: Item::Named(Named::Feed),
            what,
        });
    }
    effects
}

fn effect(record: &Record, commit: u64, noted: &Noted) -> Option<What> {
    let eid = record.eid;
    let mail = |to: ExecutionId, queue: &Queue, mid: MessageId, body: Body| What::Mail {
        to,
        queue: queue.clone(),
        body,
        mid,
        by: noted.by.clone(),
        at: noted.at,
    };
    let result = |outcome: Result<Payload, Failure>| {
        let parent = record.parent.as_ref().filter(|parent| parent.waits)?;
        let body = Body::Child {
            fid: parent.fid.clone(),
            outcome,
        };
        Some(mail(
            parent.eid,
            &parent.queue,
            MessageId::child(&parent.fid.hash()),
            body,
        ))
    };
    match &noted.entry {
        Entry::FrameStarted { fid, began } => child(record, fid, began, noted),
        Entry::Sent {
            fid,
            to,
            channel,
            payload,
        } => Some(What::Message {
            to: *to,
            channel: channel.clone(),
            payload: payload.clone(),
            mid: MessageId::sent(&eid, fid),
            by: noted.by.clone(),
            at: noted.at,
        }),
        Entry::Completed { value } => result(Ok(value.clone())),
        Entry::Failed { failure } | Entry::Cancelled { failure } => result(Err(failure.clone())),
        Entry::ChildClosed {
            eid: child,
            queue,
            how,
            ..
        } => {
            let reason = format!("its parent {eid} ended");
            let control = match how {
                OnClose::Cancel => Control::Cancel { reason },
                OnClose::Terminate => Control::Terminate { reason },
                OnClose::Abandon => return None,
            };
            Some(mail(
                *child,
                queue,
                MessageId::close(&eid),
                Body::Control(control),
            ))
        }
        Entry::Sliced => Some(mail(
            eid,
            &record.queue,
            MessageId::slice(commit),
            Body::Slice,
        )),
        _ => None,
    }
}

fn child(parent: &Record, fid: &FrameId, began: &Began, noted: &Noted) -> Option<What> {
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
    let (workflow, input): (&Workflow, &Digest) = (workflow, input);
    Some(What::Child(Box::new(Record {
        eid: *eid,
        workflow: workflow.clone(),
        version: version.clone(),
        args: args.clone(),
        args_digest: input.clone(),
        queue: queue.clone(),
        parent: Some(crate::domain::Parent {
            eid: parent.eid,
            queue: parent.queue.clone(),
            fid: fid.clone(),
            waits: *waits,
        }),
        dispatch_key: None,
        created_by: noted.by.clone(),
        created_at: noted.at,
        start_at: None,
    })))
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

fn told(head: &Head, announced: Vec<Event>) -> FeedRecord {
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
