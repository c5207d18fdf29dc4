//! The mailbox of an execution, as its run sees it: one path from a listed key to an entry.
//!
//! A message is *listed*, *read* and *absorbed*; its object is deleted at the end of the run. A
//! listing that is cut off or fails leaves what it has read to the next one, so that a full
//! mailbox is read eventually.
//!
//! - **I3** A message that the journal contains, or an entry of this run, is not absorbed again.
//! - **B23** A message is read once in a run.
//! - **\[R\] A17** The mailbox is listed at most a third of the TTL after the last listing while
//!   attempts run, and once that time has passed, before another one begins. Bad interleaving: each
//!   step is shorter than that and commits, so no renewal is due; a cancel waits until the last step
//!   has ended. A listing that counts from the last commit never comes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use jiff::Timestamp;

use super::RunError;
use super::state::{Requested, State};
use crate::domain::{
    Body, Control, Entry, ExecutionId, Json, Mail, MessageId, Payload, Queue, Record, Status,
};
use crate::journal::Head;
use crate::keys::{Key, MailKey};
use crate::mailbox::{self, Early, Listing, Slot};
use crate::process::{Core, HintQueue};
use crate::stored::{self, LoadError};

/// Pause between a failed listing of the mailbox and the next one, in addition to renewals.
const PAUSE: Duration = Duration::from_secs(2);

/// How far a message has come.
enum Message {
    /// Read, not absorbed yet.
    Read {
        mail: Box<Mail>,
        /// Its value, if that is stored as a blob.
        value: Option<Json>,
    },
    /// The journal contains it, or an entry that this run will commit.
    Absorbed {
        /// The object to delete at the end. The journal contains many messages without one.
        object: Option<Key>,
        /// Its value, until it is delivered.
        value: Option<Json>,
    },
}

/// What a run has absorbed and not appended yet.
pub(super) struct Absorbed {
    pub(super) entries: Vec<Entry>,
    /// What is requested after these entries.
    pub(super) requested: Requested,
    /// Whether the crash count restarts.
    pub(super) released: bool,
}

pub(super) struct Inbox {
    core: Arc<Core>,
    queue: Queue,
    eid: ExecutionId,
    /// What the last listing found and no entry contains.
    listed: Vec<Slot>,
    messages: BTreeMap<MessageId, Message>,
    /// The instant before the last successful listing.
    pub(super) listed_at: Timestamp,
    /// When the mailbox is to be listed again (monotonic).
    next_listing: Duration,
    /// The mailbox could not be listed; it is listed again after this instant (monotonic).
    listing_failed_until: Duration,
    hints: Arc<HintQueue>,
}

impl Inbox {
    /// Begins with the listing of step 3, made at `listed`. `absorbed` are the ids in the journal.
    pub(super) fn new(
        core: &Arc<Core>,
        record: &Record,
        absorbed: BTreeSet<MessageId>,
        listing: Listing,
        listed: Duration,
    ) -> Self {
        let known = |mid| {
            let (object, value) = (None, None);
            (mid, Message::Absorbed { object, value })
        };
        let mut inbox = Self {
            core: Arc::clone(core),
            queue: record.queue.clone(),
            eid: record.eid,
            listed: Vec::new(),
            messages: absorbed.into_iter().map(known).collect(),
            listed_at: Timestamp::MIN,
            next_listing: listed + core.settings.ttl / 3,
            listing_failed_until: Duration::ZERO,
            hints: Arc::default(),
        };
        for slot in &listing.slots {
            if let Some(Message::Absorbed { object, .. }) = inbox.messages.get_mut(&slot.mid) {
                *object = Some(slot.key.clone());
            }
        }
        inbox.set_listed(listing);
        inbox
    }

    fn set_listed(&mut self, listing: Listing) {
        let slots = listing.slots.into_iter();
        self.listed = slots.filter(|slot| !self.is_absorbed(&slot.mid)).collect();
    }

    fn is_absorbed(&self, mid: &MessageId) -> bool {
        matches!(self.messages.get(mid), Some(Message::Absorbed { .. }))
    }

    /// Returns when the store created the messages of the last listing that are not absorbed.
    pub(super) fn modified(&self) -> impl Iterator<Item = Timestamp> {
        self.listed.iter().map(|slot| slot.modified)
    }

    /// Reads what step 3 has listed, except the messages of `early`. 1 G for each message.
    pub(super) async fn read_first(&mut self, early: &Early) -> Result<(), RunError> {
        let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
        let mails = mailbox::fetch_rest(ports, &self.listed, concurrency, early).await?;
        for mail in mails {
            self.add(mail, None);
        }
        Ok(())
    }

    /// Keeps the commands of the last listing: the rest is for a worker with the code.
    pub(super) fn keep_commands(&mut self) {
        self.listed.retain(|slot| slot.mid.is_command());
    }

    fn add(&mut self, mail: Mail, value: Option<Json>) {
        let (mid, mail) = (mail.mid.clone(), Box::new(mail));
        self.messages.insert(mid, Message::Read { mail, value });
    }

    /// Lists the mailbox, and reads what is new with its large values: once a message is absorbed,
    /// a store failure on such a value would end the run. 1 P, 1 G for each message and value.
    pub(super) async fn list(&mut self) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        let listing = mailbox::list(&core.ports, &self.queue, &self.eid).await?;
        self.next_listing = core.ports.clock.monotonic() + core.settings.ttl / 3;
        self.set_listed(listing);
        let unread = self
            .listed
            .iter()
            .filter(|slot| !self.messages.contains_key(&slot.mid));
        let reads: Vec<_> = unread
            .cloned()
            .map(|slot| read(&core, self.eid, slot))
            .collect();
        let mut reads = stream::iter(reads).buffer_unordered(core.settings.concurrency.max(1));
        while let Some(found) = reads.next().await {
            if let Some((mail, value)) = found? {
                self.add(mail, value);
            }
        }
        Ok(())
    }

    /// Lists the mailbox once more (step 13). Returns whether it contains a message that no entry
    /// contains. 1 P.
    pub(super) async fn has_more(&self) -> Result<bool, RunError> {
        let listing = mailbox::list(&self.core.ports, &self.queue, &self.eid).await?;
        let mut slots = listing.slots.iter();
        Ok(slots.any(|slot| !self.is_absorbed(&slot.mid)))
    }

    /// Step 6. Turns what was listed and read into entries. After the commit that contains them, a
    /// replay reads no mailbox (I3), and the objects may be deleted once that commit is dispatched.
    pub(super) fn absorb(&mut self, state: &State, head: &Head) -> Absorbed {
        let mut mails = Vec::new();
        for Slot { key, mid, .. } in std::mem::take(&mut self.listed) {
            let message = match self.messages.remove(&mid) {
                Some(Message::Read { mail, value }) => {
                    mails.push(*mail);
                    let object = Some(key);
                    Message::Absorbed { object, value }
                }
                Some(absorbed @ Message::Absorbed { .. }) => absorbed,
                None => continue, // it was gone when it was read: another run absorbed it
            };
            self.messages.insert(mid, message);
        }
        let mut absorbed = Absorbed {
            entries: Vec::new(),
            requested: state.requested.clone(),
            released: false,
        };
        for mail in mailbox::ordered(mails) {
            let body = match mail.body {
                Body::Start(_) => Body::Start(None), // the record is in the head
                other => other,
            };
            if let Body::Control(Control::Resume { .. }) = body {
                absorbed.released |= releases(mail.sent_at, head);
            }
            let effect = absorbed.requested.effect_of(&body);
            let received = Entry::Received {
                mid: mail.mid,
                sent_at: mail.sent_at,
                from: mail.from,
                nonce: mail.nonce,
                body,
            };
            for entry in [received].into_iter().chain(effect) {
                absorbed.requested.note(&entry);
                absorbed.entries.push(entry);
            }
        }
        absorbed
    }

    /// Records that the mailbox could not be listed. Until the next successful listing, no
    /// deadline is fulfilled that has passed since the last one.
    pub(super) fn listing_failed(&mut self, wait: Duration) {
        let now = self.core.ports.clock.monotonic();
        self.next_listing = self.next_listing.min(now);
        self.listing_failed_until = now + wait.max(PAUSE);
    }

    pub(super) fn waits_to_list(&self) -> bool {
        self.core.ports.clock.monotonic() < self.listing_failed_until
    }

    /// Returns when the mailbox is to be listed again, apart from hints (monotonic).
    pub(super) fn listing_due(&self) -> Duration {
        self.next_listing.max(self.listing_failed_until)
    }

    /// Returns until when no deadline is fulfilled that has passed since the last listing
    /// (monotonic).
    pub(super) fn listing_failed_until(&self) -> Duration {
        self.listing_failed_until
    }

    /// **A17** Returns whether the mailbox must be listed before another attempt begins: its time
    /// has come, or a hint has arrived for a message that no listing has found.
    pub(super) fn is_overdue(&mut self) -> bool {
        let now = self.core.ports.clock.monotonic();
        let (messages, hints) = (&self.messages, &self.hints);
        let new =
            |key: &Key| MailKey::parse(key).is_none_or(|mail| !messages.contains_key(&mail.mid));
        if hints.take(new) {
            self.next_listing = self.next_listing.min(now);
        }
        now >= self.next_listing
    }

    /// Receives the hints for this execution.
    pub(super) fn listen(&mut self, hints: Arc<HintQueue>) {
        self.hints = hints;
    }

    pub(super) fn hints(&self) -> Arc<HintQueue> {
        Arc::clone(&self.hints)
    }

    /// Returns the objects of the absorbed messages, to be deleted at the end.
    pub(super) fn absorbed(&self) -> Vec<Key> {
        let object = |message: &Message| match message {
            Message::Absorbed { object, .. } => object.clone(),
            Message::Read { .. } => None,
        };
        self.messages.values().filter_map(object).collect()
    }

    /// Returns the value that the workflow receives with an entry, if it is stored as a blob. 1 G,
    /// unless a listing has read it.
    pub(super) async fn value_of(&mut self, entry: &Entry) -> Result<Option<Json>, RunError> {
        let Some((payload, _)) = large(entry) else {
            return Ok(None);
        };
        if let Entry::Received { mid, .. } = entry
            && let Some(Message::Absorbed { value, .. }) = self.messages.get_mut(mid)
            && let Some(value) = value.take()
        {
            return Ok(Some(value));
        }
        let value = stored::resolve(&self.core.ports, &self.eid, payload).await?;
        Ok(Some(value))
    }
}

/// Returns the value that the workflow receives with an entry, and its size, if it is stored as a
/// blob.
pub(super) fn large(entry: &Entry) -> Option<(&Payload, u64)> {
    let payload = match entry {
        Entry::FrameCompleted { .. } | Entry::Received { .. } => entry.payload(),
        _ => None,
    };
    match payload {
        Some(payload @ Payload::Blob { bytes, .. }) => Some((payload, *bytes)),
        _ => None,
    }
}

/// Returns whether a `resume` restarts the crash count. It does so with the release, not with each
/// run that reads this message again: code that kills its process never absorbs the message, but
/// the first of these runs has made a later commit, with a lease.
fn releases(sent_at: Timestamp, head: &Head) -> bool {
    let parked = matches!(head.status, Status::Paused | Status::Blocked);
    parked && head.lease.is_none() || sent_at > head.at
}

/// Reads one message and its value, if the value is a blob; `None` if the message is gone. An
/// unreadable value is reported when it is delivered.
async fn read(
    core: &Core,
    eid: ExecutionId,
    slot: Slot,
) -> Result<Option<(Mail, Option<Json>)>, RunError> {
    let found = mailbox::fetch(&core.ports, std::slice::from_ref(&slot), 1).await?;
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
        Payload::Blob { .. } => match stored::resolve(&core.ports, &eid, payload).await {
            Ok(value) => Some(value),
            Err(error @ LoadError::Bucket(_)) => return Err(error.into()),
            Err(_) => None,
        },
    };
    Ok(Some((mail, value)))
}
