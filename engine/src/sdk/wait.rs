//! Waits: for a message, for an instant.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::FrameError;
use super::frame::{Frame, frame_future};
use crate::domain::Retried;
use crate::replay::Table;
use crate::replay::frames::{Outcome, receive, sleep};

/// The next message on a channel, from [`Context::receive`](crate::Context::receive).
#[must_use = "frames are inert until they are polled"]
pub struct Receive<T> {
    frame: Frame<receive::Plan>,
    value: PhantomData<fn() -> T>,
}

/// The same, for a limited time: `None` if it passes without a message. From [`Receive::timeout`].
#[must_use = "frames are inert until they are polled"]
pub struct ReceiveTimeout<T> {
    frame: Frame<receive::Plan>,
    value: PhantomData<fn() -> T>,
}

/// A wait for an instant, from [`Context::sleep`](crate::Context::sleep).
#[must_use = "frames are inert until they are polled"]
pub struct Sleep {
    frame: Frame<sleep::Plan>,
}

impl<T> Receive<T> {
    pub(super) fn new(frame: Frame<receive::Plan>) -> Self {
        Self {
            frame,
            value: PhantomData,
        }
    }

    /// Waits no longer than `limit`, counted from the first poll.
    pub fn timeout(mut self, limit: Duration) -> ReceiveTimeout<T> {
        if let Some(plan) = self.frame.plan_mut() {
            plan.timeout = Some(limit);
        }
        ReceiveTimeout {
            frame: self.frame,
            value: PhantomData,
        }
    }
}

impl Sleep {
    pub(super) fn new(frame: Frame<sleep::Plan>) -> Self {
        Self { frame }
    }
}

/// A wait for the next retry, from [`Context::retried`](crate::Context::retried).
#[must_use = "futures are inert until they are polled"]
pub struct WaitForRetry {
    table: Table,
    seen: Option<u32>,
}

impl WaitForRetry {
    pub(super) fn new(table: Table) -> Self {
        Self { table, seen: None }
    }
}

impl std::fmt::Debug for WaitForRetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitForRetry").finish_non_exhaustive()
    }
}

impl Future for WaitForRetry {
    type Output = Retried;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        this.table.poll_retried(&mut this.seen, cx.waker())
    }
}

frame_future!(Receive, T);
frame_future!(ReceiveTimeout, T);
frame_future!(Sleep);

impl<T: DeserializeOwned> Future for Receive<T> {
    type Output = Result<T, FrameError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        match ready!(self.frame.poll(cx))? {
            Outcome::Value(json) => self.frame.read(&json).map(Ok),
            Outcome::Elapsed | Outcome::Failed(_) | Outcome::Cancelled => Poll::Pending, // a receive has no such outcome
        }
    }
}

impl<T: DeserializeOwned> Future for ReceiveTimeout<T> {
    type Output = Result<Option<T>, FrameError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        match ready!(self.frame.poll(cx))? {
            Outcome::Value(json) => self.frame.read(&json).map(|value| Ok(Some(value))),
            Outcome::Elapsed => Poll::Ready(Ok(None)),
            Outcome::Failed(_) | Outcome::Cancelled => Poll::Pending, // a receive has no such outcome
        }
    }
}

impl Future for Sleep {
    type Output = Result<(), FrameError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        self.frame.poll(cx).map_ok(drop)
    }
}
