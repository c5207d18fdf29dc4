//! What is under way: the futures of a run, by control.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::Poll;

use futures::future::{AbortHandle, Abortable, BoxFuture};
use futures::stream::{FuturesUnordered, Stream};
use millpond::FrameError;
use serde_json::Value;

use super::gate::{Gate, GateState};
use crate::machine::Ending;

/// What one of them yields.
#[derive(Debug)]
pub(super) enum Completion {
    /// The work of a control ended.
    Ended(u64, Ending),
    /// In a stopping run: the children of a control ended, none of them by a failure of its own.
    Stopped(u64),
    /// An attempt that is made at most once was lost.
    Lost(u64),
    /// A decision arrived for a generation of a control.
    Decision(u64, u64, Result<Value, FrameError>),
    /// What the run records for people is recorded.
    Recorded,
}

/// The futures of a run. Only those that were woken are polled.
#[derive(Default)]
pub(super) struct OpenWork {
    open: FuturesUnordered<Abortable<BoxFuture<'static, Completion>>>,
    by_control: BTreeMap<u64, AbortHandle>,
    children: BTreeMap<u64, Gate>,
    /// How many snapshots and replies are not recorded yet.
    recording: usize,
}

impl OpenWork {
    /// Adds the work of a control.
    pub(super) fn begin(&mut self, control: u64, work: BoxFuture<'static, Completion>) {
        let handle = self.push(work);
        self.by_control.insert(control, handle);
    }

    /// Adds the children of a control, whose admission can change.
    pub(super) fn begin_children(
        &mut self,
        control: u64,
        gate: Gate,
        work: BoxFuture<'static, Completion>,
    ) {
        self.children.insert(control, gate);
        self.begin(control, work);
    }

    /// Adds what is recorded for people.
    pub(super) fn record(&mut self, work: BoxFuture<'static, Completion>) {
        self.recording += 1;
        self.push(work);
    }

    pub(super) const fn is_recording(&self) -> bool {
        self.recording > 0
    }

    /// Drops the work of a control (G2: at the next poll of the work, before the run waits again).
    pub(super) fn close(&mut self, control: u64) {
        self.children.remove(&control);
        if let Some(handle) = self.by_control.remove(&control) {
            handle.abort();
        }
    }

    /// Stops the children of a control.
    pub(super) fn stop_children(&self, control: u64) {
        if let Some(gate) = self.children.get(&control) {
            gate.set(GateState::Stopped);
        }
    }

    /// Lets further children begin, or keeps them from it.
    pub(super) fn admit_children(&self, state: GateState) {
        self.children.values().for_each(|gate| gate.set(state));
    }

    /// Returns the next completion, in the order of arrival.
    pub(super) fn poll_next(&mut self, cx: &mut std::task::Context<'_>) -> Poll<Completion> {
        loop {
            match Pin::new(&mut self.open).poll_next(cx) {
                Poll::Ready(Some(Ok(completion))) => {
                    self.over(&completion);
                    return Poll::Ready(completion);
                }
                Poll::Ready(Some(Err(_aborted))) => {}
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn over(&mut self, completion: &Completion) {
        match completion {
            Completion::Recorded => self.recording -= 1,
            Completion::Ended(control, _)
            | Completion::Stopped(control)
            | Completion::Lost(control)
            | Completion::Decision(control, ..) => {
                self.by_control.remove(control);
                self.children.remove(control);
            }
        }
    }

    fn push(&mut self, work: BoxFuture<'static, Completion>) -> AbortHandle {
        let (handle, registration) = AbortHandle::new_pair();
        self.open.push(Abortable::new(work, registration));
        handle
    }
}
