//! The timer sweeper: turns due timers, and old mail, into hints (docs/protocol.md, Other
//! writers).
//!
//! It writes nothing and deletes nothing, so two sweepers may run concurrently: a cause is
//! deleted only after a run has processed it. One pass costs one list for the timers, and one for
//! each 1,000 mails.
//!
//! If the caller records when the last full report was made ([`Sweeper::since`]), the sweeper
//! reports a cause that stays unprocessed at growing intervals: after one TTL, two, four, and so
//! on, and every 15 minutes in the end. The hints of a backlog are in the workers' queue already;
//! repeating all of them in each pass would add more to the queue than the workers remove.
//! Without that instant (a new process, hints that were not sent) the sweeper reports every
//! cause.

use std::time::Duration;

use jiff::Timestamp;

use crate::client::Engine;
use crate::keys::{self, Key, MailKey, Prefix};
use crate::ports::{BucketError, Hint};
use crate::process::{Core, Notice, STORE};
use crate::timers;

use std::sync::Arc;

/// Keys in a page.
const PAGE: usize = 1_000;
/// Pages of timers, and of mail, in one pass, which bounds it; the next pass continues.
const PAGES: usize = 100;
/// The longest interval between two hints for a cause that is still there.
const LONGEST: Duration = Duration::from_secs(900);

/// Sends the causes in the bucket as hints to the workers.
#[derive(Debug)]
pub struct Sweeper {
    core: Arc<Core>,
    ahead: Duration,
    since: Option<Timestamp>,
}

/// Counts of what one pass found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// Timers that are due.
    pub timers: usize,
    /// Timers that become due within the lookahead.
    pub ahead: usize,
    /// Mail older than the lease TTL.
    pub stale_mail: usize,
    /// Hints that were sent.
    pub told: usize,
    /// The key after which the next pass continues with the mail, if this one reached its limit.
    pub cursor: Option<Key>,
}

impl Sweeper {
    /// Creates a sweeper for this engine.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        Self {
            core: Arc::clone(engine.core()),
            ahead: Duration::ZERO,
            since: None,
        }
    }

    /// Also sends hints for timers that become due within `ahead`, the period between two passes,
    /// each with its instant. This is for wake-ups that can delay a hint; others drop it.
    #[must_use]
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.ahead = ahead;
        self
    }

    /// Omits the hints that the pass begun at `since` has sent, unless the cause has since
    /// reached the next interval. Only correct if all hints of that pass were sent.
    #[must_use]
    pub fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }

    /// Makes one pass; mail is read from after `cursor`. 1 P for the timers, 1 P for each 1,000
    /// mails.
    ///
    /// # Errors
    /// The store failed; the next pass repeats everything.
    pub async fn pass(&self, cursor: Option<&Key>) -> Result<Swept, BucketError> {
        let mut swept = Swept::default();
        self.timers(&mut swept).await?;
        let ports = &self.core.ports;
        let mail = Prefix::parse(keys::MAIL).expect("a constant of the key layout");
        let mut after = cursor.cloned();
        for _ in 0..PAGES {
            let page = ports.page(&mail, after.as_ref(), PAGE).await?;
            after = page.next;
            for row in page.entries {
                let now = ports.clock.now();
                let age = now.duration_since(row.modified);
                let old = Duration::try_from(age).is_ok_and(|age| age > self.core.settings.ttl);
                if let Some(mail) = MailKey::parse(&row.key).filter(|_| old) {
                    let hint = Hint {
                        queue: mail.queue,
                        eid: mail.eid,
                        cause: row.key,
                        at: None,
                    };
                    swept.stale_mail += 1;
                    if self.is_time(age.unsigned_abs(), now) {
                        ports.wakeups.ring(hint).await;
                        swept.told += 1;
                    }
                }
            }
            if after.is_none() {
                return Ok(swept);
            }
        }
        swept.cursor = after;
        Ok(swept)
    }

    /// Returns whether a cause of this age has reached the next interval since the last full
    /// report.
    fn is_time(&self, age: Duration, now: Timestamp) -> bool {
        let Some(since) = self.since else { return true };
        let passed = Duration::try_from(now.duration_since(since)).unwrap_or_default();
        let ttl = self.core.settings.ttl;
        // A timer that became due since then was reported for its instant, if at all.
        age <= passed || rung(age, ttl) != rung(age.saturating_sub(passed), ttl)
    }

    async fn timers(&self, swept: &mut Swept) -> Result<(), BucketError> {
        let ports = &self.core.ports;
        let mut after = None;
        for _ in 0..PAGES {
            let now = ports.clock.now();
            let horizon = now.checked_add(self.ahead).unwrap_or(now);
            let due = timers::due(ports, horizon, after.as_ref(), PAGE).await?;
            after = due.rest;
            for (cause, timer) in due.now {
                let at = Some(timer.due).filter(|due| *due > now);
                match at {
                    Some(_) => swept.ahead += 1,
                    None => swept.timers += 1,
                }
                let hint = Hint {
                    queue: timer.queue,
                    eid: timer.eid,
                    cause,
                    at,
                };
                let late = now.duration_since(timer.due);
                let late = Duration::try_from(late).unwrap_or_default();
                if self.is_time(late, now) {
                    ports.wakeups.ring(hint).await;
                    swept.told += 1;
                }
            }
            if after.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Sweeps every `period` until `stop`. Store errors are logged and retried.
    pub async fn run(&self, period: Duration, stop: &Notice) {
        use futures::FutureExt as _;
        let (mut cursor, mut failed) = (None, false);
        while !stop.is_set() {
            match self.pass(cursor.as_ref()).await {
                Ok(swept) => (cursor, failed) = (swept.cursor, false),
                // Logged once per outage.
                Err(error) => {
                    if !std::mem::replace(&mut failed, true) {
                        tracing::warn!(target: STORE, %error, "sweep failed; it is tried again");
                    }
                }
            }
            futures::select_biased! {
                () = stop.wait().fuse() => {}
                () = self.core.ports.clock.sleep(period).fuse() => {}
            }
        }
    }
}

/// Returns the number of intervals that a cause of this age has reached.
fn rung(age: Duration, ttl: Duration) -> u128 {
    if age >= LONGEST {
        return 1_000 + age.as_nanos() / LONGEST.as_nanos();
    }
    let times = age.as_nanos() / ttl.as_nanos().max(1);
    times
        .checked_ilog2()
        .map_or(0, |doublings| 1 + u128::from(doublings))
}
