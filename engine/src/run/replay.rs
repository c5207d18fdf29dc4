//! Step 8: replays the journal, then delivers the entries that this run has absorbed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::conductor::Run;
use super::ended::RunError;
use super::halt::Halt;
use super::inbox::large;
use super::program::Delivery;
use super::seed;
use crate::domain::Entry;
use crate::journal::History;
use crate::replay::{Drive, Position};
use crate::stored;

/// Number of entries replayed in one activation.
const BATCH: usize = 256;

impl Run {
    /// Replays the journal, then delivers what this run has absorbed.
    pub(super) async fn replay(
        &mut self,
        history: History,
        absorbed: Vec<Entry>,
    ) -> Result<(), Halt> {
        if let Err(halt) = self.replay_journal(history).await {
            // I3: absorbed mail is appended, even if the workflow cannot receive it now.
            self.committer.append(absorbed);
            return Err(halt);
        }
        let decided = self.program.go_live();
        self.committer.append(decided);
        self.attempts.abort(self.program.take_dropped());
        let mut entries = self.attempts.lost(&self.program, self.committer.now);
        entries.extend(absorbed);
        self.deliver(entries).await
    }

    pub(super) async fn replay_journal(&mut self, history: History) -> Result<(), Halt> {
        let drive = self.begin_drive(&history).await;
        self.program.begin(drive.map_err(Halt::unreadable)?);
        let (mut batch, mut held, mut received) = (Vec::new(), 0, BTreeSet::new());
        let window = self.core.settings.max_value as u64;
        for line in history.into_lines() {
            // I3: this message was absorbed twice: the segment that contains it could not be read.
            if let Entry::Received { mid, .. } = &line.entry
                && !received.insert(mid.clone())
            {
                continue;
            }
            // Large values are read when they are needed: all those of a journal could take
            // more memory than the process has.
            let bytes = large(&line.entry).map_or(0, |(_, bytes)| bytes);
            let full = bytes > 0 && held + bytes > window;
            if full || batch.len() >= BATCH {
                self.replay_batch(std::mem::take(&mut batch)).await?;
                held = 0;
            }
            held += bytes;
            let value = self.inbox.value_of(&line.entry).await;
            batch.push(Delivery {
                at: Position {
                    number: line.number,
                    commit: line.commit,
                },
                entry: line.entry,
                value: value.map_err(Halt::unreadable)?,
                fact: line.fact,
                frames: line.frames,
            });
        }
        self.replay_batch(batch).await
    }

    async fn replay_batch(&mut self, batch: Vec<Delivery>) -> Result<(), Halt> {
        let replayed = self.program.replay(self.committer.now, batch).await;
        replayed.map_err(|halted| self.halted(halted))
    }

    async fn begin_drive(&mut self, history: &History) -> Result<Drive, RunError> {
        let core = Arc::clone(&self.core);
        let record = self.committer.journal.head.record.clone();
        let args = history.input().unwrap_or(&record.args);
        let args = stored::resolve(&core.ports, &record.eid, args).await?;
        let code = core.app.find(&record.workflow, &record.version);
        let code = code.expect("looked up before this run began");
        Ok(seed::drive(&core, code, &record, args, history))
    }

    /// Delivers live entries, and appends them with what the workflow decides.
    pub(super) async fn deliver(&mut self, entries: Vec<Entry>) -> Result<(), Halt> {
        if self.program.has_result() {
            self.committer.append(entries); // it has returned: no entry can reach it any more
            return Ok(());
        }
        let mut values = Vec::with_capacity(entries.len());
        for entry in &entries {
            match self.inbox.value_of(entry).await {
                Ok(value) => values.push(value),
                Err(error) => {
                    self.committer.append(entries);
                    return Err(Halt::unreadable(error));
                }
            }
        }
        let entries = entries.into_iter().zip(values).collect();
        let (now, first) = (self.committer.now, self.committer.next_position());
        let (appended, delivered) = self.program.deliver(now, first, entries).await;
        self.committer.append(appended);
        delivered.map_err(|halted| self.halted(halted))?;
        self.attempts.abort(self.program.take_dropped());
        Ok(())
    }
}
