//! Steps 9 and 10: begins attempts, and receives events and mail while they run.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use jiff::{SignedDuration, Timestamp};

use super::Stop;
use super::absorbed::Absorbed;
use super::attempts::{Outcome, Startable, started};
use super::conductor::Run;
use super::ended::{Ended, RunError};
use super::halt::{Close, Halt};
use super::lease::after;
use crate::domain::{Entry, Failure, FrameId, kind};
use crate::outbox::{self, DispatchError};
use crate::ports::BucketError;
use crate::replay::{Phase, StepState};

/// What woke a run whose attempts are running.
pub(super) enum Event {
    Dispatched(Result<(), DispatchError>),
    Ended(Outcome),
    /// A hint for a message.
    Hint,
    Time,
    Stop,
    Abandon,
}

/// How a listing of the mailbox ended.
enum Listed {
    Complete,
    /// No reply arrived in time.
    NoReply,
}

impl Run {
    /// Returns whether no attempt and no deadline may begin anything: the run was asked to stop, or
    /// the execution is parked, or has used its budget.
    pub(super) fn is_held(&self, stop: &Stop) -> bool {
        let requested = &self.committer.state.requested;
        let over = self.over_budget(requested.budget);
        stop.gently.is_set() || requested.parked.is_some() || over.is_some()
    }

    /// **A17** Returns whether the mailbox is to be listed now, where `overdue` means that its time
    /// has come: while attempts run, unless a listing failed a moment ago, and before another attempt
    /// begins.
    pub(super) fn must_list(&self, overdue: bool, begins: bool) -> bool {
        let alone = self.attempts.is_empty();
        overdue && (begins || !alone) && (alone || !self.inbox.waits_to_list())
    }

    /// Step 9. Commits what the attempts of `steps` need before they begin, and begins them.
    pub(super) async fn begin_attempts(
        &mut self,
        may_begin: bool,
        steps: &Startable,
    ) -> Result<(), Halt> {
        let begins = may_begin && !steps.real.is_empty();
        if begins || (self.committer.has_effects() && !self.attempts.is_empty()) {
            if begins {
                self.append_started(&steps.real)?;
            }
            self.flush().await?;
            // I1: no attempt begins after the lease that it was committed under has expired.
            if self.core.ports.clock.monotonic() >= self.committer.lease.until {
                return Err(Halt::Close(Close::Leave(Ended::Lost)));
            }
            if begins {
                self.begin_all(&steps.real);
            }
        }
        if may_begin {
            self.begin_all(&steps.pure);
        }
        Ok(())
    }

    /// Appends the entries that precede every effect of these steps' next attempts. No poll
    /// follows: the start of an attempt does not change what the workflow can observe.
    fn append_started(&mut self, steps: &[StepState]) -> Result<(), Halt> {
        for step in steps {
            let entry = started(step);
            let at = self.committer.next_position();
            let delivered = self.program.note(at, &entry);
            delivered.map_err(|halted| self.halted(halted))?;
            self.committer.append([entry]);
        }
        Ok(())
    }

    fn begin_all(&mut self, steps: &[StepState]) {
        let head = &self.committer.journal.head;
        let (eid, epoch) = (head.record.eid, head.epoch);
        for step in steps {
            self.attempts.begin(&mut self.program, eid, epoch, step);
        }
    }

    async fn flush(&mut self) -> Result<(), RunError> {
        let frames = self.program.frames();
        self.committer.flush(frames).await
    }

    /// Returns whether a retry is due so soon that the run waits for it in place.
    pub(super) fn waits_in_place(&self) -> bool {
        let near = after(self.committer.now, self.core.settings.in_place);
        let steps = self.program.steps();
        steps
            .iter()
            .any(|step| matches!(step.phase, Phase::Backoff { due, .. } if due < near))
    }

    /// Decides how a run closes in which nothing runs.
    pub(super) fn rest(&self, stop: &Stop, steps: &Startable) -> Close {
        let due = self.program.next_due();
        let requested = &self.committer.state.requested;
        let over = self.over_budget(requested.budget);
        // Nothing else would wake the execution for mail that is left.
        let more = !steps.is_empty() || self.waits_for_more();
        match (requested.parked, over.filter(|_| !steps.is_empty())) {
            (Some(status), _) => Close::Park(status),
            (None, Some(why)) => Close::Block(why),
            _ if stop.gently.is_set() && more => Close::HandOver(due),
            _ => Close::Suspend(due),
        }
    }

    /// Waits for the first event.
    pub(super) async fn next_event(&mut self, stop: &Stop) -> Event {
        let clock = Arc::clone(&self.core.ports.clock);
        let now = clock.monotonic();
        let renewal = self.committer.lease.renewal().saturating_sub(now);
        // First of all: if outcomes are always ready, the lease would never be renewed.
        if renewal.is_zero() {
            return Event::Time;
        }
        let wait = self.deadline(stop, now).min(renewal);
        let hints = self.inbox.hints();
        let gently = stop.gently.is_set();
        let mut stopped = async {
            if gently {
                std::future::pending::<()>().await;
            } else {
                stop.gently.wait().await;
            }
        }
        .boxed()
        .fuse();
        let until = self.committer.lease.until;
        let dispatched = self.committer.outbox.next(&*clock, until);
        futures::select_biased! {
            dispatched = dispatched.fuse() => Event::Dispatched(dispatched),
            outcome = self.attempts.next().fuse() => Event::Ended(outcome),
            () = stopped => Event::Stop,
            () = hints.wait().fuse() => Event::Hint,
            () = stop.now.wait().fuse() => Event::Abandon,
            () = clock.sleep(wait).fuse() => Event::Time,
        }
    }

    /// Returns the time until something other than the renewal is due: a retry of the outbox, a
    /// listing of the mailbox, or the deadline of a frame.
    fn deadline(&self, stop: &Stop, now: Duration) -> Duration {
        let resumes = self.committer.outbox.resumes();
        let dispatch = resumes.map_or(Duration::MAX, |at| at.saturating_sub(now));
        // A stopping or parked run does nothing at a deadline: it waits only for its attempts.
        let due = self.program.next_due().filter(|_| !self.is_held(stop));
        let frame = due.map_or(Duration::MAX, |due| {
            let until = due.duration_since(self.core.ports.clock.now());
            let until = Duration::try_from(until.max(SignedDuration::ZERO)).unwrap_or_default();
            // A deadline that has passed since the last listing waits for the next one.
            let listing = self.inbox.listing_failed_until().saturating_sub(now);
            if until.is_zero() { listing } else { until }
        });
        let listing = match self.attempts.is_empty() {
            true => Duration::MAX,
            false if self.has_more(stop) => self.inbox.listing_failed_until().saturating_sub(now),
            false => self.inbox.listing_due().saturating_sub(now),
        };
        dispatch.min(frame).min(listing)
    }

    /// Step 10. Handles an event.
    pub(super) async fn handle(&mut self, event: Event, stop: &Stop) -> Result<(), Halt> {
        self.committer.tick();
        match event {
            // The batch used up its time until the end of the lease, so the renewal is due, too.
            Event::Dispatched(Err(DispatchError::Late)) => self.renew().await,
            // A failing dispatch must not cost the attempts that are running.
            Event::Dispatched(Err(error)) if self.may_wait(error.bucket()) => {
                tracing::debug!(%error, "effects are tried again while attempts run");
                let asked = error.bucket().map(BucketError::wait);
                let now = self.core.ports.clock.monotonic();
                self.committer.outbox.pause(now, asked);
                Ok(())
            }
            Event::Dispatched(dispatched) => {
                dispatched.map_err(RunError::from)?;
                self.start_dispatch();
                Ok(())
            }
            // The loop lists the mailbox.
            Event::Stop | Event::Hint => Ok(()),
            Event::Abandon => {
                let lease = self.committer.journal.head.lease.as_ref();
                let until = lease.map_or(self.committer.now, |lease| lease.until);
                Err(Halt::Close(Close::Leave(Ended::Held(until))))
            }
            Event::Ended(outcome) => {
                let now = self.committer.now;
                let entries = self.attempts.ended(&self.program, now, outcome);
                self.deliver(entries).await
            }
            Event::Time => {
                if self.core.ports.clock.monotonic() < self.committer.lease.renewal() {
                    // The loop lists the mailbox, and fulfils deadlines. Or a pause is over.
                    self.start_dispatch();
                    if self.has_more(stop) && !self.inbox.waits_to_list() {
                        return self.next_batch().await;
                    }
                    return Ok(());
                }
                self.renew().await
            }
        }
    }

    fn start_dispatch(&mut self) {
        let head = &self.committer.journal.head;
        self.committer.outbox.start(&self.core, head, false);
    }

    /// A third of the TTL after the last commit: commits with the renewed lease, after a listing if
    /// one is due, even if that got no reply. 1 P, or 2 P.
    async fn renew(&mut self) -> Result<(), Halt> {
        let overdue = self.inbox.is_overdue();
        if self.must_list(overdue, false) {
            self.receive_mail().await?;
        }
        self.flush().await?;
        Ok(())
    }

    /// Lists, absorbs and drives. 1 P, 1 G for each message. If the store fails while attempts
    /// run, the mailbox is listed again later: renewals come first.
    pub(super) async fn receive_mail(&mut self) -> Result<(), Halt> {
        match self.list_mailbox().await {
            Ok(Listed::Complete) => {}
            Ok(Listed::NoReply) => {
                self.inbox.listing_failed(Duration::ZERO);
                return Ok(());
            }
            Err(error) if self.may_wait(error.bucket()) => {
                tracing::debug!(%error, "the mailbox is listed again later");
                let asked = error.bucket().map(BucketError::wait);
                self.inbox.listing_failed(asked.unwrap_or_default());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        let Absorbed {
            entries, requested, ..
        } = self.absorb();
        if let Some(reason) = requested.terminate {
            self.program.abandon(); // it ends without its code
            self.committer.append(entries);
            let failure = Failure::new(kind::TERMINATED, reason);
            return Err(Halt::Close(Close::End(Err(failure))));
        }
        self.deliver(entries).await
    }

    /// Returns whether the workflow waits for a message, and nothing else is to be done.
    pub(super) fn receives(&self) -> bool {
        let startable = || self.attempts.startable(&self.program, self.committer.now);
        self.attempts.is_empty()
            && self.committer.state.requested.parked.is_none()
            && self.program.receives()
            && startable().is_empty()
    }

    /// Returns how many messages the next batch may contain. **\[R\] A27** Beyond a number of unread
    /// ones, only an execution takes more that waits for a message, which may be further back, and
    /// only while its journal is far from its bound: otherwise a flood of large messages would fail
    /// it.
    fn room(&self) -> usize {
        let settings = &self.core.settings;
        let far = self.committer.length().1 < settings.max_journal / 2;
        let most = match far && self.receives() {
            true => settings.max_unread_waiting,
            false => settings.max_unread,
        };
        most.saturating_sub(self.committer.state.unread.len())
    }

    /// Returns whether the execution has so many unread messages that it does not go on.
    pub(super) fn is_flooded(&self) -> bool {
        self.receives() && self.room() == 0 && self.inbox.has_messages()
    }

    /// Returns whether more mail is to be absorbed, whether or not the mailbox is listed.
    pub(super) fn has_more(&self, stop: &Stop) -> bool {
        !stop.gently.is_set() && !self.program.has_result() && self.waits_for_more()
    }

    fn waits_for_more(&self) -> bool {
        let deletes = self.attempts.is_empty() || self.committer.outbox.is_idle();
        self.inbox.has_more(self.room(), deletes)
    }

    /// Commits what was absorbed, deletes its mail, and absorbs the next batch. While attempts run,
    /// nothing is deleted before the effects of earlier commits are dispatched.
    pub(super) async fn next_batch(&mut self) -> Result<(), Halt> {
        if !self.committer.pending.is_empty() {
            self.flush().await?;
        }
        if self.attempts.is_empty() {
            self.committer.drain().await?;
        }
        if self.committer.outbox.is_idle() {
            let deleted = self.inbox.delete().await?;
            self.served.extend(deleted);
        }
        self.receive_mail().await
    }

    /// Lists the mailbox and reads what is new, while attempts run for as long as the lease allows.
    async fn list_mailbox(&mut self) -> Result<Listed, RunError> {
        let now = self.committer.now;
        let (end, room) = (self.committer.lease.listing_ends(), self.room());
        if self.attempts.is_empty() {
            self.inbox.list(room).await?;
        } else {
            let clock = &*self.core.ports.clock;
            match outbox::until(clock, end, &mut self.inbox.list(room).boxed()).await {
                Some(listed) => listed?,
                None => return Ok(Listed::NoReply),
            }
        }
        self.inbox.listed_at = now;
        Ok(Listed::Complete)
    }

    /// Returns whether the error is transient and attempts are running meanwhile.
    fn may_wait(&self, error: Option<&BucketError>) -> bool {
        !self.attempts.is_empty() && error.is_some_and(BucketError::is_transient)
    }

    /// **B24** A listed message takes precedence over a passed deadline: a deadline that has
    /// passed since the last listing is fulfilled only after another one.
    pub(super) async fn list_before_deadlines(&mut self) -> Result<(), Halt> {
        let (now, listed_at) = (self.committer.now, self.inbox.listed_at);
        let passed =
            self.heeds_deadlines() && self.program.passed(now).any(|(due, _)| due > listed_at);
        if passed && !self.inbox.waits_to_list() {
            return self.receive_mail().await;
        }
        Ok(())
    }

    /// Fulfils the deadlines that had passed at the last listing, in order of due time; each one
    /// may change which frames are open.
    pub(super) async fn fulfil_deadlines(&mut self) -> Result<(), Halt> {
        while self.heeds_deadlines() {
            let (now, listed_at) = (self.committer.now, self.inbox.listed_at);
            let listed = |(due, _): &(Timestamp, FrameId)| *due <= listed_at;
            let Some((_, fid)) = self.program.passed(now).filter(listed).min() else {
                return Ok(());
            };
            self.deliver(vec![Entry::FrameFulfilled { fid, mid: None }])
                .await?;
        }
        Ok(())
    }

    /// Returns whether deadlines are fulfilled: **B24** not while listed mail is still to be absorbed.
    fn heeds_deadlines(&self) -> bool {
        !self.program.has_result()
            && self.committer.state.requested.parked.is_none()
            && !self.waits_for_more()
    }

    /// Fails an execution whose journal is at its bound, with a message that names the remedy. An
    /// execution that has already ended keeps its result.
    pub(super) fn check_bounds(&mut self) {
        let settings = &self.core.settings;
        let (entries, bytes) = self.committer.length();
        let over = entries > settings.max_entries || bytes > settings.max_journal;
        if over && !self.program.has_result() {
            let what =
                format!("{entries} entries, {bytes} bytes: split the work over child executions");
            let failure = Failure::new(kind::HISTORY_TOO_LONG, what).terminal();
            self.program.fail(failure);
        }
    }
}
