//! The versions of workflows that executions still need.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::{Engine, EngineError, Filter};
use crate::domain::{Status, Workflow};

/// A version of a workflow with executions that have not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedVersion {
    /// The workflow.
    pub workflow: Workflow,
    /// The version.
    pub version: String,
    /// Number of its executions that have not ended.
    pub executions: u64,
    /// When the oldest of them was started.
    pub since: Timestamp,
    /// Whether this application contains its code.
    pub registered: bool,
}

impl Engine {
    /// Returns the versions of workflows that executions still need, by workflow, the oldest first: a
    /// version that is not among them may be removed from the application. Executions that have
    /// ended are not counted. The price is that of [`list`](Self::list).
    ///
    /// # Errors
    /// The store failed.
    pub async fn versions(&self) -> Result<Vec<UsedVersion>, EngineError> {
        let open = |status: &Status| !status.is_terminal();
        let filter = Filter {
            status: Status::ALL.into_iter().filter(open).collect(),
            ..Filter::default()
        };
        let mut used = BTreeMap::<(Workflow, String), UsedVersion>::new();
        for row in self.list(&filter).await? {
            let found = self.app().find(&row.workflow, &row.version);
            let version = used
                .entry((row.workflow.clone(), row.version.clone()))
                .or_insert_with(|| UsedVersion {
                    registered: found.is_some_and(|known| !known.workflow.is_declared()),
                    workflow: row.workflow,
                    version: row.version,
                    executions: 0,
                    since: row.created_at,
                });
            version.executions += 1;
            version.since = version.since.min(row.created_at);
        }
        let mut used: Vec<_> = used.into_values().collect();
        used.sort_by(|a, b| (&a.workflow, a.since).cmp(&(&b.workflow, b.since)));
        Ok(used)
    }
}
