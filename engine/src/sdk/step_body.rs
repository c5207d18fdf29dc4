//! Functions that steps run: with or without an [`Attempt`], with or without an input.

use std::future::Future;

use futures::FutureExt as _;
use serde::Serialize;

use super::{Attempt, State, StepError};
use crate::domain::{Failure, Json, kind};
use crate::replay::States;
use crate::replay::frames::step::StepBody;

/// What [`Context::step`](crate::Context::step) runs: `FnMut() -> Fut` or
/// `FnMut(Attempt) -> Fut`, where the future yields `Result<T, E>` and `E` becomes a
/// [`StepError`].
///
/// `Shape` keeps the two forms apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be run as a step",
    note = "a step is `move || async move {{ .. }}` or `move |attempt: Attempt| async move {{ .. }}`",
    note = "it owns what it uses (`Send + 'static`) and yields `Result<T, E>`, where `?` turns errors into `StepError`"
)]
pub trait StepFn<Shape, T>: Send + 'static {
    /// Begins one attempt.
    fn attempt(
        &mut self,
        attempt: Attempt,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static;
}

/// What [`Context::call`](crate::Context::call) runs: `Fn(I) -> Fut` or
/// `Fn(Attempt, I) -> Fut`, usually an `async fn`.
///
/// `Shape` keeps the two forms apart and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be called as a step with this input",
    note = "a function to call is `async fn(I) -> Result<T, E>` or `async fn(Attempt, I) -> Result<T, E>`",
    note = "`I` is the type behind the reference given to `call`; errors become `StepError`"
)]
pub trait CallFn<Shape, I, T>: Send + 'static {
    /// Begins one attempt.
    fn attempt(
        &self,
        attempt: Attempt,
        input: I,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static;
}

impl<F, Fut, T, E> StepFn<((), Fut, E), T> for F
where
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    E: Into<StepError>,
{
    fn attempt(
        &mut self,
        _: Attempt,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static {
        self().map(|outcome| outcome.map_err(Into::into))
    }
}

impl<F, Fut, T, E> StepFn<(Attempt, Fut, E), T> for F
where
    F: FnMut(Attempt) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    E: Into<StepError>,
{
    fn attempt(
        &mut self,
        attempt: Attempt,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static {
        self(attempt).map(|outcome| outcome.map_err(Into::into))
    }
}

impl<F, Fut, I, T, E> CallFn<((), Fut, E), I, T> for F
where
    F: Fn(I) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    E: Into<StepError>,
{
    fn attempt(
        &self,
        _: Attempt,
        input: I,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static {
        self(input).map(|outcome| outcome.map_err(Into::into))
    }
}

impl<F, Fut, I, T, E> CallFn<(Attempt, Fut, E), I, T> for F
where
    F: Fn(Attempt, I) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    E: Into<StepError>,
{
    fn attempt(
        &self,
        attempt: Attempt,
        input: I,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static {
        self(attempt, input).map(|outcome| outcome.map_err(Into::into))
    }
}

impl<F, Fut, S, I, T, E> CallFn<(State<S>, Fut, E), I, T> for F
where
    F: Fn(State<S>, I) -> Fut + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    S: Send + Sync + 'static,
    E: Into<StepError>,
{
    fn attempt(
        &self,
        attempt: Attempt,
        input: I,
    ) -> impl Future<Output = Result<T, StepError>> + Send + 'static {
        let begun = State::of(&attempt).map(|state| self(state, input));
        async move { begun?.await.map_err(Into::into) }
    }
}

/// Erases the types of a step.
pub(super) fn of_step<M, T>(states: &States, mut step: impl StepFn<M, T>) -> StepBody
where
    T: Serialize + 'static,
{
    let states = states.clone();
    Box::new(move |attempt| stored(step.attempt(attempt.with(&states))).boxed())
}

/// Erases the types of a called function; each attempt gets a clone of the input.
pub(super) fn of_call<M, I, T>(
    states: &States,
    function: impl CallFn<M, I, T>,
    input: I,
) -> StepBody
where
    I: Clone + Send + 'static,
    T: Serialize + 'static,
{
    let states = states.clone();
    Box::new(move |attempt| {
        let attempt = attempt.with(&states);
        stored(function.attempt(attempt, input.clone())).boxed()
    })
}

async fn stored<T: Serialize>(
    attempt: impl Future<Output = Result<T, StepError>>,
) -> Result<Json, Failure> {
    let value = attempt.await.map_err(Failure::from)?;
    Json::of(&value).map_err(|e| Failure::new(kind::VALUE, e.to_string()).terminal())
}
