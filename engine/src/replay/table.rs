//! The frame table: the frames that the workflow has registered, and what came for them.
//!
//! The drive, the contexts and the frame futures share it. No user code runs under its lock:
//! wakers are woken, and wakers and step bodies dropped, after it is released, because both may
//! call back into the table.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use jiff::Timestamp;

use super::flag::Flag;
use super::frames::Inbox;
use super::frames::step::SharedStepBody;
use super::shown::Observer;
use super::slot::Slot;
use super::{Limits, Seed, Trouble, Versions};
use crate::domain::{Depth, Entry, ExecutionId, FrameId, Json, Queue, ValueError};
use crate::ports::Entropy;

/// The shared handle.
#[derive(Clone)]
pub(crate) struct Table(Arc<Shared>);

struct Shared {
    eid: ExecutionId,
    flag: Arc<Flag>,
    state: Mutex<State>,
}

/// What the lock guards.
pub(super) struct State {
    pub(super) eid: ExecutionId,
    pub(super) generation: u32,
    pub(super) queue: Queue,
    pub(super) depth: Depth,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) recorded: BTreeMap<FrameId, Json>,
    pub(super) queues: BTreeSet<Queue>,
    pub(super) elsewhere: BTreeSet<FrameId>,
    pub(super) limits: Limits,
    pub(super) versions: Versions,
    /// The number of the entry that was delivered last.
    pub(super) at: u64,
    pub(super) code: super::Code,
    pub(super) now: Timestamp,
    pub(super) slots: BTreeMap<FrameId, Slot>,
    /// The frames that wait, in order of registration.
    pub(super) open: BTreeMap<u32, FrameId>,
    /// The next count of each name; the key is `parent/name`.
    pub(super) counts: BTreeMap<String, u32>,
    pub(super) inbox: Inbox,
    /// What the workflow decided and no entry has matched.
    pub(super) decided: VecDeque<Entry>,
    /// Frames dropped since the last [`Drive::take_dropped`](super::Drive::take_dropped).
    pub(super) dropped: Vec<FrameId>,
    /// Counts registrations, yields and drops: a wake without any of them is idle.
    pub(super) progress: u64,
    /// The retries that the replay has passed.
    pub(super) retries: super::retries::Retries,
    /// The execution was asked to stop.
    pub(super) cancelled: bool,
    /// The workflow asked for one frame too many.
    pub(super) overflow: bool,
    /// A recorded value is not of the type that the workflow asks for.
    pub(super) invalid: Option<Trouble>,
    /// The input of the next generation, once the workflow has asked for it.
    pub(super) continuation: Option<Json>,
    /// How many states the workflow has shown.
    pub(super) shown: u64,
    pub(super) observer: Option<Observer>,
    /// How the workflow ended.
    pub(super) ended: Option<String>,
    /// The drive was dropped: frames register and record nothing any more.
    pub(super) closed: bool,
}

/// What is woken or dropped once the lock is released.
#[derive(Default)]
pub(super) struct Loose {
    pub(super) wake: Vec<Waker>,
    pub(super) wakers: Vec<Waker>,
    pub(super) step_bodies: Vec<SharedStepBody>,
}

impl Table {
    pub(super) fn new(seed: Seed, flag: Arc<Flag>) -> Self {
        Self(Arc::new(Shared {
            eid: seed.eid,
            flag,
            state: Mutex::new(State {
                eid: seed.eid,
                generation: seed.generation,
                queue: seed.queue,
                depth: seed.depth,
                entropy: seed.entropy,
                recorded: seed.recorded,
                queues: seed.queues,
                elsewhere: seed.elsewhere,
                limits: seed.limits,
                versions: seed.versions,
                at: 0,
                code: seed.code,
                now: Timestamp::UNIX_EPOCH,
                slots: BTreeMap::new(),
                open: BTreeMap::new(),
                counts: BTreeMap::new(),
                inbox: Inbox::new(),
                decided: VecDeque::new(),
                dropped: Vec::new(),
                progress: 0,
                retries: super::retries::Retries::default(),
                cancelled: false,
                overflow: false,
                invalid: None,
                continuation: None,
                shown: 0,
                observer: None,
                ended: None,
                closed: false,
            }),
        }))
    }

    pub(crate) fn eid(&self) -> ExecutionId {
        self.0.eid
    }

    pub(crate) fn generation(&self) -> u32 {
        self.lock().generation
    }

    /// Whether the execution was asked to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Whether this thread runs the workflow at this moment.
    pub(crate) fn is_inside(&self) -> bool {
        self.0.flag.is_inside()
    }

    /// Halts the drive: `frame` received a recorded value that is not of the type `expected`.
    pub(crate) fn invalid(&self, frame: String, expected: &str, error: &ValueError) {
        self.lock().invalid.get_or_insert(Trouble::InvalidValue {
            frame,
            expected: expected.to_owned(),
            message: error.to_string(),
        });
    }

    /// Reads the state, or changes it in a way that wakes and drops nothing.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under the lock, so a panic cannot have left it half changed.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state; wakes and drops what the change releases after the lock.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State, &mut Loose) -> T) -> T {
        let mut loose = Loose::default();
        let result = change(&mut self.lock(), &mut loose);
        loose.wake.drain(..).for_each(Waker::wake);
        result
    }

    /// Releases everything: from now on frames neither wake nor record. Step bodies may hold a
    /// context, and so this table: they are dropped, too.
    pub(super) fn close(&self) {
        self.change(|state, loose| {
            state.closed = true;
            for slot in state.slots.values_mut() {
                slot.loosen(loose);
            }
            state.retries.loosen(loose);
        });
    }
}

impl Slot {
    /// Takes out what holds user code.
    pub(super) fn loosen(&mut self, loose: &mut Loose) {
        loose.wakers.extend(self.waker.take());
        loose.step_bodies.extend(self.frame.release());
    }
}
