//! What follows from the head and the journal, and decides how a run continues.
//!
//! - **I13** This state is a function of head and journal: a run that loads after a commit has the
//!   state of the run that made it. It changes only with the entries that are appended, and with
//!   the crash count in the head. Bad interleaving: a run absorbs a pause, keeps it in memory only,
//!   renews its lease and dies; the next run reads a head that shows `running`, and begins the next
//!   attempt.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{
    Began, Blocked, Body, Channel, Commit, Control, Entry, ExecutionId, FrameId, MessageId,
    OnClose, Queue, Status,
};
use crate::journal::Head;

/// A child that this execution started and that is not known to have ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenChild {
    pub(super) eid: ExecutionId,
    pub(super) queue: Queue,
    pub(super) on_close: OnClose,
}

/// The state of an execution, beside that of its workflow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub(super) requested: Requested,
    pub(super) children: BTreeMap<FrameId, OpenChild>,
    /// The number of leases since the last clean end or new outcome.
    pub(super) crash_count: u32,
    /// The messages that no `receive` has consumed, with their channels.
    pub(super) unread: BTreeMap<MessageId, Channel>,
    /// The newest build that wrote any part of the journal. The last commit is no guide: an old
    /// build may have acquired, or served a pause, without driving (B27).
    pub(super) newest_code: String,
}

/// What operators, and the engine in their place, have requested of an execution.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Requested {
    /// The reason of a cancel message, if there was one.
    pub(super) cancel: Option<String>,
    /// **I12** The reason of a terminate message: the execution ends without running its code.
    pub(super) terminate: Option<String>,
    /// **I11** The status of a paused or blocked execution.
    pub(super) parked: Option<Status>,
    /// The number of requests a day that an operator permits.
    pub(super) budget: Option<u64>,
}

impl State {
    pub(super) fn of(head: &Head, history: &[Commit]) -> Self {
        let codes = history
            .iter()
            .filter_map(|commit| commit.by.code_ref.as_ref());
        let mut state = Self {
            requested: Requested {
                budget: head.budget.max, // the entry may be in a segment that cannot be read
                ..Requested::default()
            },
            children: BTreeMap::new(),
            crash_count: head.crash_count,
            unread: BTreeMap::new(),
            newest_code: codes.max().cloned().unwrap_or_default(),
        };
        let mut received = BTreeSet::new();
        for entry in history.iter().flat_map(|commit| &commit.entries) {
            // I3: this message was absorbed twice: the segment that contains it could not be read.
            if let Entry::Received { mid, .. } = entry
                && !received.insert(mid)
            {
                continue;
            }
            state.note(entry);
        }
        // The entry may be in a segment that cannot be read.
        if let Status::Paused | Status::Blocked = head.status {
            state.requested.parked.get_or_insert(head.status);
        }
        state
    }

    /// Applies an entry of the journal, or one that the next commit will contain.
    pub(super) fn note(&mut self, entry: &Entry) {
        self.requested.note(entry);
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
                self.children.insert(fid.clone(), child);
            }
            Entry::Received {
                mid,
                body: Body::Message { channel, .. },
                ..
            } => {
                self.unread.insert(mid.clone(), channel.clone());
            }
            Entry::FrameFulfilled { mid: Some(mid), .. } => {
                self.unread.remove(mid);
            }
            Entry::Received {
                body: Body::Child { fid, eid, .. },
                ..
            }
            | Entry::ChildClosed { fid, eid, .. }
                if self
                    .children
                    .get(fid)
                    .is_some_and(|child| child.eid == *eid) =>
            {
                self.children.remove(fid);
            }
            _ => {}
        }
    }

    /// Returns why an execution with too many unread messages is blocked.
    pub(super) fn flooded(&self) -> Blocked {
        let mut counts = BTreeMap::<&Channel, u64>::new();
        for channel in self.unread.values() {
            *counts.entry(channel).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        Blocked::Inbox {
            channel: most.map_or_else(String::new, |(channel, _)| channel.to_string()),
            unread: self.unread.len() as u64,
        }
    }
}

impl Requested {
    pub(super) fn note(&mut self, entry: &Entry) {
        match entry {
            Entry::Received {
                body: Body::Control(control),
                ..
            } => match control {
                Control::Cancel { reason } => {
                    self.cancel.get_or_insert_with(|| reason.clone());
                }
                Control::Terminate { reason } => {
                    self.terminate.get_or_insert_with(|| reason.clone());
                }
                Control::Resume { budget } => self.budget = budget.or(self.budget),
                Control::Pause { .. } => {}
            },
            Entry::Paused { .. } => self.parked = Some(Status::Paused),
            Entry::Blocked(_) => self.parked = Some(Status::Blocked),
            Entry::Unpaused => self.parked = None,
            _ => {}
        }
    }

    /// Returns the entries that record a message and its effect on the execution itself, apart from
    /// its delivery.
    pub(super) fn effect_of(&self, body: &Body) -> Option<Entry> {
        match body {
            Body::Control(Control::Pause { reason }) if self.parked.is_none() => {
                Some(Entry::Paused {
                    reason: short(reason), // the message contains it in full
                })
            }
            Body::Control(Control::Resume { .. }) => self.parked.map(|_| Entry::Unpaused),
            Body::Control(Control::Cancel { .. }) if self.parked == Some(Status::Paused) => {
                Some(Entry::Unpaused)
            }
            Body::Unreadable { key, .. } => {
                let message = "it is not a message this release can read".to_owned();
                Some(Entry::Blocked(Blocked::Unreadable {
                    key: key.clone(),
                    message,
                }))
            }
            _ => None,
        }
    }
}

/// Shortens a text that the journal contains in full.
pub(super) fn short(text: &str) -> String {
    text.chars().take(512).collect()
}
