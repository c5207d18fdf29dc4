//! The pace of one partition: additive increase, multiplicative decrease.

use std::time::Duration;

use super::Limits;

const SECOND: Duration = Duration::from_secs(1);

/// The request rate of one partition. Without a pace, the rate is unlimited.
#[derive(Debug, Default)]
pub(super) struct Partition {
    pub(super) pace: Option<Pace>,
    /// Requests in flight.
    pub(super) under_way: usize,
    /// Requests sent in the second that began at `second`, and in the one before.
    sent: [u32; 2],
    second: Duration,
}

/// The rate per second, and when the next request may be sent.
#[derive(Debug)]
pub(super) struct Pace {
    rate: f64,
    opens: Duration,
    /// When the rate was last cut. Refusals of requests sent before, at the old rate, do not cut it
    /// again.
    cut: Duration,
    refused: Duration,
}

impl Partition {
    /// When the next request may be sent.
    pub(super) fn opens(&self) -> Duration {
        self.pace.as_ref().map_or(Duration::ZERO, |pace| pace.opens)
    }

    /// Whether one more request may be in flight.
    pub(super) fn has_room(&self, limits: &Limits) -> bool {
        self.pace.is_none() || self.under_way < (limits.under_way / 4).max(1)
    }

    /// Whether the partition has no state to keep.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        self.pace.is_none() && self.under_way == 0 && self.second + 2 * SECOND <= now
    }

    /// Records that a request is sent.
    pub(super) fn sent(&mut self, now: Duration) {
        self.under_way += 1;
        let seconds = now.saturating_sub(self.second).as_secs();
        if seconds > 0 {
            self.sent = [0, if seconds == 1 { self.sent[0] } else { 0 }];
            self.second += Duration::from_secs(seconds);
        }
        self.sent[0] = self.sent[0].saturating_add(1);
        if let Some(pace) = &mut self.pace {
            pace.opens = pace.opens.max(now) + Duration::from_secs_f64(1.0 / pace.rate);
        }
    }

    /// Records that a request sent at `sent` was throttled, and that the store asks for a delay of
    /// `wait`.
    pub(super) fn refused(
        &mut self,
        limits: &Limits,
        sent: Duration,
        now: Duration,
        wait: Duration,
    ) {
        let seen = f64::from(self.sent[0].max(self.sent[1]));
        let pace = self.pace.get_or_insert(Pace {
            rate: seen.max(limits.slowest),
            opens: now,
            cut: Duration::ZERO,
            refused: now,
        });
        if sent >= pace.cut {
            pace.rate = (pace.rate / 2.0).max(limits.slowest);
            pace.cut = now + Duration::from_nanos(1);
        }
        pace.refused = now;
        // The gap to the next request starts here: at the new rate, after the requested delay.
        let gap = Duration::from_secs_f64(1.0 / pace.rate);
        pace.opens = pace.opens.max(now + wait.max(gap));
    }

    /// Records that a request was served.
    pub(super) fn served(&mut self, limits: &Limits, now: Duration) {
        let Some(pace) = &mut self.pace else {
            return;
        };
        if now.saturating_sub(pace.refused) >= limits.calm {
            self.pace = None;
        } else {
            // The successes of one second raise the rate by `gain`.
            pace.rate += limits.gain / pace.rate.max(limits.gain);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn rate(partition: &Partition) -> f64 {
        partition.pace.as_ref().expect("a pace").rate
    }

    /// A partition with 100 requests in one second, of which one was refused.
    fn slowed(limits: &Limits) -> Partition {
        let mut partition = Partition::default();
        for _ in 0..100 {
            partition.sent(millis(500));
        }
        partition.refused(limits, millis(500), millis(600), Duration::ZERO);
        partition
    }

    #[test]
    fn the_first_refusal_halves_what_was_seen_and_those_of_the_same_pace_nothing_more() {
        let limits = Limits::default();
        let mut partition = slowed(&limits);
        assert!((rate(&partition) - 50.0).abs() < 1e-9);
        partition.refused(&limits, millis(599), millis(610), Duration::ZERO);
        assert!((rate(&partition) - 50.0).abs() < 1e-9);
        partition.refused(&limits, millis(650), millis(700), Duration::ZERO);
        assert!((rate(&partition) - 25.0).abs() < 1e-9);
        for at in 1..20 {
            partition.refused(
                &limits,
                millis(at * 1_000),
                millis(at * 1_000),
                Duration::ZERO,
            );
        }
        assert!((rate(&partition) - limits.slowest).abs() < 1e-9);
    }

    #[test]
    fn a_second_of_successes_raises_it_by_the_gain_and_a_calm_minute_ends_it() {
        let limits = Limits::default();
        let mut partition = slowed(&limits);
        for at in 0..50 {
            partition.served(&limits, millis(700 + at * 20));
        }
        let raised = rate(&partition);
        assert!((66.0..=70.0).contains(&raised), "{raised}");
        partition.served(&limits, millis(60_599));
        assert!(partition.pace.is_some());
        partition.served(&limits, millis(60_600));
        assert!(partition.pace.is_none());
        assert!(partition.opens().is_zero());
    }

    #[test]
    fn requests_of_a_pace_are_sent_evenly_and_after_what_the_store_asks() {
        let limits = Limits::default();
        let mut partition = slowed(&limits);
        assert_eq!(partition.opens(), millis(620));
        partition.sent(millis(620));
        assert_eq!(partition.opens(), millis(640));
        partition.refused(&limits, millis(620), millis(630), Duration::from_secs(7));
        assert_eq!(partition.opens(), millis(7_630));
    }
}
