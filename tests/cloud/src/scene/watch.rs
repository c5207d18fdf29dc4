//! Waits for the system to come to rest.

use std::time::Duration;

use tokio::time::Instant;

use crate::scene::open::queues;
use crate::scene::{Execution, Scene};

/// Statuses that change only by an external event.
const AT_REST: [&str; 8] = [
    "suspended",
    "paused",
    "blocked",
    "completed",
    "failed",
    "cancelled",
    "terminated",
    "archived",
];

impl Scene {
    /// Waits until a condition holds; checks it ten times per second.
    ///
    /// # Panics
    /// If it does not hold in that time.
    pub async fn until(
        &self,
        what: &str,
        patience: Duration,
        mut is_so: impl AsyncFnMut() -> bool,
    ) {
        let begun = Instant::now();
        while !is_so().await {
            assert!(begun.elapsed() < patience, "waited in vain until {what}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Waits until no message is in flight and no instance is busy.
    ///
    /// # Panics
    /// If that does not occur in that time.
    pub async fn calm(&self, patience: Duration) {
        let begun = Instant::now();
        loop {
            let moving = self.moving().await;
            if moving.is_empty() {
                return;
            }
            assert!(begun.elapsed() < patience, "it is not calm: {moving}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The messages in flight and busy instances; empty if there are none.
    async fn moving(&self) -> String {
        let mut moving = Vec::new();
        for queue in queues(&self.setting) {
            let depth = self.stack.queue(queue).depth().await;
            if depth.visible + depth.in_flight > 0 {
                moving.push(format!("{queue} has {depth:?}"));
            }
        }
        for name in self.stack.functions() {
            let function = self.stack.function(name);
            let (frozen, all) = (function.frozen(), function.instances());
            if frozen < all {
                moving.push(format!(
                    "{name} works in {} of {all} instances",
                    all - frozen
                ));
            }
        }
        moving.join(", ")
    }

    /// Waits until there are `count` executions and all of them are at rest.
    ///
    /// # Panics
    /// If that does not occur in that time.
    pub async fn rest(&self, count: usize, patience: Duration) -> Vec<Execution> {
        let mut all = Vec::new();
        self.until("all executions are at rest", patience, async || {
            // A check costs a process: it is skipped while the queues are full.
            if !self.moving().await.is_empty() {
                return false;
            }
            all = self.executions().await;
            all.len() == count
                && all
                    .iter()
                    .all(|each| AT_REST.contains(&each.status.as_str()))
        })
        .await;
        all
    }

    /// The number of messages in the dead-letter queues.
    ///
    /// # Panics
    /// If the server rejects the request.
    pub async fn dead_letters(&self) -> u64 {
        let mut count = 0;
        for queue in queues(&self.setting) {
            let queue = queue.replace("Queue", "Dead");
            count += self.stack.queue(&queue).depth().await.all();
        }
        count
    }
}
