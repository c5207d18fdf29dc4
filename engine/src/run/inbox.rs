//! The mailbox of an execution, as its run sees it: one path from a listed key to an entry.
//!
//! A message is *listed*, *read* and *absorbed*; its object is deleted between two commits, or at the
//! end of the run. A run sees one page of the mailbox at a time, and absorbs it in batches. A listing
//! that is cut off or fails leaves what it has read to the next one.
//!
//! - **I3** A message that the journal contains, or an entry of this run, is not absorbed again.
//! - **B23** A message is read once in a run.
//! - **\[R\] A17** The mailbox is listed at most a third of the TTL after the last listing while
//!   attempts run, and once that time has passed, before another one begins. Bad interleaving: each
//!   step is shorter than that and commits, so no renewal is due; a cancel waits until the last step
//!   has ended. A listing that counts from the last commit never comes.
//! - **\[R\] A26** Between its commits a run deletes what is absorbed, committed and dispatched; else
//!   each listing would show the same page. It keeps one message that it has absorbed itself. Bad
//!   interleaving: it deletes all, and dies; the execution is leased, and nothing wakes it. One that an
//!   earlier run has absorbed is not enough: that run may be slow, and delete it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::RunError;
use super::absorbed::Absorbed;
use super::retry::Decided;
use super::state::State;
use crate::domain::{
    Class, Entry, ExecutionId, Json, Mail, MessageId, Payload, Provenance, Queue, Record,
    RetryRequest,
};
use crate::journal::{Earlier, Head, Seen};
use crate::keys::{Key, MailKey};
use crate::mailbox::{self, Listing, Slot};
use crate::process::{Core, HintQueue};
use crate::stored;

/// Pause between a failed listing of the mailbox and the next one, in addition to renewals.
const PAUSE: Duration = Duration::from_secs(2);

/// How far a message has come.
pub(super) enum Message {
    /// Read, not absorbed yet.
    Read {
        mail: Box<Mail>,
        /// Its value, if that is stored as a blob.
        value: Option<Json>,
    },
    /// The journal contains it, or an entry that this run will commit.
    Absorbed {
        /// The object to delete. The journal contains many messages without one.
        object: Option<Key>,
        /// Its value, until it is delivered.
        value: Option<Json>,
    },
}

/// What a run knows of mail that was absorbed before it.
#[derive(Default)]
pub(super) struct Known {
    /// The ids in the tail and in the segments that the head lists, and those of this run.
    pub(super) recent: BTreeSet<MessageId>,
    /// The ids of earlier parts.
    pub(super) seen: Option<Seen>,
    /// What was not read of earlier parts.
    pub(super) earlier: Earlier,
}

pub(super) struct Inbox {
    pub(super) core: Arc<Core>,
    pub(super) queue: Queue,
    pub(super) eid: ExecutionId,
    /// What the last listing showed and no entry contains.
    pub(super) page: BTreeMap<MessageId, Slot>,
    /// Whether the mailbox may contain more than the last listing showed.
    full: bool,
    /// The messages of the page that are absorbed next.
    pub(super) batch: Vec<MessageId>,
    pub(super) messages: BTreeMap<MessageId, Message>,
    pub(super) known: Known,
    /// **A26** The first message that this run has absorbed.
    kept: Option<MessageId>,
    /// The instant before the last successful listing.
    pub(super) listed_at: Timestamp,
    /// When the mailbox is to be listed again (monotonic).
    pub(super) next_listing: Duration,
    /// The mailbox could not be listed; it is listed again after this instant (monotonic).
    listing_failed_until: Duration,
    hints: Arc<HintQueue>,
}

impl Inbox {
    /// Begins with the listing of step 3, made between the two instants `listed`. `absorbed` are the ids in the journal.
    pub(super) fn new(
        core: &Arc<Core>,
        record: &Record,
        absorbed: BTreeSet<MessageId>,
        known: Known,
        (listing, (listed_at, listed)): (Listing, (Timestamp, Duration)),
    ) -> Self {
        let old = |mid| {
            let (object, value) = (None, None);
            (mid, Message::Absorbed { object, value })
        };
        let mut inbox = Self {
            core: Arc::clone(core),
            queue: record.queue.clone(),
            eid: record.eid,
            page: BTreeMap::new(),
            full: false,
            batch: Vec::new(),
            messages: absorbed.into_iter().map(old).collect(),
            known,
            kept: None,
            listed_at,
            next_listing: listed + core.settings.ttl / 3,
            listing_failed_until: Duration::ZERO,
            hints: Arc::default(),
        };
        inbox.set_listed(listing);
        inbox
    }

    pub(super) fn set_listed(&mut self, listing: Listing) {
        self.full = listing.full;
        self.page.clear();
        for slot in listing.slots {
            match self.messages.get_mut(&slot.mid) {
                Some(Message::Absorbed { object, .. }) => *object = Some(slot.key),
                _ => drop(self.page.insert(slot.mid.clone(), slot)),
            }
        }
    }

    /// Records that an entry has the content of a message, which may be in the mailbox, or come.
    pub(super) fn know(&mut self, mid: MessageId) {
        let object = self.page.remove(&mid).map(|slot| slot.key);
        self.batch.retain(|known| *known != mid);
        let value = None;
        self.messages
            .insert(mid, Message::Absorbed { object, value });
    }

    fn is_absorbed(&self, mid: &MessageId) -> bool {
        matches!(self.messages.get(mid), Some(Message::Absorbed { .. }))
    }

    /// Returns when the store created the messages that are absorbed next.
    pub(super) fn modified(&self) -> impl Iterator<Item = Timestamp> {
        let slots = self.batch.iter().filter_map(|mid| self.page.get(mid));
        slots.map(|slot| slot.modified)
    }

    /// Keeps the commands of the last listing: the rest is for a worker with the code.
    pub(super) fn keep_commands(&mut self) {
        self.page.retain(|mid, _| mid.is_command());
    }

    /// Returns whether another batch is to be absorbed, if there is `room` for that many messages, and
    /// mail may be deleted or not.
    pub(super) fn has_more(&self, room: usize, deletes: bool) -> bool {
        let takes = |mid: &MessageId| room > 0 || mid.class() != Class::Message;
        let hides = self.full && self.page.is_empty();
        self.page.keys().any(takes) || hides && deletes && self.deletable().next().is_some()
    }

    /// Returns whether messages are known that were not absorbed.
    pub(super) fn has_messages(&self) -> bool {
        let mut mids = self.page.keys();
        mids.any(|mid| mid.class() == Class::Message)
    }

    /// Returns whether the mailbox contains, or may contain, more than was absorbed.
    pub(super) fn is_left(&self) -> bool {
        self.full || !self.page.is_empty()
    }

    /// **A26** Returns what is deleted between two commits.
    fn deletable(&self) -> impl Iterator<Item = (&MessageId, &Key)> {
        let kept = self.kept.as_ref();
        let messages = self.messages.iter();
        messages.filter_map(move |(mid, message)| match message {
            Message::Absorbed {
                object: Some(key), ..
            } if kept.is_some_and(|kept| kept != mid) => Some((mid, key)),
            _ => None,
        })
    }

    /// Deletes the objects of what is absorbed, except one. The caller has committed and dispatched
    /// what followed from it. Returns their keys.
    pub(super) async fn delete(&mut self) -> Result<Vec<Key>, RunError> {
        let core = Arc::clone(&self.core);
        let of = |(mid, key): (&MessageId, &Key)| (mid.clone(), key.clone());
        let (mids, keys): (Vec<_>, Vec<_>) = self.deletable().map(of).unzip();
        super::finish::delete_mail(&core, &keys).await?;
        for mid in mids {
            if let Some(Message::Absorbed { object, .. }) = self.messages.get_mut(&mid) {
                *object = None;
            }
        }
        Ok(keys)
    }

    /// Lists the mailbox once more (step 13). Returns whether a run that begins from `head` has work.
    /// 1 P.
    pub(super) async fn is_woken(&self, head: &Head) -> Result<bool, RunError> {
        let settings = &self.core.settings;
        let page = settings.mailbox_page;
        let listing = mailbox::list(&self.core.ports, &self.queue, &self.eid, page).await?;
        let fresh = |slot: &Slot| !self.is_absorbed(&slot.mid);
        let takes = |slot: &Slot| fresh(slot) && head.takes(&slot.mid, settings.max_unread);
        Ok(listing.slots.iter().any(takes) || listing.full && !listing.slots.iter().any(fresh))
    }

    /// Step 6. Turns the batch into entries. After the commit that contains them, a
    /// replay reads no mailbox (I3), and the objects may be deleted once that commit is dispatched.
    ///
    /// They follow `entries`. `decide` says what becomes of a retry, from the entries before it.
    pub(super) fn absorb(
        &mut self,
        state: &State,
        head: &Head,
        entries: Vec<Entry>,
        decide: impl Fn(&RetryRequest, &Provenance, &[Entry]) -> Result<Decided, String>,
    ) -> Absorbed {
        let mut mails = Vec::new();
        for mid in std::mem::take(&mut self.batch) {
            let object = self.page.remove(&mid).map(|slot| slot.key);
            if let Some(Message::Read { mail, value }) = self.messages.remove(&mid) {
                mails.push(*mail);
                self.known.recent.insert(mid.clone());
                let absorbed = Message::Absorbed { object, value };
                self.messages.insert(mid, absorbed);
            }
        }
        if self.kept.is_none() {
            self.kept = mails.first().map(|mail| mail.mid.clone());
        }
        let mut absorbed = Absorbed {
            entries,
            requested: state.requested.clone(),
            released: false,
            retried: None,
        };
        for mail in mails {
            absorbed.add(mail, head, &decide);
        }
        absorbed
    }

    /// Returns the ids that a continuation keeps.
    pub(super) fn remember(&mut self, now: Timestamp) -> Json {
        let there = |(mid, message): (&MessageId, &Message)| match message {
            Message::Absorbed { object, .. } => object.as_ref().map(|_| mid.clone()),
            Message::Read { .. } => None,
        };
        let there = self.messages.iter().filter_map(there).collect();
        let Known { recent, seen, .. } = &self.known;
        let next = Seen::next(seen.as_ref(), recent, &there, now, &self.core.settings);
        let json = Json::of(&next).expect("ids and instants are JSON");
        self.known.seen = Some(next);
        json
    }

    /// **A28** Searches the earlier parts for what a listing shows and this run does not know.
    pub(super) async fn search(&mut self, listing: &Listing) -> Result<(), RunError> {
        let unknown = |mid: &&MessageId| !self.messages.contains_key(*mid);
        let listed = listing.slots.iter().map(|slot| &slot.mid);
        let unknown: Vec<_> = listed.filter(unknown).cloned().collect();
        let earlier = &mut self.known.earlier;
        for mid in earlier.find(&self.core.ports, &self.eid, &unknown).await? {
            let (object, value) = (None, None);
            let absorbed = Message::Absorbed { object, value };
            self.messages.entry(mid).or_insert(absorbed);
        }
        Ok(())
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
        let (messages, page, hints) = (&self.messages, &self.page, &self.hints);
        let new = |key: &Key| {
            let known = |mid: &MessageId| messages.contains_key(mid) || page.contains_key(mid);
            MailKey::parse(key).is_none_or(|mail| !known(&mail.mid))
        };
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
pub(crate) fn large(entry: &Entry) -> Option<(&Payload, u64)> {
    let payload = match entry {
        Entry::FrameCompleted { .. } | Entry::Received { .. } => entry.payload(),
        _ => None,
    };
    match payload {
        Some(payload @ Payload::Blob { bytes, .. }) => Some((payload, *bytes)),
        _ => None,
    }
}
