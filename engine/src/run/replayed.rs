//! Step 8, first half: replays the journal, then delivers the entries that this pass has
//! absorbed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::activation::{Delivery, Halt};
use super::ended::RunError;
use super::pass::Pass;
use crate::domain::{Commit, Entry, FrameId, Json, Payload};
use crate::replay::{Code, Drive, Limits, Position, Seed};
use crate::stored;

/// Number of entries replayed in one activation.
const BATCH: usize = 256;

impl Pass {
    /// Replays the journal, then delivers the entries that this pass has absorbed.
    pub(super) async fn replayed(
        &mut self,
        history: Vec<Commit>,
        entries: Vec<Entry>,
    ) -> Result<Result<(), Halt>, RunError> {
        self.drive = Some(self.begin_drive(&history).await?);
        let (mut batch, mut heard) = (Vec::new(), BTreeSet::new());
        for commit in history {
            let (first, last) = (commit.first, commit.entries.len().saturating_sub(1));
            for (n, entry) in commit.entries.into_iter().enumerate() {
                // I3: this message was absorbed twice: the segment that contains it could not be
                // read.
                if let Entry::Received { mid, .. } = &entry
                    && !heard.insert(mid.clone())
                {
                    continue;
                }
                let value = self.resolved(&entry).await?;
                let at = Position {
                    number: first + n as u64,
                    commit: commit.commit,
                };
                let frames = commit.frames.filter(|_| n == last);
                batch.push(Delivery {
                    at,
                    entry,
                    value,
                    frames,
                });
            }
            if batch.len() >= BATCH
                && let Err(halt) = self.replay(std::mem::take(&mut batch)).await
            {
                self.append(entries);
                return Ok(Err(halt));
            }
        }
        if let Err(halt) = self.replay(batch).await {
            // I3: absorbed mail is appended, even if the workflow cannot receive it now.
            self.append(entries);
            return Ok(Err(halt));
        }
        let produced = self.drive.as_mut().map(|drive| {
            drive.go_live();
            drive.take_entries()
        });
        self.append(produced.unwrap_or_default());
        self.abort_dropped();
        self.driven = true;
        let mut live = self.lost();
        live.extend(entries);
        Ok(self.deliver(live).await)
    }

    async fn begin_drive(&mut self, history: &[Commit]) -> Result<Drive, RunError> {
        let core = Arc::clone(&self.core);
        let record = self.journal.head.record.clone();
        let recorded: BTreeMap<FrameId, Json> = history
            .iter()
            .flat_map(|commit| &commit.entries)
            .filter_map(|entry| match entry {
                Entry::FrameRecorded { fid, value } => Some((fid.clone(), value.clone())),
                _ => None,
            })
            .collect();
        let args = stored::resolve(&core.ports, &record.eid, &record.args).await?;
        let known = core.app.find(&record.workflow, &record.version);
        let code = Arc::clone(&known.expect("looked up before this pass began").workflow);
        let app = Arc::clone(&core.app);
        let seed = Seed {
            eid: record.eid,
            queue: record.queue.clone(),
            args,
            entropy: Arc::clone(&core.ports.entropy),
            recorded,
            limits: Limits {
                max_value: core.settings.max_value,
                max_frames: u32::try_from(core.settings.max_entries).unwrap_or(u32::MAX),
            },
            code: Code::new(move |name, asked| {
                let known = match asked {
                    Some(version) => app.find(name, version),
                    None => app.newest(name),
                };
                known.map(|known| known.version.clone())
            }),
        };
        Ok(crate::sdk::drive(&*code, seed))
    }

    /// Reads the value of an entry that the workflow will receive, if it is stored as a blob.
    pub(super) async fn resolved(&mut self, entry: &Entry) -> Result<Option<Json>, RunError> {
        let seen = matches!(entry, Entry::FrameCompleted { .. } | Entry::Received { .. });
        match entry.payload().filter(|_| seen) {
            Some(payload @ Payload::Blob { .. }) => {
                if let Some(value) = self.ahead.take(entry) {
                    return Ok(Some(value));
                }
                let (core, eid) = (Arc::clone(&self.core), self.journal.head.record.eid);
                Ok(Some(stored::resolve(&core.ports, &eid, payload).await?))
            }
            _ => Ok(None),
        }
    }
}
