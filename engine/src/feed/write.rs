//! Writes a feed object.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{ExecutionId, FrameId, Payload, Queue, Status, Workflow, is_first};
use crate::journal::Head;
use crate::keys;
use crate::ports::{BucketError, Ports};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeedRecord {
    pub(crate) format: u32,
    pub(crate) eid: ExecutionId,
    /// The newest commit it reports: with the eid its identity.
    pub(crate) commit: u64,
    pub(crate) at: Timestamp,
    pub(crate) workflow: Workflow,
    pub(crate) version: String,
    pub(crate) queue: Queue,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<ExecutionId>,
    pub(crate) created_at: Timestamp,
    pub(crate) status: Status,
    #[serde(default, skip_serializing_if = "is_first")]
    pub(crate) generation: u32,
    /// The events since the previous object.
    pub(crate) events: Vec<Event>,
}

impl FeedRecord {
    /// Builds a record of `events` and the current status of an execution.
    pub(crate) fn of(head: &Head, events: Vec<Event>) -> Self {
        let record = &head.record;
        Self {
            format: 1,
            eid: record.eid,
            commit: head.commit,
            at: head.at,
            workflow: record.workflow.clone(),
            version: record.version.clone(),
            queue: record.queue.clone(),
            dispatch_key: record.dispatch_key.clone(),
            parent: record.parent.as_ref().map(|parent| parent.eid),
            created_at: record.created_at,
            status: head.status,
            generation: head.generation,
            events,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// The kind of the entry, or `announce.{kind}`.
    pub(crate) kind: String,
    /// The commit, for a lifecycle event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<u64>,
    pub(crate) at: Timestamp,
    /// Details as text, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The frame that announced the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fid: Option<FrameId>,
    /// The announced value. A blob is stored under the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Payload>,
}

/// Writes `record` under the instant of the write. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn write(ports: &Ports, record: &FeedRecord) -> Result<(), BucketError> {
    write_at(ports, record, ports.clock.now()).await
}

/// Writes `record` under the given instant, which must be recent. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn write_at(
    ports: &Ports,
    record: &FeedRecord,
    at: Timestamp,
) -> Result<(), BucketError> {
    let body: Bytes = serde_json::to_vec(record)
        .expect("a feed object holds only values that were serialized before")
        .into();
    let key = keys::feed(at, &record.eid, record.commit);
    // An existing object is a success: the same (eid, commit) at the same instant.
    let _ = ports.create(&key, body).await?;
    Ok(())
}
