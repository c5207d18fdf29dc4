//! Steps 1 to 5: reads the execution, and decides whether this run may continue and has work.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::dispatching::dispatch_outbox;
use super::ended::{Causes, Ended, RunError};
use super::history::read_history;
use super::inbox::Inbox;
use super::{finish, lease, reopened};
use crate::domain::{Body, ExecutionId, MessageId, Record, Status};
use crate::journal::{Head, History, Journal};
use crate::keys::{self, Key, MailKey};
use crate::mailbox::{self, Early, Listing};
use crate::ports::{BucketError, Created};
use crate::process::Core;
use crate::stored::LoadError;

/// A head that this run may continue from.
pub(super) struct Ready {
    pub(super) journal: Journal,
    /// What is read of the journal, decoded, without the segments that `broken` reports.
    pub(super) history: History,
    /// An unreadable segment: nothing is driven.
    pub(super) broken: Option<LoadError>,
    pub(super) inbox: Inbox,
    /// The timer that woke this run: the one that the head names.
    pub(super) waking: Option<Key>,
    /// Whether the head was kept in memory, not read: a run whose commit is refused then reads
    /// it.
    pub(super) kept: bool,
    /// Messages that were read before the listing.
    pub(super) early: Early,
}

pub(super) enum Loaded {
    Ready(Box<Ready>),
    Ended(Ended),
}

/// Reads the head and the mailbox, and decides. 1 G, 1 P (+ 1 G for `fired`, + segments); 1 G
/// less with a kept head that has a fresh cause; 2 G for a possible duplicate that was processed
/// before; 1 P more for a lease whose holder's clock is far ahead.
pub(super) async fn load(
    core: &Arc<Core>,
    eid: ExecutionId,
    causes: &Causes,
    served: &mut Vec<Key>,
) -> Result<Loaded, RunError> {
    if let Some(journal) = core.sticky.take(&eid)
        && let Resumed::Ready(ready) = resume(core, eid, journal, causes).await?
    {
        return Ok(Loaded::Ready(ready));
    }
    let ports = &core.ports;
    let Some(journal) = Journal::load(ports, &eid).await? else {
        return absent(core, eid, causes).await.map(Loaded::Ended);
    };
    // 2. Leased: nothing is deleted; the holder lists again, the sweeper reports old mail again.
    if let Some(until) = lease::held_until(ports, &journal.head).await? {
        return Ok(Loaded::Ended(Ended::Held(until)));
    }
    if let Some(until) = lease::ending(core, &journal.head, causes) {
        return Ok(Loaded::Ended(Ended::Held(until)));
    }
    // Mail is deleted only after everything that followed from it is dispatched: if the mail is
    // gone and it is the only cause, there is nothing left to do. Read after the head, which
    // decides whose mail it is.
    let alone = causes.timers.is_empty();
    let early = match causes.possible_duplicate && alone && !causes.mail.is_empty() {
        true => mailbox::read_early(ports, &causes.mail, core.settings.concurrency).await,
        false => Some(Early::new()),
    };
    match early {
        Some(early) => load_mailbox(core, journal, causes, early, served).await,
        None => Ok(Loaded::Ended(Ended::Stale)),
    }
}

/// Steps 3 to 5, on a head that no other run holds.
async fn load_mailbox(
    core: &Arc<Core>,
    mut journal: Journal,
    causes: &Causes,
    mut early: Early,
    served: &mut Vec<Key>,
) -> Result<Loaded, RunError> {
    // 3. The mids decide what is fresh; if the tail contains all of them, no segment is read.
    let (listing, listed) = list(core, &journal.head.record).await?;
    let mut mids = journal.tail_mids()?;
    let mut history = None;
    if !listing.slots.iter().all(|slot| mids.contains(&slot.mid)) {
        history = Some(read_history(&mut journal, core, &mut mids, &listing).await?);
    }
    // **[R]** The mids in an unreadable segment are unknown: a listed mid may be the sign of an
    // undispatched outbox. Dispatching twice has the effect of dispatching once, so the outbox is
    // dispatched.
    let unreadable = history.as_ref().is_some_and(|read| !read.broken.is_empty());
    let hidden = hidden(core, &journal.head, &listing, &mids).await?;
    let signs = hidden.as_ref().map(Vec::len);
    if is_undispatched(core, &journal.head, &listing, &mids, unreadable, signs).await? {
        dispatch_outbox(core, &journal).await?;
    }
    let status = journal.head.status;
    if status.is_terminal()
        && !reopened::is_retried(core, &journal.head, &listing, &mids, &mut early).await?
    {
        let ended = over(core, &journal.head, &listing, causes, served).await?;
        return Ok(Loaded::Ended(ended));
    }
    // 5. Fresh causes. Without one, on a head without a lease, there is nothing to do: no replay,
    // no commit (A4: a commit without a cause of its own would be lost work).
    let fresh_mail = has_fresh(core, &journal.head, &listing, &mids);
    let timer = journal.head.timer.as_ref();
    let fresh_timer = timer.is_some_and(|key| causes.timers.contains(key));
    let caused = fresh_mail || fresh_timer;
    if journal.head.lease.is_none() && !caused {
        let hidden = hidden.unwrap_or_default();
        let ended = stale(core, &journal.head, &listing, &mids, hidden, causes).await?;
        return Ok(Loaded::Ended(ended));
    }
    // **[R] A2** A stale timer among the causes covers nothing: it may be deleted already.
    let waking = timer.filter(|_| fresh_timer).cloned();
    let read = match history {
        Some(read) => read,
        None => read_history(&mut journal, core, &mut mids, &listing).await?,
    };
    tracing::trace!(commits = read.history.commits.len(), "loaded");
    let page = (listing, listed);
    let inbox = Inbox::new(core, &journal.head.record, mids, read.known, page);
    Ok(Loaded::Ready(Box::new(Ready {
        journal,
        history: read.history,
        broken: read.broken.into_iter().next(),
        inbox,
        waking,
        kept: false,
        early,
    })))
}

/// Lists the first page. Returns the instant before it, and when the reply came (monotonic).
async fn list(
    core: &Core,
    record: &Record,
) -> Result<(Listing, (Timestamp, Duration)), BucketError> {
    let (ports, page) = (&core.ports, core.settings.mailbox_page);
    let before = ports.clock.now();
    let listing = mailbox::list(ports, &record.queue, &record.eid, page).await?;
    Ok((listing, (before, ports.clock.monotonic())))
}

enum Resumed {
    Ready(Box<Ready>),
    /// The kept head has no fresh cause, and then decides nothing.
    NoCause,
}

/// Loads from a kept head (`process/sticky.rs`): it has no lease, and its outbox was dispatched.
/// 1 P (+ segments).
async fn resume(
    core: &Arc<Core>,
    eid: ExecutionId,
    mut journal: Journal,
    causes: &Causes,
) -> Result<Resumed, RunError> {
    let (listing, listed) = list(core, &journal.head.record).await?;
    let timer = journal.head.timer.as_ref();
    let waking = timer.filter(|key| causes.timers.contains(key)).cloned();
    let mut mids = journal.tail_mids()?;
    if waking.is_none() && !has_fresh(core, &journal.head, &listing, &mids) {
        return Ok(Resumed::NoCause);
    }
    let read = read_history(&mut journal, core, &mut mids, &listing).await?;
    let fresh = has_fresh(core, &journal.head, &listing, &mids);
    if !read.broken.is_empty() || (waking.is_none() && !fresh) {
        return Ok(Resumed::NoCause);
    }
    tracing::trace!(%eid, commits = read.history.commits.len(), "resumed");
    let inbox = Inbox::new(
        core,
        &journal.head.record,
        mids,
        read.known,
        (listing, listed),
    );
    Ok(Resumed::Ready(Box::new(Ready {
        journal,
        history: read.history,
        broken: None,
        inbox,
        waking,
        kept: true,
        early: Early::new(),
    })))
}

/// Step 3. **\[R\] A2** The outbox is undispatched if it is not empty and one of these holds: a
/// lease is set; a listed mid is in the journal already (or may be: `unreadable`); the timer that
/// covered it still exists. It is then dispatched before anything is committed. Otherwise
/// everything in it was dispatched before.
///
/// **\[R\] A25** A full page hides the mail behind it, which may be the sign. Bad interleaving: a run
/// dies after its final commit; newer mail fills the page; the next run sees no sign, and its commit
/// drops the outbox. `signs` is the number of such messages, if the mail behind the page was listed.
async fn is_undispatched(
    core: &Core,
    head: &Head,
    listing: &Listing,
    mids: &BTreeSet<MessageId>,
    unreadable: bool,
    signs: Option<usize>,
) -> Result<bool, RunError> {
    if head.outbox.is_empty() {
        return Ok(false);
    }
    let absorbed = listing.slots.iter().any(|slot| mids.contains(&slot.mid));
    let behind = signs.map_or(listing.full, |signs| signs > 0);
    let evident = unreadable || head.lease.is_some() || absorbed || behind;
    let undispatched = evident
        || match &head.fired {
            Some(key) => core.ports.read(key).await?.is_some(),
            None => false,
        };
    Ok(undispatched)
}

/// Step 4. An execution that has ended takes no mail: what still arrives for it is deleted. **\[R\]**
/// The head was read before the mailbox was listed, and may have been replaced since; so it is read
/// again, and if it was, the run starts over. 1 G if there is any such mail. One page at a time: the run
/// starts over if more may follow.
async fn over(
    core: &Core,
    head: &Head,
    listing: &Listing,
    causes: &Causes,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    let listed: Vec<Key> = listing.slots.iter().map(|slot| slot.key.clone()).collect();
    let elsewhere = |key: &Key| {
        let mail = MailKey::parse(key);
        mail.is_some_and(|mail| mail.queue != head.record.queue)
    };
    if !listed.is_empty() && reopened::may_be_retried(core, head, listing).await? {
        return Ok(Ended::Again);
    }
    // Mail that a cause names, and that is not listed, is gone.
    if !listed.is_empty() || causes.mail.iter().any(elsewhere) {
        let now = Journal::load(&core.ports, &head.record.eid).await?;
        let final_ =
            |now: &Journal| now.head.commit == head.commit || now.head.status == Status::Archived;
        if !now.as_ref().is_some_and(final_) {
            return Ok(Ended::Again);
        }
    }
    finish::delete(core, head, &listed, causes, None, None).await?;
    served.extend(listed);
    Ok(match listing.full {
        true => Ended::Again,
        false => Ended::Terminal(head.status),
    })
}

/// Step 5. There is no fresh cause: deletes what the journal contains. **\[R\] A25** Behind a full page of
/// it there may be more, so the run starts over. Messages that the execution does not take stay; behind
/// them there is nothing else, since they are the last class.
async fn stale(
    core: &Core,
    head: &Head,
    listing: &Listing,
    mids: &BTreeSet<MessageId>,
    mut hidden: Vec<Key>,
    causes: &Causes,
) -> Result<Ended, RunError> {
    let known = listing.slots.iter().filter(|slot| mids.contains(&slot.mid));
    let known: Vec<Key> = known.map(|slot| slot.key.clone()).collect();
    let all = known.len() == listing.slots.len();
    hidden.extend(known);
    finish::delete(core, head, &hidden, causes, None, None).await?;
    Ok(match all {
        true if listing.full => Ended::Again,
        true => Ended::Stale,
        false => Ended::Full,
    })
}

/// Returns the mail behind a full page that the journal contains, if the page shows only messages that
/// the execution does not take: it wakes a run again and again, which must not dispatch each time. 1 P for
/// each further page.
async fn hidden(
    core: &Core,
    head: &Head,
    listing: &Listing,
    mids: &BTreeSet<MessageId>,
) -> Result<Option<Vec<Key>>, RunError> {
    let unknown = listing.slots.iter().any(|slot| !mids.contains(&slot.mid));
    if !listing.full || !unknown || has_fresh(core, head, listing, mids) {
        return Ok(None);
    }
    let record = &head.record;
    let prefix = keys::mailbox(&record.queue, &record.eid);
    let (mut found, mut after) = (
        Vec::new(),
        listing.slots.last().map(|slot| slot.key.clone()),
    );
    while let Some(from) = after {
        let most = core.settings.mailbox_page;
        let page = core.ports.page(&prefix, Some(&from), most).await?;
        let rows = page.entries.into_iter().map(|row| row.key);
        found.extend(
            rows.filter(|key| MailKey::parse(key).is_some_and(|mail| mids.contains(&mail.mid))),
        );
        after = page.next;
    }
    Ok(Some(found))
}

/// Returns whether the page shows a message that a run absorbs.
fn has_fresh(core: &Core, head: &Head, listing: &Listing, mids: &BTreeSet<MessageId>) -> bool {
    let takes = |mid| head.takes(mid, core.settings.max_unread);
    let mut slots = listing.slots.iter();
    slots.any(|slot| !mids.contains(&slot.mid) && takes(&slot.mid))
}

/// Step 1. There is no head. If there is a `start`, the head is created from it. **\[R\] A3**
/// Otherwise the head is read once more after the listing. If it is still absent, it was lost, since
/// heads are never deleted: the causes stay, and the audit reports it. 1 P for each queue named in
/// the causes.
async fn absent(core: &Arc<Core>, eid: ExecutionId, causes: &Causes) -> Result<Ended, RunError> {
    let ports = &core.ports;
    // Each queue named in the causes: a `start` in any of them creates the head.
    let named = causes.mail.iter().filter_map(MailKey::parse);
    let named = named.filter(|mail| mail.eid == eid).map(|mail| mail.queue);
    let queues: BTreeSet<_> = named.chain([causes.queue.clone()]).collect();
    let mut slots = Vec::new();
    for queue in &queues {
        let page = core.settings.mailbox_page;
        slots.extend(mailbox::list(ports, queue, &eid, page).await?.slots);
    }
    if let Some(start) = slots.iter().find(|slot| slot.mid == MessageId::start()) {
        let mails = mailbox::fetch(ports, std::slice::from_ref(start), 1).await?;
        match mails.into_iter().next().map(|mail| mail.body) {
            Some(Body::Start(Some(record))) if record.eid == eid => {
                if let Created::New(_) = Journal::begin(ports, *record).await? {
                    tracing::debug!(%eid, "head created from its start mail");
                }
            }
            Some(_) => {
                let why = "it does not hold this execution's record".to_owned();
                return Err(LoadError::Corrupt {
                    key: start.key.clone(),
                    why,
                }
                .into());
            }
            None => {} // absorbed meanwhile: there is a head now
        }
        return Ok(Ended::Again);
    }
    if ports.read(&keys::head(&eid)).await?.is_some() {
        return Ok(Ended::Again);
    }
    Ok(Ended::Orphan)
}
