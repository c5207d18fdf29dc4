//! What became of events.

use std::fmt;

use millpond::domain::ExecutionId;
use serde_json::{Value, json};

use super::request::Answer;

/// Fates of one record that are logged one by one, and refusals among the others.
const MOST_TOLD: usize = 20;

/// What became of an event, or of one line of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It started an execution, or found the one that it had started.
    Started {
        /// The rule.
        rule: String,
        /// The execution.
        eid: ExecutionId,
        /// Whether this was the first time.
        fresh: bool,
        /// Whether the key had started another workflow, or with another input.
        differs: bool,
    },
    /// It signalled an execution, or had done so.
    Signalled {
        /// The rule.
        rule: String,
        /// The execution.
        eid: ExecutionId,
        /// Whether this was the first time.
        fresh: bool,
    },
    /// There was nobody to signal, which the rule does not mind.
    Ignored {
        /// The rule.
        rule: String,
        /// Whom it looked for.
        why: String,
    },
    /// It fits no rule.
    Unmatched {
        /// What it was.
        what: String,
        /// Why not, by rule of this source.
        why: Vec<String>,
    },
    /// It tells what the engine itself wrote.
    Own {
        /// What it was.
        what: String,
    },
    /// It will never be any good.
    Refused {
        /// The rule, where it fitted one.
        rule: Option<String>,
        /// Why.
        why: String,
    },
    /// Something failed: it must come again.
    Failed {
        /// The rule, where it was one's turn.
        rule: Option<String>,
        /// What.
        why: String,
    },
}

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The message's id, in a batch of SQS.
    pub id: Option<String>,
    /// What became of all that it tells. Nothing, if it tells nothing.
    pub outcomes: Vec<Outcome>,
}

/// What became of everything that a call brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// One by one, in the order in which they came.
    pub records: Vec<Record>,
    /// Whether they are a batch of SQS, of which some may come again alone.
    pub batch: bool,
    /// What a request is answered.
    pub answer: Option<Answer>,
}

/// Records failed that cannot come again alone: all must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{failed} of {all} records failed: {first}")]
pub struct FailedRecords {
    /// How many failed.
    pub failed: usize,
    /// Of how many.
    pub all: usize,
    /// Why the first did.
    pub first: String,
}

impl Outcome {
    /// Whether it must come again.
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

    /// Says it in the log.
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
                    (_, true) => ", which has another workflow or input",
                    (true, _) => "",
                    (false, _) => ", which was started before",
                };
                write!(f, "started {eid} by trigger {rule}{how}")
            }
            Self::Signalled { rule, eid, fresh } => {
                let how = if *fresh { "" } else { " before" };
                write!(f, "signalled {eid} by trigger {rule}{how}")
            }
            Self::Ignored { rule, why } => write!(f, "ignored by trigger {rule}: {why}"),
            Self::Unmatched { what, why } if why.is_empty() => {
                write!(f, "no trigger is for the like of {what}")
            }
            Self::Unmatched { what, why } => {
                write!(f, "no trigger fits {what}: {}", why.join("; "))
            }
            Self::Own { what } => {
                write!(
                    f,
                    "refused: the engine itself wrote what this tells of: {what}"
                )
            }
            Self::Refused { rule, why } => write!(f, "refused{}: {why}", by(rule)),
            Self::Failed { rule, why } => write!(f, "failed{}: {why}", by(rule)),
        }
    }
}

impl Record {
    /// Whether it must come again.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.outcomes.iter().any(Outcome::failed)
    }
}

impl Report {
    /// Every outcome.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.records.iter().flat_map(|record| &record.outcomes)
    }

    /// What Lambda is answered: which messages of a batch come again, what the caller of a
    /// URL gets, or nothing.
    ///
    /// # Errors
    /// [`FailedRecords`]: there is no way to say which failed, so that all must come again.
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
            // An object of many lines has many outcomes: they are counted.
            let (told, rest) = record
                .outcomes
                .split_at(record.outcomes.len().min(MOST_TOLD));
            told.iter().for_each(|outcome| outcome.log(id));
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
                    "and others of this record"
                );
                let refusals = rest
                    .iter()
                    .filter(|outcome| matches!(outcome, Outcome::Refused { .. }));
                refusals.take(MOST_TOLD).for_each(|outcome| outcome.log(id));
            }
        }
    }
}
