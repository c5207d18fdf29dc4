//! A replay that shows an execution. It writes nothing, runs no step and acquires no lease.
//!
//! **B40** The workflow passes the states that the run passed which wrote the journal: each entry is
//! delivered, and the workflow polled until it waits, before the next one. So a state belongs to the
//! entry after which the workflow showed it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::Serialize;

use super::program::{Delivery, Halted, Program};
use super::seed;
use crate::domain::{Blocked, Json, Record};
use crate::journal::History;
use crate::process::{Core, Registered};
use crate::replay::{Activation, AwaitedFrame, Drive, Trouble};

/// A state that a workflow has shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownState {
    /// Its number, from 0: the calls of `set_state` are counted.
    pub number: u64,
    /// The number of the journal entry after which the workflow showed it. Several states may have
    /// the same one.
    pub entry: u64,
    /// The instant of the commit that contains the entry.
    pub at: Timestamp,
    /// The value.
    pub value: Json,
}

/// Which part of an execution a query shows: by default, its newest state.
///
/// ```
/// use millpond::client::Query;
///
/// let newest = Query::newest();
/// let earlier = Query::newest().at(17);
/// let first_open = Query::until(|state| state.value.as_str().contains("open"));
/// let second_page = Query::page(100, 100);
/// # let _ = (newest, earlier, first_open, second_page);
/// ```
#[derive(Clone, Default)]
pub struct Query {
    pub(crate) at: Option<u64>,
    wanted: Wanted,
}

#[derive(Clone, Default)]
enum Wanted {
    #[default]
    Newest,
    Until(Arc<Accepts>),
    Page {
        from: u64,
        limit: usize,
    },
}

type Accepts = dyn Fn(&ShownState) -> bool + Send + Sync;

impl Query {
    /// The newest state. One state is held in memory.
    #[must_use]
    pub fn newest() -> Self {
        Self::default()
    }

    /// The first state that `accepts` accepts: the replay ends after the entry at which the workflow
    /// showed it. One state is held in memory.
    #[must_use]
    pub fn until(accepts: impl Fn(&ShownState) -> bool + Send + Sync + 'static) -> Self {
        Self {
            at: None,
            wanted: Wanted::Until(Arc::new(accepts)),
        }
    }

    /// The states from number `from` on, at most `limit`, and together at most as large as one value
    /// may be.
    #[must_use]
    pub fn page(from: u64, limit: usize) -> Self {
        Self {
            at: None,
            wanted: Wanted::Page { from, limit },
        }
    }

    /// Ends the replay after the journal entry of this number; the first one is 0.
    #[must_use]
    pub fn at(mut self, entry: u64) -> Self {
        self.at = Some(entry);
        self
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = match &self.wanted {
            Wanted::Newest => "newest".to_owned(),
            Wanted::Until(_) => "until".to_owned(),
            Wanted::Page { from, limit } => format!("page from {from}, at most {limit}"),
        };
        f.debug_struct("Query")
            .field("at", &self.at)
            .field("wanted", &wanted)
            .finish()
    }
}

/// Entries with the instants of their commits.
pub(crate) type Batch = Vec<(Timestamp, Delivery)>;

/// A workflow that is replayed for a query.
pub(crate) struct View {
    program: Program,
    seen: Arc<Mutex<Seen>>,
}

/// What the replay has come to.
struct Seen {
    wanted: Wanted,
    max_bytes: usize,
    entry: Option<u64>,
    at: Timestamp,
    /// Whether the execution has ended, by the journal.
    over: bool,
    states: Vec<ShownState>,
    bytes: usize,
    /// The first state behind the page.
    next: Option<u64>,
    /// Whether nothing more is wanted.
    done: bool,
}

/// What a query has shown.
pub(crate) struct Viewed {
    pub(crate) entry: Option<u64>,
    pub(crate) states: Vec<ShownState>,
    pub(crate) next: Option<u64>,
    pub(crate) awaited: Vec<AwaitedFrame>,
}

impl View {
    /// Begins a replay of `history`.
    pub(crate) fn begin(
        core: &Arc<Core>,
        code: &Registered,
        record: &Record,
        args: Json,
        history: &History,
        query: &Query,
    ) -> Self {
        let seen = Arc::new(Mutex::new(Seen {
            wanted: query.wanted.clone(),
            max_bytes: core.settings.max_value,
            entry: None,
            at: record.created_at,
            over: false,
            states: Vec::new(),
            bytes: 0,
            next: None,
            done: false,
        }));
        let mut drive = seed::drive(core, code, record, args, history);
        let observer = Arc::clone(&seen);
        drive.observe(Arc::new(move |number, value| {
            show(&observer, number, value);
        }));
        let mut program = Program::new(core);
        program.begin(drive);
        Self { program, seen }
    }

    /// Delivers entries, each followed by one poll, until nothing more is wanted.
    ///
    /// # Errors
    /// The reason for which a run would park the execution.
    pub(crate) async fn deliver(&mut self, batch: Batch) -> Result<(), Blocked> {
        let seen = Arc::clone(&self.seen);
        let at = lock(&seen).at;
        let work = move |drive: &mut Drive| {
            for (instant, delivery) in batch {
                if lock(&seen).enter(instant, &delivery) {
                    return Ok::<(), Trouble>(());
                }
                drive.set_now(instant);
                let Delivery {
                    at, entry, value, ..
                } = delivery;
                match delivery.fact {
                    true => drive.deliver_fact(at, &entry, value)?,
                    false => drive.deliver(at, &entry, value)?,
                }
                // Later activations of a workflow that has returned do nothing.
                let (Activation::Waits | Activation::Ready(_)) = drive.activate()?;
                if let Some(frames) = delivery.frames {
                    drive.check_frames(at, frames)?;
                }
            }
            Ok(())
        };
        match self.program.activation(at, work).await {
            Ok(delivered) => delivered.map_err(Blocked::from),
            Err(Halted::Trouble(trouble)) => Err(trouble.into()),
            Err(Halted::Stuck) => Err(Blocked::Stalled {
                crash_count: 0,
                message: "the workflow does not come to a wait in the time of the watchdog".into(),
            }),
        }
    }

    /// Whether nothing more is wanted.
    pub(crate) fn is_done(&self) -> bool {
        lock(&self.seen).done
    }

    /// Ends the replay.
    pub(crate) fn end(self) -> Viewed {
        let mut seen = lock(&self.seen);
        Viewed {
            entry: seen.entry,
            states: std::mem::take(&mut seen.states),
            next: seen.next,
            // What an execution waited for when it was terminated is over.
            awaited: match seen.over {
                true => Vec::new(),
                false => self.program.awaited(),
            },
        }
    }
}

impl Seen {
    /// Goes on to an entry. Returns true instead if nothing more is wanted.
    fn enter(&mut self, at: Timestamp, delivery: &Delivery) -> bool {
        if !self.done {
            self.entry = Some(delivery.at.number);
            self.at = at;
            self.over |= delivery.entry.is_end();
        }
        self.done
    }

    fn add(&mut self, state: ShownState) {
        self.bytes += state.value.as_str().len();
        self.states.push(state);
    }
}

fn show(seen: &Mutex<Seen>, number: u64, value: Json) {
    let (state, wanted) = {
        let seen = lock(seen);
        let (Some(entry), false) = (seen.entry, seen.done) else {
            return;
        };
        let at = seen.at;
        let state = ShownState {
            number,
            entry,
            at,
            value,
        };
        (state, seen.wanted.clone())
    };
    match wanted {
        Wanted::Newest => lock(seen).states = vec![state],
        // The caller's code runs without the lock.
        Wanted::Until(accepts) => {
            if accepts(&state) {
                let mut seen = lock(seen);
                seen.add(state);
                seen.done = true;
            }
        }
        Wanted::Page { from, limit } => {
            let mut seen = lock(seen);
            let bytes = seen.bytes + state.value.as_str().len();
            let large = bytes > seen.max_bytes && !seen.states.is_empty();
            if number >= from && (seen.states.len() >= limit || large) {
                seen.next = Some(number);
                seen.done = true;
            } else if number >= from {
                seen.add(state);
            }
        }
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    // No code that may panic runs under the lock.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
