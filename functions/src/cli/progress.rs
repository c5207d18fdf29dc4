//! What happens to executions, told as it happens.

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

/// Executions that run on are looked at so often.
const LOOK: Duration = Duration::from_millis(300);

/// Tells lifecycle changes from the journals, so that a line says what is durable.
pub(crate) struct Progress {
    engine: Engine,
    streams: Streams,
    /// What was before this process is no news.
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

    /// Until the worker is gone.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) async fn tell(
        mut self,
        mut events: UnboundedReceiver<WorkerEvent>,
    ) -> io::Result<()> {
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                biased;
                event = events.recv() => match event {
                    Some(event) => self.hear(event).await?,
                    None => return Ok(()),
                },
                _ = look.tick() => {
                    let running = self.seen.iter().filter(|(_, seen)| seen.running);
                    for eid in running.map(|(eid, _)| *eid).collect::<Vec<_>>() {
                        self.news(eid).await?;
                    }
                }
            }
        }
    }

    async fn hear(&mut self, event: WorkerEvent) -> io::Result<()> {
        match event {
            WorkerEvent::Began(eid) => self.seen.entry(eid).or_default().running = true,
            WorkerEvent::Ended(eid, _) => {
                self.seen.entry(eid).or_default().running = false;
                self.news(eid).await?;
            }
            WorkerEvent::Failed(eid, _) => self.seen.entry(eid).or_default().running = false,
            _ => {}
        }
        Ok(())
    }

    /// Tells the commits since the last look. 1 G for each look.
    async fn news(&mut self, eid: ExecutionId) -> io::Result<()> {
        let seen = self.seen.entry(eid).or_default();
        if seen.ended {
            return Ok(()); // a cause that came too late: terminal is final
        }
        if seen.record.is_none() {
            // Trouble with the store is told by the port; the next look tells the news.
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
                tell(&self.streams, record, commit)?;
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

fn tell(streams: &Streams, record: &Record, commit: &Commit) -> io::Result<()> {
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
        let mut words = vec![
            text::clock(commit.at),
            text::paint(&format!("{event:<9}"), code, streams.color()),
            text::short(&record.eid),
            format!("{}@{}", record.workflow, record.version),
        ];
        let key = record.dispatch_key.as_deref();
        words.extend(key.map(|key| format!("key={}", text::cut(key, 40))));
        words.extend(took.map(text::duration));
        words.extend(note.map(|note| text::cut(&note, 100)));
        streams.line(words.join("  "))?;
    }
    Ok(())
}

/// The word for a lifecycle entry, its color, and what more there is to say.
fn lifecycle(entry: &Entry) -> Option<(&'static str, u8, Option<String>)> {
    Some(match entry {
        Entry::Started => ("started", 36, None),
        Entry::Resumed => ("resumed", 36, None),
        Entry::Suspended => ("suspended", 34, None),
        Entry::Sliced => ("handed on", 33, None),
        Entry::Paused { reason } => ("paused", 33, Some(reason.clone())),
        Entry::Unpaused => ("unpaused", 36, None),
        Entry::Blocked(why) => ("blocked", 31, Some(why.to_string())),
        Entry::Completed { value } => ("completed", 32, Some(text::payload(value))),
        Entry::Failed { failure } => ("failed", 31, Some(failure.to_string())),
        Entry::Cancelled { failure } => ("cancelled", 33, Some(failure.to_string())),
        Entry::Received { .. }
        | Entry::FrameStarted { .. }
        | Entry::FrameCompleted { .. }
        | Entry::FrameFailed { .. }
        | Entry::FrameSuspended { .. }
        | Entry::FrameFulfilled { .. }
        | Entry::FrameDropped { .. }
        | Entry::Sent { .. }
        | Entry::Announced { .. }
        | Entry::ChildClosed { .. } => return None,
    })
}
