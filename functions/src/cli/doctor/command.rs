//! The command.

use std::sync::Arc;

use millpond::client::chain;
use millpond::testing::MemoryBucket;
use millpond_conformance::Probe;
use millpond_host::SystemClock;
use millpond_wrappers::{Bill, Metered, Prices};
use serde_json::json;

use super::super::command::{Needs, Run};
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::concern::Concern;
use super::exam::{Exam, Patient};
use super::left::{ROOM, left};
use super::permissions::Verb;
use super::report::Report;
use super::settings::settings;

/// Prove the bucket, and look for executions that nothing can wake and for broken objects
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only look, at the bucket's settings and at executions; write nothing
    #[arg(long)]
    no_probes: bool,
}

impl Run for Args {
    const NEEDS: Needs = Needs {
        check: true,
        ..Needs::ONE_SHOT
    };

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let mut report = Report::new(context.url.clone());
        let ports = context.engine.ports();
        (report.findings, report.notes) = settings(context).await;
        report
            .notes
            .extend(left(context.store.as_ref(), ports.clock.now()).await);
        if !self.no_probes {
            // A fresh name: two doctors, or one after a crash, do not meet.
            let prefix = format!("{ROOM}{}/", ports.entropy.nonce());
            let patient = Patient {
                bucket: Arc::clone(&context.store),
                clock: Arc::clone(&ports.clock),
                spawner: Some(Arc::clone(&ports.spawner)),
                time: context.behind.time().cloned(),
                names: context.behind.names(),
                prefix,
            };
            if context.far {
                forewarn(context, &patient).await;
            }
            // On a far store a probe takes seconds, and all of them minutes.
            let say = |probe: Probe| {
                if context.far && !context.streams.json() {
                    context.streams.note(format!("probing {probe}"));
                }
            };
            report.take(Box::pin(Exam::of(&patient, &say)).await, &patient);
        }
        // Who may not look would only hear again that he may not.
        let blind = [Verb::List, Verb::Read];
        if !report.missing.iter().any(|verb| blind.contains(verb)) {
            match context.engine.audit().await {
                Ok(audit) => report.audit = Some(audit),
                Err(error) if report.is_clear() => return Err(error.into()),
                // What was found before is told: it may well be why.
                Err(error) => report.findings.push(Concern::new(
                    "store",
                    format!("executions could not be looked at: {}", chain(&error)),
                    "ask again once the store is set right",
                )),
            }
        }
        report.tell(&context.streams)?;
        Ok(match report.is_sound() {
            true => Exit::Done,
            false => Exit::Failed,
        })
    }
}

/// Says what the probes are going to cost: they are rehearsed on a bucket in memory, and counted.
async fn forewarn(context: &CommandContext, patient: &Patient) {
    let clock = Arc::new(SystemClock::new());
    let memory = Arc::new(MemoryBucket::new(clock.clone()));
    let counted = Arc::new(Metered::new(memory));
    let rehearsal = Patient {
        bucket: Arc::clone(&counted) as _,
        clock,
        spawner: None,
        time: None,
        names: patient.names,
        prefix: patient.prefix.clone(),
    };
    // What it finds is not about the store.
    let _ = Box::pin(Exam::of(&rehearsal, &|_| ())).await;
    let usage = counted.usage();
    let requests = usage.total().requests;
    let bill = Bill::new(&usage, vec![Prices::s3_standard()]);
    let cost = bill.costs.first().copied().unwrap_or_default();
    context.streams.note(match context.streams.json() {
        true => json!({"requests": requests, "nano_dollars_on_s3_standard": cost}).to_string(),
        false => format!(
            "asking {} about {requests} requests ({cost} on S3 Standard), and then one for each \
             object that an execution names",
            context.url
        ),
    });
}
