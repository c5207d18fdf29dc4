//! Executes plans.

use jiff::Timestamp;
use millpond::client::{EngineError, ErrorKind, Signalled, Started, chain};
use millpond::domain::ExecutionId;

use super::report::Outcome;
use super::role::Starter;
use crate::triggers::{Absent, Action, Plan, Signals, Starts, TemplateError};

impl Starter {
    /// Starts or signals. Repeated, it finds what it did before.
    pub(super) async fn carry(&self, plan: &Plan, until: Option<Timestamp>) -> Outcome {
        if self.late(until) {
            return Outcome::failure(
                &plan.rule,
                "no time is left in this invocation; the event is to be redelivered",
            );
        }
        let done = match &plan.action {
            Action::Start(starts) => self.start(plan, starts).await,
            Action::Signal(signals) => self.signal(plan, signals).await,
        };
        done.unwrap_or_else(|error| Outcome::refused(&plan.rule, error))
    }

    async fn start(&self, plan: &Plan, starts: &Starts) -> Result<Outcome, TemplateError> {
        let start = plan.start(starts, &plan.key)?;
        Ok(match Box::pin(self.engine.start(start)).await {
            Ok(started) => start_outcome(plan, started),
            Err(error) => failure(plan, &error),
        })
    }

    async fn signal(&self, plan: &Plan, signals: &Signals) -> Result<Outcome, TemplateError> {
        let (to, absent) = (&signals.to, signals.absent);
        let signal = plan.signal(&signals.channel, &signals.payload)?;
        let sent = match &signals.start {
            Some(starts) => {
                let start = plan.start(starts, to)?;
                let sent = Box::pin(self.engine.signal_with_start(start, signal)).await;
                sent.map(|(started, signalled)| (started.eid, signalled))
            }
            None => {
                let sent = async {
                    let eid = self.engine.newest_of(to).await?;
                    let signalled = Box::pin(self.engine.signal(eid, signal)).await?;
                    Ok((eid, signalled))
                };
                sent.await
            }
        };
        Ok(match sent {
            Ok((eid, signalled)) => signal_outcome(plan, eid, signalled),
            Err(
                error @ (EngineError::UnknownExecution { .. }
                | EngineError::TerminalExecution { .. }),
            ) => {
                let why = format!("{error}: key={to:?}");
                match absent {
                    Absent::Ignore => Outcome::Ignored {
                        rule: plan.rule.clone(),
                        why,
                    },
                    Absent::Retry => Outcome::failure(&plan.rule, why),
                    Absent::Report | Absent::Start => Outcome::refused(&plan.rule, why),
                }
            }
            Err(error) => failure(plan, &error),
        })
    }
}

fn start_outcome(plan: &Plan, started: Started) -> Outcome {
    Outcome::Started {
        rule: plan.rule.clone(),
        eid: started.eid,
        fresh: started.fresh,
        differs: started.differs,
    }
}

fn signal_outcome(plan: &Plan, eid: ExecutionId, signalled: Signalled) -> Outcome {
    Outcome::Signalled {
        rule: plan.rule.clone(),
        eid,
        known: signalled == Signalled::Known,
    }
}

/// The outcome of an error of the engine.
fn failure(plan: &Plan, error: &EngineError) -> Outcome {
    let why = chain(error);
    match error.kind() {
        // The event is the cause: redelivery would not help.
        ErrorKind::Invalid | ErrorKind::Conflict => Outcome::refused(&plan.rule, why),
        // The rules were checked with another build: the next may have the workflow.
        ErrorKind::NotFound | ErrorKind::NotYet | ErrorKind::Storage => {
            Outcome::failure(&plan.rule, why)
        }
    }
}
