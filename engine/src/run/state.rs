//! What follows from the head and the journal, and decides how a run continues.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::domain::{
    Began, Blocked, Body, Commit, Control, Entry, ExecutionId, FrameId, OnClose, Queue, Status,
};
use crate::journal::Head;

/// A child that this execution started and that is not known to have ended.
pub(super) struct OpenChild {
    pub(super) eid: ExecutionId,
    pub(super) queue: Queue,
    pub(super) on_close: OnClose,
}

/// The state of an execution, beside that of its workflow.
pub(super) struct State {
    pub(super) children: BTreeMap<FrameId, OpenChild>,
    /// The reason of a cancel message, if there was one.
    pub(super) cancel: Option<String>,
    /// The reason of a terminate message: the execution ends without running its code.
    pub(super) terminate: Option<String>,
    /// The status of a paused or blocked execution.
    pub(super) parked: Option<Status>,
    /// The number of leases since the last new outcome.
    pub(super) crash_count: u32,
    /// The newest build that wrote any part of the journal. The last commit is no guide: an old
    /// build may have acquired, or served a pause, without driving (B27).
    pub(super) newest_code: String,
}

impl State {
    pub(super) fn of(head: &Head, history: &[Commit]) -> Self {
        let codes = history
            .iter()
            .filter_map(|commit| commit.by.code_ref.as_ref());
        let mut state = Self {
            children: BTreeMap::new(),
            cancel: None,
            terminate: None,
            parked: matches!(head.status, Status::Paused | Status::Blocked).then_some(head.status),
            crash_count: head.crash_count,
            newest_code: codes.max().cloned().unwrap_or_default(),
        };
        for entry in history.iter().flat_map(|commit| &commit.entries) {
            state.note(entry);
        }
        state
    }

    /// Applies an entry of the journal, or one that the next commit will contain.
    pub(super) fn note(&mut self, entry: &Entry) {
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
                body: Body::Child { fid, .. },
                ..
            } => _ = self.children.remove(fid),
            Entry::Received {
                body: Body::Control(Control::Cancel { reason }),
                ..
            } => _ = self.cancel.get_or_insert_with(|| reason.clone()),
            _ => {}
        }
    }

    /// Applies the effect of a message on the execution itself, apart from its delivery. Returns
    /// the entry that records this effect, if there is one.
    pub(super) fn receive(
        &mut self,
        body: &Body,
        sent_at: Timestamp,
        head: &Head,
    ) -> Option<Entry> {
        match body {
            Body::Control(Control::Terminate { reason }) => {
                self.terminate.get_or_insert_with(|| reason.clone());
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
}
