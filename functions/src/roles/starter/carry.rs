//! Carrying out what a rule says.

use jiff::Timestamp;
use millpond::client::{EngineError, ErrorKind, Signalled, Started, chain};
use millpond::domain::ExecutionId;

use super::report::Outcome;
use super::role::Starter;
use crate::triggers::{Absent, Action, Plan, Starts, TemplateError};

impl Starter {
    /// Starts or signals. Done again, it finds what it did.
    pub(super) async fn carry(&self, plan: &Plan, until: Option<Timestamp>) -> Outcome {
        if self.late(until) {
            return Outcome::failure(&plan.rule, "there is no time left in this call");
        }
        let done = match &plan.action {
            Action::Start(starts) => self.start(plan, starts).await,
            action @ Action::Signal { .. } => self.signal(plan, action).await,
        };
        done.unwrap_or_else(|error| Outcome::refused(&plan.rule, error))
    }

    async fn start(&self, plan: &Plan, starts: &Starts) -> Result<Outcome, TemplateError> {
        let start = plan.start(starts, &plan.key)?;
        Ok(match Box::pin(self.engine.start(start)).await {
            Ok(started) => told(plan, started),
            Err(error) => trouble(plan, &error),
        })
    }

    async fn signal(&self, plan: &Plan, action: &Action) -> Result<Outcome, TemplateError> {
        let Action::Signal {
            to,
            channel,
            payload,
            absent,
            start,
        } = action
        else {
            return Ok(Outcome::refused(&plan.rule, "it signals nobody"));
        };
        let signal = plan.signal(channel, payload)?;
        let sent = match (absent, start) {
            (Absent::Start, Some(starts)) => {
                let start = plan.start(starts, to)?;
                let sent = Box::pin(self.engine.signal_with_start(start, signal)).await;
                sent.map(|(started, signalled)| (started.eid, signalled))
            }
            _ => {
                let eid = Plan::eid(to)?;
                let sent = Box::pin(self.engine.signal(eid, signal)).await;
                sent.map(|signalled| (eid, signalled))
            }
        };
        Ok(match sent {
            Ok((eid, signalled)) => heard(plan, eid, signalled),
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
            Err(error) => trouble(plan, &error),
        })
    }
}

fn told(plan: &Plan, started: Started) -> Outcome {
    Outcome::Started {
        rule: plan.rule.clone(),
        eid: started.eid,
        fresh: started.fresh,
        differs: started.differs,
    }
}

fn heard(plan: &Plan, eid: ExecutionId, signalled: Signalled) -> Outcome {
    Outcome::Signalled {
        rule: plan.rule.clone(),
        eid,
        fresh: signalled.fresh,
    }
}

/// What the engine says of what was asked for.
fn trouble(plan: &Plan, error: &EngineError) -> Outcome {
    let why = chain(error);
    match error.kind() {
        // The event is at fault: it would be the next time, too.
        ErrorKind::Invalid | ErrorKind::Conflict => Outcome::refused(&plan.rule, why),
        // The rules were checked against another build: the next may know the workflow.
        ErrorKind::NotFound | ErrorKind::NotYet | ErrorKind::Storage => {
            Outcome::failure(&plan.rule, why)
        }
    }
}
