//! Attempts of steps: they begin under a barrier, run concurrently with the pass, and end as
//! journal entries.
//!
//! - **I1** No attempt begins under a barrier that is not the newest known one: an attempt begins
//!   right after the commit that contains its `frame.started`, and not after that lease has
//!   expired.
//! - A lost attempt is recorded when a run detects it. Lost attempts have their own cap.

use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;
use tracing::Instrument as _;

use super::activation::Halt;
use super::commit::after;
use super::pass::{Done, Live, Pass};
use crate::domain::{Began, Entry, Failure, FrameId, Json, Lost, Wait, kind};
use crate::replay::{Attempt, Drive, Phase, StepState};

impl Pass {
    fn steps(&self) -> Vec<StepState> {
        self.drive.as_ref().map(Drive::steps).unwrap_or_default()
    }

    /// Returns the steps whose next attempt may begin now.
    pub(super) fn startable(&self) -> Vec<StepState> {
        let ready = |step: &StepState| match step.phase {
            Phase::Fresh => true,
            Phase::Backoff { due, .. } => due <= self.now,
            Phase::Started { .. } => false,
        };
        self.steps()
            .into_iter()
            .filter(|s| !self.live.contains_key(&s.fid) && ready(s))
            .collect()
    }

    /// Returns entries for the attempts that began in another run and have no outcome.
    pub(super) fn lost(&self) -> Vec<Entry> {
        self.steps()
            .into_iter()
            .filter_map(|step| self.lost_attempt(step))
            .collect()
    }

    fn lost_attempt(&self, step: StepState) -> Option<Entry> {
        let Phase::Started { attempt } = step.phase else {
            return None;
        };
        let lost = step.lost + 1;
        let what = format!("attempt {attempt} vanished with its worker ({lost} so far)");
        let failure = Failure::new(kind::ATTEMPT_LOST, what);
        let unit = self.core.ports.entropy.unit();
        Some(match step.options.retry.decide_lost(lost, unit) {
            None => Entry::FrameFailed {
                fid: step.fid,
                failure: failure.terminal(),
            },
            Some(delay) => self.again(&step.fid, attempt, delay, failure, Lost(true)),
        })
    }

    /// Builds the entry of a failed attempt that is retried after `delay`.
    fn again(
        &self,
        fid: &FrameId,
        attempt: u32,
        delay: Duration,
        failure: Failure,
        lost: Lost,
    ) -> Entry {
        let wait = Wait::Retry {
            attempt,
            due: after(self.now, delay),
            failure,
            lost,
        };
        let fid = fid.clone();
        Entry::FrameSuspended { fid, wait }
    }

    /// Appends the entries that precede every effect of these steps' next attempts. No poll
    /// follows: the start of an attempt does not change what the workflow can observe.
    pub(super) fn append_started(&mut self, steps: &[StepState]) -> Result<(), Halt> {
        for step in steps {
            let began = Began::Step {
                attempt: next_attempt(step),
                input: step.input.clone(),
            };
            let entry = Entry::FrameStarted {
                fid: step.fid.clone(),
                began,
            };
            let at = self.next_position();
            if let Some(drive) = self.drive.as_mut() {
                drive.deliver(at, &entry, None).map_err(Halt::Trouble)?;
            }
            self.pending.push(entry);
        }
        Ok(())
    }

    /// Begins an attempt, concurrently with the pass.
    pub(super) fn begin(&mut self, step: &StepState) {
        let Some(drive) = self.drive.as_mut() else {
            return;
        };
        self.core.counter.attempt();
        let number = next_attempt(step);
        let clock = std::sync::Arc::clone(&self.core.ports.clock);
        let deadline = step
            .options
            .timeout
            .map(|timeout| after(clock.now(), timeout));
        let eid = self.journal.head.record.eid;
        let (attempt, cancel) = Attempt::new(eid, step.fid.clone(), number, deadline);
        let work = drive.begin(&step.fid, attempt);
        let (fid, tx) = (step.fid.clone(), self.done.0.clone());
        let report = move |outcome| {
            // The receiver is gone if the pass is over: the outcome is lost with it.
            let _ = tx.unbounded_send(Done {
                fid,
                attempt: number,
                outcome,
            });
        };
        let (attempt, epoch) = (number, self.journal.head.epoch);
        let span = tracing::info_span!("attempt", fid = %step.fid, attempt, epoch);
        let spawner = &self.core.ports.spawner;
        // A separate task: an attempt that spins still times out for the workflow.
        let watch = step.options.timeout.map(|timeout| {
            let late = report.clone();
            let watch = async move {
                clock.sleep(timeout).await;
                late(Err(timed_out(timeout)));
            };
            spawner.spawn(watch.boxed())
        });
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
        let aborts = attempt.into_iter().chain(watch).collect();
        self.live.insert(
            step.fid.clone(),
            Live {
                attempt: number,
                cancel,
                aborts,
            },
        );
    }

    /// Turns the end of an attempt into an entry: a value, a later attempt, or a failure.
    pub(super) fn ended(&mut self, done: Done) -> Option<Entry> {
        let mine = self
            .live
            .get(&done.fid)
            .is_some_and(|live| live.attempt == done.attempt);
        if !mine {
            return None; // dropped by the workflow, or timed out first
        }
        self.live.remove(&done.fid)?.end();
        let step = self.drive.as_ref()?.step(&done.fid)?;
        Some(self.outcome(&step, done.attempt, done.outcome))
    }

    fn outcome(&self, step: &StepState, attempt: u32, outcome: Result<Json, Failure>) -> Entry {
        let fid = step.fid.clone();
        let failure = match outcome {
            Ok(value) => {
                return Entry::FrameCompleted {
                    fid,
                    value: value.into(),
                };
            }
            Err(failure) => failure,
        };
        // Lost attempts have their own cap and are not charged here.
        let charged = attempt.saturating_sub(step.lost);
        let unit = self.core.ports.entropy.unit();
        match step.options.retry.decide(charged, &failure, unit) {
            None => Entry::FrameFailed { fid, failure },
            Some(delay) => self.again(&fid, attempt, delay, failure, Lost(false)),
        }
    }

    /// Aborts the attempts of frames that the workflow dropped.
    pub(super) fn abort_dropped(&mut self) {
        let dropped = self
            .drive
            .as_mut()
            .map(Drive::take_dropped)
            .unwrap_or_default();
        for fid in dropped {
            self.abort(&fid);
        }
    }

    fn abort(&mut self, fid: &FrameId) {
        if let Some(live) = self.live.remove(fid) {
            live.end();
        }
    }

    /// Returns the earliest instant at which something is due in this pass: a retry that is
    /// waited for in place, or any deadline that passes while attempts run.
    pub(super) fn next_due(&self) -> Option<Timestamp> {
        let drive = self.drive.as_ref()?;
        drive.open().into_iter().filter_map(|frame| frame.due).min()
    }

    /// Returns whether a retry is due so soon that the pass waits for it in place.
    pub(super) fn waits_in_place(&self) -> bool {
        let near = after(self.now, self.core.settings.in_place);
        let steps = self.steps();
        steps
            .iter()
            .any(|step| matches!(step.phase, Phase::Backoff { due, .. } if due < near))
    }
}

impl Live {
    /// Cancels the step body, then drops it.
    pub(super) fn end(mut self) {
        self.cancel.cancel();
        for abort in self.aborts {
            abort();
        }
    }
}

fn next_attempt(step: &StepState) -> u32 {
    match step.phase {
        Phase::Fresh => 1,
        Phase::Started { attempt } | Phase::Backoff { attempt, .. } => attempt + 1,
    }
}

fn timed_out(after: Duration) -> Failure {
    Failure::new(
        kind::TIMEOUT,
        format!("the attempt took longer than {after:?}"),
    )
}
