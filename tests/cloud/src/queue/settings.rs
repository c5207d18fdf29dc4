//! The settings of a mapping.

use std::time::Duration;

use crate::lambda::Chains;
use crate::queue::Chaos;

/// An event source mapping's properties.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Maximum number of messages in a batch.
    pub batch: usize,
    /// Maximum time to fill a batch.
    pub window: Duration,
    /// Maximum number of concurrent invocations.
    pub concurrency: usize,
    /// `ReportBatchItemFailures`: whether the function's response is evaluated. Without it, a
    /// successful invocation acknowledges its whole batch.
    pub partial: bool,
    /// The faults to inject.
    pub chaos: Chaos,
    /// Whether it polls from the start.
    pub enabled: bool,
    /// The lineages of what functions have written.
    pub chains: Chains,
}

impl Default for Settings {
    /// Lambda's defaults: batches of ten without delay, partial failures evaluated; two concurrent
    /// invocations.
    fn default() -> Self {
        Self {
            batch: 10,
            window: Duration::ZERO,
            concurrency: 2,
            partial: true,
            chaos: Chaos::default(),
            enabled: true,
            chains: Chains::default(),
        }
    }
}
