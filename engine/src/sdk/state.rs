//! The error of a step whose value the application lacks.

use std::any::type_name;

use super::{Attempt, State, StepError};

impl<T: Send + Sync + 'static> State<T> {
    /// The value of this type for an attempt, as `#[step]` takes it for its parameters.
    ///
    /// # Errors
    /// A terminal error of kind `state`: the application has no value of this type.
    pub fn of(attempt: &Attempt) -> Result<Self, StepError> {
        attempt.state().ok_or_else(|| {
            let name = type_name::<T>();
            let what =
                format!("the application has no state of this type: call App::state: type={name}");
            StepError::new("state", what).terminal()
        })
    }
}
