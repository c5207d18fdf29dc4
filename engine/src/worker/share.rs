//! How much a worker takes from what a poll has found.

/// How many executions a worker takes from its first poll.
const QUOTA: f64 = 8.0;
/// The weight of one run in the share of runs that were for nothing.
const WEIGHT: f64 = 0.1;
/// The share of them above which a worker takes less. When little is left, most of what a poll finds is
/// run by others already, and more attempts would only cost requests.
const WASTE: f64 = 0.2;
/// What is left of the quota after such a run while the share is above that.
const SHRINK: f64 = 0.7;

/// The part of a worker in the work of a queue that others serve, too.
///
/// **N25** A worker takes less from one poll if many of its runs are for nothing, as a sender adapts to
/// a congested network, and polls again after the first such run of a poll. Bad interleaving: sixteen
/// workers list the same page and take it in the same order; each execution is run sixteen times.
#[derive(Debug)]
pub(super) struct Share {
    /// Maximum number of concurrent runs.
    most: f64,
    /// The number of polls.
    pub(super) polls: u64,
    /// How many executions the worker takes from one poll.
    quota: f64,
    /// How many of them it has taken.
    taken: u32,
    /// The share of recent runs that were for nothing.
    waste: f64,
    /// Whether what the last poll found may be obsolete.
    pub(super) outdated: bool,
}

impl Share {
    pub(super) fn new(concurrency: usize) -> Self {
        Self {
            most: f64::from(u32::try_from(concurrency).unwrap_or(u32::MAX)),
            polls: 0,
            quota: QUOTA,
            taken: 0,
            waste: 0.0,
            outdated: false,
        }
    }

    pub(super) fn begin_poll(&mut self) {
        (self.polls, self.taken) = (self.polls + 1, 0);
    }

    /// Records the end of a run that poll number `poll` led to, and whether it was for nothing.
    /// Returns whether it is the first one of the last poll that was.
    pub(super) fn adapt(&mut self, wasted: bool, poll: u64) -> bool {
        self.waste += (f64::from(u8::from(wasted)) - self.waste) * WEIGHT;
        self.quota = match wasted {
            true if self.waste > WASTE => (self.quota.min(self.most) * SHRINK).max(1.0),
            true => self.quota,
            false => (self.quota + 1.0).min(self.most * 4.0),
        };
        let first = wasted && poll == self.polls && !self.outdated;
        self.outdated |= first;
        first
    }

    /// Returns whether other workers were seen to take the same executions.
    pub(super) fn is_contended(&self) -> bool {
        self.waste > WEIGHT / 2.0
    }

    /// Counts an execution that the worker takes from what the last poll has found.
    pub(super) fn count_taken(&mut self) {
        self.taken += 1;
        let all = self.quota >= self.most;
        self.outdated |= !all && f64::from(self.taken) >= self.quota;
    }
}
