//! The sweeper's role.

use std::time::Duration;

use millpond::client::{Engine, Notice, Sweeper};

/// Sweeps every `period` until `stop`.
pub async fn sweeper(engine: &Engine, period: Duration, stop: &Notice) {
    Sweeper::new(engine).run(period, stop).await;
}
