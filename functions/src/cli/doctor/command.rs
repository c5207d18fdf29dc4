//! The command.

use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Audit, EngineError, Unserved, chain};
use millpond::ports::{MemoryBucket, Verb};
use millpond_codec::PondId;
use millpond_conformance::Probe;
use millpond_host::SystemClock;
use millpond_wrappers::{Bill, Metered, Prices};
use serde_json::json;

use super::super::command::Run;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::list::UNSERVED;
use super::super::needs::Needs;
use super::checks::Checks;
use super::finding::StoreFinding;
use super::leftovers::{FOLDER, leftovers};
use super::report::Report;
use super::settings::settings;
use super::target::Target;
use crate::environment::minutes;

/// Test the bucket, and find broken objects and executions that nothing can wake
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Check only the settings of the bucket and the executions; write nothing
    #[arg(long)]
    no_probes: bool,
    /// Report mail and timers that were not served for this time
    #[arg(long, value_name = "MINUTES", default_value = UNSERVED, value_parser = minutes)]
    unserved: Duration,
    /// Restore the object `pond` of an encrypted bucket, which is lost, with this id
    #[arg(long, value_name = "ID")]
    pond: Option<PondId>,
}

impl Run for Args {
    const NEEDS: Needs = Needs {
        check: true,
        ..Needs::ONE_SHOT
    };

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let mut report = Report::new(context.url.clone());
        if let Some(id) = self.pond {
            let pond = context.pond.as_ref().ok_or_else(|| {
                Error::Usage("only an encrypted bucket has a pond: give --keyring".to_owned())
            })?;
            pond.restore(id).await?;
        }
        let ports = context.engine.ports();
        (report.findings, report.notes) = settings(context).await;
        report
            .notes
            .extend(leftovers(context.store.as_ref(), ports.clock.now()).await);
        if !self.no_probes {
            // A unique name: concurrent runs, or a run after a crash, share no objects.
            let prefix = format!("{FOLDER}{}/", ports.entropy.nonce());
            let target = Target {
                bucket: Arc::clone(&context.store),
                clock: Arc::clone(&ports.clock),
                spawner: Some(Arc::clone(&ports.spawner)),
                time: context.behind.time().cloned(),
                names: context.behind.names(),
                prefix,
            };
            if context.far {
                announce_cost(context, &target).await;
            }
            // On a remote store a probe takes seconds, and all of them take minutes.
            let announce = |probe: Probe| {
                if context.far && !context.streams.json() {
                    context.streams.note(format!("running probe {probe}"));
                }
            };
            report.take(Box::pin(Checks::on(&target, &announce)).await, &target);
        }
        // Without these permissions the audit would only repeat the error.
        let required = [Verb::List, Verb::Read];
        if !report.missing.iter().any(|verb| required.contains(verb)) {
            match executions(context, self.unserved).await {
                Ok((audit, unserved)) => {
                    (report.audit, report.unserved) = (Some(audit), unserved);
                }
                Err(error) if report.is_clear() => return Err(error.into()),
                // Earlier findings are reported: they are likely to be the reason.
                Err(error) => report.findings.push(StoreFinding::new(
                    "store",
                    format!("executions could not be checked: {}", chain(&error)),
                    "repair the store, then run doctor again",
                )),
            }
        }
        report.now = ports.clock.now();
        if let Some(pond) = &context.pond {
            report.pond = pond.id().await?;
        }
        report.print(&context.streams)?;
        Ok(match report.is_sound() {
            true => Exit::Done,
            false => Exit::Failed,
        })
    }
}

async fn executions(
    context: &CommandContext,
    age: Duration,
) -> Result<(Audit, Vec<Unserved>), EngineError> {
    let audit = context.engine.audit().await?;
    Ok((audit, context.engine.unserved(age).await?))
}

/// Reports the cost of the probes in advance: it is counted on a bucket in memory.
async fn announce_cost(context: &CommandContext, target: &Target) {
    let clock = Arc::new(SystemClock::new());
    let memory = Arc::new(MemoryBucket::new(clock.clone()));
    let counted = Arc::new(Metered::new(memory));
    let rehearsal = Target {
        bucket: Arc::clone(&counted) as _,
        clock,
        spawner: None,
        time: None,
        names: target.names,
        prefix: target.prefix.clone(),
    };
    // The results do not concern the store.
    let _ = Box::pin(Checks::on(&rehearsal, &|_| ())).await;
    let usage = counted.usage();
    let requests = usage.total().requests;
    let bill = Bill::new(&usage, vec![Prices::s3_standard()]);
    let cost = bill.costs.first().copied().unwrap_or_default();
    context.streams.note(match context.streams.json() {
        true => json!({"requests": requests, "nano_dollars_on_s3_standard": cost}).to_string(),
        false => format!(
            "the checks take about {requests} requests ({cost} on S3 Standard), and then one for each \
             object that an execution refers to: bucket={}",
            context.url
        ),
    });
}
