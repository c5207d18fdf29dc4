//! The outbox of a run under way: what is unsettled, and the one settle that runs beside the
//! thunks. Batches never overlap, so effects on one execution keep their order.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt, pending};

use crate::domain::Entry;
use crate::journal::{Head, Item, Named};
use crate::runtime::Core;
use crate::runtime::settle::{self, Noted, SettleError};

type Running = BoxFuture<'static, Result<Vec<Item>, SettleError>>;

#[derive(Default)]
pub(super) struct Settling {
    items: BTreeMap<Item, usize>,
    noted: BTreeMap<u64, Noted>,
    running: Option<Running>,
    /// The commit that the running feed object tells of.
    telling: Option<u64>,
    /// Everything up to this commit is in the feed.
    pub(super) told: u64,
}

impl Settling {
    /// Adds the effect of an entry that a commit now under way decides.
    pub(super) fn note(&mut self, number: u64, noted: Noted, weight: usize) {
        self.items.insert(Item::Entry(number), weight);
        self.noted.insert(number, noted);
    }

    /// Adds an effect that no entry holds.
    pub(super) fn name(&mut self, named: Named) {
        self.items.insert(Item::Named(named), 0);
    }

    /// What the next commit records as unsettled.
    pub(super) fn outbox(&self) -> Vec<Item> {
        self.items.keys().copied().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Bytes of entries that wait in the tail for their effects.
    pub(super) fn bytes(&self) -> usize {
        self.items.values().sum()
    }

    /// Starts settling what `head` (the newest commit) decided, unless a batch is running.
    /// Announcements wait for a feed object unless `all`.
    pub(super) fn start(&mut self, core: &Arc<Core>, head: &Head, all: bool) {
        if self.running.is_some() {
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
        let effects = settle::plan(head, &items, &self.noted);
        if effects
            .iter()
            .any(|effect| effect.item == Item::Named(Named::Feed))
        {
            self.telling = Some(head.commit);
        }
        self.running = Some(settle::perform(Arc::clone(core), head.record.eid, effects).boxed());
    }

    /// Waits until the running batch is settled; for ever when none is.
    pub(super) async fn next(&mut self) -> Result<(), SettleError> {
        let Some(running) = &mut self.running else {
            return pending().await;
        };
        let settled = running.await;
        self.running = None;
        for item in settled? {
            self.items.remove(&item);
            if let Item::Entry(number) = item {
                self.noted.remove(&number);
            }
        }
        if let Some(commit) = self.telling.take() {
            self.told = commit;
        }
        Ok(())
    }

    /// Settles everything.
    pub(super) async fn drain(&mut self, core: &Arc<Core>, head: &Head) -> Result<(), SettleError> {
        while !self.is_empty() || self.running.is_some() {
            self.start(core, head, true);
            self.next().await?;
        }
        Ok(())
    }
}
