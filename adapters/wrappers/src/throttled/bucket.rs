//! The bucket behind the wait queue.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use millpond::keys::{Key, Kind, Prefix, partition};
use millpond::ports::{Bucket, BucketError, Clock, Expect, Fault, Object, Outcome, Page, Verb};

use super::wait_queue::{Admission, Deadline, End, WaitQueue};
use super::{Limits, Standing};

/// Limits the requests to what the store serves: bounds the number in flight, respects the delays
/// that the store asks for, and prioritizes commits and renewals.
///
/// Requests are not retried here: a `SlowDown` of the store is passed on, and the caller retries.
/// Costs no request.
#[derive(Debug)]
pub struct Throttled {
    inner: Arc<dyn Bucket>,
    clock: Arc<dyn Clock>,
    limits: Limits,
    queue: Mutex<WaitQueue>,
}

impl Throttled {
    /// A wait queue before `inner`; `clock` measures paces and waits.
    #[must_use]
    pub fn new(inner: Arc<dyn Bucket>, clock: Arc<dyn Clock>, limits: Limits) -> Self {
        let queue = Mutex::new(WaitQueue::new(limits.clone()));
        Self {
            inner,
            clock,
            limits,
            queue,
        }
    }

    /// The current load. Costs no request.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.lock().standing()
    }

    fn lock(&self) -> MutexGuard<'_, WaitQueue> {
        // No code panics between two changes of the queue: a poisoned one is still consistent.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends `request` once it is admitted. `served` decides whether a reply shows that the store
    /// keeps up.
    async fn ask<T>(
        &self,
        verb: Verb,
        kind: Kind,
        key: &str,
        request: impl Future<Output = Result<T, BucketError>>,
        served: fn(&T) -> bool,
    ) -> Result<T, BucketError> {
        let mut ticket = Ticket::new(self, partition(key), is_urgent(verb, kind));
        if let Err(wait) = ticket.admitted().await {
            let reason = "not sent: the store asked for fewer requests";
            let error = BucketError::new(Fault::Throttled, verb, key);
            return Err(error.after(wait).because(reason));
        }
        let answer = request.await;
        ticket.end = match &answer {
            Ok(value) if served(value) => End::Served,
            Err(error) if error.fault == Fault::Throttled => End::Refused(error.wait()),
            Ok(_) | Err(_) => End::Other,
        };
        answer
    }
}

/// Whether a delay may cost a lease: a replace of a head is a commit or a renewal.
fn is_urgent(verb: Verb, kind: Kind) -> bool {
    (verb, kind) == (Verb::Replace, Kind::Head)
}

/// A place in the queue, later the permission to be in flight. Dropping it releases the place.
struct Ticket<'a> {
    of: &'a Throttled,
    name: &'a str,
    deadline: Deadline,
    came: Duration,
    sent: Option<Duration>,
    /// Left the queue without having been sent.
    left: bool,
    end: End,
}

impl<'a> Ticket<'a> {
    fn new(of: &'a Throttled, name: &'a str, urgent: bool) -> Self {
        let came = of.clock.monotonic();
        Self {
            of,
            name,
            deadline: of.lock().enter(name, urgent, came),
            came,
            sent: None,
            left: false,
            end: End::Other,
        }
    }

    /// Waits until the request may be sent; fails with the store's requested delay if that exceeds
    /// the patience (T4).
    async fn admitted(&mut self) -> Result<(), Duration> {
        let patience = self.came.saturating_add(self.of.limits.patience);
        let mut sleep: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = None;
        let mut until = None;
        let sent = poll_fn(|cx| {
            loop {
                let now = self.of.clock.monotonic();
                let mut queue = self.of.lock();
                let (admission, woken) = queue.admit(self.name, self.deadline, now, cx.waker());
                drop(queue);
                woken.wake();
                let Admission::Waits(opens) = admission else {
                    return Poll::Ready(Ok(now));
                };
                let reopens = self.of.lock().opens(self.name);
                if now >= patience || reopens > patience {
                    return Poll::Ready(Err(reopens.saturating_sub(now)));
                }
                let wanted = opens.map_or(patience, |opens| opens.min(patience));
                if until != Some(wanted) {
                    until = Some(wanted);
                    sleep = Some(self.of.clock.sleep(wanted - now));
                }
                let Some(waits) = &mut sleep else {
                    return Poll::Pending;
                };
                if waits.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                until = None;
            }
        })
        .await;
        drop(sleep);
        match sent {
            Ok(now) => {
                self.sent = Some(now);
                Ok(())
            }
            Err(wait) => {
                let (left, woken) = self.of.lock().keep_back(self.name, self.deadline);
                woken.wake();
                if left {
                    self.left = true;
                    return Err(wait);
                }
                // The request was admitted between the two checks.
                self.sent = Some(self.of.clock.monotonic());
                Ok(())
            }
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if self.left {
            return;
        }
        let now = self.of.clock.monotonic();
        let mut queue = self.of.lock();
        let woken = match self.sent {
            Some(sent) => queue.end(self.name, sent, now, self.end),
            None => match queue.leave(self.name, self.deadline) {
                (true, woken) => woken,
                // The request was admitted after its caller had dropped it.
                (false, _) => queue.end(self.name, now, now, End::Other),
            },
        };
        drop(queue);
        woken.wake();
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Throttled {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        let request = self.inner.read(key);
        self.ask(Verb::Read, Kind::of(key), key.as_str(), request, |_| true)
            .await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        let verb = Verb::writing(&expect);
        let request = self.inner.write(key, body, expect);
        let served = |outcome: &Outcome| *outcome != Outcome::Unknown;
        self.ask(verb, Kind::of(key), key.as_str(), request, served)
            .await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        let request = self.inner.delete(key);
        self.ask(Verb::Delete, Kind::of(key), key.as_str(), request, |()| {
            true
        })
        .await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let request = self.inner.list(prefix, after, limit);
        let kind = Kind::under(prefix);
        self.ask(Verb::List, kind, prefix.as_str(), request, |_| true)
            .await
    }
}
