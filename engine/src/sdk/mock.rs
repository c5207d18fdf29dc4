//! Mocks of steps, for tests.

use std::sync::Arc;

use super::{Attempt, NamedStep, StepError};

type Answer<S> = dyn Fn(&Attempt, <S as NamedStep>::Input) -> Result<<S as NamedStep>::Output, StepError>
    + Send
    + Sync;

/// What answers in place of a step. It is kept among the values of the application, by its type.
pub(crate) struct Mock<S: NamedStep>(Arc<Answer<S>>);

impl<S: NamedStep> Mock<S> {
    pub(crate) fn new(
        answer: impl Fn(&Attempt, S::Input) -> Result<S::Output, StepError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(answer))
    }

    pub(crate) fn answer(
        &self,
        attempt: &Attempt,
        input: S::Input,
    ) -> Result<S::Output, StepError> {
        (self.0)(attempt, input)
    }
}
