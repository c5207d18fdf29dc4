//! Steps 6 to 11: replay what is committed, then go on live until nothing is.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{FutureExt, StreamExt};

use super::Stop;
use super::absorb::Inbox;
use super::ended::{Ended, RunError};
use super::pass::{Done, Pass};
use super::stretch::{Delivery, Halt};
use crate::domain::{
    Blocked, Body, Commit, Control, Entry, Failure, Fid, Json, OnClose, Payload, Status, kind,
};
use crate::journal;
use crate::replay::{Code, Drive, Limits, Position, Seed, Trouble, WaitsFor};
use crate::runtime::settle;

/// Entries replayed in one stretch.
const BATCH: usize = 256;
/// Recorded values: what `now`, `uuid` and `random` gave stands in the journal before the
/// workflow asks again.
const RECORDED: [&str; 3] = ["now", "uuid", "random"];

/// What woke a live pass.
enum Event {
    Settled(Result<(), RunError>),
    Done(Done),
    Time,
    Stop,
    Abandon,
}

impl Pass {
    pub(super) async fn go_on(
        &mut self,
        history: Vec<Commit>,
        inbox: Inbox,
        crash_loop: bool,
        stop: &Stop,
    ) -> Result<Ended, RunError> {
        if let Some(reason) = inbox.terminate {
            self.append(inbox.entries);
            return self.over(Err(Failure::new(kind::TERMINATED, reason))).await;
        }
        if let Some(status) = self.parked {
            // 7. Absorbed and committed, not delivered; the alarm is dropped.
            self.append(inbox.entries);
            self.leave(status, None).await?;
            return Ok(Ended::Parked(status));
        }
        if self.stalls >= self.core.settings.max_stalls {
            self.append(inbox.entries);
            let message = "runs ended without progress; `resume` tries again".to_owned();
            return self
                .block(Blocked::Stalled {
                    stalls: self.stalls,
                    message,
                })
                .await;
        }
        let mut entries = inbox.entries;
        if let Some(ended) = self.not_yet(&history, &mut entries).await? {
            return Ok(ended);
        }
        if crash_loop {
            self.commit_acquisition().await?;
        }
        match self.replayed(history, entries).await? {
            Ok(()) => self.live(stop).await,
            Err(halt) => self.halted(halt).await,
        }
    }

    /// Whether the execution has not begun: a start at a later instant only sets the alarm.
    async fn not_yet(
        &mut self,
        history: &[Commit],
        entries: &mut Vec<Entry>,
    ) -> Result<Option<Ended>, RunError> {
        let committed = history.iter().flat_map(|commit| &commit.entries);
        if committed
            .clone()
            .any(|entry| matches!(entry, Entry::Started))
        {
            return Ok(None);
        }
        let cancelled = committed
            .chain(entries.iter())
            .find_map(|entry| match entry {
                Entry::Received {
                    body: Body::Control(Control::Cancel { reason }),
                    ..
                } => Some(reason),
                _ => None,
            });
        if let Some(reason) = cancelled.cloned() {
            self.append(std::mem::take(entries));
            return self
                .over(Err(Failure::new(kind::CANCELLED, reason)))
                .await
                .map(Some);
        }
        match self.journal.head.record.start_at {
            Some(at) if at > self.now => {
                self.append(std::mem::take(entries));
                self.leave(Status::Suspended, Some(at)).await?;
                Ok(Some(Ended::Suspended(Some(at))))
            }
            _ => {
                // Behind the `start` it follows from, before whatever else has come.
                let start = |entry: &Entry| {
                    matches!(
                        entry,
                        Entry::Received {
                            body: Body::Start(_),
                            ..
                        }
                    )
                };
                let at = entries.iter().position(start).map_or(0, |at| at + 1);
                entries.insert(at, Entry::Started);
                Ok(None)
            }
        }
    }

    /// Replays the journal, then delivers what this pass has absorbed.
    async fn replayed(
        &mut self,
        history: Vec<Commit>,
        entries: Vec<Entry>,
    ) -> Result<Result<(), Halt>, RunError> {
        self.drive = Some(self.begin_drive(&history).await?);
        let mut batch = Vec::new();
        for commit in history {
            let (first, last) = (commit.first, commit.entries.len().saturating_sub(1));
            for (n, entry) in commit.entries.into_iter().enumerate() {
                let value = self.resolved(&entry).await?;
                let at = Position {
                    number: first + n as u64,
                    commit: commit.commit,
                };
                let frames = commit.frames.filter(|_| n == last);
                batch.push(Delivery {
                    at,
                    entry,
                    value,
                    frames,
                });
            }
            if batch.len() >= BATCH
                && let Err(halt) = self.replay(std::mem::take(&mut batch)).await
            {
                return Ok(Err(halt));
            }
        }
        if let Err(halt) = self.replay(batch).await {
            return Ok(Err(halt));
        }
        let produced = self.drive.as_mut().map(|drive| {
            drive.go_live();
            drive.take_entries()
        });
        self.append(produced.unwrap_or_default());
        self.abort_dropped();
        self.driven = true;
        let mut live = self.lost();
        live.extend(entries);
        Ok(self.deliver(live).await)
    }

    async fn begin_drive(&self, history: &[Commit]) -> Result<Drive, RunError> {
        let core = Arc::clone(&self.core);
        let record = &self.journal.head.record;
        let recorded: BTreeMap<Fid, Json> = history
            .iter()
            .flat_map(|commit| &commit.entries)
            .filter_map(|entry| match entry {
                Entry::FrameCompleted {
                    fid,
                    value: Payload::Inline(value),
                } if RECORDED.contains(&fid.name()) => Some((fid.clone(), value.clone())),
                _ => None,
            })
            .collect();
        let args = journal::resolve(&core.doors, &record.eid, &record.args).await?;
        let known = core.app.find(&record.workflow, &record.version);
        let code = Arc::clone(&known.expect("looked up before this pass began").workflow);
        let app = Arc::clone(&core.app);
        let seed = Seed {
            eid: record.eid,
            queue: record.queue.clone(),
            args,
            entropy: Arc::clone(&core.doors.entropy),
            recorded,
            limits: Limits {
                max_value: core.settings.max_value,
                max_frames: u32::try_from(core.settings.max_entries).unwrap_or(u32::MAX),
            },
            code: Code::new(move |name, asked| {
                let known = match asked {
                    Some(version) => app.find(name, version),
                    None => app.newest(name),
                };
                known.map(|known| known.version.clone())
            }),
        };
        Ok(Drive::new(&*code, seed))
    }

    /// The value of an entry that the workflow will see, where it is kept as a blob.
    async fn resolved(&self, entry: &Entry) -> Result<Option<Json>, RunError> {
        let seen = matches!(entry, Entry::FrameCompleted { .. } | Entry::Received { .. });
        match entry.payload().filter(|_| seen) {
            Some(payload @ Payload::Blob { .. }) => {
                let eid = &self.journal.head.record.eid;
                Ok(Some(
                    journal::resolve(&self.core.doors, eid, payload).await?,
                ))
            }
            _ => Ok(None),
        }
    }

    /// **\[R\]** Acquires before replaying: what aborts the process on each replay is counted.
    async fn commit_acquisition(&mut self) -> Result<(), RunError> {
        if self.stall().await? >= self.core.settings.max_stalls {
            tracing::warn!(eid = %self.journal.head.record.eid, "last try before it is parked");
        }
        Ok(())
    }

    async fn live(&mut self, stop: &Stop) -> Result<Ended, RunError> {
        loop {
            self.tick();
            if let Err(halt) = self.fulfil().await {
                return self.halted(halt).await;
            }
            self.check_bounds();
            if let Some(result) = self.ready.take() {
                return self.over(result).await;
            }
            let held = stop.gently.is_set() || self.parked.is_some();
            let startable = self.startable();
            let (pure, real): (Vec<_>, Vec<_>) =
                startable.into_iter().partition(|step| step.options.pure);
            let begins = !held && !real.is_empty();
            if begins || (self.has_effects() && !self.live.is_empty()) {
                if begins {
                    self.pending.extend(real.iter().map(Self::started));
                }
                self.flush().await?;
                // I1: no attempt begins past the ownership it was committed under.
                if self.core.doors.clock.monotonic() >= self.until {
                    return Ok(Ended::Lost);
                }
                if begins {
                    real.iter().for_each(|step| self.begin(step));
                }
            }
            if !held {
                pure.iter().for_each(|step| self.begin(step));
            }
            if self.live.is_empty() && (held || !self.waits_in_place()) {
                let more = stop.gently.is_set() && (!real.is_empty() || !pure.is_empty());
                return self.rest(more).await;
            }
            let event = self.event(stop).await;
            if let Some(ended) = self.on(event).await? {
                return Ok(ended);
            }
        }
    }

    /// Waits for whatever comes first.
    async fn event(&mut self, stop: &Stop) -> Event {
        let clock = Arc::clone(&self.core.doors.clock);
        let renew = self.committed + self.core.settings.ttl / 3;
        let mut wait = renew.saturating_sub(clock.monotonic());
        if let Some(due) = self.next_due() {
            let until = due
                .duration_since(clock.now())
                .max(jiff::SignedDuration::ZERO);
            wait = wait.min(until.try_into().unwrap_or_default());
        }
        let gently = stop.gently.is_set();
        let mut told = async {
            if gently {
                std::future::pending().await
            } else {
                stop.gently.wait().await
            }
        }
        .boxed()
        .fuse();
        futures::select_biased! {
            settled = self.settling.next().fuse() => Event::Settled(settled.map_err(RunError::from)),
            done = self.done.1.next() => done.map_or(Event::Time, Event::Done),
            () = told => Event::Stop,
            () = stop.now.wait().fuse() => Event::Abandon,
            () = clock.sleep(wait).fuse() => Event::Time,
        }
    }

    async fn on(&mut self, event: Event) -> Result<Option<Ended>, RunError> {
        self.tick();
        let entries = match event {
            Event::Settled(settled) => {
                settled?;
                let core = Arc::clone(&self.core);
                self.settling.start(&core, &self.journal.head, false);
                return Ok(None);
            }
            Event::Stop => return Ok(None),
            Event::Abandon => {
                let until = self.journal.head.owner.as_ref().map(|owner| owner.until);
                return Ok(Some(Ended::Held(until.unwrap_or(self.now))));
            }
            Event::Done(done) => self.all_done(done),
            Event::Time => {
                let clock = &self.core.doors.clock;
                if clock.monotonic() < self.committed + self.core.settings.ttl / 3 {
                    return Ok(None); // a deadline: the loop fulfils it
                }
                return self.renew().await;
            }
        };
        match self.deliver(entries).await {
            Ok(()) => Ok(None),
            Err(halt) => self.halted(halt).await.map(Some),
        }
    }

    /// The outcomes that are there: attempts that end together share a commit.
    fn all_done(&mut self, first: Done) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.ended(first).into_iter().collect();
        while let Ok(done) = self.done.1.try_recv() {
            entries.extend(self.ended(done));
        }
        entries
    }

    /// 10. Every `ttl/3`: list, absorb, drive; commit with the renewed ownership. 2 P.
    async fn renew(&mut self) -> Result<Option<Ended>, RunError> {
        let inbox = self.absorb_meanwhile().await?;
        if let Some(reason) = inbox.terminate {
            self.append(inbox.entries);
            return self
                .over(Err(Failure::new(kind::TERMINATED, reason)))
                .await
                .map(Some);
        }
        if let Err(halt) = self.deliver(inbox.entries).await {
            return self.halted(halt).await.map(Some);
        }
        self.flush().await?;
        Ok(None)
    }

    /// Fulfils deadlines that have passed, in order of due; each may change what is open.
    async fn fulfil(&mut self) -> Result<(), Halt> {
        while self.ready.is_none() && self.parked.is_none() {
            let open = self
                .drive
                .as_ref()
                .map(|drive| drive.open())
                .unwrap_or_default();
            let passed = open
                .into_iter()
                .filter(|frame| !matches!(frame.waits_for, WaitsFor::Step))
                .filter_map(|frame| frame.due.map(|due| (due, frame.fid)))
                .filter(|(due, _)| *due <= self.now)
                .min();
            let Some((_, fid)) = passed else {
                return Ok(());
            };
            self.deliver(vec![Entry::FrameFulfilled { fid, mid: None }])
                .await?;
        }
        Ok(())
    }

    /// Nothing is live: the final commit, with the earliest deadline as the alarm.
    async fn rest(&mut self, more: bool) -> Result<Ended, RunError> {
        if let Some(status) = self.parked {
            self.leave(status, None).await?;
            return Ok(Ended::Parked(status));
        }
        let due = self.next_due();
        if more {
            self.append(vec![Entry::Sliced]);
            self.leave(Status::Running, due).await?;
            return Ok(Ended::Sliced);
        }
        self.append(vec![Entry::Suspended]);
        self.leave(Status::Suspended, due).await?;
        Ok(Ended::Suspended(due))
    }

    /// The execution is over: its outcome, and a word to the children it leaves behind.
    async fn over(&mut self, result: Result<Json, Failure>) -> Result<Ended, RunError> {
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
        for (fid, child) in std::mem::take(&mut self.children) {
            if child.on_close != OnClose::Abandon {
                let (eid, queue, how) = (child.eid, child.queue, child.on_close);
                self.pending.push(Entry::ChildClosed {
                    fid,
                    eid,
                    queue,
                    how,
                });
            }
        }
        let (status, entry) = match result {
            Ok(value) => (
                Status::Completed,
                Entry::Completed {
                    value: value.into(),
                },
            ),
            Err(failure) if matches!(&*failure.kind, kind::CANCELLED | kind::TERMINATED) => {
                (Status::Cancelled, Entry::Cancelled { failure })
            }
            Err(failure) => (Status::Failed, Entry::Failed { failure }),
        };
        self.pending.push(entry);
        self.leave(status, None).await?;
        Ok(Ended::Terminal(status))
    }

    async fn block(&mut self, why: Blocked) -> Result<Ended, RunError> {
        tracing::warn!(eid = %self.journal.head.record.eid, %why, "parked");
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
        self.driven = false; // its frames are not what the journal asks for
        self.append(vec![Entry::Blocked(why)]);
        self.leave(Status::Blocked, None).await?;
        Ok(Ended::Parked(Status::Blocked))
    }

    async fn halted(&mut self, halt: Halt) -> Result<Ended, RunError> {
        match halt {
            Halt::Trouble(Trouble::Nondeterminism {
                position,
                commit,
                expected,
                got,
            }) => {
                let newest = self
                    .journal
                    .head
                    .tail
                    .last()
                    .and_then(|raw| raw.decode().ok());
                let code = newest
                    .and_then(|commit| commit.by.code_ref)
                    .unwrap_or_default();
                if code > self.core.host.code_ref {
                    // An old worker in a rolling deploy: leave it to the new ones.
                    return Ok(Ended::NewerCode(code));
                }
                self.block(Blocked::Nondeterminism {
                    position,
                    commit,
                    expected,
                    got,
                })
                .await
            }
            Halt::Trouble(Trouble::ForeignAwait { message }) => {
                self.block(Blocked::ForeignAwait { message }).await
            }
            Halt::Trouble(Trouble::Spins) | Halt::Stuck => {
                self.drive = None;
                self.stall().await.map(Ended::Stalled)
            }
        }
    }

    /// Whether a commit now would let something leave.
    fn has_effects(&self) -> bool {
        let record = &self.journal.head.record;
        self.pending.iter().any(|entry| {
            settle::has_effect(entry, record) && !matches!(entry, Entry::Announced { .. })
        })
    }

    /// An execution whose journal is at its bound fails, by a name that says what to do.
    fn check_bounds(&mut self) {
        let (head, settings) = (&self.journal.head, &self.core.settings);
        let entries = head.entries + self.pending.len() as u64;
        if entries > settings.max_entries || head.bytes > settings.max_journal {
            let bytes = head.bytes;
            let what = format!("{entries} entries, {bytes} bytes: use continue_as_new");
            self.ready = Some(Err(Failure::new(kind::HISTORY_TOO_LONG, what).terminal()));
        }
    }
}
