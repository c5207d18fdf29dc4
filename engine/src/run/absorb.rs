//! Step 6: mail becomes entries, and an operator's word takes effect.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt, stream};
use jiff::Timestamp;

use super::pass::Pass;
use crate::domain::{
    Blocked, Body, Control, Entry, Json, Mail, MessageId, Payload, Record, Status,
};
use crate::mailbox::{self, Slot};
use crate::outbox;
use crate::process::Core;
use crate::stored::{self, LoadError};

/// Pause before a mailbox that could not be listed is listed again, beside renewals.
const DEAF: Duration = Duration::from_secs(2);

/// What a pass has absorbed, in order, not delivered yet.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) entries: Vec<Entry>,
    /// The execution is to end without running its code.
    pub(super) terminate: Option<String>,
}

impl Pass {
    /// Turns mail into entries. From the commit that holds them on, a replay reads no
    /// mailbox (I3), and the objects may go once that commit is dispatched.
    pub(super) fn absorb(&mut self, mails: Vec<Mail>, status: Status) -> Inbox {
        let mut inbox = Inbox::default();
        if status == Status::Suspended {
            inbox.entries.push(Entry::Resumed);
        }
        for mail in mails {
            self.absorb_one(mail, &mut inbox);
        }
        inbox
    }

    fn absorb_one(&mut self, mail: Mail, inbox: &mut Inbox) {
        if !self.mids.insert(mail.mid.clone()) {
            return;
        }
        let record = &self.journal.head.record;
        let key = crate::keys::mail(&record.queue, &record.eid, &mail.mid);
        self.slots.push(Slot {
            key,
            mid: mail.mid.clone(),
            modified: mail.sent_at,
        });
        let body = match mail.body {
            Body::Start(_) => Body::Start(None), // the head holds the record
            other => other,
        };
        let then = self.effect_of(&body, mail.sent_at, inbox);
        let Mail {
            mid, sent_at, from, ..
        } = mail;
        inbox.entries.push(Entry::Received {
            mid,
            sent_at,
            from,
            body,
        });
        inbox.entries.extend(then);
    }

    /// What a message does to the execution itself, apart from being delivered.
    fn effect_of(&mut self, body: &Body, sent_at: Timestamp, inbox: &mut Inbox) -> Option<Entry> {
        match body {
            Body::Control(Control::Terminate { reason }) => {
                inbox.terminate.get_or_insert_with(|| reason.clone());
                None
            }
            Body::Control(Control::Pause { reason }) if self.parked.is_none() => {
                self.parked = Some(Status::Paused);
                Some(Entry::Paused {
                    reason: reason.clone(),
                })
            }
            // The count begins anew with the release, not with each run that meets this message
            // again: code that kills its process absorbs it never, and the first of these
            // runs has left a commit that is later, and says `running`.
            Body::Control(Control::Resume) => {
                let head = &self.journal.head;
                let released = matches!(head.status, Status::Paused | Status::Blocked);
                if released || sent_at > head.at {
                    self.crash_count = 0;
                }
                self.parked.take().map(|_| Entry::Unpaused)
            }
            Body::Control(Control::Cancel { .. }) if self.parked == Some(Status::Paused) => {
                self.parked = None;
                Some(Entry::Unpaused)
            }
            Body::Unreadable { key, .. } => {
                self.parked = Some(Status::Blocked);
                let message = "it is not a message this release can read".to_owned();
                Some(Entry::Blocked(Blocked::Unreadable {
                    key: key.clone(),
                    message,
                }))
            }
            _ => None,
        }
    }

    /// Step 10. Lists and absorbs what came while attempts run. 1 P, 1 G for each message.
    /// `None`: no answer came in time, and the next look is later.
    pub(super) async fn absorb_meanwhile(&mut self) -> Result<Option<Inbox>, super::RunError> {
        let core = Arc::clone(&self.core);
        let listed = self.now;
        // What a renewal needs of the lease is left to it.
        let end = self.committed + core.settings.ttl.mul_f64(2.0 / 3.0);
        let mut ahead = std::mem::take(&mut self.ahead);
        let looked = {
            let record = &self.journal.head.record;
            let mut look = look(&core, record, &self.mids, &mut ahead).boxed();
            if self.live.is_empty() {
                Some(look.await)
            } else {
                outbox::until(&*core.ports.clock, end, &mut look).await
            }
        };
        self.ahead = ahead;
        let Some(mails) = looked else {
            self.be_deaf(None);
            return Ok(None);
        };
        let mails = mails?;
        self.listed = listed;
        Ok(Some(self.absorb(mails, Status::Running)))
    }

    /// The mailbox could not be listed. Until it is, no deadline that has passed since the last
    /// time is fulfilled.
    pub(super) fn be_deaf(&mut self, asked: Option<Duration>) {
        let now = self.core.ports.clock.monotonic();
        self.deaf_until = now + asked.unwrap_or_default().max(DEAF);
    }

    pub(super) fn is_deaf(&self) -> bool {
        self.core.ports.clock.monotonic() < self.deaf_until
    }
}

/// What looks have read that is not absorbed yet: one that is cut off, or meets trouble, leaves
/// to the next one what it has, so that a full mailbox is read in the end.
#[derive(Default)]
pub(super) struct Ahead {
    mails: BTreeMap<MessageId, Mail>,
    /// Large values of theirs, and of those that were absorbed and not delivered.
    values: BTreeMap<MessageId, Json>,
}

impl Ahead {
    /// The value of an entry, if it came with a look.
    pub(super) fn take(&mut self, entry: &Entry) -> Option<Json> {
        match entry {
            Entry::Received { mid, .. } => self.values.remove(mid),
            _ => None,
        }
    }
}

/// The mail that the journal does not hold, with its large values: once it is absorbed, trouble
/// with the store would end the run.
async fn look(
    core: &Core,
    record: &Record,
    mids: &BTreeSet<MessageId>,
    ahead: &mut Ahead,
) -> Result<Vec<Mail>, super::RunError> {
    let listing = mailbox::list(&core.ports, &record.queue, &record.eid).await?;
    let fresh: Vec<Slot> = listing
        .slots
        .into_iter()
        .filter(|slot| !mids.contains(&slot.mid))
        .collect();
    let unread = fresh.iter().filter(|s| !ahead.mails.contains_key(&s.mid));
    let reads: Vec<_> = unread.map(|slot| read(core, record, slot)).collect();
    let mut reads = stream::iter(reads).buffer_unordered(core.settings.concurrency.max(1));
    while let Some(found) = reads.next().await {
        if let Some((mail, value)) = found? {
            ahead
                .values
                .extend(value.map(|value| (mail.mid.clone(), value)));
            ahead.mails.insert(mail.mid.clone(), mail);
        }
    }
    let found = fresh.iter().filter_map(|s| ahead.mails.remove(&s.mid));
    Ok(mailbox::ordered(found.collect()))
}

/// One message and its value, if that is a large one. What cannot be read of it is found when
/// it is delivered.
async fn read(
    core: &Core,
    record: &Record,
    slot: &Slot,
) -> Result<Option<(Mail, Option<Json>)>, super::RunError> {
    let found = mailbox::fetch(&core.ports, std::slice::from_ref(slot), 1).await?;
    let Some(mail) = found.into_iter().next() else {
        return Ok(None);
    };
    let payload = match &mail.body {
        Body::Message { payload, .. } => payload,
        Body::Child {
            outcome: Ok(payload),
            ..
        } => payload,
        _ => return Ok(Some((mail, None))),
    };
    let value = match payload {
        Payload::Inline(_) => None,
        Payload::Blob { .. } => match stored::resolve(&core.ports, &record.eid, payload).await {
            Ok(value) => Some(value),
            Err(error @ LoadError::Bucket(_)) => return Err(error.into()),
            Err(_) => None,
        },
    };
    Ok(Some((mail, value)))
}
