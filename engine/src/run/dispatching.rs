//! The outbox of a run in progress: its undispatched items, and the one dispatch that runs
//! concurrently with the step bodies. Batches never overlap, so effects on one execution keep
//! their order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt, pending};

use super::ended::RunError;
use crate::domain::Entry;
use crate::journal::{Head, Item, Journal, Named};
use crate::outbox::{self, DispatchError, Noted};
use crate::ports::{Backoff, Clock};
use crate::process::Core;

/// Pauses after failed batches while attempts run.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(10));

type Running = BoxFuture<'static, Result<Vec<Item>, DispatchError>>;

#[derive(Default)]
pub(super) struct Dispatching {
    items: BTreeMap<Item, usize>,
    noted: BTreeMap<u64, Noted>,
    running: Option<Running>,
    /// The commit that the feed object in the running batch reports.
    reporting: Option<u64>,
    /// The feed reports everything up to this commit.
    pub(super) reported_up_to: u64,
    /// No batch begins before this instant of the monotonic clock: the last one failed.
    not_before: Duration,
    failures: u32,
}

impl Dispatching {
    /// Adds the effect of an entry in the commit that is being built.
    pub(super) fn note(&mut self, number: u64, noted: Noted, size: usize) {
        self.items.insert(Item::Entry(number), size);
        self.noted.insert(number, noted);
    }

    /// Adds an effect that is not in any entry.
    pub(super) fn name(&mut self, named: Named) {
        self.items.insert(Item::Named(named), 0);
    }

    /// Returns the items that the next commit records as undispatched.
    pub(super) fn outbox(&self) -> Vec<Item> {
        self.items.keys().copied().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the size of the entries that wait in the tail for their effects.
    pub(super) fn bytes(&self) -> usize {
        self.items.values().sum()
    }

    /// Starts to dispatch what `head` (the newest commit) decided, unless a batch is running.
    /// Unless `all` is set, announcements wait for a feed object, and every item waits until a
    /// pause is over.
    pub(super) fn start(&mut self, core: &Arc<Core>, head: &Head, all: bool) {
        let paused = !all && core.ports.clock.monotonic() < self.not_before;
        if self.running.is_some() || paused {
            return;
        }
        let feed = self.items.contains_key(&Item::Named(Named::Feed));
        let waits = |item: &Item| match item {
            Item::Entry(number) if !feed && !all => self
                .noted
                .get(number)
                .is_some_and(|noted| matches!(noted.entry, Entry::Announced { .. })),
            _ => false,
        };
        let items: Vec<Item> = self
            .items
            .keys()
            .filter(|item| !waits(item))
            .copied()
            .collect();
        if items.is_empty() {
            return;
        }
        let effects = outbox::plan(head, &items, &self.noted);
        if effects
            .iter()
            .any(|effect| effect.item == Item::Named(Named::Feed))
        {
            self.reporting = Some(head.commit);
        }
        self.running = Some(outbox::perform(Arc::clone(core), head.record.eid, effects).boxed());
    }

    /// Waits until the running batch is dispatched; forever if there is none. The batch makes no
    /// request after `until`, and the caller can wait for it again with a later `until`.
    pub(super) async fn next(
        &mut self,
        clock: &dyn Clock,
        until: Duration,
    ) -> Result<(), DispatchError> {
        let Some(running) = &mut self.running else {
            return pending().await;
        };
        let Some(dispatched) = outbox::until(clock, until, running).await else {
            return Err(DispatchError::Late);
        };
        self.running = None;
        let dispatched = match dispatched {
            Ok(dispatched) => dispatched,
            Err(error) => {
                self.reporting = None;
                return Err(error);
            }
        };
        self.failures = 0;
        for item in dispatched {
            self.items.remove(&item);
            if let Item::Entry(number) = item {
                self.noted.remove(&number);
            }
        }
        if let Some(commit) = self.reporting.take() {
            self.reported_up_to = commit;
        }
        Ok(())
    }

    /// Records that the batch failed while attempts run: the next one begins after a pause.
    pub(super) fn pause(&mut self, now: Duration, asked: Option<Duration>) {
        self.failures += 1;
        let pause = BACKOFF.after(self.failures).max(asked.unwrap_or_default());
        self.not_before = now.saturating_add(pause);
    }

    /// Returns when a failed batch is retried.
    pub(super) fn resumes(&self) -> Option<Duration> {
        (self.running.is_none() && !self.is_empty() && self.failures > 0).then_some(self.not_before)
    }

    /// Returns whether everything is dispatched.
    pub(super) fn is_idle(&self) -> bool {
        self.is_empty() && self.running.is_none()
    }
}

/// Dispatches the outbox that an earlier run left: a second time changes nothing.
pub(crate) async fn dispatch_outbox(core: &Arc<Core>, journal: &Journal) -> Result<(), RunError> {
    let head = &journal.head;
    let mut entries = BTreeMap::new();
    if head
        .outbox
        .iter()
        .any(|item| matches!(item, Item::Entry(_)))
    {
        for raw in &head.tail {
            let commit = journal.decode(raw)?;
            let noted = |entry: Entry| Noted {
                at: commit.at,
                by: commit.by.clone(),
                entry,
            };
            entries.extend((commit.first..).zip(commit.entries.iter().cloned().map(noted)));
        }
    }
    let effects = outbox::plan(head, &head.outbox, &entries);
    outbox::perform(Arc::clone(core), head.record.eid, effects).await?;
    Ok(())
}
