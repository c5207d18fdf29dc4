//! Carries out a retry: where the replay begins, and what becomes of the children.
//!
//! **\[R\] G5** Before the commit that holds the retry, the run reads the head of each child that the
//! kept entries leave open: a result may have reached the ended parent, and have been deleted. What it
//! decides is in the same commit. Bad interleaving: it commits the retry, and dies; the parent waits for
//! the result of a child that ended long ago.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt, stream};

use super::RunError;
use super::absorbed::Absorbed;
use super::conductor::Run;
use super::retry::{open_children, void_children};
use super::state::State;
use crate::archive;
use crate::domain::{
    Began, Body, Commit, Entry, ExecutionId, FrameId, MessageId, Payload, Provenance, Queue,
    Retried, Status,
};
use crate::journal::{Archived, History, Journal};
use crate::ports::Ports;
use crate::process::Core;
use crate::stored::{self, LoadError};

/// A child that the kept entries have started and leave open.
pub(super) struct Open {
    pub(super) fid: FrameId,
    pub(super) eid: ExecutionId,
    pub(super) queue: Queue,
    /// Its start.
    pub(super) began: Began,
    pub(super) waits: bool,
    /// The end that becomes void has stopped it.
    pub(super) stopped: bool,
}

impl Run {
    /// Carries out the retry in `absorbed`, if there is one: the journal then ends with it and with
    /// what follows from it, and only what was absorbed after it is left to be delivered. 1 G for each
    /// open child, and 1 G more if it is archived.
    pub(super) async fn carry_out_retry(
        &mut self,
        history: &mut History,
        absorbed: &mut Absorbed,
    ) -> Result<(), RunError> {
        let Some((up_to, retried)) = absorbed.retried.take() else {
            return Ok(());
        };
        let later = absorbed.entries.split_off(up_to);
        let entries = std::mem::replace(&mut absorbed.entries, later);
        let stops = void_children(history, &entries, &retried);
        history.commits.push(self.commit_of(entries));
        let mut base = State::of(&self.committer.journal.head, history);
        base.requested.parked = None; // by the head, it is still blocked
        base.crash_count = 0;
        let arrived: BTreeSet<MessageId> =
            absorbed.entries.iter().filter_map(mid).cloned().collect();
        let mut follows = stops;
        let follow = Follow {
            core: &self.core,
            parent: self.committer.journal.head.record.eid,
            by: self.core.provenance(self.committer.journal.head.epoch),
            retried: &retried,
        };
        let open = open_children(history, &base.children, &retried);
        for entry in follow.all(&open).await? {
            match mid(&entry) {
                Some(mid) if arrived.contains(mid) => continue,
                Some(mid) => self.inbox.know(mid.clone()),
                None => {}
            }
            follows.push(entry);
        }
        if let Some(commit) = history.commits.last_mut() {
            self.committer
                .append_retry(commit.entries.clone(), base, &follows);
            commit.entries.extend(follows);
        }
        Ok(())
    }

    /// Returns how the execution has ended, if a retry does not begin it again: what was absorbed then
    /// has no effect.
    pub(super) fn stays_ended(&self) -> Option<Status> {
        let status = self.committer.journal.head.status;
        let retried = self.committer.retried.is_some();
        (status.is_terminal() && !retried).then_some(status)
    }

    /// The entries as the next commit will contain them.
    pub(super) fn commit_of(&self, entries: Vec<Entry>) -> Commit {
        let position = self.committer.next_position();
        Commit {
            commit: position.commit,
            first: position.number,
            at: self.committer.now,
            by: self.core.provenance(self.committer.journal.head.epoch),
            frames: None,
            entries,
        }
    }
}

/// Decides what becomes of the children that the kept entries leave open.
struct Follow<'a> {
    core: &'a Core,
    parent: ExecutionId,
    by: Provenance,
    retried: &'a Retried,
}

impl Follow<'_> {
    async fn all(&self, open: &[Open]) -> Result<Vec<Entry>, RunError> {
        let decisions: Vec<_> = open.iter().map(|child| self.one(child)).collect();
        let decided: Vec<Option<Entry>> = stream::iter(decisions)
            .buffered(self.core.settings.concurrency.max(1))
            .try_collect()
            .await?;
        Ok(decided.into_iter().flatten().collect())
    }

    /// 1 G; the value of a child that completed costs more.
    async fn one(&self, child: &Open) -> Result<Option<Entry>, RunError> {
        let Open { fid, eid, .. } = child;
        let again = || begin_again(child, self.parent.child(self.retried.generation, fid));
        if self.retried.from.as_ref() == Some(fid) {
            return Ok(Some(again()));
        }
        // Nothing waits for it: it begins again only if it was stopped.
        if !child.waits && !child.stopped {
            return Ok(None);
        }
        let Some(journal) = Journal::load(&self.core.ports, eid).await? else {
            return Ok(None); // its start is in the mailbox, and creates it
        };
        let head = &journal.head;
        let archived = head.archived.as_ref();
        let ended = archived.map_or(head.status, |archived| archived.status);
        let deleted = archived.is_some_and(|archived| archived.deleted.is_some());
        Ok(match ended {
            _ if deleted => child.waits.then(again),
            Status::Completed | Status::Failed if !child.waits => None,
            Status::Completed => Some(self.result_of(child, &journal).await?),
            Status::Failed if archived.is_none() => Some(Entry::ChildRetried {
                fid: fid.clone(),
                eid: *eid,
                queue: child.queue.clone(),
                generation: head.generation.saturating_add(1),
            }),
            Status::Failed | Status::Cancelled | Status::Terminated => Some(again()),
            _ => child.stopped.then(again),
        })
    }

    /// The entry of the result of a child that completed, as if its message were absorbed now.
    async fn result_of(&self, child: &Open, journal: &Journal) -> Result<Entry, RunError> {
        let head = &journal.head;
        let value = value_of(self.core, journal, &self.parent).await?;
        Ok(Entry::Received {
            mid: MessageId::result(&child.eid, head.generation),
            sent_at: head.at,
            from: self.by.clone(),
            nonce: None,
            body: Body::Child {
                fid: child.fid.clone(),
                eid: child.eid,
                generation: head.generation,
                outcome: Ok(value),
            },
        })
    }
}

/// Returns the value with which an execution completed, as a value of `parent`: a large one is copied,
/// 1 G and 1 P. 1 or 2 G more if it is archived.
async fn value_of(
    core: &Core,
    journal: &Journal,
    parent: &ExecutionId,
) -> Result<Payload, RunError> {
    let (ports, eid) = (&core.ports, journal.head.record.eid);
    let (entry, archived) = match &journal.head.archived {
        Some(named) => (archived_end(ports, &eid, named).await?, true),
        None => {
            let entries = journal.tail_entries()?.into_iter().map(|(_, entry)| entry);
            (entries.into_iter().rfind(Entry::is_end), false)
        }
    };
    let value = match entry {
        Some(Entry::Completed { value }) => value,
        _ => return Err(no_value(journal).into()),
    };
    let inline = core.settings.inline;
    match &value {
        Payload::Blob { sha256, .. } if archived => {
            let value = archive::value(ports, &eid, sha256).await?;
            let mut value = Payload::Inline(value.ok_or_else(|| no_value(journal))?);
            stored::offload(ports, parent, &mut value, inline).await?;
            Ok(value)
        }
        value => Ok(stored::carry(ports, &eid, parent, value, inline).await?),
    }
}

async fn archived_end(
    ports: &Ports,
    eid: &ExecutionId,
    named: &Archived,
) -> Result<Option<Entry>, LoadError> {
    let archive = archive::read(ports, eid, Some(named)).await?;
    Ok(archive.and_then(|archive| archive.outcome().cloned()))
}

fn no_value(journal: &Journal) -> LoadError {
    LoadError::Corrupt {
        key: journal.head.key(),
        why: "it completed without a value".to_owned(),
    }
}

/// The start of another execution in place of a child.
fn begin_again(child: &Open, new: ExecutionId) -> Entry {
    let mut began = child.began.clone();
    if let Began::Child { eid, .. } = &mut began {
        *eid = new;
    }
    let fid = child.fid.clone();
    Entry::FrameStarted { fid, began }
}

fn mid(entry: &Entry) -> Option<&MessageId> {
    match entry {
        Entry::Received { mid, .. } => Some(mid),
        _ => None,
    }
}
