//! Undoing what was done, if what follows fails.

use std::fmt;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::kind;
use crate::sdk::CallFn;
use crate::{Context, Failed, FrameError, Retry};

/// The kind of failure of a saga whose compensation failed.
const KIND: &str = "compensation";

/// The compensations of what a workflow has done so far: steps that undo it, the newest first.
///
/// ```
/// use millpond::prelude::*;
/// use millpond::Saga;
///
/// async fn book(what: String) -> Result<String, StepError> {
///     Ok(format!("{what} booked"))
/// }
///
/// async fn cancel(booking: String) -> Result<(), StepError> {
///     Ok(println!("cancelled: {booking}"))
/// }
///
/// async fn trip(ctx: Context, _: ()) -> Result<String, Failed> {
///     let mut saga = Saga::new(&ctx);
///     let booked = both(&ctx, &mut saga).await;
///     saga.end(booked).await
/// }
///
/// async fn both(ctx: &Context, saga: &mut Saga) -> Result<String, Failed> {
///     let flight = ctx.call("flight", book, &"flight".to_owned()).await?;
///     saga.undo("cancel", cancel, &flight);
///     let hotel = ctx.call("hotel", book, &"hotel".to_owned()).await?;
///     saga.undo("cancel", cancel, &hotel);
///     ctx.receive::<()>("confirm").await?;
///     Ok(format!("{flight}, {hotel}"))
/// }
/// # let _ = millpond::sdk::erase_fn(trip);
/// ```
#[must_use = "the compensations run only at `end` or `compensate`"]
pub struct Saga {
    ctx: Context,
    retry: Retry,
    undo: Vec<Undo>,
}

/// Makes the step of a compensation.
type Undo = Box<dyn FnOnce(&Context, Retry) -> BoxFuture<'static, Result<(), FrameError>> + Send>;

impl Saga {
    /// A saga in which nothing was done yet. Its compensations are shielded: a cancelled execution
    /// runs them, too. Each is retried for about an hour.
    pub fn new(ctx: &Context) -> Self {
        Self {
            ctx: ctx.shielded(),
            retry: Retry::exponential(70),
            undo: Vec::new(),
        }
    }

    /// When a failed attempt of a compensation is made again.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Adds a compensation: the step `name`, which runs `function` on a clone of `input`. Nothing is
    /// run or recorded now.
    ///
    /// Add it after the step that it undoes. If that step fails and its effect may have happened all
    /// the same, add it before, and let it tolerate that there is nothing to undo.
    pub fn undo<I, T, M>(&mut self, name: &str, function: impl CallFn<M, I, T>, input: &I)
    where
        I: Serialize + Clone + Send + 'static,
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let (name, input) = (name.to_owned(), input.clone());
        self.undo.push(Box::new(move |ctx, retry| {
            let step = ctx.call(&name, function, &input).retry(retry);
            step.map(|done| done.map(drop)).boxed()
        }));
    }

    /// Runs the compensations, one after the other, the newest first. Each runs once: later calls
    /// run only what was added since. One that fails does not keep the others from running.
    ///
    /// # Errors
    /// The first failure.
    pub async fn compensate(&mut self) -> Result<(), FrameError> {
        let mut ended = Ok(());
        while let Some(undo) = self.undo.pop() {
            let undone = undo(&self.ctx, self.retry.clone()).await;
            ended = ended.and(undone);
        }
        ended
    }

    /// Ends the saga with the result of what it did: an error is returned after the compensations. A
    /// workflow that continues as new undoes nothing: what is to be undone later belongs in its input.
    ///
    /// # Errors
    /// The error of `result`; or one of kind `compensation` that contains its text, if a
    /// compensation failed.
    pub async fn end<T>(mut self, result: Result<T, Failed>) -> Result<T, Failed> {
        let Err(error) = result else {
            return result;
        };
        // The workflow goes on, in another generation: nothing has failed.
        if error.kind() == kind::CONTINUED {
            return Err(error);
        }
        match self.compensate().await {
            Ok(()) => Err(error),
            Err(undo) => {
                let what =
                    format!("not everything was undone: {undo}; to be undone after: {error}");
                Err(Failed::new(KIND, what))
            }
        }
    }
}

impl fmt::Debug for Saga {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saga")
            .field("ctx", &self.ctx)
            .field("undo", &self.undo.len())
            .finish_non_exhaustive()
    }
}
