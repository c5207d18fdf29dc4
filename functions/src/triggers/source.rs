//! Event sources, with the fields that belong to one source only.

use millpond::domain::Text;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::Faults;
use super::fields::{lenient, names};
use super::split::{Each, Split};
use super::webhook::{SignatureFields, Verifier};

/// Default limits of the lines and bytes of an object.
const LINES: usize = 10_000;
const BYTES: usize = 16 << 20;
/// Upper bounds of these limits: the function holds the whole object in memory.
const MAX_LINES: usize = 100_000;
const MAX_BYTES: usize = 64 << 20;

/// The kinds of event sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::Display, strum::EnumIter)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SourceKind {
    /// Events of EventBridge, of any bus and sender.
    EventBridge,
    /// Changes of objects, reported by S3 itself or through EventBridge.
    S3,
    /// Messages of SQS that carry no event of the other sources.
    Sqs,
    /// Messages of SNS that carry no event of the other sources.
    Sns,
    /// Requests to the Function URL.
    Webhook,
}

/// The change of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum On {
    /// A version was written.
    #[default]
    Created,
    /// The object was deleted.
    Deleted,
    /// Any change.
    Any,
}

/// The source of a rule's events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    EventBridge {
        via: Via,
    },
    S3 {
        via: Via,
        /// How objects are split into lines, if at all.
        split: Option<Split>,
    },
    Sqs,
    Sns {
        via: Via,
    },
    Webhook {
        path: String,
        /// `None`: requests are accepted without authentication.
        verifier: Option<Verifier>,
    },
}

/// The queues and topics whose messages may carry events for a rule, by name or ARN. Every sender
/// to them can send any such event.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "Names")]
pub(crate) struct Via(Vec<Text>);

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected the name or ARN of a queue or topic, or an array of them"
)]
enum Names {
    One(Text),
    Many(Vec<Text>),
}

impl From<Names> for Via {
    fn from(names: Names) -> Self {
        Self(match names {
            Names::One(name) => vec![name],
            Names::Many(names) => names,
        })
    }
}

impl Via {
    /// Whether the queue or topic with this ARN is one of them.
    fn names(&self, arn: &str) -> bool {
        let name = arn.rsplit(':').next().unwrap_or(arn);
        let mut known = self.0.iter().map(Text::as_str);
        known.any(|known| known == arn || known == name)
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CarriedFields {
    via: Via,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct S3Fields {
    via: Via,
    bucket: Option<String>,
    prefix: Option<String>,
    suffix: Option<String>,
    on: On,
    each: Option<Each>,
    max_lines: Option<usize>,
    max_bytes: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WebhookFields {
    path: String,
    signature: Option<SignatureFields>,
    unsigned: bool,
}

impl SourceKind {
    /// The fields that only this source has.
    pub(super) fn fields(self) -> Vec<String> {
        match self {
            Self::S3 => names::<S3Fields>(),
            Self::Webhook => names::<WebhookFields>(),
            Self::EventBridge | Self::Sns => names::<CarriedFields>(),
            Self::Sqs => Vec::new(),
        }
    }
}

impl Source {
    pub(super) fn kind(&self) -> SourceKind {
        match self {
            Self::EventBridge { .. } => SourceKind::EventBridge,
            Self::S3 { .. } => SourceKind::S3,
            Self::Sqs => SourceKind::Sqs,
            Self::Sns { .. } => SourceKind::Sns,
            Self::Webhook { .. } => SourceKind::Webhook,
        }
    }

    /// Whether it accepts events carried by a message of this queue or topic.
    pub(super) fn accepts(&self, arn: &str) -> bool {
        match self {
            Self::EventBridge { via } | Self::S3 { via, .. } | Self::Sns { via } => via.names(arn),
            Self::Sqs | Self::Webhook { .. } => false,
        }
    }

    /// Reads the fields that only this source has. Also returns their patterns.
    pub(super) fn read(
        kind: SourceKind,
        fields: Map<String, Value>,
        has_pattern: bool,
        faults: &mut Faults,
    ) -> (Self, Vec<Value>) {
        let source = match kind {
            SourceKind::S3 => {
                let s3: S3Fields = lenient(fields, &[], faults);
                if s3.bucket.is_none() && !has_pattern {
                    faults.missing("bucket", "name the bucket, here or in `pattern`");
                }
                let (split, patterns) = (s3.split(faults), s3.patterns());
                return (Self::S3 { via: s3.via, split }, patterns);
            }
            SourceKind::Webhook => {
                let webhook: WebhookFields = lenient(fields, &[], faults);
                let verifier = webhook.verifier(faults);
                let path = webhook.path;
                Self::Webhook { path, verifier }
            }
            SourceKind::EventBridge => {
                if !has_pattern {
                    faults.missing("pattern", "which events the trigger handles");
                }
                let CarriedFields { via } = lenient(fields, &[], faults);
                Self::EventBridge { via }
            }
            SourceKind::Sqs => Self::Sqs,
            SourceKind::Sns => {
                let CarriedFields { via } = lenient(fields, &[], faults);
                Self::Sns { via }
            }
        };
        (source, Vec::new())
    }
}

impl S3Fields {
    fn patterns(&self) -> Vec<Value> {
        let key = |matcher: Value| json!({"detail": {"object": {"key": [matcher]}}});
        let change = match self.on {
            On::Created => Some(json!({"detail-type": ["Object Created"]})),
            On::Deleted => Some(json!({"detail-type": ["Object Deleted"]})),
            On::Any => None,
        };
        let bucket = self.bucket.as_ref();
        let bucket = bucket.map(|name| json!({"detail": {"bucket": {"name": [name]}}}));
        let prefix = self
            .prefix
            .as_ref()
            .map(|text| key(json!({"prefix": text})));
        let suffix = self
            .suffix
            .as_ref()
            .map(|text| key(json!({"suffix": text})));
        let all = [change, bucket, prefix, suffix];
        all.into_iter().flatten().collect()
    }

    fn split(&self, faults: &mut Faults) -> Option<Split> {
        let mut limit = |field: &str, given: Option<usize>, default: usize, max: usize| {
            match given {
                Some(_) if self.each.is_none() => faults.misplaced(field, "it requires `each`"),
                Some(got) if !(1..=max).contains(&got) => {
                    faults.invalid(field, format!("it must be 1 to {max}: {field}={got}"));
                }
                _ => {}
            }
            given.unwrap_or(default)
        };
        let max_lines = limit("max_lines", self.max_lines, LINES, MAX_LINES);
        let max_bytes = limit("max_bytes", self.max_bytes, BYTES, MAX_BYTES);
        let each = self.each?;
        if self.on != On::Created {
            faults.misplaced("each", "it requires on = \"created\"");
        }
        Some(Split {
            each,
            max_lines,
            max_bytes,
        })
    }
}

impl WebhookFields {
    fn verifier(&self, faults: &mut Faults) -> Option<Verifier> {
        let path = &self.path;
        if path.is_empty() {
            faults.missing("path", "the path of the URL, such as /hooks/github");
        } else if !path.starts_with('/') || path.contains(['?', '#']) {
            let why = "it must begin with `/` and have no query";
            faults.invalid("path", format!("{why}: path={path:?}"));
        }
        match (&self.signature, self.unsigned) {
            (Some(signature), false) => return Verifier::new(signature, faults),
            (Some(_), true) => faults.misplaced("unsigned", "the rule has a `signature`"),
            (None, false) => faults.missing(
                "signature",
                "how requests are signed; `unsigned = true` accepts them from anybody",
            ),
            (None, true) => {}
        }
        None
    }
}
