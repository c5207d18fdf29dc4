//! Walking the feed: page by page, several executions at once, not too fast.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{StreamExt, stream};
use jiff::Timestamp;

use super::cursor::{Cursor, Side};
use super::{PAGE, Retained, RetentionError, RetentionSettings};
use crate::domain::ExecutionId;
use crate::journal::CommitError;
use crate::keys::{self, FeedKey, Key};
use crate::process::{Core, Notice, chain};
use crate::stored::LoadError;

/// One pass under way.
pub(super) struct Walk<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) settings: &'a RetentionSettings,
    pub(super) stop: &'a Notice,
    pub(super) now: Timestamp,
    pub(super) retained: Retained,
    /// Executions written to since the last rest.
    pub(super) busy: u32,
}

/// What is done along the way.
pub(super) enum Stage {
    /// Up to `dispatched` nothing comes any more, and the cursor may pass.
    Archive {
        dispatched: String,
    },
    Expire,
}

/// What a page tells of one execution, in order.
pub(super) struct FeedRecord {
    pub(super) eid: ExecutionId,
    pub(super) objects: Vec<(Key, FeedKey)>,
}

/// What became of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Did {
    Nothing,
    Archived,
    Finished,
    Left,
    Purged,
    Expired(usize),
}

impl Did {
    /// Whether it is more than a look.
    fn writes(self) -> bool {
        matches!(self, Self::Archived | Self::Finished | Self::Purged)
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
            Did::Purged => self.purged += 1,
            Did::Expired(objects) => self.expired += objects,
        }
    }
}

impl Walk<'_> {
    /// How long after its instant a feed object may come: far more than a writer tries, and
    /// clocks differ.
    pub(super) const LAG: Duration = Duration::from_secs(3600);

    /// Walks to `end`, which sorts behind the last key to look at; whether it came there.
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
                    // The end of a round: the next one begins with what could not go yet.
                    let next = next.filter(|_| !last);
                    // A cursor names a feed object: a page without one is walked again.
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

    /// Looks at each execution of a page; whether it was not told to stop.
    async fn look_at(&mut self, stage: &Stage, keys: &[Key]) -> Result<bool, RetentionError> {
        let mut places: BTreeMap<ExecutionId, usize> = BTreeMap::new();
        let mut all: Vec<FeedRecord> = Vec::new();
        for key in keys {
            let Some(parsed) = FeedKey::parse(key) else {
                continue; // foreign: passed by
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
            .map(|told| async move {
                // Where the store fails for one, the others are not tried in vain.
                if walk.stop.is_set() || down.load(Ordering::Relaxed) {
                    return None;
                }
                let did = walk.one(stage, told).await;
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

    async fn one(&self, stage: &Stage, told: &FeedRecord) -> Result<Did, RetentionError> {
        match stage {
            Stage::Archive { .. } => {
                // Of several words on one execution the newest one counts.
                let newest = told.objects.iter().map(|(_, key)| key.commit).max();
                self.archive(told.eid, newest.unwrap_or_default()).await
            }
            Stage::Expire => self.expire(told).await,
        }
    }

    /// Waits until what was done since `began` is not too fast.
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

/// Whether the trouble lies in objects of one execution, not in the store.
fn is_of_the_execution(error: &RetentionError) -> bool {
    match error {
        RetentionError::Load(error) => !matches!(error, LoadError::Bucket(_)),
        RetentionError::Commit(CommitError::Lost { .. }) => true,
        RetentionError::Commit(CommitError::Unknown { .. } | CommitError::Bucket(_)) => false,
        RetentionError::Settings(_) | RetentionError::Late { .. } => false,
    }
}
