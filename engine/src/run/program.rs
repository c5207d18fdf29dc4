//! The workflow of an execution: its driver, run in activations under a watchdog.
//!
//! An activation moves the driver out of the run's task, so that an endless loop blocks nothing
//! else. If it does not return in time, the run abandons it; it has only memory, and no way to
//! write to the bucket.

use std::sync::Arc;

use futures::FutureExt;
use futures::channel::oneshot;
use jiff::Timestamp;

use crate::domain::{Entry, Failure, FrameId, Json};
use crate::process::{Core, Counter};
use crate::replay::{Activation, AwaitedFrame, Drive, FrameKind, Position, StepState, Trouble};

/// Why workflow code cannot continue.
#[derive(Debug)]
pub(super) enum Halted {
    Trouble(Trouble),
    /// The activation did not return in time.
    Stuck,
}

/// A journal entry to be replayed.
pub(crate) struct Delivery {
    pub(crate) at: Position,
    pub(crate) entry: Entry,
    /// The value, if the entry contains a reference.
    pub(crate) value: Option<Json>,
    /// Whether it is a fact of a part that a retry has made void.
    pub(crate) fact: bool,
    /// Set on the last entry of a replayed commit: the number of frames registered by then.
    pub(crate) frames: Option<u32>,
}

pub(super) struct Program {
    core: Arc<Core>,
    /// `None` before the replay, while an activation runs, and after one that did not return.
    drive: Option<Drive>,
    /// Whether the driver is at the end of the journal, so that its frame count matches it.
    at_end: bool,
    result: Option<Result<Json, Failure>>,
    /// The number of the entry with whose delivery the workflow returned.
    pub(super) returned_at: u64,
}

impl Program {
    pub(super) fn new(core: &Arc<Core>) -> Self {
        Self {
            core: Arc::clone(core),
            drive: None,
            at_end: false,
            result: None,
            returned_at: 0,
        }
    }

    /// Begins the replay of a journal.
    pub(super) fn begin(&mut self, drive: Drive) {
        self.drive = Some(drive);
    }

    /// Ends the replay. Returns what the workflow has decided beyond the journal.
    pub(super) fn go_live(&mut self) -> Vec<Entry> {
        self.at_end = true;
        let Some(drive) = self.drive.as_mut() else {
            return Vec::new();
        };
        drive.go_live();
        drive.take_entries()
    }

    /// Drops the workflow: the execution continues or ends without it.
    pub(super) fn abandon(&mut self) {
        self.drive = None;
    }

    /// Records that the frames of the driver are not those of the journal.
    pub(super) fn left_the_journal(&mut self) {
        self.at_end = false;
    }

    pub(super) fn has_result(&self) -> bool {
        self.result.is_some()
    }

    pub(super) fn take_result(&mut self) -> Option<Result<Json, Failure>> {
        self.result.take()
    }

    /// Returns the input of the next generation, if the workflow has ended this one.
    pub(super) fn continuation(&self) -> Option<Json> {
        self.drive.as_ref()?.continuation()
    }

    fn set_result(&mut self, returned: Returned) {
        if let Some((at, result)) = returned {
            (self.returned_at, self.result) = (at, Some(result));
        }
    }

    /// Sets the result in place of the workflow's own.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.result = Some(Err(failure));
    }

    /// Returns the number of frames registered, if the driver is at the end of the journal.
    pub(super) fn frames(&self) -> Option<u32> {
        let drive = self.drive.as_ref().filter(|_| self.at_end);
        drive.map(Drive::frames)
    }

    pub(super) fn steps(&self) -> Vec<StepState> {
        self.drive.as_ref().map(Drive::steps).unwrap_or_default()
    }

    pub(super) fn step(&self, fid: &FrameId) -> Option<StepState> {
        self.drive.as_ref()?.step(fid)
    }

    pub(super) fn drive_mut(&mut self) -> Option<&mut Drive> {
        self.drive.as_mut()
    }

    /// Returns the frames that the workflow dropped since the last call.
    pub(super) fn take_dropped(&mut self) -> Vec<FrameId> {
        let drive = self.drive.as_mut();
        drive.map(Drive::take_dropped).unwrap_or_default()
    }

    /// Returns whether the workflow was asked to stop, or does not run.
    pub(super) fn may_be_cancelled(&self) -> bool {
        self.drive.as_ref().is_none_or(Drive::cancelled)
    }

    /// Returns the earliest deadline of an open frame.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let open = self.drive.as_ref()?.open();
        open.into_iter().filter_map(|frame| frame.due).min()
    }

    /// Returns what the workflow waits for.
    pub(super) fn awaited(&self) -> Vec<AwaitedFrame> {
        self.drive.as_ref().map(Drive::awaited).unwrap_or_default()
    }

    /// Returns whether the workflow waits for a message.
    pub(super) fn receives(&self) -> bool {
        let open = self.drive.as_ref().map(Drive::open).unwrap_or_default();
        open.iter().any(|frame| frame.kind == FrameKind::Receive)
    }

    /// Returns what the feed reports of messages that no `receive` has consumed.
    pub(super) fn unread(&self) -> Option<String> {
        let unread = self.drive.as_ref()?.unread();
        let named = unread
            .iter()
            .map(|(name, count)| format!("{count} on {name}"));
        let named = named.collect::<Vec<_>>().join(", ");
        (!named.is_empty()).then(|| format!("unread messages: {named}"))
    }

    /// Returns the deadlines that have passed: those of waits, not of retries.
    pub(super) fn passed(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, FrameId)> {
        let open = self.drive.as_ref().map(Drive::open).unwrap_or_default();
        open.into_iter()
            .filter(|frame| frame.kind != FrameKind::Step)
            .filter_map(|frame| frame.due.map(|due| (due, frame.fid)))
            .filter(move |(due, _)| *due <= now)
    }

    /// Replays committed entries: each delivery is followed by one poll. Records nothing.
    pub(super) async fn replay(
        &mut self,
        now: Timestamp,
        batch: Vec<Delivery>,
    ) -> Result<(), Halted> {
        let result = self
            .activation(now, move |drive| replay(drive, batch))
            .await?
            .map_err(Halted::Trouble)?;
        self.set_result(result);
        Ok(())
    }

    /// Delivers live entries, the first of them at `first`, each followed by one poll. Returns what
    /// is to be appended to the journal: the entries, and after each one the frames that the
    /// workflow registered meanwhile, so that live order is journal order.
    ///
    /// **I3, I6** All entries are appended, even if the workflow fails: their mail is deleted,
    /// and until then an absorbed mid is the sign of an undispatched outbox.
    pub(super) async fn deliver(
        &mut self,
        now: Timestamp,
        first: Position,
        entries: Vec<(Entry, Option<Json>)>,
    ) -> (Vec<Entry>, Result<(), Halted>) {
        let kept: Vec<Entry> = entries.iter().map(|(entry, _)| entry.clone()).collect();
        let core = Arc::clone(&self.core);
        let delivered = self
            .activation(now, move |drive| {
                deliver(drive, &core.counter, first, entries)
            })
            .await;
        match delivered {
            Ok((appended, Ok(result))) => {
                self.set_result(result);
                (appended, Ok(()))
            }
            Ok((appended, Err(trouble))) => (appended, Err(Halted::Trouble(trouble))),
            Err(halted) => (kept, Err(halted)), // outcomes are facts, even if the workflow fails
        }
    }

    /// Delivers an entry that changes nothing that the workflow can observe. No poll follows.
    pub(super) fn note(&mut self, at: Position, entry: &Entry) -> Result<(), Halted> {
        match self.drive.as_mut() {
            Some(drive) => drive.deliver(at, entry, None).map_err(Halted::Trouble),
            None => Ok(()),
        }
    }

    /// Runs `work` on the driver, outside this task.
    pub(super) async fn activation<T: Send + 'static>(
        &mut self,
        now: Timestamp,
        work: impl FnOnce(&mut Drive) -> T + Send + 'static,
    ) -> Result<T, Halted> {
        let Some(mut drive) = self.drive.take() else {
            return Err(Halted::Stuck);
        };
        drive.set_now(now);
        let (tx, mut rx) = oneshot::channel();
        let span = tracing::Span::current();
        self.core.ports.spawner.activate(Box::new(move || {
            let out = span.in_scope(|| work(&mut drive));
            // The receiver is gone if the watchdog fired first.
            let _ = tx.send((drive, out));
        }));
        let core = Arc::clone(&self.core);
        let mut timer = core.ports.clock.sleep(core.settings.watchdog).fuse();
        futures::select_biased! {
            back = rx => match back {
                Ok((drive, out)) => {
                    self.drive = Some(drive);
                    Ok(out)
                }
                Err(oneshot::Canceled) => Err(Halted::Stuck),
            },
            () = timer => Err(Halted::Stuck),
        }
    }
}

/// The result of the workflow, and the number of the entry with whose delivery it returned.
type Returned = Option<(u64, Result<Json, Failure>)>;

fn replay(drive: &mut Drive, batch: Vec<Delivery>) -> Result<Returned, Trouble> {
    let mut result = None;
    for Delivery {
        at,
        entry,
        value,
        fact,
        frames,
    } in batch
    {
        match fact {
            true => drive.deliver_fact(at, &entry, value)?,
            false => drive.deliver(at, &entry, value)?,
        }
        if result.is_none()
            && let Activation::Ready(ended) = drive.activate()?
        {
            result = Some((at.number, ended));
        }
        if let Some(frames) = frames {
            drive.check_frames(at, frames)?;
        }
    }
    Ok(result)
}

fn deliver(
    drive: &mut Drive,
    counter: &Counter,
    first: Position,
    entries: Vec<(Entry, Option<Json>)>,
) -> (Vec<Entry>, Result<Returned, Trouble>) {
    let mut appended = Vec::new();
    let mut entries = entries.into_iter();
    let mut result = Ok(None);
    for (entry, value) in entries.by_ref() {
        let at = Position {
            number: first.number + appended.len() as u64,
            commit: first.commit,
        };
        if drive.is_undelivered(&entry) {
            counter.undelivered();
        }
        let delivered = drive.deliver(at, &entry, value);
        appended.push(entry);
        let activation = delivered.and_then(|()| drive.activate());
        appended.extend(drive.take_entries());
        match activation {
            Ok(Activation::Waits) => continue,
            Ok(Activation::Ready(ended)) => result = Ok(Some((at.number, ended))),
            Err(trouble) => result = Err(trouble),
        }
        break;
    }
    appended.extend(entries.map(|(entry, _)| entry));
    (appended, result)
}
