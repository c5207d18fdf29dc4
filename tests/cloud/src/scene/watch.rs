//! Waiting for things to come to rest.

use std::time::Duration;

use tokio::time::Instant;

use crate::scene::open::queues;
use crate::scene::{Execution, Scene};

/// Statuses in which nothing moves without something from outside.
const AT_REST: [&str; 7] = [
    "suspended",
    "paused",
    "blocked",
    "completed",
    "failed",
    "cancelled",
    "archived",
];

impl Scene {
    /// Waits until something is so; looks ten times a second.
    ///
    /// # Panics
    /// It is not so in that time.
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

    /// Waits until no message is under way and no instance busy.
    ///
    /// # Panics
    /// It does not come to that in that time.
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

    /// What is under way; empty if nothing is.
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

    /// Waits until there are `count` executions and none of them moves by itself.
    ///
    /// # Panics
    /// It does not come to that in that time.
    pub async fn rest(&self, count: usize, patience: Duration) -> Vec<Execution> {
        let mut all = Vec::new();
        self.until("all executions are at rest", patience, async || {
            // Looking costs a process: not while the queues are full.
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

    /// How many messages nobody could make anything of.
    ///
    /// # Panics
    /// The server refuses.
    pub async fn dead_letters(&self) -> u64 {
        let mut count = 0;
        for queue in queues(&self.setting) {
            let queue = queue.replace("Queue", "Dead");
            count += self.stack.queue(&queue).depth().await.all();
        }
        count
    }
}
