//! A checked rule.

use millpond::domain::{Channel, Queue, Text, Workflow};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, Value};
use strum::IntoEnumIterator as _;

use super::error::{Fault, Faults, Positions};
use super::event::TriggerEvent;
use super::fields::{given, lenient, suggested};
use super::pattern::Pattern;
use super::source::{Source, SourceKind};
use super::split::Split;
use super::template::Template;
use super::trigger::Absent;
use super::webhook::Verifier;

/// A checked rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) origin: Source,
    /// An event must match all.
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) key: Option<Template>,
    pub(crate) action: ActionTemplate,
    pub(super) positions: Positions,
}

/// The action of a rule, as templates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ActionTemplate {
    Start(StartTemplate),
    Signal(SignalTemplate),
}

/// The start of a rule, as templates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StartTemplate {
    pub(crate) workflow: Workflow,
    pub(crate) version: Option<Text>,
    pub(crate) input: Template,
    pub(crate) queue: Option<Queue>,
}

/// The signal of a rule, as templates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignalTemplate {
    pub(crate) channel: Channel,
    pub(crate) to: Template,
    pub(crate) payload: Template,
    pub(crate) absent: Absent,
    /// With [`Absent::Start`]: the start in that case.
    pub(crate) start: Option<StartTemplate>,
}

/// The fields common to rules of every source.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Fields {
    name: String,
    pattern: Option<Pattern>,
    workflow: Option<Workflow>,
    version: Option<Text>,
    #[serde(deserialize_with = "given")]
    input: Option<Template>,
    #[serde(deserialize_with = "text")]
    key: Option<Template>,
    queue: Option<Queue>,
    signal: Option<SignalFields>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SignalFields {
    channel: Option<Channel>,
    #[serde(deserialize_with = "text")]
    to: Option<Template>,
    #[serde(deserialize_with = "given")]
    payload: Option<Template>,
    absent: Absent,
}

/// A template of a text.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Template>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Err(D::Error::custom("it is empty"));
    }
    let template = Template::try_from(Value::String(text));
    template.map(Some).map_err(D::Error::custom)
}

impl Rule {
    /// The rule's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its event source.
    #[must_use]
    pub fn source(&self) -> SourceKind {
        self.origin.kind()
    }

    /// The name of the secret with which its requests are signed.
    #[must_use]
    pub fn secret(&self) -> Option<&str> {
        self.verifier().map(|verifier| verifier.secret.as_str())
    }

    /// How its requests are authenticated, if they are.
    pub(crate) fn verifier(&self) -> Option<&Verifier> {
        match &self.origin {
            Source::Webhook { verifier, .. } => verifier.as_ref(),
            _ => None,
        }
    }

    /// How its objects are split into lines, if they are.
    pub(crate) fn split(&self) -> Option<&Split> {
        match &self.origin {
            Source::S3 { split, .. } => split.as_ref(),
            _ => None,
        }
    }

    /// What it may start.
    pub(crate) fn start(&self) -> Option<&StartTemplate> {
        match &self.action {
            ActionTemplate::Start(start) => Some(start),
            ActionTemplate::Signal(signal) => signal.start.as_ref(),
        }
    }

    /// Whether it handles requests to this path.
    pub(crate) fn serves(&self, requested: &str) -> bool {
        matches!(&self.origin, Source::Webhook { path, .. } if path == requested)
    }

    /// The reason why the rule does not match `event`, in words; `None` if it matches. Signatures
    /// are not checked here.
    #[must_use]
    pub fn mismatch(&self, event: &TriggerEvent) -> Option<String> {
        let (wanted, got) = (self.source(), event.source);
        if wanted != got {
            return Some(format!(
                "the trigger's source is {wanted}, the event's is {got}"
            ));
        }
        if let Some(arn) = &event.via
            && !self.origin.accepts(arn)
        {
            return Some(format!(
                "the event came through {arn}, which `via` does not name"
            ));
        }
        if let Source::Webhook { path, .. } = &self.origin
            && event.path() != Some(path)
        {
            return Some(format!("the trigger's path is {path}"));
        }
        let mut patterns = self.patterns.iter();
        patterns.find_map(|pattern| pattern.mismatch(&event.value))
    }

    /// Checks a declared rule. `faults`: the faults found before.
    ///
    /// # Errors
    /// Every fault of the rule.
    pub(super) fn new(
        mut declared: Map<String, Value>,
        positions: Positions,
        mut faults: Faults,
    ) -> Result<Self, Vec<Fault>> {
        let kind = kind(declared.remove("source"), &mut faults);
        let own = own_fields(kind, &mut declared, &mut faults);
        let mut known = kind.map_or_else(Vec::new, SourceKind::fields);
        known.push("source".to_owned());
        let mut fields: Fields = lenient(declared, &known, &mut faults);
        let Fields { name, pattern, .. } = &fields;
        if !is_name(name) {
            let why = format!("it must be 1 to 64 of A-Z, a-z, 0-9, _ and -: name={name:?}");
            faults.invalid("name", why);
        }
        let source = kind.map(|kind| Source::read(kind, own, pattern.is_some(), &mut faults));
        let (source, patterns) = source.unzip();
        let patterns = patterns.into_iter().flatten();
        let patterns = patterns.filter_map(|one| faults.check("pattern", Pattern::new(&one)));
        let patterns: Vec<Pattern> = patterns.chain(fields.pattern.take()).collect();
        let lines = matches!(source, Some(Source::S3 { split: Some(_), .. }));
        let signed = matches!(
            source,
            Some(Source::Webhook {
                verifier: Some(_),
                ..
            })
        );
        let action = fields.action(lines, signed, &mut faults);
        let rule = source.zip(action).map(|(origin, action)| Self {
            name: fields.name,
            origin,
            patterns,
            key: fields.key,
            action,
            positions,
        });
        faults.into_result(rule)
    }
}

fn is_name(name: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(valid)
}

fn kind(value: Option<Value>, faults: &mut Faults) -> Option<SourceKind> {
    let Some(value) = value else {
        faults.missing("source", "one of eventbridge, s3, sqs, sns, webhook");
        return None;
    };
    let kind = SourceKind::deserialize(&value);
    faults.check(
        "source",
        kind.map_err(|error| suggested(&error.to_string())),
    )
}

/// Removes the fields that belong to a single source, and reports those of other sources. Without a
/// source, none is reported, since their validity depends on it.
fn own_fields(
    kind: Option<SourceKind>,
    declared: &mut Map<String, Value>,
    faults: &mut Faults,
) -> Map<String, Value> {
    let own = kind.map_or_else(Vec::new, SourceKind::fields).into_iter();
    let own = own
        .filter_map(|name| declared.remove_entry(&name))
        .collect();
    for other in SourceKind::iter() {
        for name in other.fields() {
            if declared.remove(&name).is_some() && kind.is_some() {
                faults.misplaced(&name, format!("it requires source = \"{other}\""));
            }
        }
    }
    own
}

impl Fields {
    /// The action, after checks of the combination of fields. `lines`: the rule handles the lines
    /// of objects; `signed`: its requests are signed.
    fn action(&self, lines: bool, signed: bool, faults: &mut Faults) -> Option<ActionTemplate> {
        self.check_templates(lines, signed, faults);
        let start = self.start(lines, faults);
        match (&self.signal, start) {
            (Some(signal), start) => signal.action(start, lines, faults),
            (None, Some(start)) => Some(ActionTemplate::Start(start)),
            (None, None) => {
                let why = "the workflow to start; or `signal`, the signal to send";
                faults.missing("workflow", why);
                None
            }
        }
    }

    fn check_templates(&self, lines: bool, signed: bool, faults: &mut Faults) {
        let signal = self.signal.as_ref();
        let (key, to) = (
            self.key.as_ref(),
            signal.and_then(|signal| signal.to.as_ref()),
        );
        let payload = signal.and_then(|signal| signal.payload.as_ref());
        for (field, template) in [
            ("input", self.input.as_ref()),
            ("key", key),
            ("signal.to", to),
            ("signal.payload", payload),
        ] {
            let path = template.and_then(Template::of_line);
            if let Some(path) = path.filter(|_| !lines) {
                faults.invalid(field, format!("{path} requires `each`"));
            }
        }
        for (field, template) in [("key", key), ("signal.to", to)] {
            let path = template.and_then(Template::of_unsigned);
            if let Some(path) = path.filter(|_| signed) {
                let why = "is not covered by the signature: a captured request could be sent again";
                let advice = "with another key; use values of `$.body`, or the default key";
                faults.invalid(field, format!("{path} {why} {advice}"));
            }
        }
    }

    fn start(&self, lines: bool, faults: &mut Faults) -> Option<StartTemplate> {
        if let Some(workflow) = &self.workflow {
            return Some(StartTemplate {
                workflow: workflow.clone(),
                version: self.version.clone(),
                input: or_whole(self.input.as_ref(), lines),
                queue: self.queue.clone(),
            });
        }
        for (field, given) in [
            ("version", self.version.is_some()),
            ("input", self.input.is_some()),
            ("queue", self.queue.is_some()),
        ] {
            if given {
                faults.misplaced(field, "it requires `workflow`");
            }
        }
        None
    }
}

impl SignalFields {
    fn action(
        &self,
        start: Option<StartTemplate>,
        lines: bool,
        faults: &mut Faults,
    ) -> Option<ActionTemplate> {
        match (self.absent == Absent::Start, &start) {
            (true, None) => faults.missing("workflow", "signal.absent = \"start\" starts it"),
            (false, Some(_)) => {
                let why = "beside `signal` it requires signal.absent = \"start\"";
                faults.misplaced("workflow", why);
            }
            _ => {}
        }
        if self.channel.is_none() {
            let why = "the channel on which the execution receives";
            faults.missing("signal.channel", why);
        }
        if self.to.is_none() {
            faults.missing("signal.to", "the key of the execution");
        }
        Some(ActionTemplate::Signal(SignalTemplate {
            channel: self.channel.clone()?,
            to: self.to.clone()?,
            payload: or_whole(self.payload.as_ref(), lines),
            absent: self.absent,
            start,
        }))
    }
}

/// The template, or the whole event, or line.
fn or_whole(template: Option<&Template>, lines: bool) -> Template {
    template.cloned().unwrap_or_else(|| Template::whole(lines))
}
