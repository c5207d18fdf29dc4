//! A declared rule in code, with the field names of the TOML form.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::source::{On, SourceKind};
use super::split::Each;
use super::webhook::Scheme;

/// The action if the execution to signal does not exist, or is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Absent {
    /// The event is reported and acknowledged.
    #[default]
    Report,
    /// The event is acknowledged without a report.
    Ignore,
    /// The event is redelivered, until the queue gives up.
    Retry,
    /// The rule's workflow is started with that key, and signalled.
    Start,
}

/// A rule as it is declared. [`Rules::add`](super::Rules::add) checks it, and refuses fields that
/// do not belong to the rule's source.
///
/// ```
/// use millpond_functions::triggers::{Each, Rules, Trigger};
/// use serde_json::json;
///
/// let uploads = Trigger::s3("invoices")
///     .bucket("acme-inbox")
///     .prefix("inbox/")
///     .suffix(".csv")
///     .each(Each::CsvLines)
///     .start("invoice_approval")
///     .input(json!({"id": "$.line.id", "amount": "$.line.amount | number"}));
/// let mut rules = Rules::default();
/// rules.add(uploads).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Trigger(pub(super) Map<String, Value>);

/// A signal to an execution that is found by its key.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalAction(Map<String, Value>);

/// How requests of a webhook are signed.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature(Map<String, Value>);

macro_rules! fields {
    ($($(#[$doc:meta])* $method:ident = $name:literal: $type:ty),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $method(self, $method: impl Into<$type>) -> Self {
                self.field($name, <$type>::from($method.into()))
            }
        )+

        fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
            self.0.insert(name.to_owned(), value.into());
            self
        }
    };
}

impl Trigger {
    fn declare(name: impl Into<String>, source: SourceKind) -> Self {
        let new = Self(Map::new()).field("name", name.into());
        new.field("source", source.to_string())
    }

    /// A rule for events of EventBridge.
    pub fn eventbridge(name: impl Into<String>) -> Self {
        Self::declare(name, SourceKind::EventBridge)
    }

    /// A rule for changes of objects.
    pub fn s3(name: impl Into<String>) -> Self {
        Self::declare(name, SourceKind::S3)
    }

    /// A rule for messages of SQS.
    pub fn sqs(name: impl Into<String>) -> Self {
        Self::declare(name, SourceKind::Sqs)
    }

    /// A rule for messages of SNS.
    pub fn sns(name: impl Into<String>) -> Self {
        Self::declare(name, SourceKind::Sns)
    }

    /// A rule for requests to `path` of the Function URL.
    pub fn webhook(name: impl Into<String>, path: impl Into<String>) -> Self {
        Self::declare(name, SourceKind::Webhook).field("path", path.into())
    }

    fields! {
        /// Matches only objects of this bucket.
        bucket = "bucket": String,
        /// Matches only objects whose key begins with this text.
        prefix = "prefix": String,
        /// Matches only objects whose key ends with this text.
        suffix = "suffix": String,
        /// The change that must have happened to the object. The default is [`On::Created`].
        on = "on": On,
        /// Starts or signals once for each line of the object.
        each = "each": Each,
        /// How requests are signed.
        signature = "signature": Signature,
        /// The queues and topics whose messages may carry such events, by name or ARN: one, or an
        /// array. By default, none may.
        via = "via": Value,
        /// The pattern that events must match, in EventBridge's pattern language.
        pattern = "pattern": Value,
        /// The workflow to start.
        start = "workflow": String,
        /// The version of the workflow. The default is the one that was registered last.
        version = "version": String,
        /// The workflow's input, a template. The default is the event (or the line).
        input = "input": Value,
        /// The key of the execution (or of the signal), a template. One key starts one execution.
        /// The default is the rule's name and the event's identity.
        key = "key": String,
        /// The queue of the execution, instead of `default`.
        queue = "queue": String,
        /// The signal to send.
        signal = "signal": SignalAction,
    }

    /// How many lines (default 10,000) and bytes (default 16 MiB) an object may have.
    #[must_use]
    pub fn at_most(self, lines: u64, bytes: u64) -> Self {
        self.field("max_lines", lines).field("max_bytes", bytes)
    }

    /// Accepts requests from anybody.
    #[must_use]
    pub fn unsigned(self) -> Self {
        self.field("unsigned", true)
    }
}

impl SignalAction {
    /// A signal on `channel` to the execution whose key the template `to` renders.
    pub fn new(channel: impl Into<String>, to: impl Into<String>) -> Self {
        let new = Self(Map::new()).field("channel", channel.into());
        new.field("to", to.into())
    }

    fields! {
        /// The payload, a template. The default is the event (or the line).
        payload = "payload": Value,
        /// What happens if there is no such execution. By default it is reported.
        absent = "absent": Absent,
    }
}

impl Signature {
    /// A signature of this scheme, with the secret of this name.
    pub fn new(scheme: Scheme, secret: impl Into<String>) -> Self {
        let new = Self(Map::new()).field("scheme", scheme);
        new.field("secret", secret.into())
    }

    fields! {
        /// The header with the signature. [`Scheme::Hex`] and [`Scheme::Base64`] have no default.
        header = "header": String,
    }

    /// How far the time of a signature may be from now ([`Scheme::Stripe`]; default 5 minutes).
    #[must_use]
    pub fn tolerance(self, tolerance: Duration) -> Self {
        self.field("tolerance", tolerance.as_secs())
    }
}

macro_rules! into_value {
    ($($type:ty: $value:expr),+ $(,)?) => {
        $(impl From<$type> for Value {
            fn from(given: $type) -> Self {
                let value: fn($type) -> Self = $value;
                value(given)
            }
        })+
    };
}

into_value! {
    SignalAction: |signal| signal.0.into(),
    Signature: |signature| signature.0.into(),
    On: |on| on.to_string().into(),
    Each: |each| each.to_string().into(),
    Absent: |absent| absent.to_string().into(),
    Scheme: |scheme| scheme.to_string().into(),
}
