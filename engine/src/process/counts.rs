//! Counts of what the runs of one process have done, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// Totals since the engine was created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs that began.
    pub runs: u64,
    /// Attempts of steps that began.
    pub attempts: u64,
    /// Commits that landed.
    pub commits: u64,
    /// Commits that lost to another run's.
    pub conflicts: u64,
    /// Results of children that were absorbed although no open frame waited for them.
    pub undelivered: u64,
}

impl Counts {
    /// Returns the increase since `earlier`.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            runs: self.runs.saturating_sub(earlier.runs),
            attempts: self.attempts.saturating_sub(earlier.attempts),
            commits: self.commits.saturating_sub(earlier.commits),
            conflicts: self.conflicts.saturating_sub(earlier.conflicts),
            undelivered: self.undelivered.saturating_sub(earlier.undelivered),
        }
    }
}

/// The counters behind [`Counts`]. They are independent, so they need no ordering.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    runs: AtomicU64,
    attempts: AtomicU64,
    commits: AtomicU64,
    conflicts: AtomicU64,
    undelivered: AtomicU64,
}

impl Counter {
    pub(crate) fn run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn attempt(&self) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn conflict(&self) {
        self.conflicts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn undelivered(&self) {
        self.undelivered.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Counts {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Counts {
            runs: of(&self.runs),
            attempts: of(&self.attempts),
            commits: of(&self.commits),
            conflicts: of(&self.conflicts),
            undelivered: of(&self.undelivered),
        }
    }
}
