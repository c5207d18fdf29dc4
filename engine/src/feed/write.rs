//! Writing a feed object.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{ExecutionId, FrameId, Payload, Queue, Status, Workflow};
use crate::journal::Head;
use crate::keys;
use crate::ports::{BucketError, Ports};

/// What one feed object tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FeedRecord {
    /// Version of this form.
    pub(crate) format: u32,
    /// The execution.
    pub(crate) eid: ExecutionId,
    /// The newest commit it tells of: with the eid its identity.
    pub(crate) commit: u64,
    /// The instant of that commit.
    pub(crate) at: Timestamp,
    /// The workflow type.
    pub(crate) workflow: Workflow,
    /// Its version.
    pub(crate) version: String,
    /// The queue.
    pub(crate) queue: Queue,
    /// The caller's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch_key: Option<String>,
    /// The execution that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<ExecutionId>,
    /// When it was started.
    pub(crate) created_at: Timestamp,
    /// Where it stands.
    pub(crate) status: Status,
    /// What happened since the object before.
    pub(crate) events: Vec<Event>,
}

impl FeedRecord {
    /// What happened to an execution, beside where it stands.
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
            events,
        }
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// The kind of the entry, or `announce.{kind}`.
    pub(crate) kind: String,
    /// Its commit, where it is a lifecycle event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<u64>,
    /// When.
    pub(crate) at: Timestamp,
    /// In words, where there is more to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The frame that announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) fid: Option<FrameId>,
    /// What it announced. A blob lies under the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Payload>,
}

/// Writes `told` under the instant of the write. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn write(ports: &Ports, told: &FeedRecord) -> Result<(), BucketError> {
    write_at(ports, told, ports.clock.now()).await
}

/// Writes `told` under this instant, which is to be one of just now. 1 P.
///
/// # Errors
/// The store failed.
pub(crate) async fn write_at(
    ports: &Ports,
    told: &FeedRecord,
    at: Timestamp,
) -> Result<(), BucketError> {
    let body: Bytes = serde_json::to_vec(told)
        .expect("a feed object holds only values that were serialized before")
        .into();
    let key = keys::feed(at, &told.eid, told.commit);
    // Found is done: the same (eid, commit) at the same instant.
    let _ = ports.create(&key, body).await?;
    Ok(())
}
