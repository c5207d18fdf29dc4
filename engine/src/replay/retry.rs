//! Whether a failed attempt is followed by another, and when.

use std::time::Duration;

use crate::domain::Failure;

/// How often, and how soon, a failed step is tried again.
///
/// The default: 5 attempts, after 0.5 s, doubled each time, at most 60 s, each delay drawn
/// between zero and that (full jitter); and 3 attempts may vanish with their worker.
///
/// ```
/// use millpond::Retry;
/// use std::time::Duration;
///
/// let patient = Retry::exponential(20).cap(Duration::from_secs(600)).non_retryable("Declined");
/// let steady = Retry::fixed(3, Duration::from_secs(10));
/// # let _ = (patient, steady);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "give it to a step with `.retry(..)`"]
pub struct Retry {
    max_attempts: u32,
    initial: Duration,
    factor: f64,
    cap: Duration,
    jitter: bool,
    max_lost: u32,
    non_retryable: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: 5,
            initial: Duration::from_millis(500),
            factor: 2.0,
            cap: Duration::from_secs(60),
            jitter: true,
            max_lost: 3,
            non_retryable: Vec::new(),
        }
    }
}

impl Retry {
    /// The default with another number of attempts, the first included. 0 counts as 1.
    pub fn exponential(max_attempts: u32) -> Self {
        Self::default().max_attempts(max_attempts)
    }

    /// The same delay each time, without jitter.
    pub fn fixed(max_attempts: u32, delay: Duration) -> Self {
        Self {
            initial: delay,
            factor: 1.0,
            cap: delay,
            jitter: false,
            ..Self::exponential(max_attempts)
        }
    }

    /// One attempt; one that vanishes with its worker is still made again, unless
    /// [`max_lost`](Self::max_lost) sets another number.
    pub fn none() -> Self {
        Self::exponential(1)
    }

    /// How many attempts may fail, the first included.
    pub fn max_attempts(mut self, max: u32) -> Self {
        self.max_attempts = max.max(1);
        self
    }

    /// The delay after the first failure.
    pub fn initial(mut self, delay: Duration) -> Self {
        self.initial = delay;
        self
    }

    /// What each delay is multiplied with to give the next.
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// The longest delay.
    pub fn cap(mut self, longest: Duration) -> Self {
        self.cap = longest;
        self
    }

    /// Whether a delay is drawn between zero and its full length. Without jitter, many
    /// executions that failed together try again together.
    pub fn jitter(mut self, jitter: bool) -> Self {
        self.jitter = jitter;
        self
    }

    /// How many attempts may vanish with their worker (a crash, a killed process).
    pub fn max_lost(mut self, max: u32) -> Self {
        self.max_lost = max;
        self
    }

    /// A kind of failure that is not retried. Can be called again for more kinds.
    pub fn non_retryable(mut self, kind: impl Into<String>) -> Self {
        self.non_retryable.push(kind.into());
        self
    }

    /// The delay before the next attempt, or none if the step has failed finally.
    /// `failed` counts attempts that failed, this one included, the vanished ones not;
    /// `unit_random` is in `[0, 1)`.
    pub(crate) fn decide(
        &self,
        failed: u32,
        failure: &Failure,
        unit_random: f64,
    ) -> Option<Duration> {
        let hopeless = failure.terminal || self.non_retryable.contains(&failure.kind);
        (!hopeless && failed < self.max_attempts).then(|| self.delay(failed, unit_random))
    }

    /// The same for an attempt that vanished; `lost` counts those, this one included.
    pub(crate) fn decide_lost(&self, lost: u32, unit_random: f64) -> Option<Duration> {
        (lost <= self.max_lost).then(|| self.delay(lost, unit_random))
    }

    fn delay(&self, failed: u32, unit_random: f64) -> Duration {
        let power = i32::try_from(failed.saturating_sub(1)).unwrap_or(i32::MAX);
        let full = self.initial.as_secs_f64() * self.factor.powi(power);
        // `min` also turns the NaN of a wild factor into the cap.
        let full = full.min(self.cap.as_secs_f64()).max(0.0);
        let drawn = if self.jitter {
            full * unit_random
        } else {
            full
        };
        Duration::try_from_secs_f64(drawn).unwrap_or(self.cap)
    }
}
