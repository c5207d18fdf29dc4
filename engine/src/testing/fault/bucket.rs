//! The wrapper itself.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use super::{Fate, Rule};
use crate::doors::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page};
use crate::keys::{Key, Prefix};
use crate::testing::Verb;

/// One process's view of a bucket, whose requests fail by script.
///
/// To cut a scenario at every request: run it once without rules, take
/// [`requests`](Self::requests), then run it anew for each number below with a rule
/// [`at`](Rule::at) it, recover through another wrapper, and check.
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
    dead: bool,
    held: Vec<(Key, Bytes, Expect)>,
}

/// What the wrapper does with one request.
enum Course {
    /// Send it, and answer what the store answers.
    Pass,
    /// Send it, and lose the answer.
    Lose,
    /// Do not send it.
    Stop(Stop),
}

enum Stop {
    Fail(Fault),
    /// Writes only.
    Refuse,
    /// Writes only.
    Hold,
}

impl FaultBucket {
    /// Passes everything on to `inner` until a rule is added; `clock` measures delays.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner,
            clock,
            state: Mutex::default(),
        }
    }

    /// Adds a rule. A request meets the first rule that fits and is not spent.
    pub fn add(&self, rule: Rule) {
        self.lock().rules.push(rule);
    }

    /// Drops all rules: from now on requests pass. The dead stay dead.
    pub fn heal(&self) {
        self.lock().rules.clear();
    }

    /// Requests so far, those that failed included: the number of the next one.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.lock().requests
    }

    /// Whether the process has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.lock().dead
    }

    /// Sends the held writes, oldest first, dead or not; their late outcomes, in this order.
    ///
    /// # Errors
    /// The store's own; later writes are lost with it.
    pub async fn release(&self) -> Result<Vec<Outcome>, BucketError> {
        let held = std::mem::take(&mut self.lock().held);
        let mut outcomes = Vec::new();
        for (key, body, expect) in held {
            outcomes.push(self.inner.write(&key, body, expect).await?);
        }
        Ok(outcomes)
    }

    async fn course(&self, verb: Verb, key: &str) -> Course {
        let delay = match self.fate(verb, key) {
            None => return Course::Pass,
            Some(Fate::Delay(delay)) => delay,
            Some(Fate::LandedReplyLost | Fate::LandedAndDied) => return Course::Lose,
            Some(Fate::NotSent) => return Course::Stop(Stop::Fail(Fault::Unavailable)),
            Some(Fate::Died) => return Course::Stop(Stop::Fail(Fault::Gone)),
            Some(Fate::Error(fault)) => return Course::Stop(Stop::Fail(fault)),
            Some(Fate::Refused) => return Course::Stop(Stop::Refuse),
            Some(Fate::Held) => return Course::Stop(Stop::Hold),
        };
        self.clock.sleep(delay).await;
        // Who died while this request was on its way never sees an answer.
        if self.is_dead() {
            Course::Lose
        } else {
            Course::Pass
        }
    }

    /// Counts the request and asks the script.
    fn fate(&self, verb: Verb, key: &str) -> Option<Fate> {
        let mut state = self.lock();
        let index = state.requests;
        state.requests += 1;
        if state.dead {
            return Some(Fate::Died);
        }
        let fate = state
            .rules
            .iter_mut()
            .find_map(|rule| rule.meet(index, verb, key));
        state.dead = matches!(fate, Some(Fate::Died | Fate::LandedAndDied));
        fate
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two changes of the state: a poisoned one is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a request that got no answer, or that was stopped.
fn no_answer(stop: Option<&Stop>, verb: Verb, key: impl fmt::Display) -> BucketError {
    let fault = match stop {
        Some(Stop::Fail(fault)) => *fault,
        Some(Stop::Refuse | Stop::Hold) | None => Fault::Unavailable,
    };
    BucketError::new(fault, verb.as_str(), key).because("by script")
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for FaultBucket {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        match self.course(Verb::Read, key.as_str()).await {
            Course::Pass => self.inner.read(key).await,
            Course::Lose => Err(no_answer(None, Verb::Read, key)),
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::Read, key)),
        }
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        match self.course(Verb::Write, key.as_str()).await {
            Course::Pass => self.inner.write(key, body, expect).await,
            Course::Lose => {
                let _lost = self.inner.write(key, body, expect).await;
                Ok(Outcome::Unknown)
            }
            Course::Stop(Stop::Refuse) => Ok(Outcome::Refused),
            Course::Stop(Stop::Hold) => {
                self.lock().held.push((key.clone(), body, expect));
                Ok(Outcome::Unknown)
            }
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::Write, key)),
        }
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        match self.course(Verb::Delete, key.as_str()).await {
            Course::Pass => self.inner.delete(key).await,
            Course::Lose => {
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
            Course::Lose => Err(no_answer(None, Verb::List, prefix)),
            Course::Stop(stop) => Err(no_answer(Some(&stop), Verb::List, prefix)),
        }
    }
}
