//! The commit: one compare-and-swap of the head, and the resolution of a lost reply.

use crate::actions::lands;
use crate::state::{CHILD, Head, effect, mid};
use crate::{Op, Pc, Protocol, Run, State, Version};

impl Protocol {
    /// The head that the next commit writes.
    fn draft(&self, worker: usize, run: &Run, asks: bool) -> Head {
        let mut head = run.next;
        let attempt = if self.rules.one_nonce { 0 } else { run.tries };
        let me = u8::try_from(worker).unwrap_or(u8::MAX);
        // Only a writer without a reply checks whether a commit is its own.
        let by = if asks || run.tries > 0 { me } else { 2 };
        let commit = run.base.commit + 1;
        head.version = Version {
            commit,
            by,
            attempt,
        };
        head.late |= run.due;
        head.fired = run.fired;
        head.outbox = run.items | run.decided;
        if !self.is_final(run) {
            head.lease = self.rules.barrier_owns.then_some(me);
            head.paused = run.paused && self.rules.pause_is_of_the_journal;
            head.progress.started = true;
            return head;
        }
        head.lease = None;
        head.paused = run.paused;
        head.terminal = self.at(run.exec, &run.next).is_none();
        let kept = run.next.timer != 0 && run.next.timer != run.waking;
        head.timer = match self.waits_for_time(run) {
            false => 0,
            true if kept => run.next.timer,
            true if self.rules.unique_timer_keys => commit,
            true => 1,
        };
        if head.timer != 0 && head.timer != run.next.timer {
            head.outbox |= effect::TIMER;
        }
        head.outbox |= effect::FEED;
        if head.terminal && run.exec == CHILD {
            head.outbox |= effect::RESULT;
        }
        head
    }

    pub(crate) fn commit(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        let head = self.draft(worker, &run, false);
        if lands(state, run.exec, run.base) || !self.rules.compare_and_swap {
            state.land(run.exec, head);
            return Some(self.landed(state, run, head));
        }
        if run.tries > 0 {
            // A refusal of a retry may be caused by the run's own earlier write.
            run.pc = Pc::Resolve;
            return Some(run);
        }
        None
    }

    /// The reply is lost.
    pub(crate) fn unheard(&self, state: &mut State, worker: usize, run: &mut Run, adrift: bool) {
        let head = self.draft(worker, run, true);
        state.budget.unknowns -= 1;
        state.budget.troubles -= 1;
        if adrift {
            state.flight = Some((run.exec, run.base, head));
        } else {
            state.land(run.exec, head);
        }
        run.pc = Pc::Resolve;
    }

    /// After a lost reply, the head shows the outcome.
    pub(crate) fn resolve(&self, state: &mut State, worker: usize, mut run: Run) -> Option<Run> {
        let mine = self.draft(worker, &run, true);
        let found = state.bucket.heads[run.exec]?;
        if found.version == mine.version {
            return Some(self.landed(state, run, mine));
        }
        if found.version == run.base && self.rules.repeat_after_unknown {
            run.tries = 1;
            run.pc = Pc::Commit;
            return Some(run);
        }
        None
    }

    /// The run continues from its own commit.
    fn landed(&self, state: &mut State, mut run: Run, head: Head) -> Run {
        let ended = self.is_final(&run);
        let step = matches!(self.at(run.exec, &run.next), Some(Op::Step));
        let begins = step && !run.live;
        run.todo |= head.outbox & !run.items;
        run.items = head.outbox;
        (run.base, run.next, run.tries) = (head.version, head, 0);
        run.decided = 0;
        if !ended {
            run.acquired = true;
            if begins {
                let newest = lands(state, run.exec, run.base);
                state.begun_late |= !newest;
                state.begun_paused |= mid::paused(head.mids);
                if run.waking != 0 && !self.rules.owned_timer_stays {
                    run.todo |= effect::CLEAR;
                }
            }
            (run.live, run.pc) = (true, Pc::Live);
            return run;
        }
        // Nothing else is needed from here on.
        (run.acquired, run.paused, run.fired, run.due) = (false, false, 0, false);
        run.next = Head {
            timer: head.timer,
            ..Head::new()
        };
        let deletes_first = !self.rules.dispatch_before_delete && run.slots != 0;
        run.pc = if deletes_first {
            Pc::DeleteMail
        } else {
            Pc::Dispatch
        };
        run
    }
}
