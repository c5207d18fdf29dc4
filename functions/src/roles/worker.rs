//! The worker's role.

use millpond::client::{Engine, Notice, Worker, WorkerOptions};

/// Runs executions until `stop`, then hands them over; `abandon` ends the handover at once.
pub async fn worker(engine: &Engine, options: WorkerOptions, stop: &Notice, abandon: &Notice) {
    Worker::new(engine, options).run(stop, abandon).await;
}
