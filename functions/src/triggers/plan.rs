//! What follows from an event by a rule.

use millpond::client::{Signal, Start};
use millpond::domain::{Actor, Digest, ExecutionId, Json, MAX_TEXT, Text};
use serde_json::Value;

use super::rule::{Begin, Rule, Told};
use super::split::Line;
use super::template::Unfit;
use super::trigger::Absent;

/// What follows from an event, or from one line of an object, by a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The rule.
    pub rule: String,
    /// What keeps it from following twice: the key of the execution, or of the signal.
    pub key: String,
    /// What is done.
    pub deed: Deed,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// It starts an execution.
    Start(Starts),
    /// It signals one.
    Signal {
        /// The key of the execution.
        to: String,
        /// The channel.
        channel: String,
        /// The value.
        payload: Value,
        /// What follows where there is none.
        absent: Absent,
        /// What is started then, with `to` as its key.
        start: Option<Starts>,
    },
}

/// An execution to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Starts {
    /// The workflow.
    pub workflow: String,
    /// The version, instead of the one registered last.
    pub version: Option<String>,
    /// The input.
    pub input: Value,
    /// The queue, instead of `default`.
    pub queue: Option<String>,
}

impl Rule {
    /// What follows from an event that fits.
    ///
    /// # Errors
    /// [`Unfit`]: the event has not what a template asks for.
    pub(crate) fn plan(&self, event: &Value, identity: &str) -> Result<Plan, Unfit> {
        let named = |field: &str| {
            let field = field.to_owned();
            move |unfit: Unfit| Unfit {
                why: format!("`{field}`: {unfit}"),
            }
        };
        let starts = |begin: &Begin| {
            Ok::<_, Unfit>(Starts {
                workflow: begin.workflow.clone(),
                version: begin.version.clone(),
                input: begin.input.render(event).map_err(named("input"))?,
                queue: begin.queue.clone(),
            })
        };
        let key = match &self.key {
            Some(key) => key.render_text(event).map_err(named("key"))?,
            None => default_key(&self.name, identity),
        };
        fits(&key).map_err(named("key"))?;
        let start = self.begin.as_ref().map(starts).transpose()?;
        let deed = match (&self.tell, start) {
            (Some(told), start) => told.deed(event, start)?,
            (None, Some(start)) => Deed::Start(start),
            (None, None) => {
                let why = "the rule says neither whom to start nor whom to signal".to_owned();
                return Err(Unfit { why });
            }
        };
        Ok(Plan {
            rule: self.name.clone(),
            key,
            deed,
        })
    }

    /// What follows from one line of an object: its event with `line` and `line_number`.
    ///
    /// # Errors
    /// [`Unfit`]: the line is no good, or has not what a template asks for.
    pub(crate) fn plan_line(
        &self,
        event: &Value,
        identity: &str,
        line: Line,
    ) -> Result<Plan, Unfit> {
        let value = line.value.map_err(|why| Unfit { why })?;
        let mut event = event.clone();
        event["line"] = value;
        event["line_number"] = line.number.into();
        self.plan(&event, &format!("{identity}#{}", line.number))
    }
}

impl Told {
    fn deed(&self, event: &Value, start: Option<Starts>) -> Result<Deed, Unfit> {
        let named = |field: &str, unfit: &Unfit| Unfit {
            why: format!("`{field}`: {unfit}"),
        };
        let to = self.to.render_text(event);
        let to = to.map_err(|unfit| named("signal.to", &unfit))?;
        fits(&to).map_err(|unfit| named("signal.to", &unfit))?;
        let payload = self.payload.render(event);
        Ok(Deed::Signal {
            to,
            channel: self.channel.clone(),
            payload: payload.map_err(|unfit| named("signal.payload", &unfit))?,
            absent: self.absent,
            start,
        })
    }
}

/// The rule's name and the event's identity; a long one by its digest.
fn default_key(rule: &str, identity: &str) -> String {
    let key = format!("{rule}:{identity}");
    if key.len() <= MAX_TEXT {
        return key;
    }
    format!("{rule}:{}", Digest::of(identity.as_bytes()).as_str())
}

fn fits(key: &str) -> Result<(), Unfit> {
    Text::parse(key).map(drop).map_err(|error| Unfit {
        why: error.to_string(),
    })
}

impl Plan {
    /// Who starts or signals.
    fn actor(&self) -> Actor {
        Actor::system(format!("trigger/{}", self.rule))
    }

    /// The execution with this key.
    ///
    /// # Errors
    /// [`Unfit`]: it is no key.
    pub(crate) fn eid(key: &str) -> Result<ExecutionId, Unfit> {
        let key = Text::parse(key).map_err(|error| Unfit {
            why: error.to_string(),
        })?;
        Ok(ExecutionId::keyed(&key))
    }

    /// The start to give the engine.
    ///
    /// # Errors
    /// [`Unfit`]: the input is no value that can be stored.
    pub(crate) fn start(&self, starts: &Starts, key: &str) -> Result<Start, Unfit> {
        let mut start = Start::new(&starts.workflow)
            .json(json("input", &starts.input)?)
            .key(key)
            .actor(self.actor());
        if let Some(version) = &starts.version {
            start = start.version(version);
        }
        if let Some(queue) = &starts.queue {
            start = start.queue(queue);
        }
        Ok(start)
    }

    /// The signal to give the engine.
    ///
    /// # Errors
    /// [`Unfit`]: the payload is no value that can be stored.
    pub(crate) fn signal(&self, channel: &str, payload: &Value) -> Result<Signal, Unfit> {
        Ok(Signal::on(channel)
            .json(json("signal.payload", payload)?)
            .key(&self.key)
            .actor(self.actor()))
    }
}

fn json(field: &str, value: &Value) -> Result<Json, Unfit> {
    Json::of(value).map_err(|error| Unfit {
        why: format!("`{field}`: {error}"),
    })
}
