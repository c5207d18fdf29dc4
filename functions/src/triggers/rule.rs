//! A rule that was found good.

use std::collections::BTreeMap;

use millpond::domain::{Channel, Queue, Workflow};
use serde_json::{Value, json};

use super::error::Fault;
use super::event::TriggerEvent;
use super::pattern::Pattern;
use super::split::Split;
use super::template::Template;
use super::trigger::{Absent, Each, On, SignalAction, Source, Trigger};
use super::webhook::{Scheme, Signature};

/// Lines and bytes of an object where the rule does not say.
const LINES: u64 = 10_000;
const BYTES: u64 = 16 << 20;
/// What a rule may say at most: all of it is in the function's memory at once.
const MOST_LINES: u64 = 100_000;
const MOST_BYTES: u64 = 64 << 20;

/// Lines of a file, by the names of fields.
pub(crate) type Lines = BTreeMap<String, usize>;

/// A rule that was found good.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) source: Source,
    /// All must fit.
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) path: Option<String>,
    /// `None`: anybody may send.
    pub(crate) signature: Option<Signature>,
    pub(crate) split: Option<Split>,
    pub(crate) key: Option<Template>,
    pub(crate) begin: Option<StartTemplate>,
    pub(crate) tell: Option<SignalTemplate>,
    pub(crate) lines: Lines,
}

/// What a rule starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StartTemplate {
    pub(crate) workflow: String,
    pub(crate) version: Option<String>,
    pub(crate) input: Template,
    pub(crate) queue: Option<String>,
}

/// What a rule signals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignalTemplate {
    pub(crate) channel: String,
    pub(crate) to: Template,
    pub(crate) payload: Template,
    pub(crate) absent: Absent,
}

impl Rule {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its events come from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The name of the secret with which its requests are signed.
    #[must_use]
    pub fn secret(&self) -> Option<&str> {
        let signature = self.signature.as_ref();
        signature.map(|signature| signature.secret.as_str())
    }

    /// Why it does not follow from `event`, in words; `None` if it does. A signature is not
    /// looked at.
    #[must_use]
    pub fn mismatch(&self, event: &TriggerEvent) -> Option<String> {
        if self.source != event.source {
            return Some(format!(
                "it is for {}, the event is of {}",
                self.source, event.source
            ));
        }
        if let Some(path) = &self.path
            && Some(path.as_str()) != event.path()
        {
            return Some(format!("its path is {path}"));
        }
        let mut patterns = self.patterns.iter();
        patterns.find_map(|pattern| pattern.mismatch(&event.value))
    }

    /// Checks a rule as it was written; says everything that is wrong with it.
    pub(crate) fn new(trigger: Trigger, lines: Lines) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let source = trigger.source.unwrap_or(Source::EventBridge);
        if trigger.source.is_none() {
            faults.push(missing("source", "eventbridge, s3, sqs, sns or webhook"));
        }
        if !good_name(&trigger.name) {
            faults.push(Fault::Value {
                field: "name".to_owned(),
                wants: "1 to 64 of A-Z, a-z, 0-9, _ and -".to_owned(),
                got: format!("{:?}", trigger.name),
            });
        }
        places(&trigger, source, &mut faults);
        let patterns = patterns(&trigger, source, &mut faults);
        let signature = proof(&trigger, source, &mut faults);
        let split = split(&trigger, &mut faults);
        let mut template = |field: &str, value: Option<&Value>, default: &str| {
            let value = value.cloned().unwrap_or_else(|| default.into());
            read_template(field, &value, split.is_some(), &mut faults)
        };
        let all = if split.is_some() { "$.line" } else { "$" };
        let input = template("input", trigger.input.as_ref(), all);
        let key = trigger.key.as_ref().map(|key| key.as_str().into());
        let key = key.map(|key: Value| template("key", Some(&key), all));
        let tell = trigger
            .signal
            .as_ref()
            .map(|tell: &SignalAction| SignalTemplate {
                channel: tell.channel.clone(),
                to: template("signal.to", Some(&tell.to.as_str().into()), all),
                payload: template("signal.payload", tell.payload.as_ref(), all),
                absent: tell.absent.unwrap_or(Absent::Report),
            });
        actions(&trigger, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            name: trigger.name,
            source,
            patterns,
            path: trigger.path,
            signature,
            split,
            key,
            begin: trigger.workflow.map(|workflow| StartTemplate {
                workflow,
                version: trigger.version,
                input,
                queue: trigger.queue,
            }),
            tell,
            lines,
        })
    }
}

fn good_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(good)
}

fn missing(field: &str, why: &'static str) -> Fault {
    Fault::Missing {
        field: field.to_owned(),
        why,
    }
}

/// Fields that belong to other sources.
fn places(trigger: &Trigger, source: Source, faults: &mut Vec<Fault>) {
    let s3 = "only rules with source = \"s3\" look at objects";
    let webhook = "only rules with source = \"webhook\" look at requests";
    let each = "it belongs to `each`";
    let cut = trigger.each.is_some();
    let fields = [
        ("bucket", trigger.bucket.is_some(), Source::S3, s3),
        ("prefix", trigger.prefix.is_some(), Source::S3, s3),
        ("suffix", trigger.suffix.is_some(), Source::S3, s3),
        ("on", trigger.on.is_some(), Source::S3, s3),
        ("each", cut, Source::S3, s3),
        ("path", trigger.path.is_some(), Source::Webhook, webhook),
        (
            "signature",
            trigger.signature.is_some(),
            Source::Webhook,
            webhook,
        ),
        ("unsigned", trigger.unsigned, Source::Webhook, webhook),
    ];
    let mut misplaced = |field: &str, why| {
        faults.push(Fault::Misplaced {
            field: field.to_owned(),
            why,
        });
    };
    for (field, there, of, why) in fields {
        if there && source != of {
            misplaced(field, why);
        }
    }
    for (field, there) in [
        ("max_lines", trigger.max_lines.is_some()),
        ("max_bytes", trigger.max_bytes.is_some()),
    ] {
        if there && !cut {
            misplaced(field, each);
        }
    }
    if cut && trigger.on.is_some_and(|on| on != On::Created) {
        misplaced("each", "only an object that was created has lines");
    }
}

fn patterns(trigger: &Trigger, source: Source, faults: &mut Vec<Fault>) -> Vec<Pattern> {
    let key = |matcher: Value| json!({"detail": {"object": {"key": [matcher]}}});
    let mut all = Vec::new();
    if source == Source::S3 {
        match trigger.on.unwrap_or(On::Created) {
            On::Created => all.push(json!({"detail-type": ["Object Created"]})),
            On::Deleted => all.push(json!({"detail-type": ["Object Deleted"]})),
            On::Any => {}
        }
        if trigger.bucket.is_none() && trigger.pattern.is_none() {
            faults.push(missing(
                "bucket",
                "the bucket, unless `pattern` tells which",
            ));
        }
        let bucket = trigger.bucket.as_ref();
        all.extend(bucket.map(|name| json!({"detail": {"bucket": {"name": [name]}}})));
        all.extend(trigger.prefix.as_ref().map(|p| key(json!({"prefix": p}))));
        all.extend(trigger.suffix.as_ref().map(|s| key(json!({"suffix": s}))));
    }
    if trigger.source == Some(Source::EventBridge) && trigger.pattern.is_none() {
        faults.push(missing("pattern", "which events it is for"));
    }
    all.extend(trigger.pattern.clone());
    let mut read = |pattern: &Value| match Pattern::new(pattern) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            faults.push(Fault::Pattern {
                why: error.to_string(),
            });
            None
        }
    };
    all.iter().filter_map(&mut read).collect()
}

fn proof(trigger: &Trigger, source: Source, faults: &mut Vec<Fault>) -> Option<Signature> {
    if source != Source::Webhook {
        return None;
    }
    let mut value = |field: &str, wants: &str, got: String| {
        faults.push(Fault::Value {
            field: field.to_owned(),
            wants: wants.to_owned(),
            got,
        });
    };
    match &trigger.path {
        Some(path) if path.starts_with('/') && !path.contains(['?', '#']) => {}
        Some(path) => value("path", "a path that begins with `/`", format!("{path:?}")),
        None => faults.push(missing("path", "the path of the URL, like /hooks/github")),
    }
    match (&trigger.signature, trigger.unsigned) {
        (None, true) => {}
        (None, false) => faults.push(missing(
            "signature",
            "how requests are signed; `unsigned = true` takes them from anybody",
        )),
        (Some(_), true) => faults.push(Fault::Misplaced {
            field: "unsigned".to_owned(),
            why: "`signature` says how requests are signed",
        }),
        (Some(signature), false) => {
            if signature.header.is_none() && signature.scheme.header().is_none() {
                faults.push(missing(
                    "signature.header",
                    "the header in which the signature stands",
                ));
            }
            if signature.secret.is_empty() {
                faults.push(missing("signature.secret", "the name of the secret"));
            }
            if signature.tolerance.is_zero() && signature.scheme == Scheme::Stripe {
                faults.push(Fault::Value {
                    field: "signature.tolerance".to_owned(),
                    wants: "at least 1 second".to_owned(),
                    got: "0".to_owned(),
                });
            }
        }
    }
    trigger.signature.clone()
}

fn split(trigger: &Trigger, faults: &mut Vec<Fault>) -> Option<Split> {
    let each: Each = trigger.each?;
    let mut within = |field: &str, given: Option<u64>, default: u64, most: u64| {
        let given = given.unwrap_or(default);
        if !(1..=most).contains(&given) {
            faults.push(Fault::Value {
                field: field.to_owned(),
                wants: format!("1 to {most}"),
                got: given.to_string(),
            });
        }
        usize::try_from(given).unwrap_or(usize::MAX)
    };
    Some(Split {
        each,
        max_lines: within("max_lines", trigger.max_lines, LINES, MOST_LINES),
        max_bytes: within("max_bytes", trigger.max_bytes, BYTES, MOST_BYTES),
    })
}

fn read_template(field: &str, value: &Value, lines: bool, faults: &mut Vec<Fault>) -> Template {
    let mut refuse = |why: String| {
        faults.push(Fault::Template {
            field: field.to_owned(),
            why,
        });
    };
    let template = match Template::new(value) {
        Ok(template) => template,
        Err(error) => {
            refuse(error.to_string());
            return Template::Plain(Value::Null);
        }
    };
    let mut paths = Vec::new();
    template.paths(&mut paths);
    let line = |first: Option<&str>| matches!(first, Some("line" | "line_number"));
    if let Some(path) = paths.into_iter().find(|path| line(path.first()))
        && !lines
    {
        refuse(format!("{path} is there only with `each`"));
    }
    template
}

/// What the rule does: names, and what goes with what.
fn actions(trigger: &Trigger, faults: &mut Vec<Fault>) {
    let starts = trigger.workflow.is_some();
    let absent = trigger.signal.as_ref().and_then(|signal| signal.absent);
    match (starts, &trigger.signal) {
        (false, None) => faults.push(missing(
            "workflow",
            "what to start; or `signal`, whom to tell",
        )),
        (true, Some(_)) if absent != Some(Absent::Start) => faults.push(Fault::Misplaced {
            field: "workflow".to_owned(),
            why: "with `signal` it is started only where signal.absent = \"start\"",
        }),
        (false, Some(_)) if absent == Some(Absent::Start) => {
            faults.push(missing("workflow", "what signal.absent = \"start\" starts"));
        }
        _ => {}
    }
    for (field, there) in [
        ("version", trigger.version.is_some()),
        ("input", trigger.input.is_some()),
        ("queue", trigger.queue.is_some()),
    ] {
        if there && !starts {
            faults.push(Fault::Misplaced {
                field: field.to_owned(),
                why: "it belongs to `workflow`",
            });
        }
    }
    let mut name = |field: &str, error: Option<String>, got: Option<&String>| {
        if let (Some(wants), Some(got)) = (error, got) {
            faults.push(Fault::Value {
                field: field.to_owned(),
                wants,
                got: format!("{got:?}"),
            });
        }
    };
    let workflow = trigger.workflow.as_ref();
    let bad = workflow.and_then(|text| Workflow::parse(text).err());
    name("workflow", bad.map(|e| e.rule.to_owned()), workflow);
    let queue = trigger.queue.as_ref();
    let bad = queue.and_then(|text| Queue::parse(text).err());
    name("queue", bad.map(|e| e.rule.to_owned()), queue);
    let channel = trigger.signal.as_ref().map(|signal| &signal.channel);
    let bad = channel.and_then(|text| Channel::parse(text).err());
    name("signal.channel", bad.map(|e| e.rule.to_owned()), channel);
}
