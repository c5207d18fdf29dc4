//! A run, in the order of the engine: load, list, dispatch if undispatched, fresh causes, absorb,
//! barrier, step body, final commit, dispatch, deletes.

use crate::state::{effect, mid};
use crate::{Action, Pc, Protocol, Run, State};

impl Protocol {
    /// One request of a run. `None`: the run is over.
    pub(crate) fn run(
        &self,
        state: &mut State,
        worker: usize,
        mut run: Run,
        action: Action,
    ) -> Option<Run> {
        let exec = run.exec;
        match action {
            Action::Perform(_, item) => {
                self.perform(state, &mut run, item);
                return self.dispatched(state, worker, run);
            }
            Action::StepBodyEnds(_) => {
                run.live = false;
                run.next.progress.started = false;
                run.next.progress.position += 1;
                self.drive(&mut run);
                run.pc = Pc::Commit;
            }
            // Absorbed while a step body runs: the sequential workflow does not process it yet.
            Action::Renew(_) => {
                run.paused = mid::paused(run.next.mids | state.bucket.mail[exec]);
                run.next.mids |= state.bucket.mail[exec];
                run.slots |= state.bucket.mail[exec];
                run.due |= self.clock(state, worker);
                run.pc = Pc::Commit;
            }
            Action::DeleteMail(_, mid) => {
                state.bucket.mail[exec] &= !mid;
                run.slots &= !mid;
                return self.delete_next(run);
            }
            Action::LandedUnheard(_) | Action::Adrift(_) => {
                self.unheard(state, worker, &mut run, action == Action::Adrift(worker));
            }
            _ => return self.request(state, worker, run),
        }
        Some(run)
    }

    fn request(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        let exec = run.exec;
        let found = state.bucket.heads[exec];
        let listed = state.bucket.mail[exec];
        match run.pc {
            Pc::Read => match found {
                None => run.pc = Pc::ListAbsent,
                Some(_) if state.held(exec) => return None,
                Some(mut head) => {
                    head.expired = false;
                    (run.base, run.next, run.pc) = (head.version, head, Pc::List);
                }
            },
            Pc::ListAbsent if listed & mid::START != 0 => run.pc = Pc::Create,
            Pc::ListAbsent => {
                (run.slots, run.pc) = (listed, Pc::ReadAgain);
                if !self.rules.lost_heads_keep_mail {
                    return self.orphan(run);
                }
            }
            Pc::Create => {
                state.create(exec);
                return Some(Run::new(exec, run.cause));
            }
            Pc::ReadAgain if found.is_some() => return Some(Run::new(exec, run.cause)),
            Pc::ReadAgain => return None,
            Pc::List => return self.listed(state, worker, run, listed),
            Pc::ReadFired if state.bucket.timers & (1 << run.next.fired) != 0 => {
                return self.dispatch_loaded(state, worker, run);
            }
            Pc::ReadFired => return self.loaded(state, worker, run),
            Pc::Commit => return self.commit(state, worker, run),
            Pc::Resolve => return self.resolve(state, worker, run),
            Pc::DeleteTimers => {
                let timer = self.timer_to_delete(&run);
                state.bucket.timers &= !(1 << timer);
                // It is deleted: this run need not delete it again.
                if run.superseded == timer {
                    run.superseded = 0;
                }
                if run.cause == timer {
                    run.cause = 0;
                }
                return self.delete_next(run);
            }
            // These are actions of their own.
            Pc::DispatchLoaded | Pc::Dispatch | Pc::Live | Pc::DeleteMail => {}
        }
        Some(run)
    }

    fn orphan(&self, mut run: Run) -> Option<Run> {
        run.next.timer = 0;
        run.only_deletes();
        self.delete_next(run)
    }

    /// Step 3: checks whether the outbox is dispatched.
    fn listed(&self, state: &mut State, worker: usize, mut run: Run, listed: u8) -> Option<Run> {
        run.slots = listed;
        let (head, rules) = (&run.next, self.rules);
        if head.outbox == 0 {
            return self.loaded(state, worker, run);
        }
        let owned = rules.lease_is_evidence && head.lease.is_some();
        let absorbed = rules.absorbed_mail_is_evidence && listed & head.mids != 0;
        if owned || absorbed {
            return self.dispatch_loaded(state, worker, run);
        }
        if head.fired != 0 {
            run.pc = Pc::ReadFired;
            return Some(run);
        }
        self.loaded(state, worker, run)
    }

    fn dispatch_loaded(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        if !self.rules.dispatch_before_commit && self.goes_on(&run) {
            return self.loaded(state, worker, run);
        }
        (run.todo, run.pc) = (run.next.outbox, Pc::DispatchLoaded);
        Some(run)
    }

    fn goes_on(&self, run: &Run) -> bool {
        let head = &run.next;
        let fresh = run.slots & !head.mids != 0 || run.cause != 0 && run.cause == head.timer;
        !head.terminal && (fresh || head.lease.is_some() || !self.rules.fresh_causes)
    }

    /// Steps 4 to 6: terminal, no fresh cause, or continue.
    pub(crate) fn loaded(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        if !self.goes_on(&run) {
            run.only_deletes();
            return self.delete_next(run);
        }
        let head = &mut run.next;
        if run.cause == head.timer {
            run.waking = run.cause;
        }
        run.fired = match run.waking {
            _ if !self.rules.fired => 0,
            0 if head.lease.is_some() => head.fired,
            waking => waking,
        };
        let proven = self.rules.timer_proves_its_instant && run.cause != 0;
        run.due = head.late || proven || self.clock(state, worker);
        run.superseded = head.timer;
        let fresh = run.slots & !head.mids;
        head.mids |= run.slots;
        run.paused = match self.rules.pause_is_of_the_journal {
            true => mid::paused(head.mids),
            false => (head.paused || fresh & mid::PAUSE != 0) && fresh & mid::RESUME == 0,
        };
        if head.progress.started {
            head.progress.started = false;
            head.progress.lost += 1;
        }
        if !run.paused {
            self.drive(&mut run);
        }
        run.pc = Pc::Commit;
        Some(run)
    }

    /// Continues after a dispatch when none of its effects is left.
    fn dispatched(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        if run.todo != 0 {
            return Some(run);
        }
        run.items = 0;
        match run.pc {
            Pc::DispatchLoaded => self.loaded(state, worker, run),
            Pc::Dispatch if self.rules.dispatch_before_delete => {
                run.only_deletes();
                self.delete_next(run)
            }
            Pc::Dispatch => None,
            _ => Some(run),
        }
    }

    /// Step 12: mail, then timers.
    pub(crate) fn delete_next(&self, mut run: Run) -> Option<Run> {
        if run.slots != 0 {
            run.pc = Pc::DeleteMail;
            return Some(run);
        }
        if self.timer_to_delete(&run) != 0 {
            run.pc = Pc::DeleteTimers;
            return Some(run);
        }
        if run.todo != 0 {
            run.pc = Pc::Dispatch;
            return Some(run);
        }
        None
    }

    /// The next superseded timer, the waking one last; never the one that the head names.
    fn timer_to_delete(&self, run: &Run) -> u8 {
        let named = run.next.timer;
        let goes = |timer: &u8| *timer != 0 && (*timer != named || !self.rules.named_timer_stays);
        let mut timers = [run.superseded, run.cause];
        timers.sort_by_key(|timer| *timer == run.waking);
        timers.into_iter().find(goes).unwrap_or(0)
    }

    fn clock(&self, state: &State, worker: usize) -> bool {
        usize::from(state.time) > worker
    }

    fn perform(&self, state: &mut State, run: &mut Run, item: u8) {
        run.todo &= !item;
        if item == effect::CLEAR {
            state.bucket.timers &= !(1 << run.waking);
        } else {
            state.perform(run.exec, &run.next, run.base.commit, item);
        }
    }
}

impl Run {
    /// Clears state that no delete needs, so that equivalent states are equal.
    fn only_deletes(&mut self) {
        let kept = (self.next.timer, self.slots, self.superseded, self.waking);
        *self = Self::new(self.exec, self.cause);
        (self.next.timer, self.slots, self.superseded, self.waking) = kept;
        self.pc = Pc::DeleteMail;
    }
}
