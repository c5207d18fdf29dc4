//! What follows from the head and the journal, and decides how a run continues.
//!
//! - **I13** This state is a function of head and journal: a run that loads after a commit has the
//!   state of the run that made it. It changes only with the entries that are appended, and with
//!   the crash count in the head. Bad interleaving: a run absorbs a pause, keeps it in memory only,
//!   renews its lease and dies; the next run reads a head that shows `running`, and begins the next
//!   attempt.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(any(test, feature = "simulation"))]
use crate::domain::Commit;
use crate::domain::{
    Began, Blocked, Body, Channel, Control, Entry, ExecutionId, FrameId, MessageId, OnClose,
    Payload, Queue, Range, Status, Wait,
};
#[cfg(any(test, feature = "simulation"))]
use crate::journal;
use crate::journal::{Head, History};

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
    /// The messages that no `receive` has consumed, as they were absorbed, with their numbers.
    pub(super) unread: BTreeMap<MessageId, (u64, Entry)>,
    /// The cancels of this part, by their numbers.
    pub(super) cancels: BTreeMap<u64, Entry>,
    /// The generation.
    pub(super) generation: u32,
    /// The number of the first entry of this part.
    pub(super) first: u64,
    /// Whether this generation has consumed a message, an outcome or a deadline.
    pub(super) progress: bool,
    /// The ids of mail of earlier parts.
    pub(super) seen: Option<Payload>,
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
    pub(super) fn of(head: &Head, history: &History) -> Self {
        let codes = history
            .commits
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
            cancels: BTreeMap::new(),
            generation: head.generation,
            first: head.part.first,
            progress: false,
            seen: None,
            newest_code: codes.max().cloned().unwrap_or_default(),
        };
        let mut received = BTreeSet::new();
        for line in history.lines() {
            // I3: this message was absorbed twice: the segment that contains it could not be read.
            if let Entry::Received { mid, .. } = line.entry
                && !received.insert(mid)
            {
                continue;
            }
            state.note(line.number, line.entry);
        }
        // What an operator permits stays, also if a retry makes the entry void.
        state.requested.budget = head.budget.max.or(state.requested.budget);
        // The entry may be in a segment that cannot be read.
        if let Status::Paused | Status::Blocked = head.status {
            state.requested.parked.get_or_insert(head.status);
        }
        state
    }

    /// Applies an entry of the journal, or one that the next commit will contain.
    pub(super) fn note(&mut self, number: u64, entry: &Entry) {
        self.requested.note(entry);
        self.progress |= is_progress(entry);
        match entry {
            Entry::Continued {
                generation,
                unread,
                seen,
                ..
            } => self.begin_part(number, *generation, unread, seen.as_ref()),
            Entry::Retried(retried) => self.generation = retried.generation,
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
                body: Body::Message { .. },
                ..
            } => {
                self.unread.insert(mid.clone(), (number, entry.clone()));
            }
            Entry::Received {
                body: Body::Control(Control::Cancel { .. }),
                ..
            } => {
                self.cancels.insert(number, entry.clone());
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

    /// **I13** Keeps what a load of the new part reads of older ones: entries that it receives first,
    /// and what the head contains.
    fn begin_part(
        &mut self,
        number: u64,
        generation: u32,
        unread: &[Range],
        seen: Option<&Payload>,
    ) {
        let carried = |number: u64| unread.iter().any(|range| range.contains(number));
        self.children.clear();
        self.unread.retain(|_, (number, _)| carried(*number));
        self.cancels.retain(|number, _| carried(*number));
        self.requested.cancel = None;
        for cancel in self.cancels.values() {
            self.requested.note(cancel);
        }
        (self.generation, self.first, self.progress) = (generation, number, false);
        self.seen = seen.cloned();
    }

    /// Returns what a generation receives first, if its workflow has returned with the delivery of
    /// entry `returned_at`: messages that were not consumed, and cancels that came later.
    pub(super) fn carried(&self, returned_at: u64) -> BTreeMap<u64, Entry> {
        let unread = self.unread.values().cloned();
        let cancels = self.cancels.range(returned_at.saturating_add(1)..);
        let cancels = cancels.map(|(number, entry)| (*number, entry.clone()));
        unread.chain(cancels).collect()
    }

    /// Returns the number of entries, and the bytes, that this part has of older ones.
    pub(super) fn inherited(&self) -> (u64, u64) {
        let older = |(number, _): &&(u64, Entry)| *number < self.first;
        let older = self.unread.values().filter(older);
        older.fold((0, 0), |(count, bytes), (_, entry)| {
            let size = match entry.payload() {
                Some(Payload::Inline(json)) => json.as_str().len() as u64,
                _ => 0,
            };
            (count + 1, bytes + size)
        })
    }

    /// **I13** Returns how this state differs from another one, which a load yields; `None` if it does
    /// not. Values may have become blobs since.
    pub(super) fn differs(&self, other: &Self) -> Option<String> {
        fn view(state: &State) -> impl PartialEq + std::fmt::Debug {
            let unread = state.unread.iter();
            let unread: BTreeMap<_, _> = unread.map(|(mid, (n, _))| (mid.clone(), *n)).collect();
            let cancels: Vec<u64> = state.cancels.keys().copied().collect();
            let part = (state.first, state.generation, state.progress);
            let requested = state.requested.clone();
            let children = state.children.clone();
            (
                requested,
                children,
                unread,
                cancels,
                part,
                state.seen.clone(),
            )
        }
        let (own, its) = (view(self), view(other));
        (own != its).then(|| format!("I13: {own:?} is {its:?} after a load"))
    }

    /// Returns why an execution with too many unread messages is blocked.
    pub(super) fn flooded(&self) -> Blocked {
        let mut counts = BTreeMap::<&Channel, u64>::new();
        for (_, entry) in self.unread.values() {
            if let Entry::Received {
                body: Body::Message { channel, .. },
                ..
            } = entry
            {
                *counts.entry(channel).or_default() += 1;
            }
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
                Control::Pause { .. } | Control::Retry(_) => {}
            },
            Entry::Paused { .. } => self.parked = Some(Status::Paused),
            Entry::Blocked(_) => self.parked = Some(Status::Blocked),
            Entry::Unpaused | Entry::Retried(_) => self.parked = None,
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

/// Returns whether a generation has consumed something: a message, an outcome or a deadline. Without
/// that, one that continues begins the next one in the same state, and so does that one.
pub(super) fn is_progress(entry: &Entry) -> bool {
    match entry {
        Entry::FrameCompleted { .. }
        | Entry::FrameFailed { .. }
        | Entry::FrameFulfilled { .. }
        | Entry::Received {
            body: Body::Child { .. },
            ..
        } => true,
        Entry::FrameSuspended {
            wait: Wait::Retry { lost, .. },
            ..
        } => !lost.0,
        _ => false,
    }
}

/// Shortens a text that the journal contains in full.
pub(super) fn short(text: &str) -> String {
    text.chars().take(512).collect()
}

/// **I13** Checks that a run which loads after the commit of `head` has the state of one that has seen
/// every commit so far. `listed` are the commits in the tail and in the segments of that head.
#[cfg(any(test, feature = "simulation"))]
pub(crate) fn check_load(head: &Head, listed: Vec<Commit>, all: &[Commit]) -> Result<(), String> {
    let loaded = State::of(head, &History::of(head, listed));
    let mut own = State {
        requested: Requested {
            budget: head.budget.max,
            ..Requested::default()
        },
        generation: 0,
        first: 0,
        ..State::of(head, &History::default())
    };
    own.requested.parked = None;
    for line in journal::lines(all) {
        own.note(line.number, line.entry);
    }
    own.requested.budget = head.budget.max.or(own.requested.budget);
    own.differs(&loaded).map_or(Ok(()), Err)
}
