//! Step 6: absorbs mail as journal entries and applies control messages from operators.

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

/// Pause between a failed listing of the mailbox and the next one, in addition to renewals.
const DEAF: Duration = Duration::from_secs(2);

/// The entries that a pass has absorbed, in order, and not delivered yet.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) entries: Vec<Entry>,
    /// The reason of a terminate message: the execution ends without running its code.
    pub(super) terminate: Option<String>,
}

impl Pass {
    /// Turns mail into entries. After the commit that contains them, a replay reads no mailbox
    /// (I3), and the mail objects may be deleted once that commit is dispatched.
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
            Body::Start(_) => Body::Start(None), // the record is in the head
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

    /// Applies the effect of a message on the execution itself, apart from its delivery.
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
            // The crash count restarts with the release, not with each run that reads this
            // message again: code that kills its process never absorbs the message, but the first
            // of these runs has made a later commit with status `running`.
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

    /// Step 10. Lists and absorbs the mail that arrived while attempts run. 1 P, 1 G for each
    /// message. Returns `None` if no reply arrived in time; the mailbox is listed again later.
    pub(super) async fn absorb_meanwhile(&mut self) -> Result<Option<Inbox>, super::RunError> {
        let core = Arc::clone(&self.core);
        let listed = self.now;
        // The rest of the lease is reserved for its renewal.
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

    /// Records that the mailbox could not be listed. Until the next successful listing, no
    /// deadline is fulfilled that has passed since the last one.
    pub(super) fn be_deaf(&mut self, asked: Option<Duration>) {
        let now = self.core.ports.clock.monotonic();
        self.deaf_until = now + asked.unwrap_or_default().max(DEAF);
    }

    pub(super) fn is_deaf(&self) -> bool {
        self.core.ports.clock.monotonic() < self.deaf_until
    }
}

/// Mail that listings have read and the pass has not absorbed. A listing that is cut off or fails
/// leaves its mail to the next one, so that a full mailbox is read eventually.
#[derive(Default)]
pub(super) struct Ahead {
    mails: BTreeMap<MessageId, Mail>,
    /// The large values of this mail, and of mail that is absorbed and not delivered.
    values: BTreeMap<MessageId, Json>,
}

impl Ahead {
    /// Returns the value of an entry, if a listing has read it.
    pub(super) fn take(&mut self, entry: &Entry) -> Option<Json> {
        match entry {
            Entry::Received { mid, .. } => self.values.remove(mid),
            _ => None,
        }
    }
}

/// Reads the mail that the journal does not contain, with its large values: once the mail is
/// absorbed, a store failure on such a value would end the run.
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

/// Reads one message and its value, if the value is a blob. An unreadable value is reported when
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
