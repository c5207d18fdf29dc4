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
        let action = action(&fields, lines, signed, &mut faults);
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

/// Checks the combination of fields. `lines`: the rule handles the lines of objects; `signed`: its
/// requests are signed.
fn action(
    fields: &Fields,
    lines: bool,
    signed: bool,
    faults: &mut Faults,
) -> Option<ActionTemplate> {
    let signal = fields.signal.as_ref();
    let to = signal.and_then(|signal| signal.to.clone());
    for (field, template) in [
        ("input", &fields.input),
        ("key", &fields.key),
        ("signal.to", &to),
        (
            "signal.payload",
            &signal.and_then(|signal| signal.payload.clone()),
        ),
    ] {
        let path = template.as_ref().and_then(Template::of_line);
        if let Some(path) = path.filter(|_| !lines) {
            faults.invalid(field, format!("{path} requires `each`"));
        }
    }
    if signed {
        for (field, template) in [("key", fields.key.as_ref()), ("signal.to", to.as_ref())] {
            let path = template.and_then(Template::of_unsigned);
            if let Some(path) = path {
                let why = "is not covered by the signature: a captured request could be sent again";
                let advice = "with another key; use values of `$.body`, or the default key";
                faults.invalid(field, format!("{path} {why} {advice}"));
            }
        }
    }
    let whole = || Template::whole(lines);
    let start = fields.workflow.as_ref().map(|workflow| StartTemplate {
        workflow: workflow.clone(),
        version: fields.version.clone(),
        input: fields.input.clone().unwrap_or_else(whole),
        queue: fields.queue.clone(),
    });
    for (field, given) in [
        ("version", fields.version.is_some()),
        ("input", fields.input.is_some()),
        ("queue", fields.queue.is_some()),
    ] {
        if given && start.is_none() {
            faults.misplaced(field, "it requires `workflow`");
        }
    }
    let Some(signal) = signal else {
        if start.is_none() {
            let why = "the workflow to start; or `signal`, the signal to send";
            faults.missing("workflow", why);
        }
        return start.map(ActionTemplate::Start);
    };
    match (signal.absent == Absent::Start, &start) {
        (true, None) => faults.missing("workflow", "signal.absent = \"start\" starts it"),
        (false, Some(_)) => {
            let why = "beside `signal` it requires signal.absent = \"start\"";
            faults.misplaced("workflow", why);
        }
        _ => {}
    }
    if signal.channel.is_none() {
        faults.missing(
            "signal.channel",
            "the channel on which the execution receives",
        );
    }
    if signal.to.is_none() {
        faults.missing("signal.to", "the key of the execution");
    }
    Some(ActionTemplate::Signal(SignalTemplate {
        channel: signal.channel.clone()?,
        to: signal.to.clone()?,
        payload: signal.payload.clone().unwrap_or_else(whole),
        absent: signal.absent,
        start,
    }))
}
