//! The enabled actions in a state: one action for each request to the bucket.

use crate::state::{DEAD, Head, PARENT, Version, effect, mid};
use crate::{Pc, Protocol, State};

/// One step of the world. `worker` is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The starter, or its late retry, creates the `start` mail.
    Start,
    /// The starter creates the head.
    StartHead,
    /// A sender that has read the head creates this message, or finds that the execution is over.
    Send(u8),
    /// A sender's retry creates this mail again.
    Retry(u8),
    /// The deadline passes, for one more clock.
    Tick,
    /// A worker receives a hint for an execution, by its mail (0) or by a timer.
    Dispatch {
        /// Which worker.
        worker: usize,
        /// Parent or child.
        exec: usize,
        /// The timer, or 0.
        cause: u8,
    },
    /// A worker makes its next request.
    Request(usize),
    /// A worker makes the next commit, and its reply is lost after it landed.
    LandedUnheard(usize),
    /// A worker makes the next commit, and its reply is lost: it may land later, or never.
    Adrift(usize),
    /// The write that went adrift reaches the store.
    Arrive,
    /// A worker performs this effect.
    Perform(usize, u8),
    /// A step body ends.
    StepBodyEnds(usize),
    /// A worker lists the mailbox while its step body runs.
    Renew(usize),
    /// A worker deletes this mail.
    DeleteMail(usize, u8),
    /// A worker loses its memory.
    Crash(usize),
    /// The lease of the holder expires.
    Expire(usize),
}

impl Protocol {
    pub(crate) fn enabled(&self, state: &State, actions: &mut Vec<Action>) {
        self.outside(state, actions);
        for worker in 0..2 {
            match &state.runs[worker] {
                None => dispatches(state, worker, actions),
                Some(_) => self.requests(state, worker, actions),
            }
        }
    }

    fn outside(&self, state: &State, actions: &mut Vec<Action>) {
        let (bucket, budget) = (&state.bucket, state.budget.left());
        if state.sent & mid::START == 0 {
            actions.push(Action::Start);
        } else if bucket.heads[PARENT].is_none() {
            actions.push(Action::StartHead);
        }
        if bucket.heads[PARENT].is_some() {
            let next = mid::MESSAGES
                .into_iter()
                .take(self.scenario.messages.into());
            let controls = [mid::PAUSE, mid::RESUME].into_iter();
            let controls = controls.filter(|_| self.scenario.pause);
            let next = next.chain(controls).find(|mid| state.sent & mid == 0);
            actions.extend(next.map(Action::Send));
        }
        if budget.retries > 0 {
            let sent = mid::ALL
                .into_iter()
                .filter(|mid| state.sent & !bucket.mail[PARENT] & mid != 0);
            actions.extend(sent.map(Action::Retry));
        }
        let times = self.scenario.has_deadline();
        if times && state.time < 2 {
            actions.push(Action::Tick);
        }
        if state.flight.is_some() {
            actions.push(Action::Arrive);
        }
        for (exec, head) in bucket.heads.into_iter().enumerate() {
            // A dead lease holder blocks no other worker: see `State::held`.
            let live = head.is_some_and(|head| head.lease.is_some_and(|lease| lease != DEAD));
            if live && state.held(exec) && budget.steals > 0 {
                actions.push(Action::Expire(exec));
            }
        }
    }

    fn requests(&self, state: &State, worker: usize, actions: &mut Vec<Action>) {
        let Some(run) = &state.runs[worker] else {
            return;
        };
        for item in effect::ALL {
            let before = match item {
                effect::CHILD_HEAD => effect::CHILD_MAIL,
                effect::FEED if self.rules.feed_last => !effect::FEED,
                _ => 0,
            };
            if run.todo & item != 0 && run.todo & before == 0 {
                actions.push(Action::Perform(worker, item));
            }
        }
        let drained = run.todo == 0 || !self.rules.final_carries_nothing;
        match run.pc {
            Pc::DispatchLoaded | Pc::Dispatch => {}
            Pc::Live => {
                actions.push(Action::StepBodyEnds(worker));
                if state.bucket.mail[run.exec] & !run.next.mids != 0 {
                    actions.push(Action::Renew(worker));
                }
            }
            Pc::DeleteMail => {
                let slots = mid::ALL.into_iter().filter(|mid| run.slots & mid != 0);
                actions.extend(slots.map(|mid| Action::DeleteMail(worker, mid)));
            }
            Pc::Commit if self.is_final(run) && !drained => {}
            Pc::Commit => {
                actions.push(Action::Request(worker));
                if state.budget.left().unknowns > 0 && lands(state, run.exec, run.base) {
                    actions.push(Action::LandedUnheard(worker));
                    actions.push(Action::Adrift(worker));
                }
            }
            _ => actions.push(Action::Request(worker)),
        }
        // A run that has written nothing yet is equivalent to one that never started.
        let wrote = run.acquired
            || matches!(
                run.pc,
                Pc::DispatchLoaded | Pc::Commit | Pc::Resolve | Pc::Dispatch
            )
            || matches!(run.pc, Pc::DeleteMail | Pc::DeleteTimers);
        if state.budget.left().crashes > 0 && wrote {
            actions.push(Action::Crash(worker));
        }
    }
}

fn dispatches(state: &State, worker: usize, actions: &mut Vec<Action>) {
    for (exec, mail) in state.bucket.mail.iter().enumerate() {
        // A run of a leased execution ends at once.
        if *mail != 0 && !state.held(exec) {
            let cause = 0;
            actions.push(Action::Dispatch {
                worker,
                exec,
                cause,
            });
        }
    }
    let due = |timer: &u8| state.time > 0 && state.bucket.timers & (1 << timer) != 0;
    for cause in (1..16).filter(due) {
        let exec = PARENT;
        actions.push(Action::Dispatch {
            worker,
            exec,
            cause,
        });
    }
}

/// Whether a write that expects `base` would land.
pub(crate) fn lands(state: &State, exec: usize, base: Version) -> bool {
    let found: Option<Head> = state.bucket.heads[exec];
    found.is_some_and(|head| head.version == base)
}
