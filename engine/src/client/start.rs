//! Starts executions.

use jiff::Timestamp;
use serde::Serialize;

use super::place::Place;
use super::{Engine, EngineError};
use crate::domain::{
    Actor, Depth, ExecutionId, Json, Payload, Queue, Record, Text, ValueError, Workflow as Name,
};
use crate::journal::{Head, Journal};
use crate::keys;
use crate::outbox;
use crate::ports::Created;
use crate::process::Registered;
use crate::sdk::Workflow;
use crate::stored::{self, LoadError};

/// How often a start of a free key is repeated because another starter was faster.
const ROUNDS: u32 = 16;

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
    budget: Option<u64>,
    actor: Actor,
}

/// The result of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The execution.
    pub eid: ExecutionId,
    /// Whether this call started it; `false` if another call with its key did.
    pub fresh: bool,
    /// Whether the existing execution has another workflow or input than this call gave.
    pub differs: bool,
}

impl Started {
    /// The answer to the call whose record counts.
    fn by(record: &Record) -> Self {
        Self {
            eid: record.eid,
            fresh: true,
            differs: false,
        }
    }
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
            budget: None,
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

    /// Sets a key: any text of 1 byte to 1 KiB. One key starts one execution, and another one only
    /// after retention has freed the key.
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

    /// Sets the number of requests that it, and each of its children, may make in a day, instead of
    /// that of the settings.
    pub fn budget(mut self, requests: u64) -> Self {
        self.budget = Some(requests);
        self
    }

    /// Sets the actor that starts it.
    pub fn actor(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }
}

impl Engine {
    /// Starts an execution; returns when it is durable. If its key has an execution that is not
    /// free, that execution is returned instead.
    ///
    /// Without a key, and for a key that was never used: create the `start` mail, then the head. A
    /// key that was used before:
    ///
    /// (1) Read the head of (key, 0). (2) If it is a tombstone with `next`, read the head of
    /// (key, next) instead. If the head is absent, begin that execution. (3) Otherwise that head
    /// is the answer, unless it is a tombstone whose key is free. (4) Write the next number into
    /// the tombstone of (key, 0); if refused, return to (1). (5) Begin (key, next).
    ///
    /// - **Fresh** is the call whose nonce the record holds. If a create is refused, or its reply
    ///   was lost, the head is read. **\[R\]** A tombstone with the call's own nonce is the answer
    ///   even if its key is free; otherwise one call could begin two executions.
    /// - **Crash** after the mail: a run creates the head. After (4): the next start of the key
    ///   finds `next` and no head, and begins that execution.
    ///
    /// Price: 2 P, + 1 G with a key (+ 2 G if it was used before, and + 1 P for the first start of
    /// a free key), + 1 P for an input over 16 KiB.
    ///
    /// # Errors
    /// [`EngineError`]: a name, a key, or an input that does not match the workflow's input type
    /// is rejected before anything is written; the workflow is unknown; the store failed (start
    /// again with the same key).
    pub async fn start(&self, start: Start) -> Result<Started, EngineError> {
        let ports = &self.core.ports;
        let key = start.key.as_deref().map(Text::parse).transpose()?;
        let (mut record, input) = self.record(start, key.as_ref())?;
        let Some(key) = key else {
            let begun = self.begin(&record, &input).await?;
            // No other call has this id, and its key never becomes free.
            return Ok(begun.unwrap_or_else(|| Started::by(&record)));
        };
        for _ in 0..ROUNDS {
            let place = Place::of(ports, &key).await?;
            record.n = place.n;
            if let Some(found) = &place.found {
                if let Some(answer) = self.answer(&found.head, &record) {
                    return Ok(answer);
                }
                let Some(next) = place.advance(ports, self.core.settings.ttl).await? else {
                    continue;
                };
                record.n = next;
            }
            record.eid = ExecutionId::keyed(&key, record.n);
            if let Some(answer) = self.begin(&record, &input).await? {
                return Ok(answer);
            }
        }
        Err(EngineError::Contended { key })
    }

    /// Begins the execution of `record`. Returns `None` if another call began it, and its key is
    /// free again.
    async fn begin(&self, record: &Record, input: &Json) -> Result<Option<Started>, EngineError> {
        let (ports, inline) = (&self.core.ports, self.core.settings.inline_args);
        let (eid, mut own) = (record.eid, record.clone());
        own.args = Payload::Inline(input.clone());
        stored::offload(ports, &eid, &mut own.args, inline).await?;
        if let Created::New(_) = outbox::begin(&self.core, own).await? {
            return Ok(Some(Started::by(record)));
        }
        // Another starter, or a run, created the head: it decides.
        match Journal::load(ports, &eid).await? {
            Some(found) => Ok(self.answer(&found.head, record)),
            None => Err(LoadError::Missing {
                key: keys::head(&eid),
            }
            .into()),
        }
    }

    /// Step 3: the answer that a head gives to the call of `record`; `None` if its key is free.
    fn answer(&self, head: &Head, record: &Record) -> Option<Started> {
        let there = &head.record;
        if there.nonce == record.nonce {
            return Some(Started::by(there));
        }
        let free = head.is_free(self.core.ports.clock.now());
        (!free).then(|| Started {
            eid: there.eid,
            fresh: false,
            differs: is_other(there, record),
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
            return Err(EngineError::UnknownWorkflow {
                workflow: start.workflow,
                version: start.version,
                known: names(app.all()),
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
        let nonce = Some(ports.entropy.nonce());
        let record = Record {
            eid,
            workflow: name,
            version: known.version.clone(),
            args: Payload::Inline(Json::null()),
            args_digest: input.digest(),
            queue,
            parent: None,
            depth: Depth::root(self.core.settings.max_depth),
            budget: start.budget,
            dispatch_key: key.map(ToString::to_string),
            n: 0,
            nonce,
            created_by: start.actor.into(),
            created_at: now,
            start_at: start.at,
        };
        Ok((record, input))
    }
}

/// Names workflows with their versions, for an error.
pub(super) fn names<'a>(known: impl Iterator<Item = &'a Registered>) -> String {
    let names: Vec<String> = known.map(|k| format!("{}@{}", k.name, k.version)).collect();
    names.join(", ")
}

/// Returns whether the existing execution differs from the requested one.
fn is_other(there: &Record, here: &Record) -> bool {
    there.args_digest != here.args_digest || there.workflow != here.workflow
}
