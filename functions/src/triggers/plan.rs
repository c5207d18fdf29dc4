//! The action of a rule for an event.

use millpond::client::{Signal, Start};
use millpond::domain::{Actor, Digest, Json, MAX_TEXT, Text};
use serde_json::Value;

use super::rule::{ActionTemplate, Rule, SignalTemplate, StartTemplate};
use super::split::Line;
use super::template::TemplateError;
use super::trigger::Absent;

/// The action of a rule for an event, or for one line of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The rule.
    pub rule: String,
    /// The key of the execution, or of the signal: nothing is done twice for one key.
    pub key: String,
    /// The action.
    pub action: Action,
}

/// The action of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Starts an execution.
    Start(Starts),
    /// Signals an execution.
    Signal(Signals),
}

/// A signal to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    /// The key of the execution.
    pub to: String,
    /// The channel.
    pub channel: String,
    /// The payload.
    pub payload: Value,
    /// The action if the execution does not exist, or is over.
    pub absent: Absent,
    /// With [`Absent::Start`]: the start in that case, with `to` as its key.
    pub start: Option<Starts>,
}

/// An execution to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct Starts {
    /// The workflow.
    pub workflow: String,
    /// The version; `None`: the last registered one.
    pub version: Option<String>,
    /// The input.
    pub input: Value,
    /// The queue, instead of `default`.
    pub queue: Option<String>,
}

impl Rule {
    /// The plan for a matching event.
    ///
    /// # Errors
    /// [`TemplateError`]: the event has no value for a template.
    pub(crate) fn plan(&self, event: &Value, identity: &str) -> Result<Plan, TemplateError> {
        let key = match &self.key {
            Some(key) => key.render_text(event).map_err(within("key"))?,
            None => default_key(&self.name, identity),
        };
        check(&key).map_err(within("key"))?;
        let action = match &self.action {
            ActionTemplate::Start(start) => Action::Start(start.render(event)?),
            ActionTemplate::Signal(signal) => Action::Signal(signal.render(event)?),
        };
        Ok(Plan {
            rule: self.name.clone(),
            key,
            action,
        })
    }

    /// The key of the execution that a line signals, if the rule signals one.
    pub(crate) fn receiver(&self, event: &Value, line: &Line) -> Option<String> {
        let ActionTemplate::Signal(signal) = &self.action else {
            return None;
        };
        let event = with_line(event, line.value.clone().ok()?, line.number);
        signal.to.render_text(&event).ok()
    }

    /// The plan for one line of an object: its event also has `line` and `line_number`.
    ///
    /// # Errors
    /// [`TemplateError`]: the line is invalid, or has no value for a template.
    pub(crate) fn plan_line(
        &self,
        event: &Value,
        identity: &str,
        line: Line,
    ) -> Result<Plan, TemplateError> {
        let value = line.value.map_err(|why| TemplateError { why })?;
        let event = with_line(event, value, line.number);
        self.plan(&event, &format!("{identity}#{}", line.number))
    }
}

/// The event of an object, extended by one of its lines.
fn with_line(event: &Value, line: Value, number: u64) -> Value {
    let mut event = event.clone();
    event["line"] = line;
    event["line_number"] = number.into();
    event
}

impl StartTemplate {
    fn render(&self, event: &Value) -> Result<Starts, TemplateError> {
        Ok(Starts {
            workflow: self.workflow.to_string(),
            version: self.version.as_ref().map(ToString::to_string),
            input: self.input.render(event).map_err(within("input"))?,
            queue: self.queue.as_ref().map(ToString::to_string),
        })
    }
}

impl SignalTemplate {
    fn render(&self, event: &Value) -> Result<Signals, TemplateError> {
        let start = self.start.as_ref().map(|start| start.render(event));
        let to = self.to.render_text(event).map_err(within("signal.to"))?;
        check(&to).map_err(within("signal.to"))?;
        let payload = self.payload.render(event);
        Ok(Signals {
            to,
            channel: self.channel.to_string(),
            payload: payload.map_err(within("signal.payload"))?,
            absent: self.absent,
            start: start.transpose()?,
        })
    }
}

/// Adds the name of the template to the error.
fn within(field: &str) -> impl Fn(TemplateError) -> TemplateError {
    move |error| TemplateError {
        why: format!("`{field}`: {error}"),
    }
}

/// The rule's name and the event's identity; if that is too long, its digest.
fn default_key(rule: &str, identity: &str) -> String {
    let key = format!("{rule}:{identity}");
    if key.len() <= MAX_TEXT {
        return key;
    }
    format!("{rule}:{}", Digest::of(identity.as_bytes()).as_str())
}

fn check(key: &str) -> Result<(), TemplateError> {
    Text::parse(key).map(drop).map_err(|error| TemplateError {
        why: error.to_string(),
    })
}

impl Plan {
    /// The actor of the start or signal.
    fn actor(&self) -> Actor {
        Actor::system(format!("trigger/{}", self.rule))
    }

    /// The start for the engine.
    ///
    /// # Errors
    /// [`TemplateError`]: the input cannot be stored.
    pub(crate) fn start(&self, starts: &Starts, key: &str) -> Result<Start, TemplateError> {
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

    /// The signal for the engine.
    ///
    /// # Errors
    /// [`TemplateError`]: the payload cannot be stored.
    pub(crate) fn signal(&self, channel: &str, payload: &Value) -> Result<Signal, TemplateError> {
        Ok(Signal::on(channel)
            .json(json("signal.payload", payload)?)
            .key(&self.key)
            .actor(self.actor()))
    }
}

fn json(field: &str, value: &Value) -> Result<Json, TemplateError> {
    Json::of(value).map_err(|error| TemplateError {
        why: format!("`{field}`: {error}"),
    })
}
