//! An execution with its descendants: their states, and the cost of all of them.

use std::collections::BTreeMap;

use futures::{StreamExt, stream};
use serde::Serialize;

use super::past::History;
use super::price::price;
use super::{Engine, EngineError};
use crate::domain::{Began, Entry, ExecutionId, Status};
use crate::journal::Price;

/// An execution with its descendants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Descendants {
    /// The executions by id, the first one included. `None`: it has not begun, or its archive was
    /// deleted.
    pub executions: BTreeMap<ExecutionId, Option<Status>>,
    /// The cost of all of them so far.
    pub price: Price,
}

impl Engine {
    /// Returns an execution with all executions that it started, directly or indirectly, and their
    /// cost so far ([`Engine::price`]). For each of them 1 G, + 1 G for each segment; 2 G if it is
    /// archived.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or an object cannot be read.
    pub async fn descendants(&self, eid: ExecutionId) -> Result<Descendants, EngineError> {
        let concurrency = self.core.settings.concurrency.max(1);
        let mut found = Descendants::default();
        let mut next = found.add(eid, &self.history(eid, 0).await?);
        while !next.is_empty() {
            let read = |eid| async move { (eid, self.history(eid, 0).await) };
            let mut histories = stream::iter(std::mem::take(&mut next))
                .map(read)
                .buffer_unordered(concurrency);
            while let Some((eid, history)) = histories.next().await {
                match history {
                    Ok(history) => next.extend(found.add(eid, &history)),
                    Err(EngineError::UnknownExecution { .. }) => {
                        found.executions.insert(eid, None);
                    }
                    Err(error) => return Err(error),
                }
            }
            next.retain(|eid| !found.executions.contains_key(eid));
        }
        Ok(found)
    }
}

impl Descendants {
    /// Adds one execution; returns its children.
    fn add(&mut self, eid: ExecutionId, history: &History) -> Vec<ExecutionId> {
        self.executions.insert(eid, Some(history.status));
        self.price = self.price + price(history);
        let entries = history.commits.iter().flat_map(|commit| &commit.entries);
        let children = entries.filter_map(|entry| match entry {
            Entry::FrameStarted {
                began: Began::Child { eid, .. },
                ..
            } => Some(*eid),
            _ => None,
        });
        children.collect()
    }
}
