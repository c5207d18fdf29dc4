//! The actions outside of runs.

use crate::actions::lands;
use crate::state::{CHILD, DEAD, Head, PARENT, mid};
use crate::{Action, Budget, Op, Pc, Protocol, Run, Scenario, State};

impl Scenario {
    pub(crate) fn has_deadline(&self) -> bool {
        let timed = |op: &Op| matches!(op, Op::Wait { timer: true, .. });
        self.ops.iter().any(timed)
    }
}

impl Protocol {
    pub(crate) fn apply(&self, state: &mut State, action: Action) {
        match action {
            Action::Start => {
                state.sent |= mid::START;
                state.bucket.mail[PARENT] |= mid::START;
            }
            Action::StartHead => state.create(PARENT),
            Action::Send(mid) => {
                state.sent |= mid;
                if !state.is_over(PARENT) {
                    state.bucket.mail[PARENT] |= mid;
                }
            }
            Action::Retry(mid) => {
                state.budget.retries -= 1;
                state.budget.troubles -= 1;
                state.bucket.mail[PARENT] |= mid;
            }
            Action::Tick => state.time += 1,
            Action::Arrive => {
                if let Some((exec, base, head)) = state.flight.take()
                    && (lands(state, exec, base) || !self.rules.compare_and_swap)
                {
                    state.land(exec, head);
                }
            }
            Action::Crash(worker) => {
                state.budget.crashes -= 1;
                state.budget.troubles -= 1;
                state.troubled = true;
                state.runs[worker] = None;
            }
            Action::Expire(exec) => state.expire(exec),
            Action::Dispatch {
                worker,
                exec,
                cause,
            } => {
                let run = Run::new(exec, cause);
                // A run for existing mail starts with its first request.
                state.runs[worker] = match cause {
                    0 => self.run(state, worker, run, Action::Request(worker)),
                    _ => Some(run),
                };
            }
            Action::Request(w)
            | Action::LandedUnheard(w)
            | Action::Adrift(w)
            | Action::Perform(w, _)
            | Action::StepBodyEnds(w)
            | Action::Renew(w)
            | Action::DeleteMail(w, _) => {
                if let Some(run) = state.runs[w].take() {
                    state.runs[w] = self.run(state, w, run, action);
                }
            }
        }
        state.mark_dead();
    }
}

impl State {
    /// Creates a head, unless there is one.
    pub(crate) fn create(&mut self, exec: usize) {
        self.bucket.heads[exec].get_or_insert_with(Head::new);
    }

    pub(crate) fn is_over(&self, exec: usize) -> bool {
        self.bucket.heads[exec].is_some_and(|head| head.terminal)
    }

    /// A commit lands.
    pub(crate) fn land(&mut self, exec: usize, head: Head) {
        self.decided[exec] |= head.outbox;
        let (mids, position) = &mut self.committed[exec];
        *mids |= head.mids;
        *position = head.progress.position.max(*position);
        if head.lease.is_none() {
            self.finals[exec] |= 1 << head.version.commit;
        }
        self.bucket.heads[exec] = Some(head);
    }

    /// Whether a lease holder still runs, or is about to learn that it has the lease.
    pub(crate) fn is_alive(&self, exec: usize, lease: u8) -> bool {
        let run = self.runs[usize::from(lease)].as_ref();
        run.is_some_and(|run| {
            run.exec == exec && (run.acquired || run.tries > 0 || run.pc == Pc::Resolve)
        })
    }

    /// Whether a run that reads this head now must leave it alone.
    pub(crate) fn held(&self, exec: usize) -> bool {
        let head = self.bucket.heads[exec];
        head.is_some_and(|head| head.lease.is_some_and(|lease| lease != DEAD) && !head.expired)
    }

    /// Marks dead lease holders, so that equivalent states are equal.
    fn mark_dead(&mut self) {
        for exec in [PARENT, CHILD] {
            let lease = self.bucket.heads[exec].and_then(|head| head.lease);
            let dead = lease.is_some_and(|lease| lease != DEAD && !self.is_alive(exec, lease));
            if let Some(head) = self.bucket.heads[exec].as_mut().filter(|_| dead) {
                (head.lease, head.expired) = (Some(DEAD), false);
            }
        }
    }

    fn expire(&mut self, exec: usize) {
        if let Some(head) = &mut self.bucket.heads[exec] {
            head.expired = true;
        }
        self.budget.steals -= 1;
        self.budget.troubles -= 1;
        self.troubled = true;
    }
}

impl Budget {
    /// The remaining faults.
    pub(crate) fn left(self) -> Self {
        let most = self.troubles;
        Self {
            crashes: self.crashes.min(most),
            unknowns: self.unknowns.min(most),
            steals: self.steals.min(most),
            retries: self.retries.min(most),
            troubles: most,
        }
    }
}

impl Run {
    pub(crate) fn new(exec: usize, cause: u8) -> Self {
        let next = Head::new();
        Self {
            exec,
            cause,
            pc: Pc::Read,
            base: next.version,
            next,
            slots: 0,
            decided: 0,
            items: 0,
            todo: 0,
            superseded: 0,
            waking: 0,
            fired: 0,
            due: false,
            live: false,
            paused: false,
            acquired: false,
            tries: 0,
        }
    }
}
