//! The bucket, the state of a worker in memory, and ghost variables that only properties read.

use crate::Budget;

/// The parent, as an index.
pub(crate) const PARENT: usize = 0;
/// The child, as an index.
pub(crate) const CHILD: usize = 1;

/// A lease holder whose run is over: its lease expires by itself, so it blocks no other worker.
pub(crate) const DEAD: u8 = 2;

/// Message ids, as bits.
pub(crate) mod mid {
    pub(crate) const START: u8 = 1;
    pub(crate) const MESSAGES: [u8; 2] = [2, 4];
    pub(crate) const BOTH: u8 = 2 | 4;
    pub(crate) const RESULT: u8 = 8;
    pub(crate) const PAUSE: u8 = 16;
    /// Sent after `PAUSE`.
    pub(crate) const RESUME: u8 = 32;
    pub(crate) const ALL: [u8; 6] = [1, 2, 4, 8, 16, 32];

    /// Whether a journal with these messages holds a pause that is not lifted.
    pub(crate) const fn paused(mids: u8) -> bool {
        mids & PAUSE != 0 && mids & RESUME == 0
    }
}

/// Effects, as bits. A child is two creates.
pub(crate) mod effect {
    pub(crate) const TIMER: u8 = 1;
    pub(crate) const CHILD_MAIL: u8 = 2;
    pub(crate) const CHILD_HEAD: u8 = 4;
    pub(crate) const CHILD: u8 = CHILD_MAIL | CHILD_HEAD;
    pub(crate) const RESULT: u8 = 8;
    pub(crate) const FEED: u8 = 16;
    /// Not an effect by the rules: deletes the waking timer.
    pub(crate) const CLEAR: u8 = 32;
    pub(crate) const ALL: [u8; 6] = [1, 2, 4, 8, 16, 32];
}

/// The value that the store compares: one for each body, so it includes the nonce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// Dense count of commits.
    pub commit: u8,
    /// With the commit, its nonce: the worker, if a reply was lost; 2 if no worker will check.
    pub by: u8,
    /// Always 0 while all attempts use one nonce.
    pub attempt: u8,
}

/// The workflow's progress in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Progress {
    /// Completed operations.
    pub position: u8,
    /// Messages consumed by waits.
    pub taken: u8,
    /// Whether the step at `position` has started.
    pub started: bool,
    /// Attempts that were recorded as lost.
    pub lost: u8,
}

/// The object that a commit replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Head {
    /// Commit and nonce.
    pub version: Version,
    /// The worker with the lease; `DEAD` if no run will ever learn that it has the lease.
    pub lease: Option<u8>,
    /// Whether the holder's lease has expired.
    pub expired: bool,
    /// Whether the execution is over.
    pub terminal: bool,
    /// Whether the status is `paused`.
    pub paused: bool,
    /// Message ids in the journal.
    pub mids: u8,
    /// The rest of the journal.
    pub progress: Progress,
    /// Effects that may be undispatched.
    pub outbox: u8,
    /// The timer, by the commit in its key; 0 for none.
    pub timer: u8,
    /// The timer that covers the commits since the head was last without holder.
    pub fired: u8,
    /// Whether the journal's last instant is past the deadline.
    pub late: bool,
}

impl Head {
    /// The head that `start` creates.
    #[must_use]
    pub fn new() -> Self {
        Self {
            version: Version {
                commit: 0,
                by: u8::MAX,
                attempt: 0,
            },
            lease: None,
            expired: false,
            terminal: false,
            paused: false,
            mids: 0,
            progress: Progress::default(),
            outbox: 0,
            timer: 0,
            fired: 0,
            late: false,
        }
    }
}

impl Default for Head {
    fn default() -> Self {
        Self::new()
    }
}

/// The stored objects.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bucket {
    /// Heads of the parent and the child.
    pub heads: [Option<Head>; 2],
    /// Mailboxes: sets of message ids.
    pub mail: [u8; 2],
    /// The parent's timers: a set of the commits in their keys.
    pub timers: u16,
    /// Feed objects: sets of commits.
    pub feed: [u16; 2],
}

/// The request that a run makes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pc {
    /// Reads the head.
    Read,
    /// No head: lists the mailbox.
    ListAbsent,
    /// No head, but a `start`: creates the head.
    Create,
    /// No head, no `start`: reads the head once more.
    ReadAgain,
    /// Lists the mailbox.
    List,
    /// Checks whether the timer that `fired` names exists.
    ReadFired,
    /// Dispatches the loaded outbox.
    DispatchLoaded,
    /// Replaces the head.
    Commit,
    /// Reads the head after a lost reply.
    Resolve,
    /// A step body runs, concurrently with a dispatch.
    Live,
    /// Dispatches the final commit.
    Dispatch,
    /// Deletes mail.
    DeleteMail,
    /// Deletes timers.
    DeleteTimers,
}

/// A run in a worker's memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    /// Parent or child.
    pub exec: usize,
    /// The timer that caused the run; 0 if mail caused it.
    pub cause: u8,
    /// What comes next.
    pub pc: Pc,
    /// The version that the next commit expects.
    pub base: Version,
    /// The head as loaded, then the content of the next commit.
    pub next: Head,
    /// Mail to delete at the end.
    pub slots: u8,
    /// Effects decided since the last commit.
    pub decided: u8,
    /// The outbox of the last commit, until all of it is dispatched.
    pub items: u8,
    /// Creates of `items` that are still to be made.
    pub todo: u8,
    /// The timer that the loaded head named, to be deleted if it is superseded.
    pub superseded: u8,
    /// The timer that woke this run, if the head names it.
    pub waking: u8,
    /// See [`Head::fired`].
    pub fired: u8,
    /// Whether the run's instant is past the deadline.
    pub due: bool,
    /// Whether a step body runs.
    pub live: bool,
    /// Whether the execution is paused, as far as this run is concerned.
    pub paused: bool,
    /// Whether this run has committed a lease.
    pub acquired: bool,
    /// Attempts at the next commit whose reply was lost.
    pub tries: u8,
}

/// A state of the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The stored objects.
    pub bucket: Bucket,
    /// The run of each worker.
    pub runs: [Option<Run>; 2],
    /// A commit in flight whose writer received no reply: expected version and body.
    pub flight: Option<(usize, Version, Head)>,
    /// 0: the deadline is in the future; 1: past, but not by the clock of worker 1; 2: past.
    pub time: u8,
    /// Message ids that external senders created: `start` and messages.
    pub sent: u8,
    /// Remaining faults.
    pub budget: Budget,
    /// Ghost: whether there was a crash or a steal.
    pub troubled: bool,
    /// Ghost: effects that commits decided.
    pub decided: [u8; 2],
    /// Ghost: effects that were performed.
    pub made: u8,
    /// Ghost: final commits.
    pub finals: [u16; 2],
    /// Ghost: message ids and position of every commit that landed.
    pub committed: [(u8, u8); 2],
    /// Ghost: a step body began under a barrier that was not the newest.
    pub begun_late: bool,
    /// Ghost: a step body began although the journal held a pause.
    pub begun_paused: bool,
}

impl State {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            bucket: Bucket::default(),
            runs: [None, None],
            flight: None,
            time: 0,
            sent: 0,
            budget,
            troubled: false,
            decided: [0; 2],
            made: 0,
            finals: [0; 2],
            committed: [(0, 0); 2],
            begun_late: false,
            begun_paused: false,
        }
    }
}
