//! A rule as it is written: in code here, in TOML by the same names.

use std::fmt;

use serde_json::Value;

use super::webhook::Signature;

/// Where events come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// EventBridge: any bus, any sender.
    EventBridge,
    /// What happened to an object, told by S3 itself or through EventBridge.
    S3,
    /// A message of SQS that carries none of the others.
    Sqs,
    /// A message of SNS that carries none of the others.
    Sns,
    /// A request to the Function URL.
    Webhook,
}

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// A version was written.
    Created,
    /// It was deleted.
    Deleted,
    /// Anything.
    Any,
}

/// How an object is cut into lines, each of which starts or signals by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// CSV whose first line names the columns.
    CsvLines,
    /// One JSON value a line.
    JsonLines,
}

/// What follows where a signal finds no execution, or one that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// It is reported, and done with.
    Report,
    /// It is nothing to speak of.
    Ignore,
    /// The event comes again, until the queue gives it up.
    Retry,
    /// The rule's workflow is started with that key, and gets the signal.
    Start,
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ }) => {
        impl $type {
            /// Every one, by its word in TOML.
            pub(crate) const ALL: &'static [(&'static str, Self)] =
                &[$(($word, Self::$variant)),+];
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => $word),+
                })
            }
        }
    };
}

words!(Source {
    EventBridge = "eventbridge",
    S3 = "s3",
    Sqs = "sqs",
    Sns = "sns",
    Webhook = "webhook"
});
words!(On {
    Created = "created",
    Deleted = "deleted",
    Any = "any"
});
words!(Each {
    CsvLines = "csv-lines",
    JsonLines = "json-lines"
});
words!(Absent {
    Report = "report",
    Ignore = "ignore",
    Retry = "retry",
    Start = "start"
});

/// A signal to an execution found by its key.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalAction {
    pub(crate) channel: String,
    pub(crate) to: String,
    pub(crate) payload: Option<Value>,
    pub(crate) absent: Option<Absent>,
}

impl SignalAction {
    /// A signal on `channel` to the execution whose key the template `to` makes.
    pub fn new(channel: impl Into<String>, to: impl Into<String>) -> Self {
        Self {
            channel: channel.into(),
            to: to.into(),
            payload: None,
            absent: None,
        }
    }

    /// The value: a template. Without it, the event (or the line).
    #[must_use]
    pub fn payload(mut self, template: Value) -> Self {
        self.payload = Some(template);
        self
    }

    /// What follows where there is no such execution. Without it, it is reported.
    #[must_use]
    pub fn absent(mut self, absent: Absent) -> Self {
        self.absent = Some(absent);
        self
    }
}

/// A rule as it is written. Checked when it is given to [`Rules::add`](super::Rules::add).
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trigger {
    pub(crate) name: String,
    pub(crate) source: Option<Source>,
    pub(crate) bucket: Option<String>,
    pub(crate) prefix: Option<String>,
    pub(crate) suffix: Option<String>,
    pub(crate) on: Option<On>,
    pub(crate) each: Option<Each>,
    pub(crate) max_lines: Option<u64>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) path: Option<String>,
    pub(crate) signature: Option<Signature>,
    pub(crate) unsigned: bool,
    pub(crate) pattern: Option<Value>,
    pub(crate) workflow: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) input: Option<Value>,
    pub(crate) key: Option<String>,
    pub(crate) queue: Option<String>,
    pub(crate) signal: Option<SignalAction>,
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $name: impl Into<String>) -> Self {
                self.$name = Some($name.into());
                self
            }
        )+
    };
}

impl Trigger {
    fn from(source: Source, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            source: Some(source),
            ..Self::default()
        }
    }

    /// On events of EventBridge.
    pub fn eventbridge(name: impl Into<String>) -> Self {
        Self::from(Source::EventBridge, name)
    }

    /// On what happens to objects.
    pub fn s3(name: impl Into<String>) -> Self {
        Self::from(Source::S3, name)
    }

    /// On messages of SQS.
    pub fn sqs(name: impl Into<String>) -> Self {
        Self::from(Source::Sqs, name)
    }

    /// On messages of SNS.
    pub fn sns(name: impl Into<String>) -> Self {
        Self::from(Source::Sns, name)
    }

    /// On requests to `path` of the Function URL.
    pub fn webhook(name: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::from(Source::Webhook, name)
        }
    }

    texts! {
        /// Only objects of this bucket.
        bucket,
        /// Only objects whose key begins so.
        prefix,
        /// Only objects whose key ends so.
        suffix,
        /// The version of the workflow, instead of the one registered last.
        version,
        /// The key of the execution (or of the signal): a template. One key starts one
        /// execution. Without it, the rule's name and what tells the event from all others.
        key,
        /// The queue of the execution, instead of `default`.
        queue,
    }

    /// What must have happened to the object. Without it, that it was created.
    #[must_use]
    pub fn on(mut self, on: On) -> Self {
        self.on = Some(on);
        self
    }

    /// One start or signal for each line of the object.
    #[must_use]
    pub fn each(mut self, each: Each) -> Self {
        self.each = Some(each);
        self
    }

    /// How many lines an object may have (default 10,000), and how many bytes (16 MiB).
    #[must_use]
    pub fn at_most(mut self, lines: u64, bytes: u64) -> Self {
        (self.max_lines, self.max_bytes) = (Some(lines), Some(bytes));
        self
    }

    /// How a request proves who sent it.
    #[must_use]
    pub fn signature(mut self, signature: Signature) -> Self {
        self.signature = Some(signature);
        self
    }

    /// Anybody may send requests.
    #[must_use]
    pub fn unsigned(mut self) -> Self {
        self.unsigned = true;
        self
    }

    /// What the event must be like, in EventBridge's pattern language.
    #[must_use]
    pub fn pattern(mut self, pattern: Value) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// The workflow to start.
    #[must_use]
    pub fn start(mut self, workflow: impl Into<String>) -> Self {
        self.workflow = Some(workflow.into());
        self
    }

    /// The workflow's input: a template. Without it, the event (or the line).
    #[must_use]
    pub fn input(mut self, template: Value) -> Self {
        self.input = Some(template);
        self
    }

    /// The signal to send.
    #[must_use]
    pub fn signal(mut self, signal: SignalAction) -> Self {
        self.signal = Some(signal);
        self
    }
}
