//! Requests that survive transient failures of the store.
//!
//! Each is one request if the store responds. A transient error, and the `Unknown` of an idempotent
//! create, are retried a bounded number of times with full jitter, after the delay that the store
//! requests; a permanent error is returned at once. Head commits are retried as long as the lease
//! lasts: their `Unknown` has its own rule (`journal::commit`).
//!
//! A refused create is an indication, not a proof: *found* is a success. One read distinguishes a
//! taken key from a wrong response (a conflict reported as a refusal; a hidden retry).

use std::time::Duration;

use bytes::Bytes;

use super::{Backoff, BucketError, Expect, Fault, Listed, Object, Outcome, Ports, Verb, Version};
use crate::keys::{Key, Prefix};

/// The number of attempts at one request before its error is returned.
const ATTEMPTS: u32 = 6;
/// Pauses between attempts, of which each caller draws a share.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(40), Duration::from_secs(2));
/// The longest requested delay that is waited for, and the time after which no further attempt
/// begins. Beyond it the error is returned, and the caller retries later.
const PATIENCE: Duration = Duration::from_secs(20);
/// The number of keys requested in one page.
const PAGE: usize = 1_000;

/// The attempts at one request so far.
#[derive(Debug)]
pub(crate) struct Attempts {
    made: u32,
    /// When the first one began (monotonic).
    began: Duration,
}

/// The outcome of a create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Created {
    /// This call created the object, in this version.
    New(Version),
    /// The key existed already, in this version.
    Existed(Version),
}

impl Ports {
    /// Reads `key`. 1 G.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let mut attempts = self.attempts();
        loop {
            match self.bucket.read(key).await {
                Ok(found) => return Ok(found),
                Err(error) => self.retry(&mut attempts, error).await?,
            }
        }
    }

    /// Reads `key`, retried until `deadline` of the monotonic clock. 1 G.
    ///
    /// # Errors
    /// The store did not respond in time, or denied the request.
    pub(crate) async fn read_until(
        &self,
        key: &Key,
        deadline: Duration,
    ) -> Result<Option<Object>, BucketError> {
        let mut attempts = self.attempts();
        loop {
            match self.bucket.read(key).await {
                Ok(found) => return Ok(found),
                Err(error) => self.retry_until(&mut attempts, error, deadline).await?,
            }
        }
    }

    /// Creates `key` once, however often it is called: for objects whose key names their content or
    /// their only writer. 1 P, + 1 G if it existed.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn create(&self, key: &Key, body: Bytes) -> Result<Created, BucketError> {
        self.create_until(key, body, None).await
    }

    /// As [`create`](Self::create); with `until`, retried up to that instant of the monotonic
    /// clock.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or in time; or denied the request.
    pub(crate) async fn create_until(
        &self,
        key: &Key,
        body: Bytes,
        until: Option<Duration>,
    ) -> Result<Created, BucketError> {
        let (mut attempts, mut unsure) = (self.attempts(), false);
        loop {
            match self.bucket.write(key, body.clone(), Expect::Absent).await {
                Ok(Outcome::Landed(version)) => return Ok(Created::New(version)),
                Ok(Outcome::Refused) => {
                    if let Some(found) = self.read(key).await? {
                        // After a lost reply, the object is this caller's write if the bytes are
                        // equal.
                        return Ok(match unsure && found.body == body {
                            true => Created::New(found.version),
                            false => Created::Existed(found.version),
                        });
                    }
                    let wrong = refused_wrongly(key);
                    self.retry_by(&mut attempts, wrong, until).await?;
                }
                Ok(Outcome::Unknown) => {
                    unsure = true;
                    let lost = BucketError::new(Fault::Unavailable, Verb::Create, key)
                        .because("no reply, several times");
                    self.retry_by(&mut attempts, lost, until).await?;
                }
                Err(error) => self.retry_by(&mut attempts, error, until).await?,
            }
        }
    }

    /// Deletes `key`. One delete.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let mut attempts = self.attempts();
        loop {
            match self.bucket.delete(key).await {
                Ok(()) => return Ok(()),
                Err(error) => self.retry(&mut attempts, error).await?,
            }
        }
    }

    /// Lists one page. 1 P.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn page(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<super::Page, BucketError> {
        self.page_until(prefix, after, limit, None).await
    }

    /// As [`page`](Self::page); with `until`, retried up to that instant of the monotonic clock.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or in time; or denied the request.
    pub(crate) async fn page_until(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
        until: Option<Duration>,
    ) -> Result<super::Page, BucketError> {
        let mut attempts = self.attempts();
        loop {
            match self.bucket.list(prefix, after, limit).await {
                Ok(page) if page.next.is_some() && page.next.as_ref() == after => {
                    return Err(BucketError::new(Fault::Invalid, Verb::List, prefix)
                        .because("a page that is not the last ends where it began"));
                }
                Ok(page) => return Ok(page),
                Err(error) => self.retry_by(&mut attempts, error, until).await?,
            }
        }
    }

    /// Returns the first object under `prefix`. 1 P; if the store omits keys, 1 P for each 1,000 of
    /// those.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn first(&self, prefix: &Prefix) -> Result<Option<Listed>, BucketError> {
        let mut page = self.page(prefix, None, 1).await?;
        loop {
            match (page.entries.into_iter().next(), page.next) {
                (None, Some(next)) => page = self.page(prefix, Some(&next), PAGE).await?,
                (first, _) => return Ok(first),
            }
        }
    }

    /// Lists all objects under `prefix`. 1 P for each 1,000 keys.
    ///
    /// # Errors
    /// The store did not respond in several attempts, or denied the request.
    pub async fn list(&self, prefix: &Prefix) -> Result<Vec<Listed>, BucketError> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.page(prefix, after.as_ref(), PAGE).await?;
            all.extend(page.entries);
            after = page.next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    /// Begins to count the attempts at one request.
    pub(crate) fn attempts(&self) -> Attempts {
        Attempts {
            made: 0,
            began: self.clock.monotonic(),
        }
    }

    /// Waits before the next attempt, or returns the error.
    pub(crate) async fn retry(
        &self,
        attempts: &mut Attempts,
        error: BucketError,
    ) -> Result<(), BucketError> {
        let spent = self.clock.monotonic().saturating_sub(attempts.began);
        if attempts.made + 1 >= ATTEMPTS || error.wait() > PATIENCE || spent >= PATIENCE {
            attempts.made += 1;
            return Err(error);
        }
        self.retry_until(attempts, error, Duration::MAX).await
    }

    async fn retry_by(
        &self,
        attempts: &mut Attempts,
        error: BucketError,
        until: Option<Duration>,
    ) -> Result<(), BucketError> {
        match until {
            Some(until) => self.retry_until(attempts, error, until).await,
            None => self.retry(attempts, error).await,
        }
    }

    /// Waits before the next attempt, or returns the error: at once if the wait would not end
    /// before `deadline` of the monotonic clock.
    pub(crate) async fn retry_until(
        &self,
        attempts: &mut Attempts,
        error: BucketError,
        deadline: Duration,
    ) -> Result<(), BucketError> {
        attempts.made += 1;
        if !error.is_transient() {
            return Err(error);
        }
        let wait = self.backoff(attempts.made, error.wait(), deadline);
        if self.clock.monotonic().saturating_add(wait) >= deadline {
            return Err(error);
        }
        let attempt = attempts.made;
        tracing::debug!(%error, attempt, ?wait, "bucket request tried again");
        self.clock.sleep(wait).await;
        Ok(())
    }

    /// Full jitter on top of the delay that the store requests, so that callers throttled together
    /// do not return together. Before a deadline, an eighth of that delay at most: a commit that
    /// waits as long again as the store asks makes two thirds of the attempts that its lease allows.
    fn backoff(&self, attempt: u32, asked: Duration, deadline: Duration) -> Duration {
        let jitter = match deadline {
            Duration::MAX => BACKOFF.after(attempt),
            _ if asked.is_zero() => BACKOFF.after(attempt),
            _ => BACKOFF.after(attempt).min(asked / 8),
        };
        asked + jitter.mul_f64(self.entropy.unit())
    }
}

/// The error of a create that was refused although no object exists.
fn refused_wrongly(key: &Key) -> BucketError {
    BucketError::new(Fault::Unavailable, Verb::Create, key).because("refused, and nothing is there")
}
