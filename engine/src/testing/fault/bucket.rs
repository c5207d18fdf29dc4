//! The wrapper that injects faults.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use super::rule::Request;
use super::{Injection, Rule};
use crate::keys::{Key, Prefix};
use crate::ports::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page, Verb};

/// One process's view of a bucket. Its requests fail according to a script and a seed.
///
/// ```
/// use std::sync::Arc;
/// use millpond::ports::{Bucket, Expect, Fault, Outcome};
/// use millpond::keys::Key;
/// use millpond_testing::{Injection, FaultBucket, ManualClock, MemoryBucket, Rule, Verb};
///
/// # futures::executor::block_on(async {
/// let clock = Arc::new(ManualClock::new(jiff::Timestamp::UNIX_EPOCH));
/// let bucket = FaultBucket::new(Arc::new(MemoryBucket::new(clock.clone())), clock);
/// // Every read is sent away, and the reply of the first write is lost.
/// bucket.add(Rule::new(Injection::SlowDown(None)).on(Verb::Read).always());
/// bucket.add(Rule::new(Injection::LandedReplyLost));
/// let key = Key::parse("a").unwrap();
/// let written = bucket.write(&key, "1".into(), Expect::Absent).await.unwrap();
/// assert_eq!(written, Outcome::Unknown);
/// assert_eq!(bucket.read(&key).await.unwrap_err().fault, Fault::Throttled);
/// bucket.heal();
/// assert_eq!(bucket.read(&key).await.unwrap().unwrap().body, "1");
/// assert_eq!((bucket.requests(), bucket.met()), (3, 2));
/// # });
/// ```
///
/// To interrupt a scenario at every request: run it once without rules, take
/// [`requests`](Self::requests), then repeat it for each number below with a rule [`at`](Rule::at)
/// that number, recover through another wrapper, and check.
#[derive(Debug)]
pub struct FaultBucket {
    inner: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    requests: u64,
    met: u64,
    dead: bool,
    held: Vec<(Key, Bytes, Expect)>,
}

/// The action of the wrapper on one request.
enum Course {
    /// Send it, and return the store's response.
    Pass,
    /// Send it, and lose the response.
    Lose,
    /// Send it, and return `Refused`. Writes only.
    Deny,
    Stop(Stop),
}

enum Stop {
    Fail(Fault),
    /// With the delay that the store requests.
    SlowDown(Option<Duration>),
    Conflict,
    /// Writes only.
    Refuse,
    /// Writes only.
    Hold,
}

impl FaultBucket {
    /// Passes all requests on to `inner` until a rule is added; `clock` measures delays.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner,
            clock,
            state: Mutex::default(),
        }
    }

    /// Adds a rule. The first rule that matches a request, is not spent and, if a seed draws, draws
    /// it, applies to the request.
    pub fn add(&self, rule: Rule) {
        let rule = rule.added_at(self.clock.monotonic());
        self.lock().rules.push(rule);
    }

    /// Drops all rules: from now on requests pass. A dead process remains dead.
    pub fn heal(&self) {
        self.lock().rules.clear();
    }

    /// Returns the number of requests so far, including failed ones: the number of the next one.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.lock().requests
    }

    /// Returns the number of requests so far to which a rule applied, without the requests of a
    /// dead process.
    #[must_use]
    pub fn met(&self) -> u64 {
        self.lock().met
    }

    /// Returns true if the process has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.lock().dead
    }

    /// Sends the held writes, oldest first, even if the process is dead. Returns their late
    /// outcomes in this order.
    ///
    /// # Errors
    /// The error of the store; later writes are lost with it.
    pub async fn release(&self) -> Result<Vec<Outcome>, BucketError> {
        let held = std::mem::take(&mut self.lock().held);
        let mut outcomes = Vec::new();
        for (key, body, expect) in held {
            outcomes.push(self.inner.write(&key, body, expect).await?);
        }
        Ok(outcomes)
    }

    async fn course(&self, verb: Verb, key: &str) -> Course {
        let delay = match self.injection(verb, key) {
            None => return Course::Pass,
            Some(Injection::Delay(delay)) => delay,
            Some(Injection::LandedReplyLost | Injection::LandedAndDied) => return Course::Lose,
            Some(Injection::LandedRefused) => return Course::Deny,
            Some(Injection::SlowDown(wait)) => return Course::Stop(Stop::SlowDown(wait)),
            Some(Injection::Conflicted) => return Course::Stop(Stop::Conflict),
            Some(Injection::NotSent) => return Course::Stop(Stop::Fail(Fault::Unavailable)),
            Some(Injection::Died) => return Course::Stop(Stop::Fail(Fault::Gone)),
            Some(Injection::Error(fault)) => return Course::Stop(Stop::Fail(fault)),
            Some(Injection::Refused) => return Course::Stop(Stop::Refuse),
            Some(Injection::Held) => return Course::Stop(Stop::Hold),
        };
        self.clock.sleep(delay).await;
        // A process that died while this request was under way never receives a response.
        if self.is_dead() {
            Course::Lose
        } else {
            Course::Pass
        }
    }

    /// Counts the request and evaluates the script.
    fn injection(&self, verb: Verb, key: &str) -> Option<Injection> {
        let now = self.clock.monotonic();
        let mut state = self.lock();
        let index = state.requests;
        state.requests += 1;
        if state.dead {
            return Some(Injection::Died);
        }
        let request = Request {
            index,
            verb,
            key,
            now,
        };
        let mut rules = state.rules.iter_mut();
        let injection = rules.find_map(|rule| rule.meet(&request));
        state.met += u64::from(injection.is_some());
        state.dead = injection.is_some_and(Injection::is_deadly);
        injection
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics between two changes of the state: a poisoned one is still consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a request without a response, or of one that was stopped.
fn no_answer(stop: Option<&Stop>, verb: Verb, key: impl fmt::Display) -> BucketError {
    let (fault, reason) = match stop {
        Some(Stop::Fail(fault)) => (*fault, "by script"),
        Some(Stop::SlowDown(_)) => (Fault::Throttled, "503 SlowDown, by script"),
        Some(Stop::Conflict) => (Fault::Unavailable, "409 conflict, by script"),
        Some(Stop::Refuse | Stop::Hold) | None => (Fault::Unavailable, "by script"),
    };
    let error = BucketError::new(fault, verb, key).because(reason);
    match stop {
        Some(Stop::SlowDown(Some(wait))) => error.after(*wait),
        _ => error,
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for FaultBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        match self.course(Verb::Read, key.as_str()).await {
            Course::Pass => self.inner.read(key).await,
            Course::Lose | Course::Deny => Err(no_answer(None, Verb::Read, key)),
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::Read, key)),
        }
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let verb = Verb::writing(&expect);
        match self.course(verb, key.as_str()).await {
            Course::Pass => self.inner.write(key, body, expect).await,
            Course::Lose => {
                let _lost = self.inner.write(key, body, expect).await;
                Ok(Outcome::Unknown)
            }
            Course::Deny => {
                let _denied = self.inner.write(key, body, expect).await;
                Ok(Outcome::Refused)
            }
            Course::Stop(Stop::Refuse) => Ok(Outcome::Refused),
            Course::Stop(Stop::Hold) => {
                self.lock().held.push((key.clone(), body, expect));
                Ok(Outcome::Unknown)
            }
            Course::Stop(stop) => Err(no_answer(Some(&stop), verb, key)),
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        match self.course(Verb::Delete, key.as_str()).await {
            Course::Pass => self.inner.delete(key).await,
            Course::Lose | Course::Deny => {
                self.inner.delete(key).await?;
                Err(no_answer(None, Verb::Delete, key))
            }
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::Delete, key)),
        }
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        match self.course(Verb::List, prefix.as_str()).await {
            Course::Pass => self.inner.list(prefix, after, limit).await,
            Course::Lose | Course::Deny => Err(no_answer(None, Verb::List, prefix)),
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::List, prefix)),
        }
    }
}
