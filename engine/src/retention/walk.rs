//! Walks the feed page by page, several executions concurrently, at a limited rate.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};

use super::cursor::{Cursor, Side};
use super::{PAGE, Retained, RetentionError, RetentionSettings};
use crate::domain::ExecutionId;
use crate::journal::CommitError;
use crate::keys::{self, FeedKey, Key};
use crate::process::{Core, Notice, chain};
use crate::stored::LoadError;

/// The state of one pass.
pub(super) struct Walk<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) settings: &'a RetentionSettings,
    pub(super) stop: &'a Notice,
    pub(super) now: Timestamp,
    pub(super) retained: Retained,
    /// Executions written to since the last pause.
    pub(super) busy: u32,
}

/// What a walk does with each execution.
pub(super) enum Stage {
    /// No feed object is added any more before `dispatched`, so the cursor may pass it.
    Archive {
        dispatched: String,
    },
    Expire,
}

/// The feed objects of one execution in a page, in order.
pub(super) struct FeedRecord {
    pub(super) eid: ExecutionId,
    pub(super) objects: Vec<(Key, FeedKey)>,
}

/// The outcome for one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    Nothing,
    Archived,
    Finished,
    Left,
    Freed,
    Expired(usize),
}

impl Did {
    /// Returns whether the outcome included writes, beyond single deletes.
    fn writes(self) -> bool {
        matches!(self, Self::Archived | Self::Finished | Self::Freed)
    }
}

impl Retained {
    fn add(&mut self, did: Did) {
        self.walked += 1;
        match did {
            Did::Nothing => {}
            Did::Archived => self.archived += 1,
            Did::Finished => self.finished += 1,
            Did::Left => self.left += 1,
            Did::Freed => self.freed += 1,
            Did::Expired(objects) => self.expired += objects,
        }
    }
}

impl Walk<'_> {
    /// How long after its instant a feed object may be written: far longer than a writer retries,
    /// as a margin for clock differences.
    pub(super) const LAG: Duration = Duration::from_secs(3600);

    /// Walks to `end`, which sorts after the last key to examine. Returns whether it got there.
    pub(super) async fn along(
        &mut self,
        stage: &Stage,
        cursor: &mut Cursor,
        end: &str,
    ) -> Result<bool, RetentionError> {
        let ports = &self.core.ports;
        let feed = keys::feed_day(None).expect("no day is not a wrong day");
        let side = match stage {
            Stage::Archive { .. } => Side::Archived,
            Stage::Expire => Side::Expired,
        };
        let mut at = cursor.at(side).cloned();
        loop {
            if self.stop.is_set() || self.retained.walked >= self.settings.most {
                self.retained.more = true;
                return Ok(false);
            }
            let began = ports.clock.monotonic();
            let page = ports.page(&feed, at.as_ref(), PAGE).await?;
            let rows = page.entries.len();
            let keys = page.entries.into_iter().map(|row| row.key);
            let keys: Vec<Key> = keys.take_while(|key| key.as_str() < end).collect();
            let next = page.next.filter(|next| next.as_str() < end);
            let last = next.is_none() || keys.len() < rows;
            if !self.look_at(stage, &keys).await? {
                self.retained.more = true;
                return Ok(false);
            }
            let before = at.clone();
            let is_feed = |key: &&Key| FeedKey::parse(key).is_some();
            at = match stage {
                Stage::Archive { dispatched } => {
                    let before = |key: &&Key| key.as_str() < dispatched.as_str();
                    let passed = keys.iter().filter(before).rfind(is_feed);
                    if passed.is_some() {
                        cursor.keep(ports, side, passed).await?;
                    }
                    next.or_else(|| keys.last().cloned()).or(at)
                }
                Stage::Expire => {
                    // The end of a round: the next one starts with the objects that could not be
                    // deleted yet.
                    let next = next.filter(|_| !last);
                    // The cursor must be a feed object: a page without one is walked again.
                    let kept = keys.iter().filter(|_| !last).rfind(is_feed);
                    if kept.is_some() || (last && cursor.at(side).is_some()) {
                        cursor.keep(ports, side, kept).await?;
                    }
                    next
                }
            };
            self.rest(began).await;
            if last || at == before {
                return Ok(true);
            }
        }
    }

    /// Examines each execution of a page. Returns `false` if it was stopped.
    async fn look_at(&mut self, stage: &Stage, keys: &[Key]) -> Result<bool, RetentionError> {
        let mut places: BTreeMap<ExecutionId, usize> = BTreeMap::new();
        let mut all: Vec<FeedRecord> = Vec::new();
        for key in keys {
            let Some(parsed) = FeedKey::parse(key) else {
                continue; // foreign: skipped
            };
            let eid = parsed.eid;
            let place = *places.entry(eid).or_insert(all.len());
            if place == all.len() {
                let objects = Vec::new();
                all.push(FeedRecord { eid, objects });
            }
            all[place].objects.push((key.clone(), parsed));
        }
        let (walk, down) = (&*self, &AtomicBool::new(false));
        let concurrency = walk.core.settings.concurrency.max(1);
        let work: Vec<_> = all
            .iter()
            .map(|reported| async move {
                // After a store error, requests for the other executions would be in vain.
                if walk.stop.is_set() || down.load(Ordering::Relaxed) {
                    return None;
                }
                let did = walk.one(stage, reported).await;
                let failed = did.as_ref().is_err_and(|e| !is_of_the_execution(e));
                down.fetch_or(failed, Ordering::Relaxed);
                Some(did)
            })
            .collect();
        let looks: Vec<_> = stream::iter(work).buffered(concurrency).collect().await;
        let (mut failed, mut whole) = (None, true);
        for look in looks {
            match look {
                None => whole = false,
                Some(Ok(did)) => {
                    self.retained.add(did);
                    self.busy += u32::from(did.writes());
                }
                Some(Err(error)) if is_of_the_execution(&error) => {
                    self.retained.walked += 1;
                    self.retained.broken += 1;
                    let error = chain(&error);
                    tracing::warn!(%error, "cannot be archived, and is left as it is");
                }
                Some(Err(error)) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(whole), Err)
    }

    async fn one(&self, stage: &Stage, reported: &FeedRecord) -> Result<Did, RetentionError> {
        match stage {
            Stage::Archive { .. } => {
                // Of several feed objects of one execution, the newest counts.
                let newest = reported.objects.iter().map(|(_, key)| key.commit).max();
                self.archive(reported.eid, newest.unwrap_or_default()).await
            }
            Stage::Expire => self.expire(reported).await,
        }
    }

    /// Waits as long as the work since `began` requires under the rate limit.
    async fn rest(&mut self, began: Duration) {
        let work = std::mem::take(&mut self.busy);
        let clock = &self.core.ports.clock;
        let least = Duration::from_secs(1) * work / self.settings.rate.max(1);
        let left = (began + least).saturating_sub(clock.monotonic());
        if !left.is_zero() {
            futures::select_biased! {
                () = futures::FutureExt::fuse(self.stop.wait()) => {}
                () = futures::FutureExt::fuse(clock.sleep(left)) => {}
            }
        }
    }
}

/// Returns `at + by`, or the end of time.
pub(super) fn after(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by)
        .ok()
        .and_then(|by| at.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Returns whether the error is in objects of one execution, not in the store.
fn is_of_the_execution(error: &RetentionError) -> bool {
    match error {
        RetentionError::Load(error) => !matches!(error, LoadError::Bucket(_)),
        RetentionError::Commit(CommitError::Lost { .. }) => true,
        RetentionError::Commit(CommitError::Unknown { .. } | CommitError::Bucket(_)) => false,
        RetentionError::Settings(_) | RetentionError::Contended { .. } => false,
    }
}
