//! Steps 8 to 10: drives the execution until nothing is live.

use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use jiff::Timestamp;

use super::Stop;
use super::activation::Halt;
use super::ended::{Ended, RunError};
use super::pass::{Done, Pass};
use crate::domain::{Entry, Failure, FrameId, kind};
use crate::outbox::{self, DispatchError};
use crate::ports::BucketError;
use crate::replay::{Drive, FrameKind};

/// What woke a live pass.
enum Event {
    Dispatched(Result<(), DispatchError>),
    Done(Done),
    Time,
    Stop,
    Abandon,
}

impl Pass {
    pub(super) async fn live(&mut self, stop: &Stop) -> Result<Ended, RunError> {
        loop {
            self.tick();
            if self.has_unheard_deadline()
                && !self.is_deaf()
                && let Some(ended) = self.hear().await?
            {
                return Ok(ended);
            }
            if let Err(halt) = self.fulfil().await {
                return self.halted(halt).await;
            }
            self.check_bounds();
            if let Some(result) = self.ready.take() {
                return self.over(result).await;
            }
            let held = stop.gently.is_set() || self.parked.is_some();
            let startable = self.startable();
            let (pure, real): (Vec<_>, Vec<_>) =
                startable.into_iter().partition(|step| step.options.pure);
            let begins = !held && !real.is_empty();
            if begins || (self.has_effects() && !self.live.is_empty()) {
                if begins && let Err(halt) = self.append_started(&real) {
                    return self.halted(halt).await;
                }
                self.flush().await?;
                // I1: no attempt begins after the lease that it was committed under has expired.
                if self.core.ports.clock.monotonic() >= self.until {
                    return Ok(Ended::Lost);
                }
                if begins {
                    real.iter().for_each(|step| self.begin(step));
                }
            }
            if !held {
                pure.iter().for_each(|step| self.begin(step));
            }
            if self.live.is_empty() && (held || !self.waits_in_place()) {
                let more = stop.gently.is_set() && (!real.is_empty() || !pure.is_empty());
                return self.rest(more).await;
            }
            let event = self.event(stop).await;
            if let Some(ended) = self.on(event).await? {
                return Ok(ended);
            }
        }
    }

    /// Waits for the first event.
    async fn event(&mut self, stop: &Stop) -> Event {
        let clock = Arc::clone(&self.core.ports.clock);
        let now = clock.monotonic();
        let mut wait = self.renewal().saturating_sub(now);
        // First of all: if outcomes are always ready, the lease would never be renewed.
        if wait.is_zero() {
            return Event::Time;
        }
        if let Some(at) = self.dispatching.resumes() {
            wait = wait.min(at.saturating_sub(now));
        }
        let gently = stop.gently.is_set();
        // A stopping or parked pass does nothing at a deadline: it waits only for its attempts.
        let held = gently || self.parked.is_some();
        if let Some(due) = self.next_due().filter(|_| !held) {
            let until = due
                .duration_since(clock.now())
                .max(jiff::SignedDuration::ZERO);
            let until = Duration::try_from(until).unwrap_or_default();
            // A deadline that has passed since the last listing waits for the next one.
            let deaf = self.deaf_until.saturating_sub(now);
            wait = wait.min(if until.is_zero() { deaf } else { until });
        }
        let mut told = async {
            if gently {
                std::future::pending::<()>().await;
            } else {
                stop.gently.wait().await;
            }
        }
        .boxed()
        .fuse();
        futures::select_biased! {
            dispatched = self.dispatching.next(&*clock, self.until).fuse() => Event::Dispatched(dispatched),
            done = self.done.1.next() => done.map_or(Event::Time, Event::Done),
            () = told => Event::Stop,
            () = stop.now.wait().fuse() => Event::Abandon,
            () = clock.sleep(wait).fuse() => Event::Time,
        }
    }

    async fn on(&mut self, event: Event) -> Result<Option<Ended>, RunError> {
        self.tick();
        let entries = match event {
            // The batch used up its time until the end of the lease, so the renewal is due, too.
            Event::Dispatched(Err(DispatchError::Late)) => return self.renew().await,
            // A failing dispatch must not cost the attempts that are running.
            Event::Dispatched(Err(error)) if self.may_wait(error.bucket()) => {
                tracing::debug!(%error, "effects are tried again while attempts run");
                let asked = error.bucket().map(BucketError::wait);
                self.dispatching
                    .pause(self.core.ports.clock.monotonic(), asked);
                return Ok(None);
            }
            Event::Dispatched(dispatched) => {
                dispatched?;
                let core = Arc::clone(&self.core);
                self.dispatching.start(&core, &self.journal.head, false);
                return Ok(None);
            }
            Event::Stop => return Ok(None),
            Event::Abandon => {
                let until = self.journal.head.lease.as_ref().map(|lease| lease.until);
                return Ok(Some(Ended::Held(until.unwrap_or(self.now))));
            }
            Event::Done(done) => self.all_done(done),
            Event::Time => {
                let core = Arc::clone(&self.core);
                if core.ports.clock.monotonic() < self.renewal() {
                    // A deadline: the loop lists the mail and fulfils it. Or a pause is over.
                    self.dispatching.start(&core, &self.journal.head, false);
                    return Ok(None);
                }
                return self.renew().await;
            }
        };
        match self.deliver(entries).await {
            Ok(()) => Ok(None),
            Err(halt) => self.halted(halt).await.map(Some),
        }
    }

    /// Takes all outcomes that are ready: attempts that end together share a commit.
    fn all_done(&mut self, first: Done) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.ended(first).into_iter().collect();
        while let Ok(done) = self.done.1.try_recv() {
            entries.extend(self.ended(done));
        }
        entries
    }

    /// Step 10. Every `ttl/3`: lists, absorbs and drives, then commits with the renewed lease,
    /// even if the listing got no reply. 2 P.
    async fn renew(&mut self) -> Result<Option<Ended>, RunError> {
        if let Some(ended) = self.hear().await? {
            return Ok(Some(ended));
        }
        self.flush().await?;
        Ok(None)
    }

    /// Lists, absorbs and drives. 1 P. If the store fails while attempts run, the listing is
    /// retried later: renewals come first.
    async fn hear(&mut self) -> Result<Option<Ended>, RunError> {
        let inbox = match self.absorb_meanwhile().await {
            Ok(Some(inbox)) => inbox,
            Ok(None) => return Ok(None),
            Err(error) if self.may_wait(error.bucket()) => {
                tracing::debug!(%error, "the mailbox is listed again later");
                let asked = error.bucket().map(BucketError::wait);
                self.be_deaf(asked);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if let Some(reason) = inbox.terminate {
            self.drive = None; // it ends without its code
            self.append(inbox.entries);
            return self
                .over(Err(Failure::new(kind::TERMINATED, reason)))
                .await
                .map(Some);
        }
        match self.deliver(inbox.entries).await {
            Ok(()) => Ok(None),
            Err(halt) => self.halted(halt).await.map(Some),
        }
    }

    /// Returns whether the error is transient and attempts are running meanwhile.
    fn may_wait(&self, error: Option<&BucketError>) -> bool {
        !self.live.is_empty() && error.is_some_and(BucketError::is_transient)
    }

    /// Returns the deadlines that have passed: those of waits, not of retries.
    fn passed(&self) -> impl Iterator<Item = (Timestamp, FrameId)> {
        let now = self.now;
        let open = self.drive.as_ref().map(Drive::open).unwrap_or_default();
        open.into_iter()
            .filter(|frame| frame.kind != FrameKind::Step)
            .filter_map(|frame| frame.due.map(|due| (due, frame.fid)))
            .filter(move |(due, _)| *due <= now)
    }

    /// **B24** A listed message takes precedence over a passed deadline: a deadline that has
    /// passed since the last listing is fulfilled only after another one.
    fn has_unheard_deadline(&self) -> bool {
        self.ready.is_none()
            && self.parked.is_none()
            && self.passed().any(|(due, _)| due > self.listed)
    }

    /// Fulfils the deadlines that had passed at the last listing, in order of due time; each one
    /// may change which frames are open.
    async fn fulfil(&mut self) -> Result<(), Halt> {
        while self.ready.is_none() && self.parked.is_none() {
            let heard = |(due, _): &(Timestamp, FrameId)| *due <= self.listed;
            let Some((_, fid)) = self.passed().filter(heard).min() else {
                return Ok(());
            };
            self.deliver(vec![Entry::FrameFulfilled { fid, mid: None }])
                .await?;
        }
        Ok(())
    }

    /// Returns whether a commit now would record an effect to dispatch.
    fn has_effects(&self) -> bool {
        let record = &self.journal.head.record;
        self.pending.iter().any(|entry| {
            outbox::has_effect(entry, record) && !matches!(entry, Entry::Announced { .. })
        })
    }

    /// Fails an execution whose journal is at its bound, with a message that names the remedy.
    fn check_bounds(&mut self) {
        let (head, settings) = (&self.journal.head, &self.core.settings);
        let entries = head.entries + self.pending.len() as u64;
        // An execution that has already ended keeps its result.
        if self.ready.is_some() {
            return;
        }
        if entries > settings.max_entries || head.bytes > settings.max_journal {
            let bytes = head.bytes;
            let what =
                format!("{entries} entries, {bytes} bytes: split the work over child executions");
            self.ready = Some(Err(Failure::new(kind::HISTORY_TOO_LONG, what).terminal()));
        }
    }
}
