//! The tombstone: the state of a head after its execution was archived.
//!
//! It reserves the key, so that late requests are rejected; it answers keyed duplicates by the
//! digest of their input; and it names the archive. It drops the journal and the input: its
//! `record.args` is `null`.
//!
//! - **\[R\] A9** It replaces the very head that was archived, by compare-and-swap. The bad
//!   interleaving: retention reads a failed execution; an operator re-opens it; retention expires
//!   it with its later work. After a refusal, retention leaves the execution as it is.
//! - It is the last link of the chain of commits (I2): only retention replaces it.
//! - **\[R\]** It is never deleted, so a create, commit, dispatch or retention pass of any age finds
//!   it. The bad interleaving: a tombstone is deleted, and a duplicate of an old message makes its
//!   sender's outbox start the child once more.
//! - **\[R\]** It keeps the nonce of the start. The bad interleaving: a create lands, and its reply
//!   is lost; the execution ends and its key becomes free; the starter reads the tombstone, takes
//!   it for another's, and begins a second execution.
//! - It changes by `next`, by a delete, and when a late report gets a new instant.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::commit::replace;
use super::{CommitError, Head, Journal};
use crate::domain::{Budget, Digest, Json, Payload, Provenance, Record, Status};
use crate::ports::Ports;

/// The description of an archived execution in its tombstone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Archived {
    /// The digest of the archive's bytes, unless it was deleted. The key of the archive follows from
    /// the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sha256: Option<Digest>,
    /// The archived commit: the last one before the tombstone.
    pub(crate) commit: u64,
    pub(crate) status: Status,
    /// The digest of the canonical form of the value or the failure, unless it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Digest>,
    /// The instant from which the start key begins another execution.
    pub(crate) free_at: Timestamp,
    /// The number of the key's newest execution, in the tombstone of its first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<u32>,
    /// Who has deleted the execution and its archive, if that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted: Option<Provenance>,
}

impl Archived {
    /// Checks the rule that readers rely on: a head names an archive if, and only if, it was
    /// archived.
    pub(super) fn check(head: &Head) -> Result<(), String> {
        match (head.status, &head.archived) {
            (Status::Archived, None) => {
                Err("it is archived, and does not name its archive".to_owned())
            }
            (Status::Archived, Some(archived)) => {
                if archived
                    .next
                    .is_some_and(|next| next == 0 || head.record.n > 0)
                {
                    return Err("it names a next execution that it cannot have".to_owned());
                }
                if archived.deleted.is_some() != archived.sha256.is_none() {
                    return Err("it names no archive, and was not deleted".to_owned());
                }
                match archived.commit.checked_add(1) == Some(head.commit) {
                    true => Ok(()),
                    false => Err(format!("it was archived at commit {}", archived.commit)),
                }
            }
            (_, Some(_)) => Err("it is not archived, and names an archive".to_owned()),
            (_, None) => Ok(()),
        }
    }
}

impl Head {
    /// Returns whether this is a tombstone whose start key begins another execution at `now`.
    pub(crate) fn is_free(&self, now: Timestamp) -> bool {
        let archived = self.archived.as_ref();
        archived.is_some_and(|archived| archived.free_at <= now)
    }
}

impl Journal {
    /// Replaces the head by its tombstone. 1 P; after a lost reply 1 G and 1 P for each attempt; 1
    /// G if lost.
    ///
    /// # Errors
    /// [`CommitError::Lost`]: the head has changed since it was read. After that, or `Unknown`,
    /// this journal must not be used again.
    pub(crate) async fn entomb(
        &mut self,
        ports: &Ports,
        archived: Archived,
        deadline: Duration,
    ) -> Result<(), CommitError> {
        let head = &self.head;
        debug_assert!(head.status.is_terminal() && head.lease.is_none());
        let record = Record {
            args: Payload::Inline(Json::null()),
            ..head.record.clone()
        };
        let next = Head {
            commit: archived.commit + 1,
            at: ports.clock.now().max(head.at),
            epoch: head.epoch,
            generation: head.generation,
            status: Status::Archived,
            archived: Some(archived),
            budget: Budget::default(),
            ..Head::new(record, ports.entropy.nonce())
        };
        self.succeed(ports, next, deadline).await
    }

    /// Changes the instant of the tombstone's report, or its `next`. 1 P, as [`Journal::entomb`].
    ///
    /// # Errors
    /// As [`Journal::entomb`].
    pub(crate) async fn amend_tombstone(
        &mut self,
        ports: &Ports,
        change: impl FnOnce(&mut Timestamp, &mut Archived),
        deadline: Duration,
    ) -> Result<(), CommitError> {
        let mut next = self.head.clone();
        next.nonce = ports.entropy.nonce();
        if let Some(archived) = &mut next.archived {
            change(&mut next.at, archived);
        }
        self.succeed(ports, next, deadline).await
    }

    async fn succeed(
        &mut self,
        ports: &Ports,
        next: Head,
        deadline: Duration,
    ) -> Result<(), CommitError> {
        self.version = replace(ports, &next, &self.version, deadline).await?;
        self.head = next;
        self.open = Vec::new();
        Ok(())
    }
}
