//! The store's clock, estimated from the dates of its responses.
//!
//! Workers compare instants that other workers wrote, so their clocks should agree. All of them
//! share the store, whose responses contain a `Date`. A worker's wall clock is its monotonic clock
//! plus an offset derived from these dates (docs/protocol.md, What holds); no correctness depends
//! on it.
//!
//! - **T1** A date is truncated to seconds and was taken at some time between the request and its
//!   response. The estimate assumes that it is half a second and half the round trip late, with an
//!   uncertainty of both: the clock moves only by the part of the difference that exceeds the
//!   uncertainty.
//! - **T2** One response moves the clock by [`STEP`] at most, so a wrong date (of a proxy, of a
//!   cache) has little effect, and the next correct one reverses it. Consecutive responses in the
//!   same direction may each move it twice as far as the previous one: ten responses correct an
//!   hour.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use millpond::ports::Clock;

/// The maximum correction by one response.
const STEP: SignedDuration = SignedDuration::from_secs(5);
/// Half of the uncertainty of a `Date`, which has no fractions.
const HALF_A_SECOND: SignedDuration = SignedDuration::from_millis(500);

/// The estimate of a store's clock. An adapter of a store feeds it with the dates of responses.
#[derive(Debug)]
pub struct StoreTime {
    start: Instant,
    estimate: Mutex<Estimate>,
}

impl StoreTime {
    /// Starts with the system's wall clock, until the store's responses correct it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            estimate: Mutex::new(Estimate::new(Timestamp::now())),
        }
    }

    /// Time since creation; never decreases.
    #[must_use]
    pub fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    /// The current instant of the store's clock, as estimated.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let elapsed = self.monotonic();
        self.lock().at(elapsed)
    }

    /// How far the store's clock is ahead of the system's.
    #[must_use]
    pub fn ahead(&self) -> SignedDuration {
        self.now().duration_since(Timestamp::now())
    }

    /// Learns from a response with the date `date`. Its request was sent at `sent` and it arrived
    /// at `received`, both by [`monotonic`](Self::monotonic).
    pub fn learn(&self, date: Timestamp, sent: Duration, received: Duration) {
        self.lock().learn(date, sent, received);
    }

    /// Adopts the `date` of a response that rejected a request for its clock skew: the store
    /// vouches for this date, and a worker with another clock would write instants that are hours
    /// off. The correction is immediate, not stepwise.
    pub fn refused(&self, date: Timestamp) {
        let elapsed = self.monotonic();
        self.lock().jump(date, elapsed);
    }

    fn lock(&self) -> MutexGuard<'_, Estimate> {
        // No code panics under this lock.
        self.estimate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for StoreTime {
    fn default() -> Self {
        Self::new()
    }
}

/// A clock that shows a store's time. Sleeps need a tokio runtime with time enabled.
#[derive(Debug, Clone)]
pub struct StoreClock(Arc<StoreTime>);

impl StoreClock {
    /// The clock that follows `time`.
    #[must_use]
    pub const fn new(time: Arc<StoreTime>) -> Self {
        Self(time)
    }
}

#[async_trait]
impl Clock for StoreClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[derive(Debug)]
struct Estimate {
    /// The store's instant when the monotonic clock was zero.
    zero: Timestamp,
    /// The maximum correction by the next response.
    step: SignedDuration,
    /// The direction of the last correction: -1, 0 or 1.
    pull: i32,
}

impl Estimate {
    const fn new(zero: Timestamp) -> Self {
        Self {
            zero,
            step: STEP,
            pull: 0,
        }
    }

    fn at(&self, elapsed: Duration) -> Timestamp {
        self.zero
            .saturating_add(signed(elapsed))
            .unwrap_or(self.zero)
    }

    fn learn(&mut self, date: Timestamp, sent: Duration, received: Duration) {
        let half_trip = signed(received.saturating_sub(sent)) / 2;
        let shown = self.at(sent + half_trip.unsigned_abs());
        // T1: the estimated difference, and its uncertainty.
        let off = date.duration_since(shown) + HALF_A_SECOND;
        let beyond = off.abs() - half_trip - HALF_A_SECOND;
        let pull = i32::from(off.signum());
        if !beyond.is_positive() {
            (self.step, self.pull) = (STEP, 0);
            return;
        }
        // T2.
        self.step = if pull == self.pull {
            self.step * 2
        } else {
            STEP
        };
        self.pull = pull;
        let by = beyond.min(self.step) * pull;
        self.zero = self.zero.saturating_add(by).unwrap_or(self.zero);
    }

    /// Shows `date` at `elapsed`.
    fn jump(&mut self, date: Timestamp, elapsed: Duration) {
        let zero = date.saturating_add(HALF_A_SECOND);
        let zero = zero.and_then(|now| now.saturating_sub(signed(elapsed)));
        *self = Self::new(zero.unwrap_or(date));
    }
}

fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store whose clock is `ahead`, with one request per 100 ms, each of which takes `trip`.
    struct World {
        estimate: Estimate,
        ahead: SignedDuration,
        trip: Duration,
        asked: u32,
    }

    const BEGIN: Timestamp = Timestamp::constant(1_900_000_000, 0);

    impl World {
        fn new(ahead: SignedDuration, trip: Duration) -> Self {
            Self {
                estimate: Estimate::new(BEGIN),
                ahead,
                trip,
                asked: 0,
            }
        }

        /// Makes one request, whose date is taken at the fraction `share` of its round trip.
        /// Returns the clock's error after it.
        fn ask(&mut self, share: f64) -> SignedDuration {
            let sent = Duration::from_millis(100) * self.asked;
            self.asked += 1;
            let received = sent + self.trip;
            let reported = self.truth(sent + self.trip.mul_f64(share));
            let date = Timestamp::from_second(reported.as_second()).unwrap();
            self.estimate.learn(date, sent, received);
            self.estimate
                .at(received)
                .duration_since(self.truth(received))
                .abs()
        }

        fn truth(&self, elapsed: Duration) -> Timestamp {
            BEGIN + self.ahead + signed(elapsed)
        }
    }

    #[test]
    fn a_clock_that_agrees_is_left_alone_however_slow_the_answers_are() {
        for trip in [0, 80, 4_000] {
            for share in [0.0, 0.3, 1.0] {
                let mut world = World::new(SignedDuration::ZERO, Duration::from_millis(trip));
                for _ in 0..50 {
                    assert_eq!(world.ask(share), SignedDuration::ZERO, "{trip} {share}");
                }
            }
        }
    }

    #[test]
    fn a_clock_that_is_a_little_wrong_comes_to_a_fraction_of_a_second() {
        for ahead in [-2_000, -700, 300, 900, 4_000] {
            let mut world = World::new(
                SignedDuration::from_millis(ahead),
                Duration::from_millis(20),
            );
            let wrong = (0..40).map(|_| world.ask(0.5)).last().unwrap();
            // The requests are spread over a second, so the dates determine it up to the trip and
            // the pace.
            assert!(
                wrong <= SignedDuration::from_millis(120),
                "{ahead}: {wrong}"
            );
        }
    }

    #[test]
    fn one_wrong_answer_moves_it_by_a_step_and_the_next_right_one_undoes_that() {
        let mut world = World::new(SignedDuration::ZERO, Duration::from_millis(20));
        for _ in 0..20 {
            world.ask(0.5);
        }
        let at = Duration::from_secs(3);
        world
            .estimate
            .learn(BEGIN - SignedDuration::from_hours(9), at, at);
        let wrong = world.estimate.at(at).duration_since(world.truth(at));
        assert_eq!(wrong, -STEP);
        assert!(world.ask(0.5) <= SignedDuration::from_millis(510));
    }

    #[test]
    fn an_hour_is_made_good_in_ten_answers_either_way() {
        for hours in [-1, 1] {
            let mut world =
                World::new(SignedDuration::from_hours(hours), Duration::from_millis(20));
            let first = world.ask(0.5);
            assert!(first >= SignedDuration::from_mins(60) - STEP - HALF_A_SECOND * 2);
            let wrong = (0..10).map(|_| world.ask(0.5)).last().unwrap();
            assert!(wrong <= SignedDuration::from_secs(1), "{wrong}");
        }
    }

    #[test]
    fn a_clock_of_the_store_shows_what_was_learnt() {
        let time = Arc::new(StoreTime::new());
        let clock = StoreClock::new(Arc::clone(&time));
        assert!(time.ahead().abs() < SignedDuration::from_secs(5));
        let later = Timestamp::now() + SignedDuration::from_hours(1);
        for _ in 0..11 {
            let at = time.monotonic();
            time.learn(later, at, at);
        }
        let shown = clock.now().duration_since(Timestamp::now());
        assert!(shown > SignedDuration::from_mins(59), "{shown}");
        assert!(
            clock.monotonic() < Duration::from_secs(60),
            "it is not moved"
        );
    }

    #[test]
    fn a_date_that_a_request_was_refused_by_counts_at_once() {
        for ahead in [
            SignedDuration::from_hours(-3),
            SignedDuration::from_hours(3),
        ] {
            let mut estimate = Estimate::new(BEGIN);
            let elapsed = Duration::from_secs(7);
            let date = BEGIN + signed(elapsed) + ahead;
            estimate.jump(date, elapsed);
            assert_eq!(estimate.at(elapsed), date + HALF_A_SECOND);
            // The next responses move the clock by the ordinary rules.
            estimate.learn(date + SignedDuration::from_hours(1), elapsed, elapsed);
            assert_eq!(estimate.at(elapsed), date + HALF_A_SECOND + STEP);
        }
    }
}
