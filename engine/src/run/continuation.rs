//! A workflow that continues as new: its generation ends, and the next one begins in the same run.
//!
//! The old generation closes like an end: its frames were dropped with the workflow, its attempts are
//! aborted, its children are closed by their policies. `execution.continued` begins a part of the
//! journal; the next commit contains it, so it costs no request of its own.
//!
//! - **\[R\] A29** The next generation receives first what was absorbed and did not reach the old one:
//!   messages that no receive has consumed, and a cancel that came after the workflow had returned. A
//!   pause stays in force, and a terminate ends the execution. Bad interleaving: a batch contains two
//!   messages and a cancel; the workflow returns with the first one, and the others are in a part that
//!   no replay reads.
//! - **\[R\] A30** A generation that has consumed no message, outcome or deadline counts as a crash.
//!   Otherwise a workflow that always continues would never come to an end.

use super::attempts::Attempts;
use super::conductor::Run;
use super::ended::RunError;
use super::halt::{Close, Halt};
use super::program::Program;
use crate::domain::{Blocked, Commit, Entry, Json, Payload, Range};
use crate::journal::{self, Carried, History};
use crate::stored;

/// Ids over this size, in bytes, become a blob, which each continuation names until it changes.
const SEEN: usize = 1 << 10;

impl Run {
    /// Ends the generation and begins the next one with this input. 1 P if segments leave the head,
    /// for the ids in them.
    pub(super) async fn continue_as_new(&mut self, input: Json) -> Result<(), Halt> {
        // An outcome of an old attempt must not reach a frame of the same id: a new channel.
        self.attempts = Attempts::new(&self.core);
        self.close_children();
        let idle = !self.committer.state.progress;
        let carried = self.committer.state.carried(self.program.returned_at);
        let entry = self.continued(input, carried.keys().copied()).await?;
        let at = self.committer.next_position();
        self.committer.append([entry.clone()]);
        self.committer
            .state
            .newest_code
            .clone_from(&self.core.host.code_ref);
        // The frames of the old generation are not those of the new part.
        self.program = Program::new(&self.core);
        let state = &mut self.committer.state;
        state.crash_count = match idle {
            true => state.crash_count + 1,
            false => 0,
        };
        if let Some(status) = state.requested.parked {
            return Err(Halt::Close(Close::Park(status)));
        }
        if state.crash_count >= self.core.settings.max_crashes {
            let message = "it continues without having consumed anything".to_owned();
            return Err(Halt::Close(Close::Block(Blocked::Stalled {
                crash_count: state.crash_count,
                message,
            })));
        }
        let head = &self.committer.journal.head;
        let commit = Commit {
            commit: at.commit,
            first: at.number,
            at: self.committer.now,
            by: self.core.provenance(head.epoch),
            frames: None,
            entries: vec![entry],
        };
        let now = self.committer.now;
        let carried = carried.into_iter().map(|(number, entry)| Carried {
            number,
            commit: at.commit,
            at: now,
            entry,
        });
        self.replay_journal(History {
            carried: carried.collect(),
            commits: vec![commit],
        })
        .await?;
        let decided = self.program.go_live();
        self.committer.append(decided);
        self.attempts.abort(self.program.take_dropped());
        Ok(())
    }

    /// Returns the entry that begins the next part.
    async fn continued(
        &mut self,
        input: Json,
        carried: impl Iterator<Item = u64>,
    ) -> Result<Entry, RunError> {
        let unread = Range::of(carried);
        // The segments that a pending continuation puts aside are still in the head.
        let retires = |entry: &Entry| matches!(entry, Entry::Continued { earlier, .. } if !earlier.is_empty());
        let earlier = match self.committer.pending.iter().any(retires) {
            true => Vec::new(),
            false => journal::retired(&self.committer.journal.head.sealed, &unread),
        };
        let mut seen = self.committer.state.seen.clone();
        if !earlier.is_empty() {
            let mut payload: Payload = self.inbox.remember(self.committer.now).into();
            let (ports, eid) = (&self.core.ports, self.inbox.eid);
            let until = self.committer.lease.patience();
            stored::offload_until(ports, &eid, &mut payload, SEEN, until).await?;
            seen = Some(payload);
            self.committer.journal.close_segment();
        }
        Ok(Entry::Continued {
            generation: self.committer.state.generation.saturating_add(1),
            input: input.into(),
            unread,
            seen,
            earlier,
        })
    }
}
