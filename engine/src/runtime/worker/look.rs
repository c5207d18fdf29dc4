//! Looking for causes.

use std::time::Duration;

use super::WorkerEvent;
use super::dispatch::Book;
use crate::doors::BucketError;
use crate::keys::{self, Key, MailKey};
use crate::runtime::STORE;
use crate::runtime::chain;
use crate::timers;

/// Keys of one page of mail, and of alarms.
const PAGE: usize = 1_000;

impl Book {
    /// One look: a page of mail for each queue, a page of alarms. The next look comes sooner
    /// after one that found something new.
    pub(super) async fn look(&mut self) {
        self.looked();
        let mut asked = Duration::ZERO;
        let found = match self.find().await {
            Ok(found) => {
                if std::mem::take(&mut self.blind) {
                    self.tell(&WorkerEvent::Sighted);
                    tracing::warn!(target: STORE, "looking for work succeeds again");
                }
                found
            }
            Err(error) => {
                // An alarm that is due would make the next look at once.
                self.next_alarm = None;
                asked = error.retry_after.unwrap_or_default();
                // Once for each outage: whoever watches is told when it is over, too.
                if !std::mem::replace(&mut self.blind, true) {
                    let text = chain(&error);
                    tracing::warn!(target: STORE, error = %text, "looking for work failed; it is tried again");
                    self.tell(&WorkerEvent::Blind(text));
                }
                false
            }
        };
        let (busy, idle) = (self.options.busy, self.options.idle);
        let behind = self.alarm_cursor.is_some() || !self.cursors.is_empty();
        if found {
            self.interval = busy;
        } else if !behind {
            self.interval = (self.interval * 2).min(idle).max(busy);
        }
        // More pages are looked at soon; that they are there is no reason to begin again soon.
        let wait = if behind { busy } else { self.interval };
        self.next_look = self.core.doors.clock.monotonic() + wait.max(asked);
    }

    async fn find(&mut self) -> Result<bool, BucketError> {
        let mut found = false;
        for queue in self.options.queues.clone() {
            found |= self.find_mail(&queue).await?;
        }
        Ok(self.find_alarms().await? || found)
    }

    /// A full page is followed by the one behind it on the next look, so that executions
    /// nobody can run never hide the others.
    async fn find_mail(&mut self, queue: &crate::domain::Queue) -> Result<bool, BucketError> {
        let doors = self.core.doors.clone();
        let after = self.cursors.remove(queue);
        let page = doors
            .page(&keys::mail_queue(queue), after.as_ref(), PAGE)
            .await?;
        if page.more
            && let Some(last) = page.entries.last()
        {
            self.cursors.insert(queue.clone(), last.key.clone());
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

    /// What no message and no alarm is called is said once, and passed by.
    fn foreign(&mut self, key: &Key) {
        self.say(key.to_string(), || {
            tracing::warn!(%key, "no message and no alarm: left as it is");
        });
    }

    /// As with mail, a page full of alarms that are due is followed by the one behind it: they
    /// may all be another worker's.
    async fn find_alarms(&mut self) -> Result<bool, BucketError> {
        let doors = self.core.doors.clone();
        let after = self.alarm_cursor.take();
        let due = timers::due(&doors, doors.clock.now(), after.as_ref(), PAGE).await?;
        self.next_alarm = due.next;
        self.alarm_cursor = due.rest;
        due.foreign.iter().for_each(|key| self.foreign(key));
        let mut found = false;
        for (key, alarm) in due.now {
            found |= self.saw_alarm(&alarm.queue, alarm.eid, key);
        }
        Ok(found)
    }
}
