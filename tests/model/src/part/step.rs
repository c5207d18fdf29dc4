//! The actions and their effects.

use super::Part;
use super::state::{Next, PartHead, PartRun, PartState, RESULT};

/// One step of one worker, or of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartAction {
    /// Someone creates this message.
    Send(u8),
    /// Someone creates it again.
    Copy(u8),
    /// A worker finds mail and begins a run.
    Begin(usize),
    /// A worker makes its next request.
    Request(usize),
    /// A worker commits and keeps the lease: it will commit once more, with the outcome of an attempt.
    Work(usize),
    /// A worker loses its memory.
    Crash(usize),
}

impl Part {
    fn all(&self) -> impl Iterator<Item = u8> {
        let result = self.budget.result.then_some(RESULT);
        (0..self.budget.messages).map(|n| 1 << n).chain(result)
    }

    pub(super) fn enabled(&self, state: &PartState, actions: &mut Vec<PartAction>) {
        use PartAction as A;
        for mid in self.all() {
            if state.sent & mid == 0 {
                actions.push(A::Send(mid));
            } else if state.mail & mid == 0 && state.budget.copies > 0 {
                actions.push(A::Copy(mid));
            }
        }
        for worker in 0..2 {
            let Some(run) = state.runs[worker] else {
                if state.mail != 0 && !state.held() {
                    actions.push(A::Begin(worker));
                }
                continue;
            };
            actions.push(A::Request(worker));
            if run.next == Next::Commit && !run.committed {
                actions.push(A::Work(worker));
            }
            if state.budget.crashes > 0 {
                actions.push(A::Crash(worker));
            }
        }
    }

    pub(super) fn apply(&self, state: &mut PartState, action: PartAction) {
        match action {
            PartAction::Send(mid) => {
                state.sent |= mid;
                state.mail |= mid;
            }
            PartAction::Copy(mid) => {
                state.budget.copies -= 1;
                state.mail |= mid;
            }
            PartAction::Begin(worker) => {
                state.runs[worker] = Some(PartRun {
                    next: Next::Read,
                    head: PartHead::default(),
                    page: 0,
                    fresh: 0,
                    committed: false,
                });
            }
            PartAction::Request(worker) => {
                if let Some(run) = state.runs[worker].take() {
                    state.runs[worker] = self.request(state, worker, run);
                }
            }
            PartAction::Work(worker) => {
                if let Some(run) = state.runs[worker].take() {
                    let holder = u8::try_from(worker).ok();
                    state.runs[worker] = self.commit(state, holder, run);
                }
            }
            PartAction::Crash(worker) => {
                state.budget.crashes -= 1;
                state.runs[worker] = None;
            }
        }
    }

    /// What of a listing a run takes for absorbed.
    fn known(&self, state: &PartState, head: &PartHead, page: u8) -> u8 {
        if !self.rules.keeps_ids {
            let mark = (head.tail | head.seen) & !RESULT;
            let below = mark.checked_ilog2().map_or(0, |top| (2 << top) - 1);
            return page & (below | head.tail);
        }
        let old = !RESULT & ((1 << head.since) - 1);
        let searched = match (self.rules.looks_up, self.rules.path_in_commit) {
            (false, _) => 0,
            (true, true) => head.earlier & old,
            (true, false) => state.path & old,
        };
        page & (head.tail | head.seen | searched)
    }

    fn request(&self, state: &mut PartState, worker: usize, mut run: PartRun) -> Option<PartRun> {
        match run.next {
            Next::Read if state.held() => return None,
            Next::Read => (run.head, run.next) = (state.head, Next::List),
            Next::List => {
                run.page = state.mail;
                let known = self.known(state, &run.head, run.page);
                run.fresh = run.page & !known;
                let evident = known != 0 || run.head.lease.is_some();
                run.next = if evident && run.head.outbox != 0 {
                    Next::DispatchLoaded
                } else {
                    Next::Path
                };
            }
            Next::DispatchLoaded => {
                state.made |= run.head.outbox;
                run.next = Next::Path;
            }
            // Without fresh mail, what is absorbed is deleted.
            Next::Path if run.fresh == 0 && run.head.lease.is_none() => run.next = Next::Delete,
            Next::Path => {
                state.path = run.head.earlier | run.head.tail;
                run.next = Next::Commit;
            }
            Next::Commit => return self.commit(state, None, run),
            Next::Dispatch => {
                state.made |= run.head.outbox;
                let holds = run.head.lease == u8::try_from(worker).ok();
                run.next = if holds { Next::Path } else { Next::Delete };
            }
            Next::Delete => {
                state.mail &= !run.page;
                return None;
            }
        }
        Some(run)
    }

    /// Consumes what is fresh, one message in each generation, and begins a part.
    fn commit(
        &self,
        state: &mut PartState,
        lease: Option<u8>,
        mut run: PartRun,
    ) -> Option<PartRun> {
        if state.head.commit != run.head.commit {
            return None; // refused
        }
        let first = run.fresh & run.fresh.wrapping_neg();
        let consumed = if self.rules.carries_unread {
            run.fresh
        } else {
            first
        };
        state.twice |= consumed & state.consumed & !RESULT != 0;
        state.consumed |= consumed;
        let old = run.head;
        let dated = (old.seen | old.tail) & !RESULT;
        let newest = dated.checked_ilog2().unwrap_or(0);
        let since = old.since.max(u8::try_from(newest).unwrap_or(0));
        let results = match self.rules.keeps_results {
            true => (old.seen | old.tail) & RESULT,
            false => 0,
        };
        let commit = old.commit + 1;
        run.head = PartHead {
            commit,
            lease,
            tail: run.fresh,
            seen: dated & !((1 << since) - 1) | results,
            since,
            earlier: old.earlier | old.tail,
            outbox: 1 << commit,
        };
        (run.fresh, run.committed) = (0, true);
        state.head = run.head;
        state.decided |= run.head.outbox;
        run.next = Next::Dispatch;
        Some(run)
    }
}
