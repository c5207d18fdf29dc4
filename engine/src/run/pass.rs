//! One pass over one execution: the state between its commits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use jiff::Timestamp;

use super::absorb::Ahead;
use super::dispatching::Dispatching;
use super::ended::{Causes, Ended, RunError};
use super::load::Ready;
use super::{Stop, finish};
use crate::domain::{
    Began, Body, Commit, Control, Entry, ExecutionId, Failure, FrameId, Json, MessageId, OnClose,
    Queue, Status,
};
use crate::journal::{Item, Journal, Named, News};
use crate::keys::{Key, TimerKey};
use crate::mailbox::{self, Slot};
use crate::ports::Abort;
use crate::process::Core;
use crate::replay::{Canceller, Drive};

/// The end of an attempt, sent to the pass.
pub(super) struct Done {
    pub(super) fid: FrameId,
    pub(super) attempt: u32,
    pub(super) outcome: Result<Json, Failure>,
}

pub(super) struct Live {
    pub(super) attempt: u32,
    pub(super) cancel: Canceller,
    pub(super) aborts: Vec<Abort>,
}

/// A child that this execution started and that is not known to have ended.
pub(super) struct OpenChild {
    pub(super) eid: ExecutionId,
    pub(super) queue: Queue,
    pub(super) on_close: OnClose,
}

pub(super) struct Pass {
    pub(super) core: Arc<Core>,
    pub(super) journal: Journal,
    /// `None` while an activation of workflow code runs.
    pub(super) drive: Option<Drive>,
    /// Whether the driver is at the end of the journal, so that its frame count matches it.
    pub(super) driven: bool,
    pub(super) pending: Vec<Entry>,
    pub(super) mids: BTreeSet<MessageId>,
    /// Mail to delete at the end, absorbed by this pass or by an earlier one.
    pub(super) slots: Vec<Slot>,
    pub(super) children: BTreeMap<FrameId, OpenChild>,
    /// The reason of a cancel message, if there was one.
    pub(super) asked: Option<String>,
    pub(super) now: Timestamp,
    /// When the mailbox was last listed.
    pub(super) listed: Timestamp,
    /// The mailbox could not be listed; it is listed again after this instant (monotonic).
    pub(super) deaf_until: Duration,
    /// Mail that was read and is not absorbed yet.
    pub(super) ahead: Ahead,
    pub(super) waking: Option<Key>,
    pub(super) fired: Option<Key>,
    pub(super) dispatching: Dispatching,
    pub(super) news: Vec<News>,
    pub(super) crash_count: u32,
    /// The newest build that wrote any part of the journal. The last commit is no guide: an old
    /// build may have acquired, or served a pause, without driving (B27).
    pub(super) newest_code: String,
    pub(super) parked: Option<Status>,
    pub(super) acquired: bool,
    pub(super) fed: bool,
    /// When this pass began, when its lease ends, when it last committed: monotonic.
    pub(super) began: Duration,
    pub(super) until: Duration,
    pub(super) committed: Duration,
    pub(super) live: BTreeMap<FrameId, Live>,
    pub(super) done: (mpsc::UnboundedSender<Done>, mpsc::UnboundedReceiver<Done>),
    pub(super) ready: Option<Result<Json, Failure>>,
}

/// Steps 6 to 13, on a head that this run may continue from.
pub(super) async fn pass(
    core: Arc<Core>,
    ready: Ready,
    causes: &Causes,
    stop: &Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    let record = &ready.journal.head.record;
    if core.app.find(&record.workflow, &record.version).is_none() {
        let (workflow, version) = (record.workflow.clone(), record.version.clone());
        return Ok(Ended::Unregistered(workflow, version));
    }
    let fresh: Vec<Slot> = ready
        .listing
        .slots
        .iter()
        .filter(|s| !ready.mids.contains(&s.mid))
        .cloned()
        .collect();
    let concurrency = core.settings.concurrency;
    let mails = mailbox::fetch_rest(&core.ports, &fresh, concurrency, &ready.early).await?;
    let superseded = ready.journal.head.timer.clone();
    let old = ready.journal.head.status;
    let crash_loop = crash_loop(&core, causes, &fresh, ready.waking.as_ref());
    let mut ready = ready;
    let broken = ready.broken.take();
    let (mut pass, history) = Pass::new(core, ready, causes);
    let inbox = pass.absorb(mails, old);
    let ended = pass.go_on(history, inbox, broken.as_ref(), crash_loop, stop);
    let ended = ended.await?;
    match ended {
        Ended::Suspended(_) | Ended::Terminal(_) | Ended::Parked(_) | Ended::Sliced => {}
        // Nothing was decided, or another run holds the lease: the causes remain.
        other => return Ok(other),
    }
    let (head, waking) = (&pass.journal.head, pass.waking.as_ref());
    finish::delete(
        &pass.core,
        head,
        &pass.slots,
        causes,
        superseded.as_ref(),
        waking,
    )
    .await?;
    served.extend(pass.slots.iter().map(|slot| slot.key.clone()));
    if head.status.is_terminal() {
        return Ok(ended);
    }
    // 13. Hints for mail that arrived during this run had no effect: list the mailbox once more.
    let again = mailbox::list(&pass.core.ports, &head.record.queue, &head.record.eid).await?;
    let fresh = again
        .slots
        .iter()
        .any(|slot| !pass.mids.contains(&slot.mid));
    pass.core.sticky.keep(&pass.journal);
    Ok(if fresh && !stop.gently.is_set() {
        Ended::Again
    } else {
        ended
    })
}

/// **\[R\]** Returns whether these causes came so often without effect that the run must acquire
/// first. Old mail, or a timer long overdue, may have crashed every process since.
fn crash_loop(core: &Core, causes: &Causes, fresh: &[Slot], waking: Option<&Key>) -> bool {
    let old = core.settings.ttl * 3;
    let now = core.ports.clock.now();
    let stale =
        |since: Timestamp| Duration::try_from(now.duration_since(since)).is_ok_and(|age| age > old);
    let due = waking.and_then(TimerKey::parse).map(|timer| timer.due);
    causes.deliveries > core.settings.max_deliveries
        || fresh.iter().map(|slot| slot.modified).chain(due).any(stale)
}

impl Pass {
    fn new(core: Arc<Core>, ready: Ready, causes: &Causes) -> (Self, Vec<Commit>) {
        let Ready {
            journal,
            history,
            mids,
            listing,
            waking,
            broken: _,
            kept: _,
            early: _,
        } = ready;
        let head = &journal.head;
        // **[R] A6** A timer proves its instant, and recorded instants never decrease.
        let proven = causes
            .timers
            .iter()
            .filter_map(TimerKey::parse)
            .map(|timer| timer.due)
            .max();
        let now = core.ports.clock.now().max(head.at);
        let now = proven.map_or(now, |proven| now.max(proven));
        // The loaded outbox is dispatched by now, so the news in its feed object is reported.
        let told = head.outbox.contains(&Item::Named(Named::Feed));
        let news = if told { Vec::new() } else { head.news.clone() };
        let held = head.lease.as_ref().and(head.fired.as_ref());
        let held = held.cloned();
        let parked = matches!(head.status, Status::Paused | Status::Blocked).then_some(head.status);
        let mono = core.ports.clock.monotonic();
        let pass = Self {
            drive: None,
            driven: false,
            pending: Vec::new(),
            slots: listing
                .slots
                .iter()
                .filter(|s| mids.contains(&s.mid))
                .cloned()
                .collect(),
            mids,
            children: open_children(&history),
            asked: history
                .iter()
                .flat_map(|commit| &commit.entries)
                .find_map(cancel_of),
            now,
            listed: now,
            deaf_until: Duration::ZERO,
            ahead: Ahead::default(),
            fired: waking.clone().or(held),
            waking,
            dispatching: Dispatching::default(),
            news,
            crash_count: head.crash_count,
            newest_code: newest_code(&history),
            parked,
            acquired: false,
            fed: false,
            began: mono,
            until: mono + core.settings.ttl,
            committed: mono,
            live: BTreeMap::new(),
            done: mpsc::unbounded(),
            ready: None,
            core,
            journal,
        };
        (pass, history)
    }

    /// Adds entries that are not to be delivered, or were delivered before.
    pub(super) fn append(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            note_child(&entry, &mut self.children);
            self.asked = self.asked.take().or_else(|| cancel_of(&entry));
            self.pending.push(entry);
        }
    }

    /// Advances `now` to the clock, and never behind the journal.
    pub(super) fn tick(&mut self) {
        self.now = self.now.max(self.core.ports.clock.now());
    }
}

impl Drop for Pass {
    /// Ends the attempts however the pass ends: a lost holder must do nothing more.
    fn drop(&mut self) {
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
    }
}

fn newest_code(history: &[Commit]) -> String {
    let codes = history
        .iter()
        .filter_map(|commit| commit.by.code_ref.as_ref());
    codes.max().cloned().unwrap_or_default()
}

fn open_children(history: &[Commit]) -> BTreeMap<FrameId, OpenChild> {
    let mut open = BTreeMap::new();
    for entry in history.iter().flat_map(|commit| &commit.entries) {
        note_child(entry, &mut open);
    }
    open
}

fn note_child(entry: &Entry, open: &mut BTreeMap<FrameId, OpenChild>) {
    match entry {
        Entry::FrameStarted {
            fid,
            began:
                Began::Child {
                    eid,
                    queue,
                    on_close,
                    ..
                },
        } => {
            let child = OpenChild {
                eid: *eid,
                queue: queue.clone(),
                on_close: *on_close,
            };
            open.insert(fid.clone(), child);
        }
        Entry::Received {
            body: Body::Child { fid, .. },
            ..
        } => {
            open.remove(fid);
        }
        _ => {}
    }
}

fn cancel_of(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Received {
            body: Body::Control(Control::Cancel { reason }),
            ..
        } => Some(reason.clone()),
        _ => None,
    }
}
