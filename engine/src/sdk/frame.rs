//! What all frame futures share: each is inert until polled, has an id from its first poll on,
//! and yields one outcome.

use std::fmt;
use std::task::Poll;

use super::{Context, FrameError};
use crate::domain::{ExecutionId, FrameId, FrameName, Json};
use crate::replay::Refused;
use crate::replay::frames::{Outcome, Plan};

/// A frame that may have been registered.
pub(super) struct Frame<P> {
    ctx: Context,
    name: String,
    key: Option<String>,
    /// What the workflow asks for, or the error of the first poll. `None` once registered.
    plan: Option<Result<P, FrameError>>,
    fid: Option<FrameId>,
    over: bool,
}

impl<P> Frame<P> {
    pub(super) fn new(ctx: &Context, name: &str, plan: Result<P, FrameError>) -> Self {
        Self {
            ctx: ctx.clone(),
            name: name.to_owned(),
            key: None,
            plan: Some(plan),
            fid: None,
            over: false,
        }
    }

    pub(super) fn set_key(&mut self, key: &str) {
        if self.plan.is_some() {
            self.key = Some(key.to_owned());
        }
    }

    /// The plan as long as it can be changed.
    pub(super) fn plan_mut(&mut self) -> Option<&mut P> {
        self.plan.as_mut().and_then(|plan| plan.as_mut().ok())
    }

    /// Makes it fail at its first poll.
    pub(super) fn refuse(&mut self, error: FrameError) {
        if let Some(plan) = &mut self.plan {
            *plan = Err(error);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The frame's id, or its name as long as it has none.
    pub(super) fn label(&self) -> String {
        self.fid
            .as_ref()
            .map_or_else(|| self.name.clone(), FrameId::to_string)
    }

    /// Decodes a recorded value. One that is not a `T` halts the drive: the workflow could only
    /// fail, and another build may be able to read it.
    pub(super) fn read<T: serde::de::DeserializeOwned>(&self, json: &Json) -> Poll<T> {
        match json.get() {
            Ok(value) => Poll::Ready(value),
            Err(error) => {
                let expected = std::any::type_name::<T>();
                self.ctx.table().invalid(self.label(), expected, &error);
                Poll::Pending
            }
        }
    }

    pub(super) fn eid(&self) -> ExecutionId {
        self.ctx.eid()
    }

    pub(super) fn generation(&self) -> u32 {
        self.ctx.generation()
    }

    pub(super) fn fid(&self) -> FrameId {
        self.fid.clone().unwrap_or_else(FrameId::root)
    }
}

impl<P: Plan> Frame<P> {
    /// The first poll registers. After the outcome it stays pending.
    pub(super) fn poll(
        &mut self,
        cx: &mut std::task::Context<'_>,
    ) -> Poll<Result<Outcome, FrameError>> {
        if self.over {
            return Poll::Pending;
        }
        if let Some(plan) = self.plan.take() {
            match self.register(plan) {
                Ok(fid) => self.fid = Some(fid),
                Err(Refused::Error(error)) => {
                    self.over = true;
                    return Poll::Ready(Err(error));
                }
                Err(Refused::Halted) => {}
            }
        }
        let Some(fid) = &self.fid else {
            return Poll::Pending;
        };
        let polled = self.ctx.table().poll(fid, cx.waker().clone());
        self.over = polled.is_ready();
        match polled {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Outcome::Cancelled) => {
                Poll::Ready(Err(FrameError::Cancelled { fid: fid.clone() }))
            }
            Poll::Ready(outcome) => Poll::Ready(Ok(outcome)),
        }
    }

    /// Registers at once: for plain calls.
    pub(super) fn register_now(mut self) -> Result<Option<FrameId>, FrameError> {
        self.over = true;
        let Some(plan) = self.plan.take() else {
            return Ok(None);
        };
        match self.register(plan) {
            Ok(fid) => Ok(Some(fid)),
            Err(Refused::Error(error)) => Err(error),
            Err(Refused::Halted) => Ok(None),
        }
    }

    fn register(&self, plan: Result<P, FrameError>) -> Result<FrameId, Refused> {
        let name = FrameName::parse(&self.name).map_err(FrameError::from)?;
        let key = self.key.as_deref().map(FrameName::parse).transpose();
        let place = self
            .ctx
            .place(name, key.map_err(FrameError::from)?)
            .map_err(FrameError::from)?;
        self.ctx.table().register(&place, plan?)
    }
}

impl<P> Drop for Frame<P> {
    fn drop(&mut self) {
        if let (Some(fid), false) = (&self.fid, self.over) {
            self.ctx.table().let_go(fid);
        }
    }
}

impl<P> fmt::Debug for Frame<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("frame", &self.label())
            .field("key", &self.key)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

/// The parts every typed frame future has: `key`, `FusedFuture`, `Debug`.
macro_rules! frame_future {
    ($type:ident $(, $t:ident)?) => {
        impl<$($t)?> $type<$($t)?> {
            /// Names the frame `name:key` instead of counting: for frames whose order of first
            /// poll may change. A key used twice under one parent is
            /// [`FrameError::Duplicate`](crate::FrameError::Duplicate).
            pub fn key(mut self, key: &str) -> Self {
                self.frame.set_key(key);
                self
            }
        }

        impl<$($t: serde::de::DeserializeOwned)?> futures::future::FusedFuture for $type<$($t)?> {
            fn is_terminated(&self) -> bool {
                self.frame.is_over()
            }
        }

        impl<$($t)?> std::fmt::Debug for $type<$($t)?> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($type)).field(&self.frame).finish()
            }
        }
    };
}
pub(super) use frame_future;
