//! Outcomes of events.

use std::fmt;

use millpond::domain::ExecutionId;
use serde_json::{Value, json};

use super::answer::Answer;

/// The most outcomes of one record that are logged one by one, and refusals among the others.
const MAX_LOGGED: usize = 20;

/// The outcome of an event, or of one line of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It started an execution, or had started it before.
    Started {
        /// The rule.
        rule: String,
        /// The execution.
        eid: ExecutionId,
        /// Whether it did so now.
        fresh: bool,
        /// Whether the key had started another workflow, or the workflow with another input.
        differs: bool,
    },
    /// It signalled an execution, or had signalled it before.
    Signalled {
        /// The rule.
        rule: String,
        /// The execution.
        eid: ExecutionId,
        /// Whether the message of an earlier event with the same key waits there already.
        known: bool,
    },
    /// There was no execution to signal, which the rule ignores.
    Ignored {
        /// The rule.
        rule: String,
        /// The execution, and why it cannot be signalled.
        why: String,
    },
    /// It matched no rule.
    Unmatched {
        /// The event.
        what: String,
        /// Why not, for each rule of its source.
        why: Vec<String>,
    },
    /// It reports an object that the engine itself wrote.
    Own {
        /// The event.
        what: String,
    },
    /// It was refused; redelivery would not help.
    Refused {
        /// The rule, if one matched.
        rule: Option<String>,
        /// The reason.
        why: String,
    },
    /// Something failed: it must be redelivered.
    Failed {
        /// The rule, if one was being executed.
        rule: Option<String>,
        /// What failed.
        why: String,
    },
}

/// The outcomes of one record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The message's id, in a batch of SQS.
    pub id: Option<String>,
    /// The outcomes of all its events; empty if it has none.
    pub outcomes: Vec<Outcome>,
}

/// The outcomes of one invocation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The records, in the order in which they arrived.
    pub records: Vec<Record>,
    /// Whether they are a batch of SQS, of which single records can be redelivered.
    pub batch: bool,
    /// The answer to a request.
    pub answer: Option<Answer>,
}

/// Records failed that cannot be redelivered alone: all must be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failed} of {all} records failed: {first}")]
pub struct FailedRecords {
    /// How many failed.
    pub failed: usize,
    /// The number of records.
    pub all: usize,
    /// The first failure.
    pub first: String,
}

impl Outcome {
    /// Whether it must be redelivered.
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }

    pub(super) fn refused(rule: &str, why: impl fmt::Display) -> Self {
        Self::Refused {
            rule: Some(rule.to_owned()),
            why: why.to_string(),
        }
    }

    pub(super) fn failure(rule: &str, why: impl fmt::Display) -> Self {
        Self::Failed {
            rule: Some(rule.to_owned()),
            why: why.to_string(),
        }
    }

    /// Writes it to the log.
    fn log(&self, id: Option<&str>) {
        match self {
            Self::Started { fresh: false, .. } | Self::Ignored { .. } => {
                tracing::debug!(record = id, "{self}");
            }
            Self::Started { differs: true, .. }
            | Self::Own { .. }
            | Self::Refused { .. }
            | Self::Failed { .. } => tracing::warn!(record = id, "{self}"),
            Self::Started { .. } | Self::Signalled { .. } | Self::Unmatched { .. } => {
                tracing::info!(record = id, "{self}");
            }
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |rule: &Option<String>| {
            let rule = rule.as_ref();
            rule.map_or_else(String::new, |rule| format!(" by trigger {rule}"))
        };
        match self {
            Self::Started {
                rule,
                eid,
                fresh,
                differs,
            } => {
                let how = match (fresh, differs) {
                    (_, true) => ": its key had started another workflow, or another input",
                    (true, _) => "",
                    (false, _) => ": it was started before",
                };
                write!(f, "started {eid} by trigger {rule}{how}")
            }
            Self::Signalled { rule, eid, known } => {
                let how = if *known {
                    ": it was signalled before"
                } else {
                    ""
                };
                write!(f, "signalled {eid} by trigger {rule}{how}")
            }
            Self::Ignored { rule, why } => write!(f, "ignored by trigger {rule}: {why}"),
            Self::Unmatched { what, why } if why.is_empty() => {
                write!(
                    f,
                    "no trigger handles this event: add one, or remove its notification: event={what}"
                )
            }
            Self::Unmatched { what, why } => {
                write!(
                    f,
                    "no trigger matches this event: {}: event={what}",
                    why.join("; ")
                )
            }
            Self::Own { what } => {
                write!(
                    f,
                    "refused: the event reports an object that the engine itself wrote: event={what}"
                )
            }
            Self::Refused { rule, why } => write!(f, "refused{}: {why}", by(rule)),
            Self::Failed { rule, why } => write!(f, "failed{}: {why}", by(rule)),
        }
    }
}

impl Record {
    /// Whether it must be redelivered.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.outcomes.iter().any(Outcome::failed)
    }
}

impl Report {
    /// All outcomes.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.records.iter().flat_map(|record| &record.outcomes)
    }

    /// The answer for Lambda: the messages of a batch that must be redelivered, the answer to a
    /// request, or nothing.
    ///
    /// # Errors
    /// [`FailedRecords`]: Lambda can only redeliver all records.
    pub fn payload(&self) -> Result<Value, FailedRecords> {
        if let Some(answer) = &self.answer {
            return Ok(answer.payload());
        }
        let mut failed = self.records.iter().filter(|record| record.failed());
        if self.batch {
            let ids = failed.filter_map(|record| record.id.as_ref());
            let ids: Vec<Value> = ids.map(|id| json!({"itemIdentifier": id})).collect();
            return Ok(json!({ "batchItemFailures": ids }));
        }
        let count = failed.clone().count();
        let Some(first) = failed.next() else {
            return Ok(Value::Null);
        };
        let why = first.outcomes.iter().find(|outcome| outcome.failed());
        Err(FailedRecords {
            failed: count,
            all: self.records.len(),
            first: why.map(ToString::to_string).unwrap_or_default(),
        })
    }

    pub(super) fn log(&self) {
        for record in &self.records {
            let id = record.id.as_deref();
            // The outcomes of an object with many lines are counted.
            let (first, rest) = record
                .outcomes
                .split_at(record.outcomes.len().min(MAX_LOGGED));
            first.iter().for_each(|outcome| outcome.log(id));
            if !rest.is_empty() {
                let of =
                    |is: fn(&Outcome) -> bool| rest.iter().filter(|outcome| is(outcome)).count();
                let failed = of(Outcome::failed);
                let refused = of(|outcome| matches!(outcome, Outcome::Refused { .. }));
                let done = rest.len() - failed - refused;
                tracing::info!(
                    record = id,
                    done,
                    refused,
                    failed,
                    "more outcomes of this record"
                );
                let refusals = rest
                    .iter()
                    .filter(|outcome| matches!(outcome, Outcome::Refused { .. }));
                refusals
                    .take(MAX_LOGGED)
                    .for_each(|outcome| outcome.log(id));
            }
        }
    }
}
