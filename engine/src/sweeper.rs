//! The timer sweeper: turns due timers, and old mail, into hints (docs/protocol.md, Other
//! writers).
//!
//! It writes nothing and deletes nothing, so two sweepers may run concurrently: a cause is
//! deleted only after a run has processed it. One pass costs one list for each 1,000 timers, and one
//! for each 1,000 mails.
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
/// Pages of timers, and of mail, in one pass, which bounds it; the next pass continues. One page
/// of each is read in turn, so that neither backlog holds back the other.
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

/// The causes after which a sweep continues; `None` is the front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    /// The last timer that was handled.
    pub timers: Option<Key>,
    /// The last mail that was handled.
    pub mail: Option<Key>,
}

/// Counts of what a pass found so far, and its position.
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
    /// Where the next pass continues. A list that was read to its end begins at the front again.
    pub position: Position,
    /// Whether both lists were read to their ends.
    pub whole: bool,
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

    /// Makes one pass from the front. 1 P for each 1,000 timers, 1 P for each 1,000 mails.
    ///
    /// # Errors
    /// The store failed; the next pass repeats everything.
    pub async fn pass(&self) -> Result<Swept, BucketError> {
        let mut swept = Swept::default();
        self.resume(&mut swept, PAGES).await?;
        Ok(swept)
    }

    /// Continues at `swept.position`, for at most `pages` pages of timers and of mail. The position
    /// advances with each hint: if the store fails, or the future is dropped, the next call
    /// continues after the last hint. 1 P for each page.
    ///
    /// # Errors
    /// The store failed.
    pub async fn resume(&self, swept: &mut Swept, pages: usize) -> Result<(), BucketError> {
        let (mut timers, mut mail) = (true, true);
        for _ in 0..pages {
            if timers {
                timers = self.timers(swept).await?;
            }
            if mail {
                mail = self.mail(swept).await?;
            }
            if !timers && !mail {
                swept.whole = true;
                break;
            }
        }
        Ok(())
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

    /// Reads one page of timers; returns whether more may follow.
    async fn timers(&self, swept: &mut Swept) -> Result<bool, BucketError> {
        let ports = &self.core.ports;
        let now = ports.clock.now();
        let horizon = now.checked_add(self.ahead).unwrap_or(now);
        let after = swept.position.timers.clone();
        let due = timers::due(ports, horizon, after.as_ref(), PAGE).await?;
        for (cause, timer) in due.now {
            let now = ports.clock.now();
            let at = Some(timer.due).filter(|due| *due > now);
            let late = now.duration_since(timer.due);
            let late = Duration::try_from(late).unwrap_or_default();
            if self.is_time(late, now) {
                let hint = Hint {
                    queue: timer.queue,
                    eid: timer.eid,
                    cause: cause.clone(),
                    at,
                };
                ports.wakeups.ring(hint).await;
                swept.told += 1;
            }
            match at {
                Some(_) => swept.ahead += 1,
                None => swept.timers += 1,
            }
            swept.position.timers = Some(cause);
        }
        swept.position.timers = due.rest;
        Ok(swept.position.timers.is_some())
    }

    /// Reads one page of mail; returns whether more may follow.
    async fn mail(&self, swept: &mut Swept) -> Result<bool, BucketError> {
        let ports = &self.core.ports;
        let mail = Prefix::parse(keys::MAIL).expect("a constant of the key layout");
        let after = swept.position.mail.clone();
        let page = ports.page(&mail, after.as_ref(), PAGE).await?;
        for row in page.entries {
            let now = ports.clock.now();
            let age = now.duration_since(row.modified);
            let old = Duration::try_from(age).is_ok_and(|age| age > self.core.settings.ttl);
            if let Some(mail) = MailKey::parse(&row.key).filter(|_| old) {
                if self.is_time(age.unsigned_abs(), now) {
                    let hint = Hint {
                        queue: mail.queue,
                        eid: mail.eid,
                        cause: row.key.clone(),
                        at: None,
                    };
                    ports.wakeups.ring(hint).await;
                    swept.told += 1;
                }
                swept.stale_mail += 1;
            }
            swept.position.mail = Some(row.key);
        }
        swept.position.mail = page.next;
        Ok(swept.position.mail.is_some())
    }

    /// Sweeps every `period` until `stop`. Store errors are logged and retried.
    pub async fn run(&self, period: Duration, stop: &Notice) {
        use futures::FutureExt as _;
        let (mut swept, mut failed) = (Swept::default(), false);
        while !stop.is_set() {
            swept = Swept {
                position: swept.position,
                ..Swept::default()
            };
            match self.resume(&mut swept, PAGES).await {
                Ok(()) => failed = false,
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
