//! The objects of each execution in the bucket.

use std::collections::BTreeMap;

use millpond::client::{Engine, Execution};
use millpond::domain::{Commit, Entry, ExecutionId};
use millpond::keys::Prefix;

use crate::Trouble;

#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) eid: ExecutionId,
    pub(crate) execution: Execution,
    pub(crate) commits: Vec<Commit>,
}

pub(crate) type Stories = BTreeMap<ExecutionId, Story>;

impl Story {
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.commits.iter().flat_map(|commit| &commit.entries)
    }

    /// Its name in reports.
    pub(crate) fn name(&self) -> String {
        let record = &self.execution.record;
        let key = record.dispatch_key.as_deref().unwrap_or("a child");
        format!("{} ({key})", record.workflow.as_str())
    }
}

/// Reads every execution that has a head, whether or not the feed contains it.
pub(super) async fn read(engine: &Engine) -> Result<Stories, Trouble> {
    let objects = engine.ports().list(&Prefix::parse("x/")?).await?;
    let mut stories = Stories::new();
    for row in objects {
        let mut parts = row.key.as_str().split('/').skip(2);
        let (Some(eid), Some("head")) = (parts.next(), parts.next()) else {
            continue;
        };
        let eid = ExecutionId::parse(eid)?;
        let story = Story {
            eid,
            execution: engine.execution(eid).await?,
            commits: engine.journal(eid, 1, usize::MAX).await?.commits,
        };
        stories.insert(eid, story);
    }
    Ok(stories)
}
