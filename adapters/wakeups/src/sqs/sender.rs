//! Hints that wait for a request, and the requests in flight.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use millpond::domain::Queue;
use millpond::ports::{Clock, Hint, Wakeups};
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};

use super::{Message, Post, body};

/// Maximum delivery delay of SQS.
pub const LONGEST_DELAY: Duration = Duration::from_secs(900);
/// Maximum number of messages in one request.
const BATCH: usize = 10;
/// Maximum number of concurrent requests.
const REQUESTS: usize = 16;
/// Maximum number of waiting hints; further senders wait for a free place.
const WAITING: usize = 1_000;
/// Names of queues without a URL that are kept for [`SqsWakeups::take_unknown`]: mail may name
/// any number of them.
const UNKNOWN: usize = 100;

/// Sends hints as messages.
#[derive(Debug, Clone)]
pub struct SqsWakeups {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    post: Arc<dyn Post>,
    urls: BTreeMap<Queue, String>,
    reach: Duration,
    clock: Arc<dyn Clock>,
    tasks: Handle,
    state: Mutex<State>,
    /// One permit for each hint that may wait.
    room: Semaphore,
    quiet: Notify,
    /// Number of dropped hints.
    unsent: AtomicU64,
    /// Queues without a URL for which hints were dropped.
    unknown: Mutex<BTreeSet<Queue>>,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Queue, VecDeque<Message>>,
    requests: usize,
}

impl State {
    /// Messages for the next request: the fullest queue first.
    fn take(&mut self) -> Option<(Queue, Vec<Message>)> {
        let queue = self.waiting.iter().max_by_key(|(_, row)| row.len());
        let queue = queue.map(|(queue, _)| queue.clone())?;
        let row = self.waiting.get_mut(&queue)?;
        let batch = row.drain(..row.len().min(BATCH)).collect();
        if row.is_empty() {
            self.waiting.remove(&queue);
        }
        Some((queue, batch))
    }
}

impl SqsWakeups {
    /// Sends by `post`. Must be called within a tokio runtime.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn new(
        post: Arc<dyn Post>,
        urls: BTreeMap<Queue, String>,
        reach: Duration,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                post,
                urls,
                reach: reach.min(LONGEST_DELAY),
                clock,
                tasks: Handle::current(),
                state: Mutex::default(),
                room: Semaphore::new(WAITING),
                quiet: Notify::new(),
                unsent: AtomicU64::new(0),
                unknown: Mutex::default(),
            }),
        }
    }

    /// The number of dropped hints so far: not accepted, or not sent. Another request may send them.
    #[must_use]
    pub fn unsent(&self) -> u64 {
        self.shared.unsent.load(Ordering::Relaxed)
    }

    /// Returns the queues without a URL for which hints were dropped since the last call, at most
    /// 100. These hints are not among the unsent ones: only another configuration can send them.
    #[must_use]
    pub fn take_unknown(&self) -> BTreeSet<Queue> {
        std::mem::take(&mut *self.shared.unknown())
    }

    /// Returns when all hints so far have been sent or dropped.
    pub async fn flush(&self) {
        loop {
            let quiet = self.shared.quiet.notified();
            tokio::pin!(quiet);
            // From here on, no notification of the end is missed.
            quiet.as_mut().enable();
            if self.shared.is_quiet() {
                return;
            }
            quiet.await;
        }
    }
}

#[async_trait]
impl Wakeups for SqsWakeups {
    async fn notify(&self, hint: Hint) {
        let shared = &self.shared;
        if !shared.urls.contains_key(&hint.queue) {
            shared.drop_unknown(hint);
            return;
        }
        let Some(delay) = shared.delay(hint.at) else {
            return;
        };
        let body = body(&hint);
        match shared.room.acquire().await {
            Ok(permit) => permit.forget(),
            Err(_) => return, // never closed
        }
        let begins = {
            let mut state = shared.lock();
            let row = state.waiting.entry(hint.queue).or_default();
            row.push_back(Message { body, delay });
            let begins = state.requests < REQUESTS;
            state.requests += usize::from(begins);
            begins
        };
        if begins {
            let shared = Arc::clone(shared);
            // The task starts after the caller has queued its remaining hints: then they share the
            // request.
            drop(self.shared.tasks.spawn(shared.send()));
        }
    }

    async fn next(&self, _: &[Queue]) -> Hint {
        pending().await
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics under this lock; a poisoned one still contains complete messages.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unknown(&self) -> MutexGuard<'_, BTreeSet<Queue>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the queue of a hint that cannot be sent. Logged once per queue and sweep, because
    /// each of a backlog's hints arrives here.
    fn drop_unknown(&self, hint: Hint) {
        let mut unknown = self.unknown();
        if unknown.len() >= UNKNOWN || unknown.contains(&hint.queue) {
            return;
        }
        tracing::warn!(
            queue = %hint.queue,
            eid = %hint.eid,
            "hints of a queue are dropped: the queue has no URL; add it to the configured queues",
        );
        unknown.insert(hint.queue);
    }

    fn is_quiet(&self) -> bool {
        let state = self.lock();
        state.requests == 0 && state.waiting.is_empty()
    }

    /// Seconds until `at`, rounded up; `None` if that exceeds the reach.
    fn delay(&self, at: Option<Timestamp>) -> Option<i32> {
        let ahead = at.map_or(Duration::ZERO, |at| {
            let ahead = at.duration_since(self.clock.now());
            Duration::try_from(ahead).unwrap_or_default()
        });
        let seconds = ahead.as_secs() + u64::from(ahead.subsec_nanos() > 0);
        let far = seconds > LONGEST_DELAY.as_secs() || ahead > self.reach;
        i32::try_from(seconds).ok().filter(|_| !far)
    }

    /// Sends until no hint waits.
    async fn send(self: Arc<Self>) {
        loop {
            let (queue, batch) = {
                let mut state = self.lock();
                let Some(next) = state.take() else {
                    state.requests -= 1;
                    break;
                };
                next
            };
            if let Some(url) = self.urls.get(&queue) {
                match self.post.post(url, &batch).await {
                    Ok(0) => {}
                    Ok(refused) => {
                        self.unsent.fetch_add(refused as u64, Ordering::Relaxed);
                        tracing::warn!(%queue, refused, "hints were not taken: the sweeper brings their causes");
                    }
                    Err(error) => {
                        let hints = batch.len();
                        self.unsent.fetch_add(hints as u64, Ordering::Relaxed);
                        tracing::warn!(%queue, hints, %error, "hints were not sent: the sweeper brings their causes");
                    }
                }
            }
            self.room.add_permits(batch.len());
        }
        self.quiet.notify_waiters();
    }
}
