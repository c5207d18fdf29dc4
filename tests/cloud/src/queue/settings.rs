//! What a mapping is made with.

use std::time::Duration;

use crate::queue::Chaos;

/// An event source mapping's properties.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The most messages of a batch.
    pub batch: usize,
    /// How long a batch may be gathered that is not full.
    pub window: Duration,
    /// The most invocations at once.
    pub concurrency: usize,
    /// `ReportBatchItemFailures`: whether the function's answer is read. Without it an
    /// invocation that succeeds acknowledges its whole batch.
    pub partial: bool,
    /// What goes wrong on purpose.
    pub chaos: Chaos,
    /// Whether it polls from the beginning.
    pub enabled: bool,
}

impl Default for Settings {
    /// Lambda's: batches of ten, at once, partial failures read; two invocations at once.
    fn default() -> Self {
        Self {
            batch: 10,
            window: Duration::ZERO,
            concurrency: 2,
            partial: true,
            chaos: Chaos::default(),
            enabled: true,
        }
    }
}
