//! Looking for causes.

use std::time::Duration;

use super::WorkerEvent;
use super::scheduler::Scheduler;
use crate::domain::Queue;
use crate::keys::{self, Key, MailKey};
use crate::ports::BucketError;
use crate::process::STORE;
use crate::process::chain;
use crate::timers;

/// Keys of one page of mail, and of timers.
const PAGE: usize = 1_000;

impl Scheduler {
    /// One look: a page of mail for each queue, a page of timers. The next look comes sooner
    /// after one that found something new.
    pub(super) async fn look(&mut self) {
        self.looked();
        let (found, failed) = self.find().await;
        // Once for each outage: whoever watches is told when it is over, too.
        if let Some(error) = failed {
            if !std::mem::replace(&mut self.blind, true) {
                let text = chain(&error);
                tracing::warn!(target: STORE, error = %text, "looking for work failed; it is tried again");
                self.tell(&WorkerEvent::PollFailing(text));
            }
        } else if self.closed.is_empty() && std::mem::take(&mut self.blind) {
            self.tell(&WorkerEvent::PollRecovered);
            tracing::warn!(target: STORE, "looking for work succeeds again");
        }
        let (busy, idle) = (self.options.busy, self.options.idle);
        let behind = self.timer_cursor.is_some() || !self.cursors.is_empty();
        if found {
            self.interval = busy;
        } else if !behind {
            self.interval = (self.interval * 2).min(idle).max(busy);
        }
        // More pages are looked at soon; that they are there is no reason to begin again soon.
        let wait = if behind { busy } else { self.interval };
        self.next_look = self.core.ports.clock.monotonic() + wait;
    }

    /// Every list for itself: one that fails hides nothing that another shows. Answers whether
    /// anything is new, and the first trouble.
    async fn find(&mut self) -> (bool, Option<BucketError>) {
        let (mut found, mut failed) = (false, None);
        let queues = self.options.queues.clone();
        for place in queues.into_iter().map(Some).chain([None]) {
            let now = self.core.ports.clock.monotonic();
            if self.closed.get(&place).is_some_and(|until| *until > now) {
                continue;
            }
            // The next look is the next try: here a list waits no longer than for that.
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
            // A timer that is due would make the next look at once.
            self.next_timer = None;
        }
        (found, failed)
    }

    /// A full page is followed by the one behind it on the next look, so that executions
    /// nobody can run never hide the others.
    async fn find_mail(
        &mut self,
        queue: &Queue,
        end: Option<Duration>,
    ) -> Result<bool, BucketError> {
        let ports = self.core.ports.clone();
        let after = self.cursors.remove(queue);
        let page = ports
            .page_until(&keys::mail_queue(queue), after.as_ref(), PAGE, end)
            .await?;
        if let Some(next) = page.next {
            self.cursors.insert(queue.clone(), next);
        }
        let mut found = false;
        for row in page.entries {
            match MailKey::parse(&row.key) {
                Some(mail) => found |= self.found_mail(&mail.queue, mail.eid, row.key),
                None => self.foreign(&row.key),
            }
        }
        Ok(found)
    }

    /// What no message and no timer is called is said once, and passed by.
    fn foreign(&mut self, key: &Key) {
        self.say(key.to_string(), || {
            tracing::warn!(%key, "no message and no timer: left as it is");
        });
    }

    /// As with mail, a page full of timers that are due is followed by the one behind it: they
    /// may all be another worker's.
    async fn find_timers(&mut self, end: Option<Duration>) -> Result<bool, BucketError> {
        let ports = self.core.ports.clone();
        let after = self.timer_cursor.take();
        let now = ports.clock.now();
        let due = timers::due_until(&ports, now, after.as_ref(), PAGE, end).await?;
        self.next_timer = due.next;
        self.timer_cursor = due.rest;
        due.foreign.iter().for_each(|key| self.foreign(key));
        let mut found = false;
        for (key, timer) in due.now {
            found |= self.saw_timer(&timer.queue, timer.eid, key);
        }
        Ok(found)
    }
}
