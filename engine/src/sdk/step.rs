//! Steps: work whose value is recorded.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::frame::{Frame, frame_future};
use super::{FrameError, Retry};
use crate::replay::frames::Outcome;
use crate::replay::frames::step::{Plan, StepOptions};

/// A step, from [`Context::call`](crate::Context::call) or
/// [`Context::step`](crate::Context::step): options first, then the future of its value.
#[must_use = "frames are inert until they are polled"]
pub struct Step<T> {
    frame: Frame<Plan>,
    value: PhantomData<fn() -> T>,
}

impl<T> Step<T> {
    pub(super) fn new(frame: Frame<Plan>) -> Self {
        Self {
            frame,
            value: PhantomData,
        }
    }

    /// When a failed attempt is made again. The default is [`Retry::default`].
    pub fn retry(self, retry: Retry) -> Self {
        self.with(|options| options.retry = retry)
    }

    /// How long one attempt may take. One that takes longer is cancelled through its
    /// [`Attempt`](crate::Attempt) and fails with kind `timeout`.
    pub fn timeout(self, limit: Duration) -> Self {
        self.with(|options| options.timeout = Some(limit))
    }

    /// It has no effects outside: it may run again, because its start is not recorded.
    pub fn pure(self) -> Self {
        self.with(|options| options.pure = true)
    }

    /// It computes for long or blocks its thread: it runs on a thread of its own.
    pub fn blocking(self) -> Self {
        self.with(|options| options.blocking = true)
    }

    fn with(mut self, set: impl FnOnce(&mut StepOptions)) -> Self {
        if let Some(plan) = self.frame.plan_mut() {
            set(&mut plan.options);
        }
        self
    }
}

frame_future!(Step, T);

impl<T: DeserializeOwned> Future for Step<T> {
    type Output = Result<T, FrameError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(self.frame.poll(cx))? {
            Outcome::Value(json) => Ok(ready!(self.frame.read(&json))),
            Outcome::Failed(failure) => Err(FrameError::StepFailed {
                fid: self.frame.fid(),
                failure,
            }),
            Outcome::Elapsed | Outcome::Cancelled => return Poll::Pending, // a step has no such outcome
        })
    }
}
