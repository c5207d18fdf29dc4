//! The timer sweeper: turns due timers, and old mail, into hints (docs/protocol.md, Other
//! writers).
//!
//! It writes nothing and deletes nothing, so two sweepers may run concurrently: a cause is
//! deleted only after a run has processed it. One pass costs one list for each 1,000 timers, and one
//! for each 1,000 mails.
//!
//! **Fair turns.** Timers and mail take turns, and so do queues, so that a backlog of one queue holds back
//! no other: without this, the timers of a queue would be reported only after all earlier ones of another
//! queue, which may be hundreds of thousands (`timers.rs`, `mail.rs`).
//!
//! If the caller records when the last full report was made ([`Sweeper::since`]), the sweeper
//! reports a cause that stays unprocessed at growing intervals: after one TTL, two, four, and so
//! on, and every 15 minutes in the end. The hints of a backlog are in the workers' queue already;
//! repeating all of them in each pass would add more to the queue than the workers remove.
//! Without that instant (a new process, hints that were not sent) the sweeper reports every
//! cause.

mod mail;
mod position;
mod timers;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

pub use self::position::Position;
use self::timers::Lanes;
use crate::client::Engine;
use crate::ports::BucketError;
use crate::process::{Core, Notice, STORE};

/// Keys in a page, and hints for timers in one turn.
const PAGE: usize = 1_000;
/// Turns of timers, and of mail, in one pass, which bounds it; the next pass continues.
const ROUNDS: usize = 100;
/// The longest interval between two hints for a cause that is still there.
const LONGEST: Duration = Duration::from_secs(900);

/// Sends the causes in the bucket as hints to the workers.
#[derive(Debug)]
pub struct Sweeper {
    core: Arc<Core>,
    ahead: Duration,
    since: Option<Timestamp>,
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
    pub reported: usize,
    /// Where the next pass continues. What was handled to its end begins at the front again.
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

    /// Makes one pass from the front. 1 P for each 1,000 timers, 1 P for each 1,000 mails, and 1 P for
    /// each queue with more mail than that. If more than 10,000 timers of one queue are due, 1 P for each
    /// 1,000 due timers again for each 10,000 of them.
    ///
    /// # Errors
    /// The store failed; the next pass repeats everything.
    pub async fn pass(&self) -> Result<Swept, BucketError> {
        let mut swept = Swept::default();
        self.resume(&mut swept, ROUNDS).await?;
        Ok(swept)
    }

    /// Continues at `swept.position`, for at most `turns` turns of timers and of mail. The position
    /// advances with each hint: if the store fails, or the future is dropped, the next call
    /// continues after the last hint. The price is that of [`pass`](Self::pass).
    ///
    /// # Errors
    /// The store failed.
    pub async fn resume(&self, swept: &mut Swept, turns: usize) -> Result<(), BucketError> {
        let (mut timers, mut mail) = (true, true);
        let mut lanes = Lanes::default();
        for _ in 0..turns {
            if timers {
                timers = self.timers(swept, &mut lanes).await?;
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

    /// Sweeps every `period` until `stop`. Store errors are logged and retried.
    pub async fn run(&self, period: Duration, stop: &Notice) {
        use futures::FutureExt as _;
        let (mut swept, mut failed) = (Swept::default(), false);
        while !stop.is_set() {
            swept = Swept {
                position: swept.position,
                ..Swept::default()
            };
            match self.resume(&mut swept, ROUNDS).await {
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
