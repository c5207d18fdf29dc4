//! `doctor`: does the bucket keep what it promises, is everything whole, and can it be woken?

use std::sync::Arc;

use millpond::runtime::{Audit, Finding, chain};
use millpond_conformance::{Probe, Scale, Subject};
use serde_json::json;

use super::desk::Desk;
use super::error::Error;
use super::{Exit, text};

/// Enough to catch a store without conditional writes; a few thousand requests.
const SCALE: Scale = Scale {
    keys: 1_100,
    racers: 16,
    rounds: 4,
    large: 1 << 20,
    wide: 32,
};

/// Prove the bucket, and look for executions that nothing can wake and for broken objects
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only look at executions; write nothing
    #[arg(long)]
    no_probes: bool,
}

pub(crate) async fn run(args: Args, desk: &Desk) -> Result<Exit, Error> {
    let (mut passed, mut violation) = (Vec::new(), None);
    if !args.no_probes {
        (passed, violation) = prove(desk).await;
    }
    let audit = desk.engine.audit().await?;
    if desk.streams.json() {
        let passed: Vec<_> = passed.iter().map(|probe| probe.as_str()).collect();
        desk.streams.document(&json!({
            "bucket": desk.place, "passed": passed, "violation": violation,
            "executions": audit.executions, "open": audit.open, "parked": audit.parked,
            "findings": audit.findings,
        }))?;
    } else {
        report(desk, &audit)?;
    }
    if violation.is_none() && audit.findings.is_empty() {
        Ok(Exit::Done)
    } else {
        Ok(Exit::Failed)
    }
}

/// Runs every probe, below a prefix of its own, and deletes what they wrote.
async fn prove(desk: &Desk) -> (Vec<Probe>, Option<String>) {
    let doors = desk.engine.doors();
    // A fresh name: two doctors, or one after a crash, do not meet.
    let prefix = format!("doctor/{}/", doors.entropy.nonce());
    let subject = Subject::new(Arc::clone(&desk.store), &prefix)
        .racing_on(Arc::clone(&doors.spawner))
        .scaled(SCALE);
    let color = desk.streams.color();
    let (mut passed, mut violation) = (Vec::new(), None);
    for probe in Probe::ALL {
        match probe.run(&subject).await {
            Ok(()) => passed.push(probe),
            Err(found) => {
                violation = Some(chain(&found));
                break;
            }
        }
    }
    if let Err(finding) = subject.clear().await {
        violation.get_or_insert(format!(
            "{prefix} could not be cleared: {}",
            chain(&finding)
        ));
    }
    if !desk.streams.json() {
        let names: Vec<_> = passed.iter().map(|probe| probe.as_str()).collect();
        let words = match &violation {
            None => format!(
                "{}  {} ({})",
                text::paint("ok", 32, color),
                desk.place,
                names.join(", ")
            ),
            Some(why) => format!("{}  {}: {why}", text::paint("BAD", 31, color), desk.place),
        };
        desk.streams.note(words);
    }
    (passed, violation)
}

fn report(desk: &Desk, audit: &Audit) -> Result<(), Error> {
    for finding in &audit.findings {
        desk.streams.line(match finding {
            Finding::Asleep {
                eid,
                workflow,
                status,
                why,
            } => format!("asleep   {eid}  {workflow}  {status}  {why}"),
            Finding::Corrupt { key, why } => format!("corrupt  {key}  {why}"),
            Finding::Broken { eid, key, why } => format!("broken   {eid}  {key}  {why}"),
            Finding::Foreign { key } => format!("foreign  {key}"),
            Finding::Newer { key, format } => format!("newer    {key}  format {format}"),
        })?;
    }
    desk.streams.line(format!(
        "{} executions, {} open, {} parked, {} findings",
        audit.executions,
        audit.open,
        audit.parked,
        audit.findings.len()
    ))?;
    Ok(())
}
