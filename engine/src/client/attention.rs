//! What needs the attention of an operator although every object is whole.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::unread;
use crate::domain::{Blocked, Channel, Commit, Entry, ExecutionId, Status, Workflow};
use crate::journal::Head;

/// An execution that the engine has parked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockedExecution {
    /// The execution.
    pub eid: ExecutionId,
    /// Its type.
    pub workflow: Workflow,
    /// Since when.
    pub since: Timestamp,
    /// The reason, if it can be read.
    pub why: Option<Blocked>,
}

/// Messages that an execution has absorbed, and that no `receive` has consumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadMessages {
    /// The execution.
    pub eid: ExecutionId,
    /// Its type.
    pub workflow: Workflow,
    /// Their number, by channel.
    pub channels: BTreeMap<Channel, usize>,
}

/// Why the engine has parked an execution, read from its commits.
pub(super) fn blocked(head: &Head, commits: &[Commit]) -> Option<BlockedExecution> {
    if head.status != Status::Blocked {
        return None;
    }
    let mut newest = commits.iter().rev();
    let found = newest.find_map(|commit| {
        let why = commit.entries.iter().rev().find_map(|entry| match entry {
            Entry::Blocked(why) => Some(why.clone()),
            _ => None,
        })?;
        Some((commit.at, why))
    });
    Some(BlockedExecution {
        eid: head.record.eid,
        workflow: head.record.workflow.clone(),
        since: found.as_ref().map_or(head.at, |(at, _)| *at),
        why: found.map(|(_, why)| why),
    })
}

/// The messages of an open execution that no `receive` has consumed.
pub(super) fn unread_messages(head: &Head, commits: &[Commit]) -> Option<UnreadMessages> {
    let mut channels: BTreeMap<Channel, usize> = BTreeMap::new();
    if !head.status.is_terminal() {
        for message in unread::of_journal(commits) {
            *channels.entry(message.channel).or_default() += 1;
        }
    }
    (!channels.is_empty()).then(|| UnreadMessages {
        eid: head.record.eid,
        workflow: head.record.workflow.clone(),
        channels,
    })
}
