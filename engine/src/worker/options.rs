//! How a worker works.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::WorkerEvent;
use crate::domain::Queue;

/// Somebody who is told what a worker does.
pub type Watch = Arc<dyn Fn(&WorkerEvent) + Send + Sync>;

/// What one worker serves, and how eagerly.
#[derive(Clone)]
pub struct WorkerOptions {
    /// Queues, the most urgent first.
    pub queues: Vec<Queue>,
    /// Executions run at once.
    pub concurrency: usize,
    /// Shortest pause between two looks while there is something to do.
    pub busy: Duration,
    /// Longest pause between two looks: what another process's cause waits at most. Each
    /// look costs one write request per queue, and one for the timers.
    pub idle: Duration,
    /// How long running attempts may take to end when the worker stops.
    pub margin: Duration,
    /// Told of what happens.
    pub watch: Option<Watch>,
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
