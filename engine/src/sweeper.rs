//! The timer sweeper: turns timers that are due, and old mail, into hints (docs/protocol.md,
//! Other writers).
//!
//! It writes nothing and deletes nothing, so it is safe to run twice at once: a cause goes
//! only when a run has served it. One pass costs one list for the timers, and one for each
//! 1,000 mails.
//!
//! Who knows when it last told all ([`Sweeper::since`]) tells of what stays unserved less and less often: after
//! one TTL, two, four, and so on, and each quarter of an hour in the end. A backlog's messages are with the
//! workers already; telling of all of them in each pass adds more to their queue than they take away.
//! Who does not know (a new process, hints that were not sent) tells of all.

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
/// Pages of timers, and of mail, in one pass: a pass is bounded, the next one goes on.
const PAGES: usize = 100;
/// The longest that nothing is told of a cause that is there.
const LONGEST: Duration = Duration::from_secs(900);

/// Brings causes to whoever runs executions.
#[derive(Debug)]
pub struct Sweeper {
    core: Arc<Core>,
    ahead: Duration,
    since: Option<Timestamp>,
}

/// What one pass found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// Timers that are due.
    pub timers: usize,
    /// Timers that will be due within the time it looks ahead.
    pub ahead: usize,
    /// Mails older than the lease TTL.
    pub stale_mail: usize,
    /// Hints that were passed on.
    pub told: usize,
    /// Where the next pass goes on with the mail, when this one was full.
    pub cursor: Option<Key>,
}

impl Sweeper {
    /// A sweeper of this engine.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        Self {
            core: Arc::clone(engine.core()),
            ahead: Duration::ZERO,
            since: None,
        }
    }

    /// Passes on what will be due within `ahead`, too, as hints for their time: the period in which
    /// passes are made. For wake-ups that can keep a hint for later; others drop it.
    #[must_use]
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.ahead = ahead;
        self
    }

    /// Leaves out what was told by the pass that began at `since` and has come to no other rung.
    /// Only where all of that pass's hints went out.
    #[must_use]
    pub fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }

    /// One pass, from the mail behind `cursor` on. 1 P for the timers, 1 P for each 1,000
    /// mails.
    ///
    /// # Errors
    /// The store failed; the next pass does it all.
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

    /// Whether a cause that waits for `age` has come to another rung since all were told.
    fn is_time(&self, age: Duration, now: Timestamp) -> bool {
        let Some(since) = self.since else { return true };
        let passed = Duration::try_from(now.duration_since(since)).unwrap_or_default();
        let ttl = self.core.settings.ttl;
        // A timer that has come due since then was told for its time, if at all.
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

    /// Sweeps every `period` until `stop`. Trouble with the store is logged and tried again.
    pub async fn run(&self, period: Duration, stop: &Notice) {
        use futures::FutureExt as _;
        let (mut cursor, mut failed) = (None, false);
        while !stop.is_set() {
            match self.pass(cursor.as_ref()).await {
                Ok(swept) => (cursor, failed) = (swept.cursor, false),
                // Said once until it is over.
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

/// Counts the times at which a cause of this age was to be told of.
fn rung(age: Duration, ttl: Duration) -> u128 {
    if age >= LONGEST {
        return 1_000 + age.as_nanos() / LONGEST.as_nanos();
    }
    let times = age.as_nanos() / ttl.as_nanos().max(1);
    times
        .checked_ilog2()
        .map_or(0, |doublings| 1 + u128::from(doublings))
}
