//! Steps that are types, with a name of their own.

use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Attempt, Context, Step, StepError};

/// A step type: what `#[step]` makes of an `async fn`.
///
/// A name that is written at each call can be misspelt at one of them, and is then another step.
/// A step type has one name. By hand:
///
/// ```
/// use futures::future::BoxFuture;
/// use millpond::{Attempt, Context, Failed, NamedStep, StepError};
///
/// struct Fetch;
///
/// impl NamedStep for Fetch {
///     const NAME: &'static str = "fetch";
///     type Input = String;
///     type Output = usize;
///
///     fn run(_: Attempt, id: String) -> BoxFuture<'static, Result<usize, StepError>> {
///         Box::pin(async move { Ok(id.len()) })
///     }
/// }
///
/// async fn look(ctx: Context, id: String) -> Result<usize, Failed> {
///     Ok(ctx.run::<Fetch>(&id).await?)
/// }
/// # let _ = millpond::sdk::erase_fn(look);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step with a name of its own",
    note = "mark its function with `#[millpond::step]`, or call it by a name: `ctx.call(\"name\", function, &input)`"
)]
pub trait NamedStep: 'static {
    /// The name of its frames.
    const NAME: &'static str;
    /// Its input.
    type Input: Serialize + Clone + Send + 'static;
    /// Its output.
    type Output: Serialize + DeserializeOwned + 'static;

    /// Runs one attempt.
    fn run(
        attempt: Attempt,
        input: Self::Input,
    ) -> BoxFuture<'static, Result<Self::Output, StepError>>;
}

impl Context {
    /// Runs a step by its type: [`Context::call`] with the name of the step.
    ///
    /// ```
    /// use millpond::{Context, Failed, StepError};
    ///
    /// #[millpond::step]
    /// async fn charge(account: String, cents: u64) -> Result<bool, StepError> {
    ///     Ok(!account.is_empty() && cents > 0)
    /// }
    ///
    /// #[millpond::workflow]
    /// async fn order(ctx: Context, account: String) -> Result<bool, Failed> {
    ///     let input = ChargeInput { account, cents: 500 };
    ///     Ok(ctx.run::<charge>(&input).await?)
    /// }
    /// # let _ = millpond::sdk::erase::<order>();
    /// ```
    pub fn run<S: NamedStep>(&self, input: &S::Input) -> Step<S::Output> {
        self.call(S::NAME, attempt::<S>, input)
    }
}

/// Runs one attempt, or its mock in a test that has one.
fn attempt<S: NamedStep>(
    attempt: Attempt,
    input: S::Input,
) -> BoxFuture<'static, Result<S::Output, StepError>> {
    #[cfg(any(test, feature = "testing"))]
    if let Some(mock) = attempt.state::<super::Mock<S>>() {
        return Box::pin(async move { mock.answer(&attempt, input) });
    }
    S::run(attempt, input)
}
