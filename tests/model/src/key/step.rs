//! The actions and their effects.

use super::state::{KeyHead, KeyMail, N, NOBODY, Phase, SlowRun, Starter};
use super::{Key, KeyState};

/// One step of one process, or of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    /// The next request of a starter; with `true`, its reply is lost.
    Start(usize, bool),
    /// A starter dies.
    Crash(usize),
    /// A run, from its first request to its last at once.
    Run(usize),
    /// The next request of the slow run; it begins with this execution.
    SlowRun(usize),
    /// An execution ends.
    End(usize),
    /// An ended execution is re-opened.
    Reopen(usize),
    /// A pass archives an execution.
    Archive(usize),
    /// A key becomes free.
    Free(usize),
    /// The next request of the slow pass; it begins with this execution.
    SlowPass(usize),
    /// A pass deletes a tombstone.
    Delete(usize),
    /// The next request of the sender; it begins with this execution.
    Send(usize),
    /// The outbox that starts the child is dispatched.
    Dispatch,
    /// The child ends, is archived, and its key is free at once.
    EndChild,
}

impl Key {
    pub(super) fn enabled(&self, state: &KeyState, actions: &mut Vec<KeyAction>) {
        use KeyAction as A;
        for (n, starter) in state.starters.iter().enumerate() {
            if matches!(starter, Starter::Done(..) | Starter::Dead) {
                continue;
            }
            actions.push(A::Start(n, false));
            let writes = matches!(
                starter,
                Starter::Name(..) | Starter::Mail(_) | Starter::Head(..)
            );
            if writes && state.budget.lost > 0 {
                actions.push(A::Start(n, true));
            }
            if state.budget.crashes > 0 {
                actions.push(A::Crash(n));
            }
        }
        for id in 0..N {
            actions.extend([A::Run(id), A::SlowRun(id), A::End(id), A::Reopen(id)]);
            actions.extend([A::Archive(id), A::Free(id), A::SlowPass(id), A::Send(id)]);
            if !self.rules.heads_stay {
                actions.push(A::Delete(id));
            }
        }
        actions.extend([A::Dispatch, A::EndChild]);
    }

    pub(super) fn apply(&self, state: &mut KeyState, action: KeyAction) {
        match action {
            KeyAction::Start(starter, lost) => self.start(state, starter, lost),
            KeyAction::Crash(starter) => {
                state.budget.crashes -= 1;
                state.starters[starter] = Starter::Dead;
            }
            KeyAction::Run(id) => state.run_at_once(id),
            KeyAction::SlowRun(id) => self.slow_run(state, id),
            KeyAction::End(id) => state.turn(id, Phase::Live, Phase::Ended),
            KeyAction::Reopen(id) => {
                if state.budget.reopened > 0 && state.phase(id) == Some(Phase::Ended) {
                    state.budget.reopened -= 1;
                    state.turn(id, Phase::Ended, Phase::Live);
                }
            }
            KeyAction::Archive(id) => {
                state.turn(id, Phase::Ended, Phase::Tombstone);
                if let Some(head) = &mut state.heads[id]
                    && head.phase == Phase::Tombstone
                    && !self.rules.tombstone_keeps_nonce
                {
                    head.writer = NOBODY;
                }
            }
            KeyAction::Free(id) => {
                // Time is no write: the version stays.
                if let Some(head) = &mut state.heads[id]
                    && head.phase == Phase::Tombstone
                {
                    head.phase = Phase::Free;
                }
            }
            KeyAction::SlowPass(id) => state.slow_pass(id),
            KeyAction::Delete(id) => {
                if state.phase(id) == Some(Phase::Free) {
                    state.heads[id] = None;
                }
            }
            KeyAction::Send(id) => state.send(id),
            KeyAction::Dispatch => {
                if state.budget.dispatches > 0 {
                    state.budget.dispatches -= 1;
                    if state.child.is_none() {
                        state.child = Some(Phase::Live);
                        state.children += 1;
                    }
                }
            }
            KeyAction::EndChild => {
                if state.child.is_some() {
                    state.child = self.rules.heads_stay.then_some(Phase::Free);
                }
            }
        }
    }

    /// The id of an execution of the key.
    fn id(&self, n: u8) -> usize {
        if self.rules.own_ids {
            usize::from(n)
        } else {
            0
        }
    }

    fn start(&self, state: &mut KeyState, me: usize, lost: bool) {
        if lost {
            state.budget.lost -= 1;
        }
        let writer = u8::try_from(me).unwrap_or(NOBODY);
        state.starters[me] = match state.starters[me] {
            Starter::ReadFirst => match state.heads[0] {
                None => Starter::Mail(0),
                Some(head) if head.next > 0 => Starter::ReadNext(head.next, head.version),
                Some(head) => self.answer(head, writer, 0, head.version),
            },
            Starter::ReadNext(n, version) => match state.heads[usize::from(n)] {
                None => Starter::Mail(n),
                Some(head) => self.answer(head, writer, n, version),
            },
            // A lost reply is resolved by the nonce of the commit.
            Starter::Name(n, version) => self.name(state, n, version, writer),
            Starter::Mail(n) => {
                let mail = &mut state.mail[self.id(n)];
                // Without a reply it is created again: its own is its own.
                let new = *mail.start.get_or_insert(writer) == writer;
                Starter::Head(n, new)
            }
            Starter::Head(n, new) => {
                let created = state.create(self.id(n), writer);
                match (created, lost) {
                    (Some(life), false) => Starter::Done(life, self.rules.nonce || new),
                    _ => Starter::Check(n, new),
                }
            }
            Starter::Check(n, new) => match state.heads[self.id(n)] {
                None => Starter::ReadFirst,
                Some(head) if !self.rules.nonce => Starter::Done(head.life, new),
                Some(head) => match self.answer(head, writer, n, head.version) {
                    Starter::Name(..) => Starter::ReadFirst,
                    answer => answer,
                },
            },
            over => over,
        };
    }

    /// Step 3: what a head answers.
    fn answer(&self, head: KeyHead, writer: u8, n: u8, version: u8) -> Starter {
        let (own, free) = (head.writer == writer, head.phase == Phase::Free);
        if own && self.rules.nonce && (self.rules.own_nonce_first || !free) {
            return Starter::Done(head.life, true);
        }
        if free && (self.rules.heads_stay || self.rules.own_ids) {
            return Starter::Name(n, version);
        }
        Starter::Done(head.life, false)
    }

    /// Step 4.
    fn name(&self, state: &mut KeyState, n: u8, version: u8, writer: u8) -> Starter {
        let Some(first) = &mut state.heads[0] else {
            return Starter::ReadFirst;
        };
        if self.rules.next_by_swap && first.version != version {
            return Starter::ReadFirst;
        }
        if !self.rules.own_ids {
            // The tombstone is replaced by the head of the next execution.
            state.heads[0] = None;
            state.mail[0].start = Some(writer);
            return Starter::Head(n, true);
        }
        if usize::from(n) + 1 >= N {
            return Starter::Dead; // the bound of the model
        }
        (first.next, first.version) = (n + 1, first.version + 1);
        state.named = state.named.max(n + 1);
        Starter::Mail(n + 1)
    }

    fn slow_run(&self, state: &mut KeyState, id: usize) {
        state.run = match state.run {
            None => {
                let over = |phase| phase != Phase::Live;
                match state.heads[id] {
                    Some(head) if over(head.phase) && state.budget.slow_runs > 0 => {
                        state.budget.slow_runs -= 1;
                        Some(SlowRun::Read(u8::try_from(id).unwrap_or(0), head.version))
                    }
                    _ => None,
                }
            }
            Some(SlowRun::Read(at, version)) => {
                Some(SlowRun::Listed(at, version, state.mail[usize::from(at)]))
            }
            Some(SlowRun::Listed(at, version, listed)) => {
                let now = state.heads[usize::from(at)];
                let same = now.is_some_and(|now| {
                    now.version == version || matches!(now.phase, Phase::Tombstone | Phase::Free)
                });
                (same || !self.rules.read_again).then_some(SlowRun::Deletes(at, listed))
            }
            Some(SlowRun::Deletes(at, listed)) => {
                state.delete(usize::from(at), listed);
                None
            }
        };
    }
}

impl KeyState {
    fn phase(&self, id: usize) -> Option<Phase> {
        self.heads[id].map(|head| head.phase)
    }

    /// A commit that changes the phase.
    fn turn(&mut self, id: usize, from: Phase, to: Phase) {
        if let Some(head) = &mut self.heads[id]
            && head.phase == from
        {
            (head.phase, head.version) = (to, head.version + 1);
        }
    }

    /// Creates a head, unless there is one.
    fn create(&mut self, id: usize, writer: u8) -> Option<u8> {
        if self.heads[id].is_some() {
            return None;
        }
        let life = u8::try_from(self.born.len()).unwrap_or(u8::MAX);
        self.born.push(writer);
        self.heads[id] = Some(KeyHead {
            life,
            writer,
            phase: Phase::Live,
            next: 0,
            version: life * 16,
        });
        Some(life)
    }

    /// A run without interruption: absorbs, or deletes, or creates the head from the mail.
    fn run_at_once(&mut self, id: usize) {
        let mail = self.mail[id];
        match (self.heads[id], mail.start) {
            (None, Some(writer)) => _ = self.create(id, writer),
            (None, None) => {}
            (Some(head), _) if head.phase == Phase::Live => {
                if mail.message {
                    self.absorbed = Some(head.life);
                }
                self.mail[id] = KeyMail::default();
            }
            (Some(_), _) => self.delete(id, mail),
        }
    }

    /// Deletes mail that was listed for an ended execution.
    fn delete(&mut self, id: usize, listed: KeyMail) {
        let mail = &mut self.mail[id];
        if listed.message && mail.message {
            mail.message = false;
            let live = self.heads[id].filter(|head| head.phase == Phase::Live);
            self.lost |= live.is_some_and(|head| self.taken_at == Some(head.version));
        }
        if listed.start.is_some() {
            mail.start = None;
        }
    }

    /// A pass that is slow after it has found a tombstone.
    fn slow_pass(&mut self, id: usize) {
        match self.pass {
            None => {
                let over = matches!(self.phase(id), Some(Phase::Tombstone | Phase::Free));
                if over && self.budget.slow_passes > 0 {
                    self.budget.slow_passes -= 1;
                    self.pass = u8::try_from(id).ok();
                }
            }
            Some(at) => {
                self.harmed |= self.phase(usize::from(at)) == Some(Phase::Live);
                self.pass = None;
            }
        }
    }

    fn send(&mut self, id: usize) {
        match self.sender {
            None => {
                if let Some(head) = self.heads[id]
                    && head.phase == Phase::Live
                    && self.budget.messages > 0
                {
                    self.budget.messages -= 1;
                    self.sender = Some((u8::try_from(id).unwrap_or(0), head.life));
                }
            }
            Some((at, life)) => {
                let live = self.heads[usize::from(at)].filter(|head| head.phase == Phase::Live);
                self.taken_at = live.map(|head| head.version);
                self.mail[usize::from(at)].message = true;
                self.sent = Some(life);
                self.sender = None;
            }
        }
    }
}
