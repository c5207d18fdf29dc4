//! The report of an invocation.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::lambda::Failure;

/// One invocation, in the form of Lambda's `REPORT` line.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its request id.
    pub request_id: String,
    /// The instance that processed it.
    pub instance: u64,
    /// When it was passed to the instance.
    pub begun: SystemTime,
    /// A cold start: from the start of the process to its first `next`.
    pub init: Option<Duration>,
    /// From `next` to the response.
    pub took: Duration,
    /// The peak resident memory of the instance so far, in kB; `None` if it had exited.
    pub peak_kb: Option<u64>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// A summary of many reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Summary {
    /// The number of invocations.
    pub invocations: usize,
    /// The number of failed ones.
    pub failed: usize,
    /// The number of cold starts.
    pub cold: usize,
    /// The median cold start.
    pub init_median: Duration,
    /// The longest cold start.
    pub init_most: Duration,
    /// The median duration.
    pub took_median: Duration,
    /// The longest duration.
    pub took_most: Duration,
    /// The peak memory of any instance, in kB.
    pub peak_kb: u64,
}

impl Summary {
    /// Summarizes reports.
    #[must_use]
    pub fn of(reports: &[Report]) -> Self {
        let mut inits: Vec<_> = reports.iter().filter_map(|report| report.init).collect();
        let mut times: Vec<_> = reports.iter().map(|report| report.took).collect();
        inits.sort_unstable();
        times.sort_unstable();
        let middle = |times: &[Duration]| times.get(times.len() / 2).copied().unwrap_or_default();
        Self {
            invocations: reports.len(),
            failed: reports
                .iter()
                .filter(|report| report.failure.is_some())
                .count(),
            cold: inits.len(),
            init_median: middle(&inits),
            init_most: inits.last().copied().unwrap_or_default(),
            took_median: middle(&times),
            took_most: times.last().copied().unwrap_or_default(),
            peak_kb: reports
                .iter()
                .filter_map(|report| report.peak_kb)
                .max()
                .unwrap_or(0),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let (invocations, failed, cold) = (self.invocations, self.failed, self.cold);
        write!(
            f,
            "{invocations} invocations ({failed} failed, {cold} cold), "
        )?;
        write!(
            f,
            "cold start {:.1} ms (at most {:.1}), ",
            millis(self.init_median),
            millis(self.init_most)
        )?;
        write!(
            f,
            "took {:.0} ms (at most {:.0}), ",
            millis(self.took_median),
            millis(self.took_most)
        )?;
        write!(f, "memory {:.1} MB", self.peak_kb as f64 / 1024.0)
    }
}
