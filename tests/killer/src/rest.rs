//! After the killing: everything must come to rest by itself, except executions parked by the
//! crash-loop rule, which an operator resumes.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use millpond::client::due_timers;
use millpond::client::{Engine, EngineError, Filter};
use millpond::domain::{Actor, Blocked, ExecutionId, Status};
use millpond::keys::{self, Prefix};
use tokio::runtime::Runtime;

use crate::Trouble;
use crate::fleet::Fleet;

/// Poll interval.
const PAUSE: Duration = Duration::from_millis(250);
/// Interval at which remaining work is reported.
const OFTEN: Duration = Duration::from_secs(5);

/// How the run came to rest.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// The number of stalled executions that an operator had to resume.
    pub(crate) resumed: usize,
    /// Descriptions of what did not come to rest.
    pub(crate) restless: Vec<String>,
}

/// Waits until all work is done, at most `patience`.
pub(crate) fn rest(
    fleet: &mut Fleet,
    runtime: &Runtime,
    engine: &Engine,
    patience: Duration,
) -> Result<Rest, Trouble> {
    let mut rest = Rest::default();
    let mut resumed = BTreeMap::new();
    let end = Instant::now() + patience;
    let mut report_at = Instant::now() + OFTEN;
    fleet.calm();
    loop {
        fleet.tend()?;
        if !fleet.findings.is_empty() {
            return Ok(rest);
        }
        let unrest = runtime.block_on(unrest(engine, &mut resumed))?;
        rest.resumed = resumed.values().sum();
        if fleet.is_told() && unrest.is_empty() {
            return Ok(rest);
        }
        if Instant::now() >= report_at {
            report_at = Instant::now() + OFTEN;
            let some = unrest.iter().take(5).map(String::as_str);
            println!("not at rest yet: {}", some.collect::<Vec<_>>().join(", "));
        }
        if Instant::now() >= end {
            rest.restless = unrest;
            if !fleet.is_told() {
                rest.restless.push("the client".to_owned());
            }
            return Ok(rest);
        }
        thread::sleep(PAUSE);
    }
}

/// The remaining or stalled work.
async fn unrest(
    engine: &Engine,
    resumed: &mut BTreeMap<ExecutionId, usize>,
) -> Result<Vec<String>, Trouble> {
    let ports = engine.ports();
    let mut unrest = Vec::new();
    let prefix = Prefix::parse(keys::MAIL)?;
    let mail = ports.list(&prefix).await?;
    unrest.extend(mail.iter().map(|row| format!("mail {}", row.key)));
    let due = due_timers(ports, ports.clock.now(), None, 1_000).await?;
    unrest.extend(due.now.iter().map(|(key, _)| format!("due timer {key}")));
    if unrest.is_empty() {
        let audit = engine.audit().await?;
        unrest.extend(audit.findings.iter().map(|finding| format!("{finding:?}")));
        if audit.open > 0 {
            unrest.push(format!("{} open, {} parked", audit.open, audit.parked));
        }
        if audit.parked > 0 {
            resume(engine, resumed).await?;
        }
    }
    Ok(unrest)
}

/// The operator's task: resumes executions that were parked because their workers crashed
/// repeatedly.
async fn resume(
    engine: &Engine,
    resumed: &mut BTreeMap<ExecutionId, usize>,
) -> Result<(), Trouble> {
    let filter = Filter {
        status: vec![Status::Blocked],
        ..Filter::default()
    };
    for row in engine.list(&filter).await? {
        let blocked = engine.execution(row.eid).await?.blocked;
        if matches!(blocked, Some(Blocked::Stalled { .. })) {
            match engine.resume(row.eid, Actor::human("operator")).await {
                Ok(()) => *resumed.entry(row.eid).or_default() += 1,
                Err(EngineError::TerminalExecution { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}
