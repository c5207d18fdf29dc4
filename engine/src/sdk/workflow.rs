//! Workflows with their types, and with their types erased.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Context, DeclaredChannel, Failed};
use crate::domain::{Failure, Json, ValueError, kind};
use crate::replay::{Drive, Seed, States};

/// A workflow type: what `#[workflow]` makes of an `async fn`.
pub trait Workflow: 'static {
    /// Its name, by which executions and children are started.
    const NAME: &'static str;
    /// Its version: an execution keeps the one it was started with.
    const VERSION: &'static str;
    /// Its input.
    type Input: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// Its output.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    /// The channels that it receives on, with the types of their messages. Empty if it declares
    /// none: then messages on any channel, of any type, are accepted.
    #[must_use]
    fn channels() -> Vec<DeclaredChannel> {
        Vec::new()
    }

    /// Runs it. Deterministic: effects, time and randomness come through `ctx` only.
    fn run(ctx: Context, input: Self::Input) -> BoxFuture<'static, Result<Self::Output, Failed>>;
}

/// A workflow with its types erased, as an application registers it.
pub trait ErasedWorkflow: fmt::Debug + Send + Sync {
    /// Makes the future of one execution. No code of the workflow runs before its first poll.
    ///
    /// # Errors
    /// A failure of kind `value` when `args` are not its input.
    fn begin(
        &self,
        ctx: Context,
        args: &Json,
    ) -> Result<BoxFuture<'static, Result<Json, Failure>>, Failure>;

    /// Whether `args` are its input.
    ///
    /// # Errors
    /// [`ValueError`] if they are not.
    fn accepts(&self, args: &Json) -> Result<(), ValueError>;

    /// The channels that it declares.
    fn channels(&self) -> &[DeclaredChannel];

    /// The JSON schema of its input.
    fn input_schema(&self) -> serde_json::Value;

    /// The JSON schema of its output.
    fn output_schema(&self) -> serde_json::Value;

    /// The Rust type of its input.
    fn input_type(&self) -> &'static str;

    /// The Rust type of its output.
    fn output_type(&self) -> &'static str;

    /// Whether another program has its code.
    fn is_declared(&self) -> bool {
        false
    }
}

/// Erases a [`Workflow`].
#[must_use]
pub fn erase<W: Workflow>() -> Arc<dyn ErasedWorkflow> {
    Arc::new(Erased {
        function: Arc::new(W::run),
        channels: W::channels(),
        types: PhantomData::<fn(W::Input) -> W::Output>,
    })
}

/// A driver of `workflow` that begins at `seed`.
pub(crate) fn drive(workflow: &dyn ErasedWorkflow, seed: Seed) -> Drive {
    Drive::new(seed, |table, args| {
        workflow.begin(Context::root(table), args)
    })
}

/// Erases a plain `async fn(Context, I) -> Result<O, Failed>`.
///
/// ```
/// use millpond::{Context, Failed};
///
/// async fn double(_ctx: Context, n: u64) -> Result<u64, Failed> {
///     Ok(2 * n)
/// }
///
/// let workflow = millpond::sdk::erase_fn(double);
/// assert_eq!(workflow.input_type(), "u64");
/// assert_eq!(workflow.input_schema()["type"], "integer");
/// ```
#[must_use]
pub fn erase_fn<I, O, F, Fut>(function: F) -> Arc<dyn ErasedWorkflow>
where
    I: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(Context, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failed>> + Send + 'static,
{
    Arc::new(Erased {
        function: Arc::new(function),
        channels: Vec::new(),
        types: PhantomData::<fn(I) -> O>,
    })
}

struct Erased<F, I, O> {
    function: Arc<F>,
    channels: Vec<DeclaredChannel>,
    types: PhantomData<fn(I) -> O>,
}

impl<F, I, O> fmt::Debug for Erased<F, I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedWorkflow")
            .field("function", &std::any::type_name::<F>())
            .finish_non_exhaustive()
    }
}

impl<F, I, O, Fut> ErasedWorkflow for Erased<F, I, O>
where
    I: DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + JsonSchema + Send + 'static,
    F: Fn(Context, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failed>> + Send + 'static,
{
    fn begin(
        &self,
        ctx: Context,
        args: &Json,
    ) -> Result<BoxFuture<'static, Result<Json, Failure>>, Failure> {
        let input: I = args.get().map_err(|e| invalid("input", &e))?;
        let function = Arc::clone(&self.function);
        // Inside the future, so that a function that works before it returns one is polled, too.
        let run = async move {
            let output = function(ctx, input).await.map_err(Failure::from)?;
            Json::of(&output).map_err(|e| invalid("output", &e))
        };
        Ok(run.boxed())
    }

    fn accepts(&self, args: &Json) -> Result<(), ValueError> {
        args.get::<I>().map(drop)
    }

    fn channels(&self) -> &[DeclaredChannel] {
        &self.channels
    }

    fn input_schema(&self) -> serde_json::Value {
        schemars::schema_for!(I).to_value()
    }

    fn output_schema(&self) -> serde_json::Value {
        schemars::schema_for!(O).to_value()
    }

    fn input_type(&self) -> &'static str {
        std::any::type_name::<I>()
    }

    fn output_type(&self) -> &'static str {
        std::any::type_name::<O>()
    }
}

/// A workflow whose steps get the values of an application.
#[derive(Debug)]
struct Stateful {
    workflow: Arc<dyn ErasedWorkflow>,
    states: States,
}

/// The same workflow with the values of an application.
pub(crate) fn with_states(
    workflow: Arc<dyn ErasedWorkflow>,
    states: &States,
) -> Arc<dyn ErasedWorkflow> {
    let states = states.clone();
    Arc::new(Stateful { workflow, states })
}

#[deny(clippy::missing_trait_methods)]
impl ErasedWorkflow for Stateful {
    fn begin(
        &self,
        ctx: Context,
        args: &Json,
    ) -> Result<BoxFuture<'static, Result<Json, Failure>>, Failure> {
        self.workflow.begin(ctx.with(&self.states), args)
    }

    fn accepts(&self, args: &Json) -> Result<(), ValueError> {
        self.workflow.accepts(args)
    }

    fn channels(&self) -> &[DeclaredChannel] {
        self.workflow.channels()
    }

    fn input_schema(&self) -> serde_json::Value {
        self.workflow.input_schema()
    }

    fn output_schema(&self) -> serde_json::Value {
        self.workflow.output_schema()
    }

    fn input_type(&self) -> &'static str {
        self.workflow.input_type()
    }

    fn output_type(&self) -> &'static str {
        self.workflow.output_type()
    }

    fn is_declared(&self) -> bool {
        self.workflow.is_declared()
    }
}

/// A workflow whose code another program has.
#[derive(Debug)]
struct Declared;

/// Any input is accepted, and nothing can run it.
pub(crate) fn declared() -> Arc<dyn ErasedWorkflow> {
    Arc::new(Declared)
}

impl ErasedWorkflow for Declared {
    fn begin(
        &self,
        _: Context,
        _: &Json,
    ) -> Result<BoxFuture<'static, Result<Json, Failure>>, Failure> {
        let what =
            "this program only declares the workflow: run it by the program that has its code";
        Err(Failure::new("declared", what))
    }

    fn accepts(&self, _: &Json) -> Result<(), ValueError> {
        Ok(())
    }

    fn channels(&self) -> &[DeclaredChannel] {
        &[]
    }

    fn input_schema(&self) -> serde_json::Value {
        true.into()
    }

    fn output_schema(&self) -> serde_json::Value {
        true.into()
    }

    fn input_type(&self) -> &'static str {
        "any"
    }

    fn output_type(&self) -> &'static str {
        "any"
    }

    fn is_declared(&self) -> bool {
        true
    }
}

fn invalid(what: &str, error: &ValueError) -> Failure {
    Failure::new(kind::VALUE, format!("{what} of the workflow: {error}")).terminal()
}
