//! Steps: attempts begin and end in the journal, the last of them with an outcome. Attempts run
//! outside of the workflow, after the commit that holds their start.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Outcome, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Began, Digest, Entry, Failure, FrameId, Json, Wait};
use crate::replay::tree::{AttemptView, FrameStatus, Tree};
use crate::replay::{Attempt, FrameError, Retry};

const WORD: &str = "step";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// The work of a step with its types erased: one call is one attempt.
pub(crate) type StepBody =
    Box<dyn FnMut(Attempt) -> BoxFuture<'static, Result<Json, Failure>> + Send>;

/// A step body that an attempt may run while the frame table holds it, too.
pub(crate) type SharedStepBody = Arc<Mutex<StepBody>>;

/// The options of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct StepOptions {
    /// When it is tried again.
    pub(crate) retry: Retry,
    /// How long one attempt may take.
    pub(crate) timeout: Option<Duration>,
    /// It has no effects: its start need not be durable before it runs.
    pub(crate) pure: bool,
    /// It blocks or spins: it needs a thread of its own.
    pub(crate) blocking: bool,
}

/// A step to run.
pub(crate) struct Plan {
    pub(crate) step_body: StepBody,
    pub(crate) options: StepOptions,
    /// A `call`'s input.
    pub(crate) input: Option<Json>,
}

/// A step without outcome.
#[derive(Debug, Clone)]
pub(crate) struct StepState {
    pub(crate) fid: FrameId,
    /// The state of its attempts.
    pub(crate) phase: Phase,
    /// How many attempts vanished since it began, or began again.
    pub(crate) lost: u32,
    /// The last attempt before it began again: the retry policy counts from there.
    pub(crate) base: u32,
    /// The generation that its idempotency key is of.
    pub(crate) generation: u32,
    pub(crate) options: Arc<StepOptions>,
    /// Digest of a `call`'s input: belongs into its `frame.started`.
    pub(crate) input: Option<Digest>,
}

/// The state of the attempts of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// None was begun.
    Fresh,
    /// This one was begun and has not ended.
    Started {
        /// 1, 2, ...
        attempt: u32,
    },
    /// This one failed; the next begins later.
    Backoff {
        /// The one that failed.
        attempt: u32,
        /// When the next one begins.
        due: Timestamp,
    },
}

pub(crate) struct Step {
    phase: Phase,
    lost: u32,
    base: u32,
    generation: u32,
    options: Arc<StepOptions>,
    input: Option<Digest>,
    /// `None` once no more attempt can begin.
    step_body: Option<SharedStepBody>,
}

impl super::Plan for Plan {
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let step = Step {
            phase: Phase::Fresh,
            lost: 0,
            base: 0,
            generation: site.generation,
            options: Arc::new(self.options),
            input: self.input.map(|input| input.digest()),
            step_body: Some(Arc::new(Mutex::new(self.step_body))),
        };
        Ok((Box::new(step), None))
    }
}

impl Step {
    pub(in crate::replay) fn body(&self) -> Option<SharedStepBody> {
        self.step_body.clone()
    }

    /// The newest attempt.
    pub(in crate::replay) fn attempt(&self) -> Option<u32> {
        match self.phase {
            Phase::Fresh => None,
            Phase::Started { attempt } | Phase::Backoff { attempt, .. } => Some(attempt),
        }
    }

    pub(in crate::replay) fn state(&self, fid: &FrameId) -> StepState {
        StepState {
            fid: fid.clone(),
            phase: self.phase.clone(),
            lost: self.lost,
            base: self.base,
            generation: self.generation,
            options: Arc::clone(&self.options),
            input: self.input.clone(),
        }
    }
}

impl Frame for Step {
    fn kind(&self) -> FrameKind {
        FrameKind::Step
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn detail(&self) -> String {
        detail(self.input.as_ref())
    }

    fn waits(&self) -> bool {
        true
    }

    fn due(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Backoff { due, .. } => Some(due),
            Phase::Fresh | Phase::Started { .. } => None,
        }
    }

    fn accept(&mut self, entry: &Entry, value: Option<Json>) -> Accepted {
        match entry {
            Entry::FrameStarted {
                began: Began::Step { attempt, input },
                ..
            } if *input == self.input => {
                self.phase = Phase::Started { attempt: *attempt };
                Accepted::Noted
            }
            Entry::FrameSuspended {
                wait: Wait::Retry {
                    attempt, due, lost, ..
                },
                ..
            } => {
                self.phase = Phase::Backoff {
                    attempt: *attempt,
                    due: *due,
                };
                self.lost += u32::from(lost.0);
                Accepted::Noted
            }
            Entry::FrameCompleted { .. } => Accepted::value(value),
            Entry::FrameFailed { failure, .. } => {
                Accepted::Outcome(Outcome::Failed(failure.clone()))
            }
            _ => Accepted::Misfit,
        }
    }

    fn step(&self) -> Option<&Step> {
        Some(self)
    }

    fn again(&mut self, generation: u32, same_key: bool, now: Timestamp) {
        let attempt = match self.phase {
            Phase::Fresh => return,
            Phase::Started { attempt } | Phase::Backoff { attempt, .. } => attempt,
        };
        (self.base, self.lost) = (attempt, 0);
        self.phase = Phase::Backoff { attempt, due: now };
        if !same_key {
            self.generation = generation;
        }
    }

    fn release(&mut self) -> Option<SharedStepBody> {
        self.step_body.take()
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::FrameStarted {
            began: Began::Step { input, .. },
            ..
        } => Described::new(WORD, Some(detail(input.as_ref()))),
        Entry::FrameSuspended {
            wait: Wait::Retry { .. },
            ..
        } => Described::new(WORD, None),
        Entry::FrameCompleted { .. } | Entry::FrameFailed { .. } => {
            Described::with_verb("outcome of", WORD)
        }
        _ => None,
    }
}

fn detail(input: Option<&Digest>) -> String {
    match input {
        Some(digest) => format!(" with input {}", digest.sha16()),
        None => " without input".into(),
    }
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    match entry {
        Entry::FrameStarted {
            fid,
            began: Began::Step { attempt, .. },
        } => {
            let frame = tree.open(fid, FrameKind::Step, at);
            (frame.status, frame.due) = (FrameStatus::Running, None);
            frame.attempts.push(AttemptView {
                number: *attempt,
                began: Some(at),
                ended: None,
                failure: None,
            });
        }
        Entry::FrameSuspended {
            fid,
            wait: Wait::Retry { due, failure, .. },
        } => {
            let frame = tree.wait(fid, FrameKind::Step, at, Some(*due));
            if let Some(attempt) = frame.attempts.last_mut() {
                attempt.ended = Some(at);
                attempt.failure = Some(failure.clone());
            }
        }
        // A pure step has no entry before its outcome.
        Entry::FrameCompleted { fid, value } => {
            let frame = tree.over(fid, FrameKind::Step, at, FrameStatus::Completed);
            frame.value = Some(value.clone());
        }
        Entry::FrameFailed { fid, failure } => {
            let frame = tree.over(fid, FrameKind::Step, at, FrameStatus::Failed);
            frame.failure = Some(failure.clone());
            if let Some(attempt) = frame.attempts.last_mut() {
                attempt.failure = Some(failure.clone());
            }
        }
        _ => {}
    }
}
