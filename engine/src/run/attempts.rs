//! Attempts of steps: they begin under a barrier, run concurrently with the run, and end as
//! journal entries.
//!
//! - **I1** No attempt begins under a barrier that is not the newest known one: an attempt begins
//!   right after the commit that contains its `frame.started`, and not after that lease has
//!   expired.
//! - A lost attempt is recorded when a run detects it. Lost attempts have their own cap.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc;
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use tracing::Instrument as _;

use super::lease::after;
use super::program::Program;
use crate::domain::{Began, Entry, ExecutionId, Failure, FrameId, Json, Lost, Wait, kind};
use crate::ports::Abort;
use crate::process::Core;
use crate::replay::{Attempt, Canceller, Phase, StepState};

/// The end of an attempt, sent to the run.
#[derive(Debug)]
pub(super) struct Outcome {
    fid: FrameId,
    attempt: u32,
    result: Result<Json, Failure>,
}

struct Live {
    attempt: u32,
    cancel: Canceller,
    aborts: Vec<Abort>,
}

/// The running attempts, and the channel of their outcomes.
pub(super) struct Attempts {
    core: Arc<Core>,
    live: BTreeMap<FrameId, Live>,
    outcomes: (
        mpsc::UnboundedSender<Outcome>,
        mpsc::UnboundedReceiver<Outcome>,
    ),
}

/// The steps whose next attempt may begin now.
pub(super) struct Startable {
    /// They begin without a barrier.
    pub(super) pure: Vec<StepState>,
    pub(super) real: Vec<StepState>,
}

impl Startable {
    pub(super) fn is_empty(&self) -> bool {
        self.pure.is_empty() && self.real.is_empty()
    }
}

impl Attempts {
    pub(super) fn new(core: &Arc<Core>) -> Self {
        Self {
            core: Arc::clone(core),
            live: BTreeMap::new(),
            outcomes: mpsc::unbounded(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Returns the steps whose next attempt may begin now.
    pub(super) fn startable(&self, program: &Program, now: Timestamp) -> Startable {
        let ready = |step: &StepState| match step.phase {
            Phase::Fresh => true,
            Phase::Backoff { due, .. } => due <= now,
            Phase::Started { .. } => false,
        };
        let steps = program.steps().into_iter();
        let (pure, real) = steps
            .filter(|step| !self.live.contains_key(&step.fid) && ready(step))
            .partition(|step| step.options.pure);
        Startable { pure, real }
    }

    /// Returns entries for the attempts that began in another run and have no outcome.
    pub(super) fn lost(&self, program: &Program, now: Timestamp) -> Vec<Entry> {
        let began = |step: &StepState| match step.phase {
            Phase::Started { attempt } => Some(attempt),
            Phase::Fresh | Phase::Backoff { .. } => None,
        };
        let steps = program.steps().into_iter();
        steps
            .filter_map(|step| began(&step).map(|attempt| self.lost_attempt(step, attempt, now)))
            .collect()
    }

    fn lost_attempt(&self, step: StepState, attempt: u32, now: Timestamp) -> Entry {
        let lost = step.lost + 1;
        let what = format!("attempt {attempt} vanished with its worker ({lost} so far)");
        let failure = Failure::new(kind::ATTEMPT_LOST, what);
        let unit = self.core.ports.entropy.unit();
        match step.options.retry.decide_lost(lost, unit) {
            None => Entry::FrameFailed {
                fid: step.fid,
                failure: failure.terminal(),
            },
            Some(delay) => {
                let due = after(now, delay);
                again(step.fid, attempt, due, failure, Lost(true))
            }
        }
    }

    /// Begins the next attempt of a step, concurrently with the run.
    pub(super) fn begin(
        &mut self,
        program: &mut Program,
        eid: ExecutionId,
        epoch: u64,
        step: &StepState,
    ) {
        let Some(drive) = program.drive_mut() else {
            return;
        };
        self.core.counter.attempt();
        let number = next_attempt(step);
        let now = self.core.ports.clock.now();
        let deadline = step.options.timeout.map(|timeout| after(now, timeout));
        let (attempt, cancel) =
            Attempt::new(eid, step.generation, step.fid.clone(), number, deadline);
        let work = drive.begin(&step.fid, attempt);
        let (fid, tx) = (step.fid.clone(), self.outcomes.0.clone());
        let report = move |result| {
            // The receiver is gone if the run is over: the outcome is lost with it.
            let _ = tx.unbounded_send(Outcome {
                fid,
                attempt: number,
                result,
            });
        };
        let watch = step
            .options
            .timeout
            .map(|timeout| self.watch(timeout, report.clone()));
        let span = tracing::info_span!("attempt", fid = %step.fid, attempt = number, epoch);
        let spawner = &self.core.ports.spawner;
        let attempt = if step.options.blocking {
            spawner.blocking(Box::new(move || {
                let _within = span.enter();
                report(futures::executor::block_on(work));
            }));
            None
        } else {
            let attempt = async move { report(work.await) };
            Some(spawner.attempt(attempt.instrument(span).boxed()))
        };
        let live = Live {
            attempt: number,
            cancel,
            aborts: attempt.into_iter().chain(watch).collect(),
        };
        self.live.insert(step.fid.clone(), live);
    }

    /// Reports a time-out, from a separate task: an attempt that spins still times out for the
    /// workflow.
    fn watch(
        &self,
        timeout: Duration,
        report: impl FnOnce(Result<Json, Failure>) + Send + 'static,
    ) -> Abort {
        let clock = Arc::clone(&self.core.ports.clock);
        let watch = async move {
            clock.sleep(timeout).await;
            let what = format!("the attempt took longer than {timeout:?}");
            report(Err(Failure::new(kind::TIMEOUT, what)));
        };
        self.core.ports.spawner.spawn(watch.boxed())
    }

    /// Waits until an attempt ends.
    pub(super) async fn next(&mut self) -> Outcome {
        let outcome = self.outcomes.1.next().await;
        outcome.expect("this run holds a sender itself")
    }

    /// Takes all outcomes that are ready, as entries: attempts that end together share a commit.
    pub(super) fn ended(
        &mut self,
        program: &Program,
        now: Timestamp,
        first: Outcome,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut next = Ok(first);
        while let Ok(outcome) = next {
            entries.extend(self.end_one(program, now, outcome));
            next = self.outcomes.1.try_recv();
        }
        entries
    }

    /// Turns the end of an attempt into an entry: a value, a later attempt, or a failure. No entry
    /// follows from an attempt that the workflow dropped, or that timed out first.
    fn end_one(&mut self, program: &Program, now: Timestamp, outcome: Outcome) -> Option<Entry> {
        let mine = self
            .live
            .get(&outcome.fid)
            .is_some_and(|live| live.attempt == outcome.attempt);
        if !mine {
            return None;
        }
        self.live.remove(&outcome.fid)?.end();
        let step = program.step(&outcome.fid)?;
        Some(self.entry_of(step, now, outcome.attempt, outcome.result))
    }

    fn entry_of(
        &self,
        step: StepState,
        now: Timestamp,
        attempt: u32,
        result: Result<Json, Failure>,
    ) -> Entry {
        let fid = step.fid;
        let failure = match result {
            Ok(value) => {
                let value = value.into();
                return Entry::FrameCompleted { fid, value };
            }
            Err(failure) => failure,
        };
        // Lost attempts have their own cap and are not charged here.
        let charged = attempt.saturating_sub(step.base + step.lost);
        let unit = self.core.ports.entropy.unit();
        match step.options.retry.decide(charged, &failure, unit) {
            None => Entry::FrameFailed { fid, failure },
            Some(delay) => again(fid, attempt, after(now, delay), failure, Lost(false)),
        }
    }

    /// Aborts the attempts of frames that the workflow dropped.
    pub(super) fn abort(&mut self, dropped: Vec<FrameId>) {
        for fid in dropped {
            if let Some(live) = self.live.remove(&fid) {
                live.end();
            }
        }
    }

    pub(super) fn abort_all(&mut self) {
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
    }
}

impl Drop for Attempts {
    /// Ends the attempts however the run ends: a lost holder must do nothing more.
    fn drop(&mut self) {
        self.abort_all();
    }
}

impl Live {
    /// Cancels the step body, then drops it.
    fn end(mut self) {
        self.cancel.cancel();
        for abort in self.aborts {
            abort();
        }
    }
}

/// Builds the entry of an attempt that failed or was lost, and is repeated at `due`.
fn again(fid: FrameId, attempt: u32, due: Timestamp, failure: Failure, lost: Lost) -> Entry {
    let wait = Wait::Retry {
        attempt,
        due,
        failure,
        lost,
    };
    Entry::FrameSuspended { fid, wait }
}

/// Returns the entry that precedes every effect of a step's next attempt.
pub(super) fn started(step: &StepState) -> Entry {
    Entry::FrameStarted {
        fid: step.fid.clone(),
        began: Began::Step {
            attempt: next_attempt(step),
            input: step.input.clone(),
        },
    }
}

fn next_attempt(step: &StepState) -> u32 {
    match step.phase {
        Phase::Fresh => 1,
        Phase::Started { attempt } | Phase::Backoff { attempt, .. } => attempt + 1,
    }
}
