//! Carrying out what a rule says.

use jiff::Timestamp;
use millpond::client::{EngineError, ErrorKind, Signalled, Started, chain};
use millpond::domain::ExecutionId;

use super::report::Fate;
use super::role::Starter;
use crate::triggers::{Absent, Deed, Plan, Starts, Unfit};

impl Starter {
    /// Starts or signals. Done again, it finds what it did.
    pub(super) async fn carry(&self, plan: &Plan, until: Option<Timestamp>) -> Fate {
        if self.late(until) {
            return Fate::failure(&plan.rule, "there is no time left in this call");
        }
        let done = match &plan.deed {
            Deed::Start(starts) => self.start(plan, starts).await,
            deed @ Deed::Signal { .. } => self.signal(plan, deed).await,
        };
        done.unwrap_or_else(|unfit| Fate::refused(&plan.rule, unfit))
    }

    async fn start(&self, plan: &Plan, starts: &Starts) -> Result<Fate, Unfit> {
        let start = plan.start(starts, &plan.key)?;
        Ok(match Box::pin(self.engine.start(start)).await {
            Ok(started) => told(plan, started),
            Err(error) => trouble(plan, &error),
        })
    }

    async fn signal(&self, plan: &Plan, deed: &Deed) -> Result<Fate, Unfit> {
        let Deed::Signal {
            to,
            channel,
            payload,
            absent,
            start,
        } = deed
        else {
            return Ok(Fate::refused(&plan.rule, "it signals nobody"));
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
                    Absent::Ignore => Fate::Ignored {
                        rule: plan.rule.clone(),
                        why,
                    },
                    Absent::Retry => Fate::failure(&plan.rule, why),
                    Absent::Report | Absent::Start => Fate::refused(&plan.rule, why),
                }
            }
            Err(error) => trouble(plan, &error),
        })
    }
}

fn told(plan: &Plan, started: Started) -> Fate {
    Fate::Started {
        rule: plan.rule.clone(),
        eid: started.eid,
        fresh: started.fresh,
        differs: started.differs,
    }
}

fn heard(plan: &Plan, eid: ExecutionId, signalled: Signalled) -> Fate {
    Fate::Signalled {
        rule: plan.rule.clone(),
        eid,
        fresh: signalled.fresh,
    }
}

/// What the engine says of what was asked for.
fn trouble(plan: &Plan, error: &EngineError) -> Fate {
    let why = chain(error);
    match error.kind() {
        // The event is at fault: it would be the next time, too.
        ErrorKind::Invalid | ErrorKind::Conflict => Fate::refused(&plan.rule, why),
        // The rules were checked against another build: the next may know the workflow.
        ErrorKind::NotFound | ErrorKind::NotYet | ErrorKind::Storage => {
            Fate::failure(&plan.rule, why)
        }
    }
}
