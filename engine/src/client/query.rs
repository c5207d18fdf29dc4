//! Shows an execution by a replay: its states, and what it waits for.

use std::collections::BTreeSet;

use serde::Serialize;

use super::past::History;
use super::{Engine, EngineError, JournalPage};
use crate::domain::{Blocked, Commit, Entry, ExecutionId, Record};
use crate::journal::History as Journal;
use crate::process::Registered;
use crate::replay::{AwaitedFrame, Position};
use crate::run::{Batch, Delivery, Query, ShownState, View, large};

/// The number of entries replayed in one activation.
const BATCH: usize = 256;

/// What a query has shown of an execution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Queried {
    /// The execution.
    pub eid: ExecutionId,
    /// The number of the last entry that was replayed; `None` if the execution has not begun.
    pub entry: Option<u64>,
    /// The states that were asked for, in order. Empty if the workflow has shown none.
    pub states: Vec<ShownState>,
    /// The number of the next state, if the page has ended before it.
    pub next: Option<u64>,
    /// The frames that the workflow waits for after that entry, in order of registration. Empty if the
    /// execution has ended.
    pub awaited: Vec<AwaitedFrame>,
}

impl Engine {
    /// Replays an execution, live or archived, and returns the states that its workflow has shown
    /// ([`Context::set_state`](crate::Context::set_state)), and what it waits for. It reads only: it
    /// writes nothing, runs no step and acquires no lease. Mail that no run has absorbed is not seen.
    ///
    /// Price: 1 G, + 1 G for each segment, and for each large value that the workflow receives; 2 G and
    /// these values if it is archived.
    ///
    /// # Errors
    /// Unknown execution; this application does not contain the code of its workflow in its version; the
    /// journal has no such entry; the journal does not fit the code
    /// ([`Misfit`](EngineError::Misfit)); the store failed, or an object cannot be read.
    pub async fn query(&self, eid: ExecutionId, query: &Query) -> Result<Queried, EngineError> {
        let History {
            record, commits, ..
        } = self.history(eid, 0).await?;
        self.shown(&record, &commits, query).await
    }

    /// Replays a journal that was read elsewhere, from its first commit on, as [`query`](Self::query)
    /// does. Price: 1 G for each large value that the workflow receives, which must be in this bucket.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub async fn replay(&self, journal: &JournalPage) -> Result<Queried, EngineError> {
        let JournalPage {
            record, commits, ..
        } = journal;
        self.shown(record, commits, &Query::newest()).await
    }

    async fn shown(
        &self,
        record: &Record,
        commits: &[Commit],
        query: &Query,
    ) -> Result<Queried, EngineError> {
        let eid = record.eid;
        let code = self.code_of(record)?;
        let entries = commits.last().map_or(0, |commit| {
            commit.first.saturating_add(commit.entries.len() as u64)
        });
        if let Some(at) = query.at.filter(|at| *at >= entries) {
            return Err(EngineError::NoEntry { eid, at, entries });
        }
        let history = Journal::newest(before_next_generation(commits, query.at));
        let args = history.input().unwrap_or(&record.args);
        let args = self.value(&eid, args).await?;
        let mut view = View::begin(&self.core, code, record, args, &history, query);
        let last = query.at.unwrap_or(u64::MAX);
        let replayed = self.replay_up_to(&mut view, eid, &history, last).await;
        replayed.map_err(|error| match error {
            Stopped::Misfit(why) => EngineError::Misfit {
                eid,
                workflow: record.workflow.clone(),
                version: record.version.clone(),
                why: Box::new(why),
            },
            Stopped::Error(error) => error,
        })?;
        let viewed = view.end();
        Ok(Queried {
            eid,
            entry: viewed.entry,
            states: viewed.states,
            next: viewed.next,
            awaited: viewed.awaited,
        })
    }

    /// The code of an execution.
    fn code_of(&self, record: &Record) -> Result<&Registered, EngineError> {
        let app = self.app();
        let known = app.find(&record.workflow, &record.version);
        let with_code = |known: &&Registered| !known.workflow.is_declared();
        known
            .filter(with_code)
            .ok_or_else(|| EngineError::UnknownWorkflow {
                workflow: record.workflow.to_string(),
                version: Some(record.version.clone()),
                known: super::start::names(app.all().filter(with_code)),
            })
    }

    /// Replays the entries up to number `last`.
    async fn replay_up_to(
        &self,
        view: &mut View,
        eid: ExecutionId,
        history: &Journal,
        last: u64,
    ) -> Result<(), Stopped> {
        let window = self.core.settings.max_value as u64;
        let (mut batch, mut held, mut received) = (Batch::new(), 0, BTreeSet::new());
        for line in history.lines() {
            // I3: a message that was absorbed twice, as in a run.
            let twice = match line.entry {
                Entry::Received { mid, .. } => !received.insert(mid),
                _ => false,
            };
            if line.number > last || twice {
                continue;
            }
            let large = large(line.entry);
            let bytes = large.map_or(0, |(_, bytes)| bytes);
            let full = bytes > 0 && held + bytes > window;
            if full || batch.len() >= BATCH {
                view.deliver(std::mem::take(&mut batch)).await?;
                held = 0;
                if view.is_done() {
                    return Ok(());
                }
            }
            held += bytes;
            let value = match large {
                Some((payload, _)) => Some(self.value(&eid, payload).await?),
                None => None,
            };
            let delivery = Delivery {
                at: Position {
                    number: line.number,
                    commit: line.commit,
                },
                entry: line.entry.clone(),
                value,
                fact: line.fact,
                frames: line.frames,
            };
            batch.push((line.at, delivery));
        }
        view.deliver(batch).await?;
        Ok(())
    }
}

/// The commits up to the first generation that begins after entry `at`: what the replay of that entry
/// read.
fn before_next_generation(commits: &[Commit], at: Option<u64>) -> Vec<Commit> {
    let Some(at) = at else {
        return commits.to_vec();
    };
    let mut cut = Vec::new();
    for commit in commits {
        let mut numbered = (commit.first..).zip(&commit.entries);
        let begins = numbered.position(|(number, entry)| {
            number > at && matches!(entry, Entry::Retried(_) | Entry::Continued { .. })
        });
        let mut commit = commit.clone();
        if let Some(begins) = begins {
            commit.entries.truncate(begins);
            commit.frames = None;
            cut.push(commit);
            break;
        }
        cut.push(commit);
    }
    cut
}

/// Why a replay did not come to its end.
enum Stopped {
    Misfit(Blocked),
    Error(EngineError),
}

impl From<Blocked> for Stopped {
    fn from(why: Blocked) -> Self {
        Self::Misfit(why)
    }
}

impl From<EngineError> for Stopped {
    fn from(error: EngineError) -> Self {
        Self::Error(error)
    }
}
