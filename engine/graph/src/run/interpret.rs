//! The loop of a run: one event after the other.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use millpond::{Context, Failed, FrameError, Receive, StepError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::end::{Ended, end, failed};
use super::envelope::{Beginning, Envelope, Parent};
use super::gate::GateState;
use super::graphs::{Graph, Graphs};
use super::message::{CONTROL, ControlMessage, Reply, Verb};
use super::snapshot::{REPLY, SNAPSHOT, Snapshot};
use super::timer::{Timer, millis};
use super::work::{Completion, OpenWork};
use crate::Category;
use crate::machine::{
    Admission, Command, Control, Event, Evidence, Handled, Machine, Open, Rejection, Resolution,
    Start,
};
use crate::pins::Pins;
use crate::program::Program;

/// A run under way.
pub(super) struct Run {
    pub(super) graphs: Arc<Graphs>,
    pub(super) graph: Arc<Graph>,
    pub(super) machine: Machine<Arc<Program>>,
    pub(super) pins: Pins,
    pub(super) parent: Option<Parent>,
    /// Everything but the control receive: the engine's cancel does not affect it.
    pub(super) shield: Context,
    pub(super) works: OpenWork,
    control: Receive<Value>,
    /// The context of the control receive: under a shield once the engine has cancelled the run.
    controlled: Context,
    timer: Timer,
    shown: Snapshot,
}

/// What woke a run.
enum Wake {
    Control(Result<Value, FrameError>),
    Work(Completion),
    Time,
}

/// Runs a graph to its end.
pub(super) async fn run(
    ctx: Context,
    graphs: Arc<Graphs>,
    graph: Arc<Graph>,
    envelope: Envelope,
) -> Ended {
    let mut run = Run::admit(ctx, graphs, graph, envelope)?;
    let mut now = run.now();
    loop {
        run.advance(now)?;
        // What is recorded for people is recorded before the run ends.
        if !run.works.is_recording()
            && let Some(ended) = end(run.machine.checkpoint())
        {
            return ended;
        }
        run.set_timer();
        let woken = run.woken().await;
        now = run.now();
        run.on(woken, now)?;
    }
}

impl Run {
    fn admit(
        ctx: Context,
        graphs: Arc<Graphs>,
        graph: Arc<Graph>,
        envelope: Envelope,
    ) -> Result<Self, Failed> {
        let program = &graph.program;
        let state = match &envelope.begin {
            Beginning::Input(input) => program.shape().start(input),
            Beginning::State(state) => program.shape().whole(state),
        };
        let state = state.map_err(|error| match error.category() {
            Category::Limit => failed(Category::Limit, error),
            _ => failed(Category::Evaluation, error),
        })?;
        let start = Start {
            prepared: envelope.prepared,
            bound: envelope.bound,
            ..Start::new(state)
        };
        let (definition, rules) = (Arc::clone(program.definition()), Arc::clone(program));
        let machine = Machine::start(definition, rules, graphs.limits, start)
            .map_err(|error| failed(Category::Execution, error))?;
        Ok(Self {
            machine,
            pins: envelope.pins,
            parent: envelope.parent,
            shield: ctx.shielded(),
            works: OpenWork::default(),
            control: ctx.receive(CONTROL),
            controlled: ctx,
            timer: Timer::default(),
            shown: Snapshot::begun(),
            graphs,
            graph,
        })
    }

    /// The time of an event, in milliseconds.
    fn now(&self) -> u64 {
        millis(self.shield.now())
    }

    /// Makes every transition that follows at `now`.
    fn advance(&mut self, now: u64) -> Result<(), Failed> {
        loop {
            let step = self.machine.advance(now);
            let step = step.map_err(|error| failed(Category::Execution, error))?;
            match step {
                Some(step) => self.perform(step, now)?,
                None => break,
            }
        }
        // A pause keeps children from beginning that have not begun.
        let checkpoint = self.machine.checkpoint();
        self.works.admit_children(match checkpoint.admission {
            Admission::Background => GateState::Open,
            Admission::Prepared | Admission::Halted { .. } => GateState::Paused,
        });
        self.show();
        Ok(())
    }

    /// Records what people see, if it has changed.
    fn show(&mut self) {
        let checkpoint = self.machine.checkpoint();
        if checkpoint.phase.is_terminal() {
            return; // the execution shows its end
        }
        let snapshot = Snapshot::of(checkpoint, self.graph.program.definition());
        if snapshot.shows(&self.shown) {
            return;
        }
        self.record(SNAPSHOT, &snapshot.sequence.to_string(), snapshot.clone());
        self.shown = snapshot;
    }

    /// Records a value in the journal, without a request of its own.
    fn record<T>(&mut self, name: &str, key: &str, value: T)
    where
        T: Serialize + Clone + Send + 'static,
    {
        let step = self.shield.step(name, move || {
            let value = serde_json::to_value(value.clone());
            async move { Ok::<_, StepError>(value?) }
        });
        let step = step.key(key).pure();
        self.works.record(Box::pin(async move {
            // An id that was used before, or that is no key, has no record of its own.
            let _: Result<Value, FrameError> = step.await;
            Completion::Recorded
        }));
    }

    fn set_timer(&mut self) {
        let works = |control: &Control| match &control.open {
            Open::Attempt(attempt) => matches!(attempt.evidence, Evidence::Intent),
            Open::Input | Open::Inputs(_) | Open::Sleep | Open::Children => false,
        };
        let works = self.machine.checkpoint().controls.values().any(works);
        let next = self.machine.next_timer();
        self.timer.set(&self.shield, next, works);
    }

    /// Waits for the next event: a control message first, then what is under way, then the time.
    async fn woken(&mut self) -> Wake {
        let Self {
            control,
            works,
            timer,
            ..
        } = self;
        poll_fn(|cx| {
            if let Poll::Ready(message) = Pin::new(&mut *control).poll(cx) {
                return Poll::Ready(Wake::Control(message));
            }
            if let Poll::Ready(completion) = works.poll_next(cx) {
                return Poll::Ready(Wake::Work(completion));
            }
            match timer.sleep().map(|sleep| Pin::new(sleep).poll(cx)) {
                Some(Poll::Ready(_)) => Poll::Ready(Wake::Time),
                Some(Poll::Pending) | None => Poll::Pending,
            }
        })
        .await
    }

    fn on(&mut self, woken: Wake, now: u64) -> Result<(), Failed> {
        match woken {
            Wake::Control(Err(FrameError::Cancelled { .. })) => {
                self.controlled = self.shield.clone();
                self.control = self.controlled.receive(CONTROL);
                self.handle(Event::Cancel(None), now)?;
            }
            Wake::Control(message) => {
                self.control = self.controlled.receive(CONTROL);
                self.controlled_by(message, now)?;
            }
            Wake::Work(Completion::Ended(control, ending)) => {
                self.must(Event::Ended { control, ending }, now)?;
            }
            Wake::Work(Completion::Stopped(control)) => {
                self.must(Event::Stopped { control }, now)?;
            }
            Wake::Work(Completion::Lost(control)) => self.must(Event::Lost { control }, now)?,
            Wake::Work(Completion::Decision(control, generation, message)) => {
                self.decided(control, generation, message, now)?;
            }
            Wake::Work(Completion::Recorded) => {}
            Wake::Time => self.timer.clear(),
        }
        Ok(())
    }

    /// Takes a message of the control channel, and records the reply.
    fn controlled_by(
        &mut self,
        message: Result<Value, FrameError>,
        now: u64,
    ) -> Result<(), Failed> {
        let ControlMessage { id, verb } = match read(message) {
            Ok(message) => message,
            Err(error) => {
                let sequence = self.machine.checkpoint().sequence;
                let reply = Reply::invalid("invalid_input", error);
                self.record(REPLY, &format!("unreadable-{sequence}"), reply);
                return Ok(());
            }
        };
        let event = match verb {
            Verb::Pause => Event::Pause,
            Verb::Resume { bound } => Event::Resume(bound),
            Verb::Cancel { fence } => Event::Cancel(fence),
        };
        let reply = self.handle(event, now)?;
        self.record(REPLY, &id, reply);
        Ok(())
    }

    /// Takes a decision, and records the reply if it is refused. What cannot be used is asked for
    /// again: its channel delivers no other message.
    fn decided(
        &mut self,
        control: u64,
        generation: u64,
        message: Result<Value, FrameError>,
        now: u64,
    ) -> Result<(), Failed> {
        let refused = match read(message) {
            Ok(decision) => {
                let resolution = Resolution {
                    sequence: control,
                    generation,
                    decision,
                };
                self.resolve(resolution, now)?
            }
            Err(error) => {
                self.must(Event::Unusable { control }, now)?;
                Some(Reply::invalid("invalid_input", error))
            }
        };
        if let Some(reply) = refused {
            self.record(REPLY, &format!("{control}-{generation}"), reply);
        }
        Ok(())
    }

    /// Gives a decision to the machine. Returns the reply if it is refused.
    fn resolve(&mut self, resolution: Resolution, now: u64) -> Result<Option<Reply>, Failed> {
        let control = resolution.sequence;
        match self.machine.handle(Event::Resolve(resolution), now) {
            Ok(Handled::Moved(step)) => {
                let reason = step.commands.iter().find_map(refusal);
                self.perform(step, now)?;
                Ok(reason.map(|why| Reply::invalid("invalid_input", why)))
            }
            Ok(_) => Ok(None),
            Err(Rejection::Disallowed(bug)) => Err(failed(Category::Execution, bug)),
            Err(rejection) => {
                self.must(Event::Unusable { control }, now)?;
                Ok(Some(Reply::refused(&rejection)))
            }
        }
    }

    /// Takes an event of a person. A rejection is an answer.
    fn handle(&mut self, event: Event, now: u64) -> Result<Reply, Failed> {
        let sequence = match self.machine.handle(event, now) {
            Ok(Handled::Moved(step)) => {
                let sequence = step.sequence;
                self.perform(step, now)?;
                sequence
            }
            Ok(Handled::Already { sequence }) => sequence,
            Ok(Handled::Intended | Handled::Held | Handled::Late) => {
                self.machine.checkpoint().sequence
            }
            Err(rejection) => return Ok(Reply::refused(&rejection)),
        };
        Ok(Reply::Accepted { sequence })
    }

    /// Takes an event that the machine must permit.
    fn must(&mut self, event: Event, now: u64) -> Result<(), Failed> {
        match self.machine.handle(event, now) {
            Ok(Handled::Moved(step)) => self.perform(step, now),
            Ok(_) => Ok(()),
            Err(bug) => Err(failed(Category::Execution, bug)),
        }
    }
}

/// Reads a message; the error is text for the reply.
fn read<T: DeserializeOwned>(message: Result<Value, FrameError>) -> Result<T, String> {
    let value = message.map_err(|error| error.to_string())?;
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn refusal(command: &Command) -> Option<String> {
    match command {
        Command::Refuse { reason } => Some(reason.clone()),
        _ => None,
    }
}
