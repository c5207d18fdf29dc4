//! Lists executions: from the feed, and from the mailbox those that have not run yet.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, stream};
use jiff::Timestamp;
use serde::Serialize;

use super::{Engine, EngineError};
use crate::domain::{ExecutionId, MessageId, Queue, Status, Workflow, is_first};
use crate::feed;
use crate::journal::{Head, Journal};
use crate::keys::{MailKey, Prefix};
use crate::stored::LoadError;

/// Which executions to list.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only executions with one of these statuses; all if empty. [`Status::Archived`] selects
    /// archived executions, however they ended.
    pub status: Vec<Status>,
    /// Only executions of this type.
    pub workflow: Option<Workflow>,
    /// Maximum number of executions, newest first; all if absent.
    pub limit: Option<usize>,
}

/// One execution in a list.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its id.
    pub eid: ExecutionId,
    /// Its type.
    pub workflow: Workflow,
    /// Its version.
    pub version: String,
    /// Its queue.
    pub queue: Queue,
    /// Its status in the last feed object; how it ended, if it is archived.
    pub status: Status,
    /// Whether it is archived.
    pub archived: bool,
    /// Whether it was deleted, with its archive.
    pub deleted: bool,
    /// The number of its continuations and retries.
    #[serde(skip_serializing_if = "is_first")]
    pub generation: u32,
    /// The caller's key.
    pub dispatch_key: Option<String>,
    /// The execution that started it.
    pub parent: Option<ExecutionId>,
    /// When it was started.
    pub created_at: Timestamp,
    /// The instant of the last feed object.
    pub updated_at: Timestamp,
    /// The note on the last change in the last feed object: how it failed, why it is parked, which
    /// messages no `receive` has consumed.
    pub note: Option<String>,
}

impl Engine {
    /// Returns executions, newest first. The feed lags slightly behind the heads, since the feed
    /// object is a run's last effect. If a feed object cannot be read, the head is read instead;
    /// an execution is omitted, and logged, if neither can be read. 1 P for each 1,000 feed
    /// objects and mails, 1 G for each execution, and 1 G more for each head that is read instead
    /// of a feed object.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self, filter: &Filter) -> Result<Vec<Row>, EngineError> {
        let (ports, concurrency) = (&self.core.ports, self.core.settings.concurrency);
        let mut last = BTreeMap::new();
        for (key, parsed) in feed::events(ports, None, None).await? {
            let newest = last
                .entry(parsed.eid)
                .or_insert((parsed.commit, key.clone()));
            if parsed.commit >= newest.0 {
                *newest = (parsed.commit, key);
            }
        }
        let mut silent = self.waiting().await?;
        silent.extend(last.keys());
        let keys: Vec<_> = last.into_values().map(|(_, key)| key).collect();
        let mut rows: BTreeMap<ExecutionId, Row> = feed::read(ports, &keys, concurrency)
            .await?
            .into_iter()
            .map(|record| (record.eid, row_of_feed(record)))
            .collect();
        silent.retain(|eid| !rows.contains_key(eid));
        let heads: Vec<_> = stream::iter(silent)
            .map(|eid| async move { Journal::load(ports, &eid).await })
            .buffered(concurrency.max(1))
            .collect()
            .await;
        for head in heads {
            match head {
                Ok(Some(journal)) => {
                    rows.insert(journal.head.record.eid, row_of_head(journal.head));
                }
                Ok(None) => {} // no head: it has not begun
                Err(LoadError::Bucket(error)) => return Err(error.into()),
                Err(error) => tracing::warn!(%error, "left out of the list"),
            }
        }
        let mut rows: Vec<Row> = rows.into_values().filter(|row| fits(row, filter)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.created_at, row.eid)));
        rows.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(rows)
    }

    /// Returns the ids of all executions that the feed or a mailbox names, in order. 1 P for each
    /// 1,000 feed objects and mails.
    ///
    /// # Errors
    /// The store failed.
    pub async fn known(&self) -> Result<Vec<ExecutionId>, EngineError> {
        let events = feed::events(&self.core.ports, None, None).await?;
        let mut known: BTreeSet<ExecutionId> = events.into_iter().map(|(_, key)| key.eid).collect();
        known.extend(self.waiting().await?);
        Ok(known.into_iter().collect())
    }

    /// Returns the executions whose `start` mail still exists.
    async fn waiting(&self) -> Result<BTreeSet<ExecutionId>, EngineError> {
        let mail = Prefix::parse(crate::keys::MAIL).expect("a constant of the key layout");
        let rows = self.core.ports.list(&mail).await?;
        let found = rows.iter().filter_map(|row| MailKey::parse(&row.key));
        Ok(found
            .filter(|mail| mail.mid == MessageId::start())
            .map(|mail| mail.eid)
            .collect())
    }
}

fn fits(row: &Row, filter: &Filter) -> bool {
    let status =
        |wanted: &Status| *wanted == row.status || (row.archived && *wanted == Status::Archived);
    (filter.status.is_empty() || filter.status.iter().any(status))
        && filter
            .workflow
            .as_ref()
            .is_none_or(|workflow| *workflow == row.workflow)
}

fn row_of_feed(record: feed::FeedRecord) -> Row {
    // Announcements have no commit.
    let mut changes = record
        .events
        .iter()
        .rev()
        .filter(|event| event.commit.is_some());
    let mut note = changes.next().and_then(|event| event.note.clone());
    let (mut status, archived) = (record.status, record.status == Status::Archived);
    let deleted = record
        .events
        .iter()
        .any(|event| event.kind == feed::DELETED);
    // The note of that event is how the execution ended.
    if archived && let Some(ended) = note.as_deref().and_then(Status::named) {
        (status, note) = (ended, None);
    }
    Row {
        eid: record.eid,
        workflow: record.workflow,
        version: record.version,
        queue: record.queue,
        status,
        archived,
        deleted,
        generation: record.generation,
        dispatch_key: record.dispatch_key,
        parent: record.parent,
        created_at: record.created_at,
        updated_at: record.at,
        note,
    }
}

fn row_of_head(head: Head) -> Row {
    let record = head.record;
    Row {
        eid: record.eid,
        workflow: record.workflow,
        version: record.version,
        queue: record.queue,
        status: head
            .archived
            .as_ref()
            .map_or(head.status, |archived| archived.status),
        deleted: head
            .archived
            .as_ref()
            .is_some_and(|archived| archived.deleted.is_some()),
        archived: head.archived.is_some(),
        generation: head.generation,
        dispatch_key: record.dispatch_key,
        parent: record.parent.map(|parent| parent.eid),
        created_at: record.created_at,
        updated_at: head.at,
        note: None,
    }
}
