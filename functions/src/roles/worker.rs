//! The worker's role.

use millpond::client::{Engine, Notice, Worker, WorkerOptions};

/// Runs executions until `stop`, then hands over; `abandon` ends that at once.
pub async fn worker(engine: &Engine, options: WorkerOptions, stop: &Notice, abandon: &Notice) {
    Worker::new(engine, options).run(stop, abandon).await;
}
