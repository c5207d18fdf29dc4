//! Kills instances periodically.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::interval;

use crate::scene::Scene;

/// Kills instances until it is dropped.
#[derive(Debug)]
pub struct Killing {
    task: JoinHandle<()>,
    killed: Arc<AtomicU64>,
}

impl Scene {
    /// Kills one instance of a function in each period, a busy one if there is one.
    #[must_use]
    pub fn killing(&self, function: &str, period: Duration) -> Killing {
        let function = self.stack.function(function).clone();
        let killed = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&killed);
        let task = tokio::spawn(async move {
            let mut ticks = interval(period);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                // Selects another one each time.
                if function.kill_one(count.load(Ordering::Relaxed)).is_some() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        Killing { task, killed }
    }
}

impl Killing {
    /// The number killed so far.
    #[must_use]
    pub fn killed(&self) -> u64 {
        self.killed.load(Ordering::Relaxed)
    }
}

impl Drop for Killing {
    fn drop(&mut self) {
        self.task.abort();
    }
}
