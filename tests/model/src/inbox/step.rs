//! The actions and their effects.

use super::Inbox;
use super::state::{InboxHead, InboxRun, InboxState, Next, first, list};

/// One step of one worker, or of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxAction {
    /// Someone creates this message.
    Send(u8),
    /// A worker finds mail and begins a run.
    Begin(usize),
    /// A worker makes its next request.
    Request(usize),
    /// A worker commits, and an attempt runs behind that commit.
    Work(usize),
    /// A worker deletes this message.
    Delete(usize, u8),
    /// A worker loses its memory.
    Crash(usize),
    /// The lease of a live holder expires.
    Expire,
}

impl Inbox {
    pub(super) fn enabled(&self, state: &InboxState, actions: &mut Vec<InboxAction>) {
        use InboxAction as A;
        let unsent = (0..self.budget.messages).map(|n| 1 << n);
        actions.extend(unsent.filter(|mid| state.sent & mid == 0).map(A::Send));
        if state.held() && state.budget.steals > 0 {
            actions.push(A::Expire);
        }
        for worker in 0..2 {
            match state.runs[worker] {
                None if state.mail != 0 && !state.held() => actions.push(A::Begin(worker)),
                None => {}
                Some(run) => {
                    if run.next == Next::Delete && run.slots != 0 {
                        let slots = (0..8).map(|n| 1 << n).filter(|mid| run.slots & mid != 0);
                        actions.extend(slots.map(|mid| A::Delete(worker, mid)));
                    } else {
                        actions.push(A::Request(worker));
                        if run.next == Next::Commit && state.budget.works > 0 {
                            actions.push(A::Work(worker));
                        }
                    }
                    if state.budget.crashes > 0 {
                        actions.push(A::Crash(worker));
                    }
                }
            }
        }
    }

    pub(super) fn apply(&self, state: &mut InboxState, action: InboxAction) {
        match action {
            InboxAction::Send(mid) => {
                state.sent |= mid;
                state.mail |= mid;
            }
            InboxAction::Begin(worker) => {
                state.runs[worker] = Some(InboxRun {
                    next: Next::Read,
                    head: InboxHead::default(),
                    page: 0,
                    full: false,
                    fresh: 0,
                    slots: 0,
                    acquired: false,
                    changed: false,
                });
            }
            InboxAction::Request(worker) => {
                if let Some(run) = state.runs[worker].take() {
                    state.runs[worker] = self.request(state, worker, run);
                }
            }
            InboxAction::Work(worker) => {
                state.budget.works -= 1;
                if let Some(run) = state.runs[worker].take() {
                    state.runs[worker] = self.commit(state, worker, run, true);
                }
            }
            InboxAction::Delete(worker, mid) => {
                state.mail &= !mid;
                if let Some(run) = &mut state.runs[worker] {
                    run.slots &= !mid;
                    run.changed = true;
                }
            }
            InboxAction::Crash(worker) => {
                state.budget.crashes -= 1;
                state.runs[worker] = None;
            }
            InboxAction::Expire => {
                state.budget.steals -= 1;
                state.expired = true;
            }
        }
    }

    fn request(
        &self,
        state: &mut InboxState,
        worker: usize,
        mut run: InboxRun,
    ) -> Option<InboxRun> {
        match run.next {
            Next::Read if state.held() => return None,
            Next::Read => (run.head, run.next) = (state.head, Next::List),
            Next::List => {
                (run.page, run.full) = list(state.mail);
                let absorbed = run.page & run.head.absorbed != 0;
                let hidden = run.full && self.rules.full_is_undispatched;
                let evident = run.head.lease.is_some() || absorbed || hidden;
                if !run.acquired && run.head.outbox != 0 && evident {
                    run.next = Next::DispatchLoaded;
                } else {
                    return self.listed(run);
                }
            }
            Next::DispatchLoaded => {
                state.made |= run.head.outbox;
                return self.listed(run);
            }
            Next::Commit => return self.commit(state, worker, run, false),
            Next::Dispatch => {
                state.made |= run.head.outbox;
                run.slots = run.page & run.head.absorbed;
                // The lease tells the final commit from the others.
                if run.head.lease.is_some() {
                    run.slots &= !self.kept(&run);
                }
                run.next = Next::Delete;
            }
            // Everything is deleted.
            Next::Delete if run.head.lease.is_some() => run.next = Next::List,
            Next::Delete => {
                let goes_on = !run.acquired && run.full && self.rules.lists_behind_stale_mail;
                if goes_on {
                    return Some(InboxRun {
                        next: Next::Read,
                        ..run
                    });
                }
                let fresh = state.mail & !state.head.absorbed != 0;
                state.blind |= run.full && !run.changed && fresh;
                return None;
            }
        }
        Some(run)
    }

    /// Steps 5 and 6: without a lease and without fresh mail, only stale mail is deleted.
    fn listed(&self, mut run: InboxRun) -> Option<InboxRun> {
        let fresh = run.page & !run.head.absorbed;
        if run.head.lease.is_none() && fresh == 0 {
            let deletes = !run.full || self.rules.lists_behind_stale_mail;
            run.slots = if deletes { run.page } else { 0 };
            run.next = Next::Delete;
        } else {
            run.next = Next::Commit;
        }
        Some(run)
    }

    /// A commit of the first fresh message of the page. It keeps the lease if an attempt runs, or if
    /// more may follow.
    fn commit(
        &self,
        state: &mut InboxState,
        worker: usize,
        mut run: InboxRun,
        works: bool,
    ) -> Option<InboxRun> {
        if state.head.commit != run.head.commit {
            return None; // refused
        }
        let batch = first(run.page & !run.head.absorbed);
        run.fresh |= batch;
        let head = &mut run.head;
        head.absorbed |= batch;
        head.commit += 1;
        head.outbox = 1 << head.commit;
        let stale = run.page & head.absorbed & !self.kept(&run);
        let behind = run.page & !run.head.absorbed != 0 || run.full && stale != 0;
        run.head.lease = (works || behind).then_some(u8::try_from(worker).unwrap_or(u8::MAX));
        state.head = run.head;
        state.expired = false;
        state.decided |= run.head.outbox;
        (run.acquired, run.changed, run.next) = (true, true, Next::Dispatch);
        Some(run)
    }

    /// What a run does not delete between its commits: everything, if it has absorbed nothing.
    fn kept(&self, run: &InboxRun) -> u8 {
        match (self.rules.keeps_one, self.rules.keeps_a_fresh_one) {
            (false, _) => 0,
            (true, false) => first(run.page & run.head.absorbed),
            (true, true) if run.fresh == 0 => u8::MAX,
            (true, true) => first(run.fresh),
        }
    }
}
