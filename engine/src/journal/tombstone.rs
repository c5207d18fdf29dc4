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
//! - **\[R\] It is purged by one sweeper at a time**, which marks it first. The bad interleaving:
//!   two passes purge one execution; one of them is slow; the key becomes free and a new execution
//!   starts under it; the slow pass deletes the new head.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::commit::replace;
use super::{CommitError, Head, Journal};
use crate::domain::{Digest, Json, Payload, Record, Status};
use crate::keys::{self, Key};
use crate::ports::Ports;

/// The description of an archived execution in its tombstone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Archived {
    pub(crate) key: Key,
    /// The digest of the archive's bytes.
    pub(crate) sha256: Digest,
    /// The archived commit: the last one before the tombstone.
    pub(crate) commit: u64,
    pub(crate) status: Status,
    /// The digest of the canonical form of the value or the failure.
    pub(crate) result: Digest,
    /// The start of a purge that is in progress, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) purged_since: Option<Timestamp>,
}

impl Archived {
    /// Checks the rule that readers rely on: a head names an archive if, and only if, it was
    /// archived.
    pub(super) fn check(head: &Head) -> Result<(), String> {
        match (head.status, &head.archived) {
            (Status::Archived, None) => Err("it is archived, and does not say where".to_owned()),
            (Status::Archived, Some(archived)) => {
                if archived.key != keys::archive(&head.record.eid) {
                    return Err(format!("it names as its archive {}", archived.key));
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
            status: Status::Archived,
            archived: Some(archived),
            ..Head::new(record, ports.entropy.nonce())
        };
        self.succeed(ports, next, deadline).await
    }

    /// Updates the date of the tombstone, or marks it as being purged. 1 P, as [`Journal::entomb`].
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
