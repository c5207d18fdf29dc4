//! Steps 9 to 12: commits the entries that the run has collected in memory, and dispatches their
//! effects.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;

use super::dispatching::Dispatching;
use super::ended::RunError;
use super::lease::Held;
use super::state::State;
use crate::domain::{Began, Entry, Status};
use crate::journal::{Item, Journal, Named, News};
use crate::keys::Key;
use crate::outbox::{self, DispatchError};
use crate::process::Core;
use crate::replay::Position;
use crate::stored;

/// Bytes of entries in one commit, so that a head stays under its bound.
const CHUNK: usize = 24 << 10;

/// Upper bound for the size of a commit without its entries.
const COMMIT: usize = 1 << 10;

/// The state in which a commit leaves the execution.
#[derive(Clone, Copy)]
pub(super) enum Leave {
    /// This run continues and holds the lease.
    Owned,
    /// This run is over: no lease is held. Contains the earliest deadline.
    Free(Status, Option<Timestamp>),
}

/// The journal of a run in progress: what it has committed, and what it will.
pub(super) struct Committer {
    pub(super) core: Arc<Core>,
    pub(super) journal: Journal,
    pub(super) state: State,
    pub(super) lease: Held,
    pub(super) outbox: Dispatching,
    /// Entries that the next commit will contain.
    pub(super) pending: Vec<Entry>,
    /// The number of pending entries that share the next commit, however large it is.
    pub(super) joined: usize,
    /// The instant of the next commit. It is never behind the journal.
    pub(super) now: Timestamp,
    /// Lifecycle events that no feed object is known to contain.
    pub(super) news: Vec<News>,
    /// What the feed reports of unread messages once the execution waits.
    pub(super) unread: Option<String>,
    /// Whether the execution waits for a message once the run is over.
    pub(super) receives: bool,
    /// Whether this run has committed a feed object.
    pub(super) fed: bool,
    pub(super) timers: Timers,
    /// The state without what is pending: that of a run that loads after the newest commit.
    pub(super) recorded: State,
    /// The state after a retry that is pending.
    pub(super) retried: Option<State>,
}

/// The timers that a run began with.
pub(super) struct Timers {
    /// The one that woke this run.
    pub(super) waking: Option<Key>,
    /// See [`crate::journal::Head::fired`].
    pub(super) fired: Option<Key>,
    /// The one that the head named.
    pub(super) superseded: Option<Key>,
}

impl Committer {
    pub(super) fn new(
        core: &Arc<Core>,
        journal: Journal,
        state: State,
        waking: Option<Key>,
        now: Timestamp,
    ) -> Self {
        let head = &journal.head;
        // The loaded outbox is dispatched by now, so the news in its feed object is reported.
        let reported = head.outbox.contains(&Item::Named(Named::Feed));
        let news = if reported {
            Vec::new()
        } else {
            head.news.clone()
        };
        let held = head.lease.as_ref().and(head.fired.as_ref());
        let held = held.cloned();
        let timers = Timers {
            fired: waking.clone().or(held),
            waking,
            superseded: head.timer.clone(),
        };
        let lease = Held::new(core.ports.clock.monotonic(), core.settings.ttl);
        Self {
            core: Arc::clone(core),
            journal,
            recorded: state.clone(),
            retried: None,
            state,
            lease,
            outbox: Dispatching::default(),
            pending: Vec::new(),
            joined: 0,
            now,
            news,
            unread: None,
            receives: false,
            fed: false,
            timers,
        }
    }

    /// Adds entries that are not to be delivered, or were delivered before.
    pub(super) fn append(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            self.state.note(self.next_position().number, &entry);
            self.pending.push(entry);
        }
    }

    /// Adds entries that share the next commit, however many there are. **\[R\] I7** What an execution
    /// absorbs that has ended leaves no lease: a process that dies behind it would drive it again.
    pub(super) fn append_joined(&mut self, entries: Vec<Entry>) {
        self.append(entries);
        self.joined = self.pending.len();
    }

    /// Adds a retry, the last of `entries`, and what follows from it. They share one commit. `base` is
    /// the state after the retry.
    pub(super) fn append_retry(&mut self, entries: Vec<Entry>, base: State, follows: &[Entry]) {
        debug_assert!(self.pending.is_empty(), "a retry is carried out first");
        self.state = base.clone();
        self.retried = Some(base);
        self.pending = entries;
        self.append_joined(follows.to_vec());
    }

    /// Advances `now` to the clock, and never behind the journal.
    pub(super) fn tick(&mut self) {
        self.now = self.now.max(self.core.ports.clock.now());
    }

    /// Returns the number of the next entry to be appended, and of the commit that will contain
    /// it.
    pub(super) fn next_position(&self) -> Position {
        let head = &self.journal.head;
        let number = head.entries + self.pending.len() as u64;
        Position {
            number,
            commit: head.commit + 1,
        }
    }

    /// Returns whether a commit now would record an effect to dispatch.
    pub(super) fn has_effects(&self) -> bool {
        let record = &self.journal.head.record;
        self.pending.iter().any(|entry| {
            outbox::has_effect(entry, record) && !matches!(entry, Entry::Announced { .. })
        })
    }

    /// Returns whether this is an old worker in a rolling deploy: it leaves an execution that it
    /// cannot replay to the new workers, and counts no crash.
    pub(super) fn is_older_build(&self) -> bool {
        self.state.newest_code > self.core.host.code_ref
    }

    /// The barrier: commits everything observed so far, and the lease, in one compare-and-swap
    /// (several if there are many entries or effects). **\[R\]** Every commit except a run's last
    /// one sets the lease. `frames` is the number of frames that the workflow has registered.
    pub(super) async fn flush(&mut self, frames: Option<u32>) -> Result<(), RunError> {
        loop {
            let chunk = self.chunk().await?;
            let whole = self.pending.is_empty();
            let frames = frames.filter(|_| whole);
            self.commit(chunk, frames, Leave::Owned).await?;
            self.outbox.start(&self.core, &self.journal.head, false);
            if whole {
                self.check_state();
                return Ok(());
            }
        }
    }

    /// Makes the final commit. **\[R\]** Its outbox contains no earlier effect: all of them are
    /// dispatched first.
    pub(super) async fn leave(
        &mut self,
        frames: Option<u32>,
        status: Status,
        due: Option<Timestamp>,
    ) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        loop {
            let chunk = self.chunk().await?;
            if self.pending.is_empty() {
                self.drain().await?;
                self.commit(chunk, frames, Leave::Free(status, due)).await?;
                self.check_state();
                if status.is_terminal() {
                    core.completion_waiters
                        .notify(&self.journal.head.record.eid);
                }
                return Ok(());
            }
            self.commit(chunk, None, Leave::Owned).await?;
            self.outbox.start(&core, &self.journal.head, false);
        }
    }

    /// Counts a crash and keeps the lease until it expires, with the causes in place. Everything
    /// observed is committed. Returns the crash count.
    pub(super) async fn crash(&mut self) -> Result<u32, RunError> {
        if !self.lease.acquired || !self.pending.is_empty() {
            self.flush(None).await?;
        }
        Ok(self.state.crash_count)
    }

    /// Commits what is pending, without the attempts that were to begin under it.
    pub(super) async fn save(&mut self) -> Result<(), RunError> {
        let begins = |entry: &mut Entry| {
            let began = match entry {
                Entry::FrameStarted { began, .. } => Some(began),
                _ => None,
            };
            matches!(began, Some(Began::Step { .. }))
        };
        while self.pending.pop_if(begins).is_some() {}
        match self.pending.is_empty() {
            true => Ok(()),
            false => self.flush(None).await,
        }
    }

    /// Takes the entries for one commit out of the pending ones; large values become blobs. It
    /// stops when the lease is due for renewal and leaves the rest to the next commit: storing
    /// many large values could otherwise outlast the lease.
    async fn chunk(&mut self) -> Result<Vec<Entry>, RunError> {
        let core = Arc::clone(&self.core);
        let settings = &core.settings;
        let eid = self.journal.head.record.eid;
        let patience = self.lease.patience();
        let renewal = patience.map(|_| self.lease.renewal());
        let (mut taken, mut bytes, mut effects, mut held) = (0, 0, 0, 0);
        let joined = std::mem::take(&mut self.joined);
        while let Some(entry) = self.pending.get_mut(taken) {
            let now = core.ports.clock.monotonic();
            // **[R] I11** A message and its effect on the execution are in one commit. Bad
            // interleaving: a run commits a pause message, and dies before it commits the pause.
            let may_end = taken > 0 && taken >= joined && !is_effect_of_message(entry);
            if may_end && renewal.is_some_and(|renewal| now >= renewal) {
                break;
            }
            if let Some(payload) = entry.payload_mut() {
                stored::offload_until(&core.ports, &eid, payload, settings.inline, patience)
                    .await?;
            }
            let size = size(entry);
            if may_end && bytes + size > CHUNK {
                break;
            }
            if outbox::has_effect(entry, &self.journal.head.record) {
                let over = self.outbox.len() + effects + 1 > settings.window
                    || self.outbox.bytes() + held + size > CHUNK;
                if over && may_end {
                    break;
                }
                if over && taken == 0 {
                    self.drain().await?;
                }
                effects += 1;
                held += size;
            }
            bytes += size;
            taken += 1;
        }
        // **[R]** No segment is sealed with an undispatched effect: a full tail waits for the
        // effect. Otherwise the head would grow for as long as the effect takes.
        if self.journal.is_full(bytes + COMMIT, settings.tail) {
            self.drain().await?;
        }
        Ok(self.pending.drain(..taken).collect())
    }

    /// Dispatches everything that earlier commits of this run have decided. The lease is renewed
    /// meanwhile, even if an effect takes long.
    pub(super) async fn drain(&mut self) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        let clock = &*core.ports.clock;
        while !self.outbox.is_idle() {
            self.outbox.start(&core, &self.journal.head, true);
            let wait = self.lease.renewal().saturating_sub(clock.monotonic());
            let dispatched = futures::select_biased! {
                dispatched = self.outbox.next(clock, self.lease.until).fuse() => dispatched,
                () = clock.sleep(wait).fuse() => Err(DispatchError::Late),
            };
            match dispatched {
                Err(DispatchError::Late) => self.commit(Vec::new(), None, Leave::Owned).await?,
                dispatched => dispatched?,
            }
        }
        Ok(())
    }

    /// Step 12. Dispatches what the final commit has decided. The execution has no lease any more,
    /// so there is no limit of time (`outbox/bound.rs`).
    pub(super) async fn dispatch_the_rest(&mut self) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        while !self.outbox.is_idle() {
            self.outbox.start(&core, &self.journal.head, true);
            self.outbox.next(&*core.ports.clock, Duration::MAX).await?;
        }
        Ok(())
    }

    /// Returns whether the history exceeds half of a bound.
    pub(super) fn is_long(&self) -> bool {
        let settings = &self.core.settings;
        let (entries, bytes) = self.length();
        entries > settings.max_entries / 2 || bytes > settings.max_journal / 2
    }

    /// Returns the entries and the bytes of the newest part, with what it has of older ones.
    pub(super) fn length(&self) -> (u64, u64) {
        let (head, state) = (&self.journal.head, &self.state);
        let (entries, bytes) = state.inherited();
        // The part may begin in the next commit.
        let committed = match state.first == head.part.first {
            true => head.bytes - head.part.bytes,
            false => 0,
        };
        let own = self.next_position().number.saturating_sub(state.first);
        (own + entries, committed + bytes)
    }
}

/// Returns whether an entry records what the message before it does to the execution.
fn is_effect_of_message(entry: &Entry) -> bool {
    matches!(
        entry,
        Entry::Paused { .. }
            | Entry::Unpaused
            | Entry::Blocked(_)
            | Entry::Retried(_)
            | Entry::Refused { .. }
    )
}

/// Returns the size of an entry in bytes, as serialized.
pub(super) fn size(entry: &Entry) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, entry)
        .expect("an entry holds only values that were serialized before");
    count.0
}
