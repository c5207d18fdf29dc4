//! Children: executions that this one starts.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Poll, ready};

use serde::de::DeserializeOwned;

use super::frame::{Frame, frame_future};
use super::{Context, FrameError};
use crate::domain::{ExecutionId, Json, OnClose, Queue, Workflow};
use crate::replay::frames::Outcome;
use crate::replay::frames::child::Plan;

/// A child execution and its result, from [`Context::child`](crate::Context::child).
///
/// If this execution ends first, the child is cancelled; [`on_close`](Self::on_close) changes
/// that.
#[must_use = "frames are inert until they are polled"]
pub struct Child<T> {
    frame: Frame<Plan>,
    value: PhantomData<fn() -> T>,
}

/// A child execution whose result is not waited for, from [`Context::spawn`](crate::Context::spawn).
///
/// It goes on when this execution ends; [`on_close`](Self::on_close) changes that.
#[must_use = "call `.start()`"]
pub struct Spawn {
    frame: Frame<Plan>,
}

/// The parts of a child's plan.
pub(super) struct Offspring<'a> {
    pub(super) workflow: &'a str,
    pub(super) args: Result<Json, FrameError>,
    pub(super) waits: bool,
    pub(super) on_close: OnClose,
}

impl Offspring<'_> {
    /// Frame names have no dots, workflow names may have.
    pub(super) fn frame(self, ctx: &Context) -> Frame<Plan> {
        let name = self.workflow.replace('.', "_");
        let plan = Workflow::parse(self.workflow)
            .map_err(FrameError::from)
            .and_then(|workflow| {
                Ok(Plan {
                    workflow,
                    version: None,
                    queue: None,
                    on_close: self.on_close,
                    args: self.args?,
                    waits: self.waits,
                })
            });
        Frame::new(ctx, &name, plan)
    }
}

/// The options that a child has, waited for or not.
macro_rules! child_options {
    ($type:ident $(, $t:ident)?) => {
        impl<$($t)?> $type<$($t)?> {
            /// The queue whose workers run it. The default is this execution's own queue.
            pub fn queue(mut self, queue: &str) -> Self {
                match Queue::parse(queue) {
                    Ok(name) => {
                        if let Some(plan) = self.frame.plan_mut() {
                            plan.queue = Some(name);
                        }
                    }
                    Err(invalid) => self.frame.refuse(invalid.into()),
                }
                self
            }

            /// The version that runs it. The default is the newest that is registered.
            pub fn version(mut self, version: &str) -> Self {
                if let Some(plan) = self.frame.plan_mut() {
                    plan.version = Some(version.to_owned());
                }
                self
            }

            /// What happens to it when this execution ends first.
            pub fn on_close(mut self, what: OnClose) -> Self {
                if let Some(plan) = self.frame.plan_mut() {
                    plan.on_close = what;
                }
                self
            }
        }
    };
}

child_options!(Child, T);
child_options!(Spawn);
frame_future!(Child, T);

impl<T> Child<T> {
    pub(super) fn new(frame: Frame<Plan>) -> Self {
        Self {
            frame,
            value: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Future for Child<T> {
    type Output = Result<T, FrameError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(match ready!(self.frame.poll(cx))? {
            Outcome::Value(json) => Ok(ready!(self.frame.read(&json))),
            Outcome::Failed(failure) => Err(FrameError::ChildFailed {
                fid: self.frame.fid(),
                failure,
            }),
            Outcome::Elapsed | Outcome::Cancelled => return Poll::Pending, // a child has no such outcome
        })
    }
}

impl Spawn {
    pub(super) fn new(frame: Frame<Plan>) -> Self {
        Self { frame }
    }

    /// Names the frame `name:key` instead of counting.
    pub fn key(mut self, key: &str) -> Self {
        self.frame.set_key(key);
        self
    }

    /// Starts it and returns its id. It is a plain call: the child begins when this execution
    /// next commits.
    ///
    /// # Errors
    /// [`FrameError`] if a name, the key or the input is invalid, and after cancellation.
    pub fn start(self) -> Result<ExecutionId, FrameError> {
        let (eid, generation) = (self.frame.eid(), self.frame.generation());
        let fid = self.frame.register_now()?;
        // Without a frame the drive is over: the workflow is not polled again.
        Ok(fid.map_or(eid, |fid| eid.child(generation, &fid)))
    }
}

impl std::fmt::Debug for Spawn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Spawn").field(&self.frame).finish()
    }
}
