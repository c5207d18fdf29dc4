//! The context: everything that a workflow can do.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::child::{Offspring, Spawn};
use super::frame::Frame;
use super::{CallFn, Child, FrameError, Receive, Sleep, Step, StepFn, Workflow, step_body};
use crate::domain::{Channel, ExecutionId, FrameId, FrameName, InvalidName, Json, OnClose};
use crate::replay::frames::{announce, receive, send, sleep, step};
use crate::replay::{Place, States, Table, idempotency_key};

/// The handle through which a workflow acts. Cheap to clone.
///
/// A workflow is replayed: given the same outcomes, it must do the same each time. Effects belong
/// in steps; time, randomness and waiting come from the context.
///
/// ```
/// use millpond::prelude::*;
///
/// async fn quote(item: String) -> Result<u64, StepError> {
///     Ok(item.len() as u64 * 100)
/// }
///
/// async fn order(ctx: Context, item: String) -> Result<String, Failed> {
///     let cents = ctx.call("quote", quote, &item).retry(Retry::exponential(3)).await?;
///     let paid = ctx.receive::<u64>("payment").timeout(Duration::from_secs(3600)).await?;
///     Ok(match paid {
///         Some(sum) if sum >= cents => "paid".to_owned(),
///         Some(_) => "too little".to_owned(),
///         None => "too late".to_owned(),
///     })
/// }
/// # let _ = millpond::sdk::erase_fn(order);
/// ```
#[derive(Clone)]
pub struct Context {
    table: Table,
    scope: FrameId,
    /// The invalid name of a scope: its frames fail with it.
    invalid: Option<InvalidName>,
    shielded: bool,
    /// The values of the application, for steps.
    states: States,
}

impl Context {
    pub(crate) fn root(table: Table) -> Self {
        Self {
            table,
            states: States::default(),
            scope: FrameId::root(),
            invalid: None,
            shielded: false,
        }
    }

    /// The same context with the values of the application.
    pub(crate) fn with(self, states: &States) -> Self {
        Self {
            states: states.clone(),
            ..self
        }
    }

    /// Runs `function` on a clone of `input` as a step: once it has succeeded, its value is
    /// recorded. A replay detects a program that calls with another input.
    pub fn call<I, T, M>(&self, name: &str, function: impl CallFn<M, I, T>, input: &I) -> Step<T>
    where
        I: Serialize + Clone + Send + 'static,
        T: Serialize + DeserializeOwned + 'static,
    {
        let step_body = step_body::of_call(&self.states, function, input.clone());
        let plan = encode(name, input).map(|input| step::Plan {
            step_body,
            options: step::StepOptions::default(),
            input: Some(input),
        });
        Step::new(Frame::new(self, name, plan))
    }

    /// Runs `step_body` as a step. It owns what it captures, because it runs beside the workflow,
    /// and possibly more than once.
    ///
    /// ```
    /// use millpond::prelude::*;
    ///
    /// async fn greet(ctx: Context, name: String) -> Result<String, Failed> {
    ///     let text = ctx.step("greet", move || {
    ///         let name = name.clone(); // for the next attempt
    ///         async move { Ok::<_, StepError>(format!("hello {name}")) }
    ///     });
    ///     let count = ctx.step("count", |attempt: Attempt| async move {
    ///         Ok::<_, StepError>(attempt.number())
    ///     });
    ///     let (text, count) = join!(text, count);
    ///     Ok(format!("{} {}", text?, count?))
    /// }
    /// # let _ = millpond::sdk::erase_fn(greet);
    /// ```
    pub fn step<T, M>(&self, name: &str, step_body: impl StepFn<M, T>) -> Step<T>
    where
        T: Serialize + DeserializeOwned + 'static,
    {
        let plan = step::Plan {
            step_body: step_body::of_step(&self.states, step_body),
            options: step::StepOptions::default(),
            input: None,
        };
        Step::new(Frame::new(self, name, Ok(plan)))
    }

    /// Waits for the next message on `channel`. Each message goes to one receive; one that is
    /// dropped before it yields consumes none.
    pub fn receive<T: DeserializeOwned>(&self, channel: &str) -> Receive<T> {
        let plan = Channel::parse(channel)
            .map(|channel| receive::Plan {
                channel,
                timeout: None,
            })
            .map_err(FrameError::from);
        Receive::new(Frame::new(self, "receive", plan))
    }

    /// Waits for `wait`, counted from the first poll. No process has to run meanwhile.
    pub fn sleep(&self, wait: Duration) -> Sleep {
        Sleep::new(Frame::new(self, "sleep", Ok(sleep::Plan::For(wait))))
    }

    /// Waits until `due`. An instant that has passed is due now.
    pub fn sleep_until(&self, due: Timestamp) -> Sleep {
        Sleep::new(Frame::new(self, "sleep", Ok(sleep::Plan::Until(due))))
    }

    /// Starts a child execution and waits for its result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a child takes its input as a function does"
    )]
    pub fn child<W: Workflow>(&self, input: W::Input) -> Child<W::Output> {
        self.child_named(W::NAME, &input)
    }

    /// The same by name, for a workflow whose type is not available.
    pub fn child_named<T: DeserializeOwned>(
        &self,
        workflow: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Child<T> {
        let offspring = Offspring {
            workflow,
            args: encode(workflow, input),
            waits: true,
            on_close: OnClose::Cancel,
        };
        Child::new(offspring.frame(self))
    }

    /// Starts a child execution without waiting for its result.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a child takes its input as a function does"
    )]
    pub fn spawn<W: Workflow>(&self, input: W::Input) -> Spawn {
        self.spawn_named(W::NAME, &input)
    }

    /// The same by name.
    pub fn spawn_named(&self, workflow: &str, input: &(impl Serialize + ?Sized)) -> Spawn {
        let offspring = Offspring {
            workflow,
            args: encode(workflow, input),
            waits: false,
            on_close: OnClose::Abandon,
        };
        Spawn::new(offspring.frame(self))
    }

    /// Sends a message to another execution, exactly once, when this execution next commits.
    ///
    /// # Errors
    /// [`FrameError`] if the channel name or the value is invalid, and after cancellation.
    pub fn send<T: Serialize + ?Sized>(
        &self,
        to: ExecutionId,
        channel: &str,
        value: &T,
    ) -> Result<(), FrameError> {
        let plan = send::Plan {
            to,
            channel: Channel::parse(channel)?,
            payload: encode("send", value)?,
        };
        Frame::new(self, "send", Ok(plan)).register_now().map(drop)
    }

    /// Publishes an event in the feed when this execution next commits.
    ///
    /// # Errors
    /// [`FrameError`] if the kind (named like a channel) or the value is invalid, and after
    /// cancellation.
    pub fn announce<T: Serialize + ?Sized>(&self, kind: &str, value: &T) -> Result<(), FrameError> {
        let plan = announce::Plan {
            kind: Channel::parse(kind)?,
            value: encode("announce", value)?,
        };
        Frame::new(self, "announce", Ok(plan))
            .register_now()
            .map(drop)
    }

    /// Shows a state: queries return it ([`Engine::query`](crate::client::Engine::query)), and nothing
    /// else. It is no frame and no entry of the journal, and costs no request: a query replays the
    /// execution, which shows its states again. They are numbered from 0.
    ///
    /// ```
    /// use millpond::client::{App, Query, Start};
    /// use millpond::prelude::*;
    /// use millpond_testing::World;
    ///
    /// #[millpond::workflow]
    /// async fn order(ctx: Context) -> Result<(), Failed> {
    ///     ctx.set_state("open")?;
    ///     ctx.receive::<()>("paid").await?;
    ///     ctx.set_state("paid")?;
    ///     Ok(ctx.receive::<()>("sent").await?)
    /// }
    ///
    /// let world = World::new(App::new().register::<order>());
    /// let eid = world.start(Start::of::<order>(&())).eid;
    /// world.run_all();
    /// let shown = world.block(world.engine.query(eid, &Query::newest())).unwrap();
    /// assert_eq!(shown.states[0].value.get::<String>(), Ok("open".to_owned()));
    /// assert_eq!(shown.awaited[0].about.as_deref(), Some("paid"));
    /// ```
    ///
    /// # Errors
    /// [`FrameError`] if the value is not JSON or larger than a value may be, and outside of the
    /// workflow.
    pub fn set_state<T: Serialize + ?Sized>(&self, value: &T) -> Result<(), FrameError> {
        self.table.show(encode("set_state", value)?)
    }

    /// The instant at which the workflow first made this call. Recorded; needs no waiting.
    #[must_use = "reading the time is a recorded frame"]
    pub fn now(&self) -> Timestamp {
        self.recorded("now", |now, _| now)
    }

    /// A random `UUIDv4`. Recorded; needs no waiting.
    #[must_use = "drawing a uuid is a recorded frame"]
    pub fn uuid(&self) -> Uuid {
        self.recorded("uuid", |_, entropy| entropy.uuid4())
    }

    /// A random number in `[0, 1)`. Recorded; needs no waiting.
    #[must_use = "drawing a number is a recorded frame"]
    pub fn random(&self) -> f64 {
        self.recorded("random", |_, entropy| entropy.unit())
    }

    /// The same context, with its frames named under `name`: for parts of a workflow that are
    /// written separately.
    #[must_use]
    pub fn scope(&self, name: &str) -> Self {
        let mut inner = self.clone();
        match FrameName::parse(name) {
            Ok(name) => inner.scope = self.scope.scope(&name),
            Err(invalid) => inner.invalid = self.invalid.clone().or(Some(invalid)),
        }
        inner
    }

    /// The same context, with frames that cancellation does not affect: for cleaning up.
    ///
    /// ```
    /// use millpond::prelude::*;
    ///
    /// async fn rent(ctx: Context, _: ()) -> Result<(), Failed> {
    ///     let rented = ctx.receive::<()>("returned").await;
    ///     if let Err(FrameError::Cancelled { .. }) = &rented {
    ///         ctx.shielded().step("pick_up", || async { Ok::<_, StepError>(()) }).await?;
    ///     }
    ///     Ok(rented?)
    /// }
    /// # let _ = millpond::sdk::erase_fn(rent);
    /// ```
    #[must_use]
    pub fn shielded(&self) -> Self {
        Self {
            shielded: true,
            ..self.clone()
        }
    }

    /// The execution.
    #[must_use]
    pub fn eid(&self) -> ExecutionId {
        self.table.eid()
    }

    /// Whether the execution was asked to stop.
    #[must_use]
    pub fn cancel_requested(&self) -> bool {
        self.table.is_cancelled()
    }

    /// 32 hex digits, the same whenever this generation of the execution runs: for effects that
    /// happen once in it. Steps have one of their own, see [`Attempt`](crate::Attempt).
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        idempotency_key(&self.eid(), self.generation(), &self.scope)
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// The place of a frame of this context.
    pub(super) fn place(
        &self,
        name: FrameName,
        key: Option<FrameName>,
    ) -> Result<Place, InvalidName> {
        match &self.invalid {
            Some(invalid) => Err(invalid.clone()),
            None => Ok(Place {
                parent: self.scope.clone(),
                name,
                key,
                shielded: self.shielded,
            }),
        }
    }

    /// Plain calls cannot fail: under an invalid scope they count in the one above.
    fn recorded<T: Serialize + DeserializeOwned>(
        &self,
        name: &'static str,
        fresh: impl FnOnce(Timestamp, &dyn crate::ports::Entropy) -> T,
    ) -> T {
        let place = Place {
            parent: self.scope.clone(),
            name: FrameName::parse(name).expect("the names of plain calls are valid"),
            key: None,
            shielded: true,
        };
        self.table.recorded(&place, fresh)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("eid", &self.eid())
            .field("scope", &self.scope)
            .field("shielded", &self.shielded)
            .finish_non_exhaustive()
    }
}

pub(super) fn encode<T: Serialize + ?Sized>(frame: &str, value: &T) -> Result<Json, FrameError> {
    Json::of(value).map_err(|source| FrameError::Value {
        frame: frame.to_owned(),
        source,
    })
}
