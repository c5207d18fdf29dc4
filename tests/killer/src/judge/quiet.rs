//! **I4** No work is left, the feed agrees, and no process has reported a panic.

use millpond::client::{Engine, Filter};
use millpond::domain::{ExecutionId, Status};
use millpond::keys::{self, Prefix, TimerKey};

use super::{Stories, Verdict};
use crate::Trouble;
use crate::place::Place;

pub(super) async fn check(
    verdict: &mut Verdict,
    engine: &Engine,
    place: &Place,
    stories: &Stories,
) -> Result<(), Trouble> {
    let ports = engine.ports();
    let audit = engine.audit().await?;
    let clean = audit.findings.is_empty() && audit.open == 0 && audit.parked == 0;
    verdict.all_must("I4", clean, || format!("{audit:?}"));
    for story in stories.values() {
        let (status, lease) = (story.execution.status, &story.execution.lease);
        verdict.must("I4", story.eid, status.is_terminal(), || {
            format!("{} is {status}", story.name())
        });
        verdict.must("I4", story.eid, lease.is_none(), || {
            format!("it is over, and owned: {lease:?}")
        });
    }
    let mail = ports.list(&Prefix::parse(keys::MAIL)?).await?;
    verdict.all_must("I4", mail.is_empty(), || {
        format!("{} mails are left: {:?}", mail.len(), mail.first())
    });
    let now = ports.clock.now();
    let timers = ports.list(&keys::timers()).await?;
    let timers = timers.iter().filter_map(|row| TimerKey::parse(&row.key));
    let due: Vec<_> = timers.filter(|timer| timer.due <= now).collect();
    verdict.all_must("I4", due.is_empty(), || format!("due timers: {due:?}"));
    feed(verdict, engine, stories).await?;
    for entry in std::fs::read_dir(place.folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "log") {
            let log = std::fs::read_to_string(&path)?;
            let line = log.lines().find(|line| line.contains("panicked"));
            verdict.all_must("log", line.is_none(), || {
                format!("{}: {line:?}", path.display())
            });
        }
    }
    Ok(())
}

/// **I7** The feed contains every end.
async fn feed(verdict: &mut Verdict, engine: &Engine, stories: &Stories) -> Result<(), Trouble> {
    let rows = engine.list(&Filter::default()).await?;
    let reported: std::collections::BTreeMap<ExecutionId, Status> =
        rows.into_iter().map(|row| (row.eid, row.status)).collect();
    for story in stories.values() {
        let (is, reported) = (story.execution.status, reported.get(&story.eid));
        verdict.must("I7", story.eid, reported == Some(&is), || {
            format!("it is {is}, and the feed reports {reported:?}")
        });
    }
    Ok(())
}
