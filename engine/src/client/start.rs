//! Starts executions.

use jiff::Timestamp;
use serde::Serialize;

use super::{Engine, EngineError};
use crate::domain::{
    Actor, ExecutionId, Json, Payload, Queue, Record, Text, ValueError, Workflow as Name,
};
use crate::journal::Journal;
use crate::mailbox::Sent;
use crate::outbox;
use crate::ports::Created;
use crate::sdk::Workflow;
use crate::stored;

/// An execution to start. [`Engine::start`] validates it.
///
/// ```
/// use millpond::client::Start;
///
/// let order = Start::new("order").input(&42_u64).key("order 42 / web");
/// # let _ = order;
/// ```
#[derive(Debug, Clone)]
#[must_use = "give it to `Engine::start`"]
pub struct Start {
    workflow: String,
    version: Option<String>,
    input: Result<Json, ValueError>,
    key: Option<String>,
    queue: Option<String>,
    at: Option<Timestamp>,
    actor: Actor,
}

/// The result of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The execution.
    pub eid: ExecutionId,
    /// Whether this call started it; `false` if its key was started before.
    pub fresh: bool,
    /// Whether the existing execution has another workflow or input than this call gave.
    pub differs: bool,
}

impl Start {
    /// Creates a start of the workflow named `workflow`, without input (`null`).
    pub fn new(workflow: impl Into<String>) -> Self {
        Self {
            workflow: workflow.into(),
            version: None,
            input: Ok(Json::null()),
            key: None,
            queue: None,
            at: None,
            actor: Actor::system("engine"),
        }
    }

    /// Creates a start of a workflow type, with its own input type.
    pub fn of<W: Workflow>(input: &W::Input) -> Self {
        Self::new(W::NAME).version(W::VERSION).input(input)
    }

    /// Sets its input.
    pub fn input<T: Serialize + ?Sized>(mut self, input: &T) -> Self {
        self.input = Json::of(input);
        self
    }

    /// Sets its input, as JSON.
    pub fn json(mut self, input: Json) -> Self {
        self.input = Ok(input);
        self
    }

    /// Sets a key: any text of 1 byte to 1 KiB. One key starts one execution.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the version, instead of the one registered last.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the queue, instead of `default`.
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = Some(queue.into());
        self
    }

    /// Sets the earliest instant at which it runs.
    pub fn at(mut self, at: Timestamp) -> Self {
        self.at = Some(at);
        self
    }

    /// Sets the actor that starts it.
    pub fn actor(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }
}

impl Engine {
    /// Starts an execution; returns when it is durable. If its key was started before, that
    /// execution is returned instead.
    ///
    /// (1) With a key, read the head: if it exists, done. (2) Create the `start` mail. (3) Create
    /// the head. Each crash converges; if either create is refused, the head decides.
    ///
    /// Price: 2 P, + 1 G with a key, + 1 P for an input over 16 KiB.
    ///
    /// # Errors
    /// [`EngineError`]: a name, a key, or an input that does not match the workflow's input type
    /// is rejected before anything is written; the workflow is unknown; the store failed (start
    /// again with the same key).
    pub async fn start(&self, start: Start) -> Result<Started, EngineError> {
        let ports = &self.core.ports;
        let key = start.key.as_deref().map(Text::parse).transpose()?;
        let (mut record, input) = self.record(start, key.as_ref())?;
        let eid = record.eid;
        if key.is_some()
            && let Some(found) = Journal::load(ports, &eid).await?
        {
            let differs = is_other(&found.head.record, &record);
            return Ok(Started {
                eid,
                fresh: false,
                differs,
            });
        }
        record.args = Payload::Inline(input);
        stored::offload(
            ports,
            &eid,
            &mut record.args,
            self.core.settings.inline_args,
        )
        .await?;
        let mine = record.clone();
        let (sent, begun) = outbox::begin(&self.core, record).await?;
        let fresh = sent == Sent::New;
        let differs = match (fresh, begun) {
            (true, Created::New(_)) => false,
            // Another starter, or the first run, was faster: the head decides.
            _ => Journal::load(ports, &eid)
                .await?
                .is_some_and(|found| is_other(&found.head.record, &mine)),
        };
        Ok(Started {
            eid,
            fresh,
            differs,
        })
    }

    /// Returns the queue of a start, if the settings permit it.
    fn served_queue(&self, name: Option<&str>) -> Result<Queue, EngineError> {
        let queue = name.map_or_else(|| Ok(Queue::default()), Queue::parse)?;
        let served = &self.core.settings.queues;
        if served.is_empty() || served.contains(&queue) {
            return Ok(queue);
        }
        let served: Vec<_> = served.iter().map(Queue::as_str).collect();
        let served = served.join(", ");
        Err(EngineError::UnknownQueue { queue, served })
    }

    fn record(&self, start: Start, key: Option<&Text>) -> Result<(Record, Json), EngineError> {
        let ports = &self.core.ports;
        start.actor.check()?;
        let input = start.input?;
        let (bytes, most) = (input.as_str().len(), self.core.settings.max_value);
        if bytes > most {
            return Err(EngineError::PayloadTooLarge { bytes, most });
        }
        let queue = self.served_queue(start.queue.as_deref())?;
        let name = Name::parse(&start.workflow)?;
        let app = &self.core.app;
        let known = match &start.version {
            Some(version) => app.find(&name, version),
            None => app.newest(&name),
        };
        let Some(known) = known else {
            let known: Vec<String> = app
                .all()
                .map(|k| format!("{}@{}", k.name, k.version))
                .collect();
            return Err(EngineError::UnknownWorkflow {
                workflow: start.workflow,
                version: start.version,
                known: known.join(", "),
            });
        };
        if let Err(source) = known.workflow.accepts(&input) {
            return Err(EngineError::Input {
                workflow: name,
                takes: known.workflow.input_type(),
                source,
            });
        }
        let now = ports.clock.now();
        let eid = key.map_or_else(
            || ExecutionId::new(ports.entropy.uuid7(now)),
            |key| ExecutionId::keyed(key, 0),
        );
        let record = Record {
            eid,
            workflow: name,
            version: known.version.clone(),
            args: Payload::Inline(Json::null()),
            args_digest: input.digest(),
            queue,
            parent: None,
            dispatch_key: key.map(ToString::to_string),
            created_by: start.actor.into(),
            created_at: now,
            start_at: start.at,
        };
        Ok((record, input))
    }
}

/// Returns whether the existing execution differs from the requested one.
fn is_other(there: &Record, here: &Record) -> bool {
    there.args_digest != here.args_digest || there.workflow != here.workflow
}
