//! The options of a worker.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::WorkerEvent;
use crate::domain::{ExecutionId, Queue};

/// A callback that receives the events of a worker.
pub type Watch = Arc<dyn Fn(&WorkerEvent) + Send + Sync>;

/// Creates the span in which a worker runs an execution.
pub type RunSpan = fn(&ExecutionId) -> tracing::Span;

/// The queues that a worker serves, and how often it polls them.
#[derive(Clone)]
pub struct WorkerOptions {
    /// Queues, the most urgent first.
    pub queues: Vec<Queue>,
    /// Maximum number of concurrent runs.
    pub concurrency: usize,
    /// Shortest pause between two polls while there is work.
    pub busy: Duration,
    /// Longest pause between two polls, which bounds the wait of a cause from another process.
    /// Each poll costs one write request per queue, and one for the timers.
    pub idle: Duration,
    /// How long running attempts may take to end when the worker stops.
    pub margin: Duration,
    /// Receives the worker's events.
    pub watch: Option<Watch>,
    /// Creates the span of each run, for example as a part of a trace.
    pub span: RunSpan,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            queues: vec![Queue::default()],
            concurrency: 64,
            busy: Duration::from_millis(20),
            idle: Duration::from_secs(1),
            margin: Duration::from_secs(20),
            watch: None,
            span: |_| tracing::Span::none(),
        }
    }
}

impl fmt::Debug for WorkerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerOptions")
            .field("queues", &self.queues)
            .field("concurrency", &self.concurrency)
            .field("idle", &self.idle)
            .field("margin", &self.margin)
            .finish_non_exhaustive()
    }
}
