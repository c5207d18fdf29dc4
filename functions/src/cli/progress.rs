//! Reports changes of executions as they happen.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use millpond::ExecutionId;
use millpond::client::{Engine, WorkerEvent};
use millpond::domain::{Commit, Entry, Record};
use serde_json::json;
use tokio::sync::mpsc::UnboundedReceiver;

use super::streams::Streams;
use super::text;

/// Interval at which running executions are read.
const INTERVAL: Duration = Duration::from_millis(300);

/// Reports lifecycle changes from the journals, so that every line is durable.
pub(crate) struct Progress {
    engine: Engine,
    streams: Streams,
    /// Older commits are not reported.
    since: Timestamp,
    seen: BTreeMap<ExecutionId, Seen>,
}

#[derive(Default)]
struct Seen {
    record: Option<Record>,
    commit: u64,
    running: bool,
    ended: bool,
}

impl Progress {
    pub(crate) fn new(engine: Engine, streams: Streams) -> Self {
        Self {
            since: engine.ports().clock.now(),
            engine,
            streams,
            seen: BTreeMap::new(),
        }
    }

    /// Reports until the worker ends.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) async fn report(
        mut self,
        mut events: UnboundedReceiver<WorkerEvent>,
    ) -> io::Result<()> {
        let mut ticks = tokio::time::interval(INTERVAL);
        loop {
            tokio::select! {
                biased;
                event = events.recv() => match event {
                    Some(event) => self.receive(event).await?,
                    None => return Ok(()),
                },
                _ = ticks.tick() => {
                    let running = self.seen.iter().filter(|(_, seen)| seen.running);
                    for eid in running.map(|(eid, _)| *eid).collect::<Vec<_>>() {
                        self.report_commits(eid).await?;
                    }
                }
            }
        }
    }

    async fn receive(&mut self, event: WorkerEvent) -> io::Result<()> {
        match event {
            WorkerEvent::Began(eid) => self.seen.entry(eid).or_default().running = true,
            WorkerEvent::Ended(eid, _) => {
                self.seen.entry(eid).or_default().running = false;
                self.report_commits(eid).await?;
            }
            WorkerEvent::Failed(eid, _) => self.seen.entry(eid).or_default().running = false,
            _ => {}
        }
        Ok(())
    }

    /// Reports the commits since the last read. 1 G for each read.
    async fn report_commits(&mut self, eid: ExecutionId) -> io::Result<()> {
        let seen = self.seen.entry(eid).or_default();
        if seen.ended {
            return Ok(()); // a late cause: an ended execution does not change
        }
        if seen.record.is_none() {
            // The bucket reports outages; the next read reports the commits.
            let Ok(execution) = self.engine.execution(eid).await else {
                return Ok(());
            };
            seen.record = Some(execution.record);
        }
        let Ok(page) = self.engine.journal(eid, seen.commit + 1, usize::MAX).await else {
            return Ok(());
        };
        let Some(record) = &seen.record else {
            return Ok(());
        };
        for commit in &page.commits {
            seen.commit = commit.commit;
            if commit.at >= self.since {
                print(&self.streams, record, commit)?;
            }
        }
        if page.commits.iter().flat_map(|c| &c.entries).any(ends) {
            (seen.ended, seen.record) = (true, None);
        }
        Ok(())
    }
}

fn ends(entry: &Entry) -> bool {
    matches!(
        entry,
        Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. }
    )
}

fn print(streams: &Streams, record: &Record, commit: &Commit) -> io::Result<()> {
    for entry in &commit.entries {
        let Some((event, code, note)) = lifecycle(entry) else {
            continue;
        };
        let took = ends(entry).then(|| text::between(record.created_at, commit.at));
        if streams.json() {
            streams.record(&json!({
                "at": commit.at, "event": event, "eid": record.eid,
                "workflow": record.workflow, "version": record.version,
                "key": record.dispatch_key, "seconds": took.map(|t| t.as_secs_f64()),
                "note": note,
            }))?;
            continue;
        }
        let mut columns = vec![
            text::clock(commit.at),
            text::paint(&format!("{event:<9}"), code, streams.color()),
            text::short(&record.eid),
            format!("{}@{}", record.workflow, record.version),
        ];
        let key = record.dispatch_key.as_deref();
        columns.extend(key.map(|key| format!("key={}", text::cut(key, 40))));
        columns.extend(took.map(text::duration));
        columns.extend(note.map(|note| text::cut(&note, 100)));
        streams.line(columns.join("  "))?;
    }
    Ok(())
}

/// The name of a lifecycle entry, its color, and a note.
fn lifecycle(entry: &Entry) -> Option<(&'static str, u8, Option<String>)> {
    let name = entry.lifecycle()?;
    let (code, note) = match entry {
        Entry::Suspended => (34, None),
        Entry::Sliced => (33, None),
        Entry::Paused { reason } => (33, Some(reason.clone())),
        Entry::Blocked(why) => (31, Some(why.to_string())),
        Entry::Completed { value } => (32, Some(text::payload(value))),
        Entry::Failed { failure } => (31, Some(failure.to_string())),
        Entry::Cancelled { failure } => (33, Some(failure.to_string())),
        _ => (36, None),
    };
    Some((name, code, note))
}
