//! Polls for causes.

use std::time::Duration;

use super::WorkerEvent;
use super::scan::Scan;
use super::scheduler::Scheduler;
use crate::domain::Queue;
use crate::keys::{self, Key, MailKey};
use crate::ports::{BucketError, Entropy};
use crate::process::STORE;
use crate::process::chain;
use crate::timers;

/// Keys in one page of mail or timers.
const PAGE: usize = 1_000;

impl Scheduler {
    /// Polls once: a page of mail for each queue, and a page of timers. The next poll follows
    /// sooner if this one finds something new.
    pub(super) async fn look(&mut self) {
        self.looked();
        let (found, failed) = self.find().await;
        // Reported once for each outage, with its end.
        if let Some(error) = failed {
            if !std::mem::replace(&mut self.failing, true) {
                let text = chain(&error);
                tracing::warn!(target: STORE, error = %text, "looking for work failed; it is tried again");
                self.report(&WorkerEvent::PollFailing(text));
            }
        } else if self.closed.is_empty() && std::mem::take(&mut self.failing) {
            self.report(&WorkerEvent::PollRecovered);
            tracing::warn!(target: STORE, "looking for work succeeds again");
        }
        let (busy, idle) = (self.options.busy, self.options.idle);
        let scans = &mut self.scans.values();
        let behind = self.timer_cursor.is_some() || scans.any(Scan::is_behind);
        if found {
            self.interval = busy;
        } else if !behind {
            self.interval = (self.interval * 2).min(idle).max(busy);
        }
        // Further pages are polled soon, but do not reset the interval.
        let wait = if behind { busy } else { self.interval };
        self.looked_at = self.core.ports.clock.monotonic();
        self.next_look = self.looked_at + wait;
    }

    /// Makes each listing independently: if one fails, the causes in the others are still found.
    /// Returns whether anything is new, and the first error.
    async fn find(&mut self) -> (bool, Option<BucketError>) {
        let (mut found, mut failed) = (false, None);
        let queues = self.options.queues.clone();
        // A poll that replaces an outdated one lists the same page, and no timers unless their turn has
        // come.
        let again = std::mem::take(&mut self.share.outdated);
        if !again {
            self.scans.values_mut().for_each(Scan::advance);
        }
        let only_mail = again && !self.must_list_timers();
        let timers = if only_mail { None } else { Some(None) };
        for place in queues.into_iter().map(Some).chain(timers) {
            let now = self.core.ports.clock.monotonic();
            if self.closed.get(&place).is_some_and(|until| *until > now) {
                continue;
            }
            // The next poll is the retry, so a listing waits no longer than until then.
            let end = Some(now + self.options.idle);
            let listed = match &place {
                Some(queue) => self.find_mail(queue, end).await,
                None => self.find_timers(end).await,
            };
            match listed {
                Ok(more) => {
                    found |= more;
                    self.closed.remove(&place);
                }
                Err(error) => {
                    let until = self.core.ports.clock.monotonic() + error.wait();
                    self.closed.insert(place, until);
                    failed = failed.or(Some(error));
                }
            }
        }
        if self.closed.contains_key(&None) {
            // A due timer would trigger the next poll at once.
            self.next_timer = None;
        }
        (found, failed)
    }

    /// After a full page, the next polls read the pages behind it ([`Scan`]), so that executions
    /// which no worker can run never hide the others. **N25** What a page contains is taken from a random
    /// position on: the first run for nothing shows that another worker has begun there.
    async fn find_mail(
        &mut self,
        queue: &Queue,
        end: Option<Duration>,
    ) -> Result<bool, BucketError> {
        let ports = self.core.ports.clone();
        let scan = self.scans.entry(queue.clone()).or_default();
        let prefix = keys::mail_queue(queue);
        let mut page = ports.page_until(&prefix, scan.after(), PAGE, end).await?;
        scan.listed(queue, page.next, &*ports.entropy);
        rotate(&mut page.entries, &*ports.entropy);
        let oldest = page.entries.iter().map(|row| row.modified).min();
        self.report(&WorkerEvent::FoundMail {
            queue: queue.clone(),
            oldest,
        });
        let mut found = false;
        for row in page.entries {
            match MailKey::parse(&row.key) {
                Some(mail) => found |= self.found_mail(&mail.queue, mail.eid, row.key),
                None => self.foreign(&row.key),
            }
        }
        Ok(found)
    }

    /// Logs a key once that is neither a message nor a timer, and skips it.
    fn foreign(&mut self, key: &Key) {
        self.log_once(key.to_string(), || {
            tracing::warn!(%key, "no message and no timer: left as it is");
        });
    }

    /// After a full page of due timers, the next poll reads the page after it, as with mail: all
    /// of them may be for another worker.
    async fn find_timers(&mut self, end: Option<Duration>) -> Result<bool, BucketError> {
        let ports = self.core.ports.clone();
        let after = self.timer_cursor.take();
        let now = ports.clock.now();
        let mut due = timers::due_until(&ports, now, after.as_ref(), PAGE, end).await?;
        self.next_timer = due.next;
        self.timer_cursor = due.rest;
        let earliest = due.now.first().map(|(_, timer)| timer.due);
        self.report(&WorkerEvent::FoundTimers { earliest });
        self.timers_listed = ports.clock.monotonic();
        due.foreign.iter().for_each(|key| self.foreign(key));
        if self.share.is_contended() {
            shuffle(&mut due.now, &*ports.entropy);
        }
        let mut found = false;
        for (key, timer) in due.now {
            found |= self.saw_timer(&timer.queue, timer.eid, key);
        }
        Ok(found)
    }
}

/// Begins `items` at a random position.
fn rotate<T>(items: &mut [T], entropy: &dyn Entropy) {
    let count = items.len() as u64;
    let first = entropy.u64().checked_rem(count).unwrap_or_default();
    items.rotate_left(usize::try_from(first).unwrap_or_default());
}

/// Brings `items` into random order.
fn shuffle<T>(items: &mut [T], entropy: &dyn Entropy) {
    for last in (1..items.len()).rev() {
        let other = entropy.u64() % (last as u64 + 1);
        items.swap(last, usize::try_from(other).unwrap_or(last));
    }
}
