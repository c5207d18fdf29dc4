//! Step 7: decides whether to drive the workflow at all.

use std::time::Duration;

use jiff::Timestamp;

use super::absorbed::Absorbed;
use super::conductor::Run;
use super::ended::{Causes, Ended};
use super::halt::{Close, Halt, unreadable};
use crate::domain::{Blocked, Body, Control, Entry, Failure, Status, kind};
use crate::journal::History;
use crate::keys::TimerKey;
use crate::stored::LoadError;

impl Run {
    /// Returns whether the causes of this run came so often without effect that it must acquire
    /// first. **\[R\] B25** Old mail, or a timer long overdue, may have crashed every process since. So
    /// may a lease that has expired: the message that its holder kept (A26) is absorbed already. Bad
    /// interleaving: a replay ends its process; each worker finds that message again, replays without a
    /// commit, and dies uncounted.
    pub(super) fn is_crash_loop(&self, causes: &Causes) -> bool {
        let old = self.core.settings.ttl * 3;
        let now = self.core.ports.clock.now();
        let stale = |since: Timestamp| {
            Duration::try_from(now.duration_since(since)).is_ok_and(|age| age > old)
        };
        let waking = self.committer.timers.waking.as_ref();
        let due = waking.and_then(TimerKey::parse).map(|timer| timer.due);
        let expired = self.committer.journal.head.lease.is_some();
        expired
            || causes.deliveries > self.core.settings.max_deliveries
            || self.inbox.modified().chain(due).any(stale)
    }

    /// Returns the entries to be delivered, if the workflow is to be driven.
    pub(super) async fn decide(
        &mut self,
        history: &History,
        absorbed: Absorbed,
        broken: Option<&LoadError>,
        crash_loop: bool,
    ) -> Result<Vec<Entry>, Halt> {
        let crash_count = self.committer.state.crash_count;
        let Absorbed {
            entries, requested, ..
        } = absorbed;
        let close = if let Some(reason) = requested.terminate {
            Close::End(Err(Failure::new(kind::TERMINATED, reason)))
        } else if let Some(status) = requested.parked {
            Close::Park(status)
        } else if let Some(error) = broken {
            Close::Block(unreadable(error))
        } else if let Some(why) = self.over_budget(requested.budget) {
            Close::Block(why)
        } else if crash_count >= self.core.settings.max_crashes {
            let message = "runs ended without progress; `resume` tries again".to_owned();
            Close::Block(Blocked::Stalled {
                crash_count,
                message,
            })
        } else {
            match self.beginning(history, entries) {
                Beginning::Drive(entries) => {
                    if crash_loop && !self.committer.is_older_build() {
                        self.acquire().await?;
                    }
                    return Ok(entries);
                }
                Beginning::Close(entries, close) => {
                    self.committer.append(entries);
                    return Err(Halt::Close(close));
                }
            }
        };
        self.committer.append(entries);
        Err(Halt::Close(close))
    }

    /// Handles an execution that has not begun: a start at a later instant only sets the timer.
    fn beginning(&self, history: &History, mut entries: Vec<Entry>) -> Beginning {
        let lines = history.lines();
        if lines.iter().any(|line| is_begin(line.entry)) {
            return Beginning::Drive(entries);
        }
        let committed = lines.iter().map(|line| line.entry);
        let cancelled = committed.chain(&entries).find_map(|entry| match entry {
            Entry::Received {
                body: Body::Control(Control::Cancel { reason }),
                ..
            } => Some(reason.clone()),
            _ => None,
        });
        if let Some(reason) = cancelled {
            let close = Close::End(Err(Failure::new(kind::CANCELLED, reason)));
            return Beginning::Close(entries, close);
        }
        match self.committer.journal.head.record.start_at {
            Some(at) if at > self.committer.now => Beginning::Close(entries, Close::StartLater(at)),
            _ => {
                // After the `start` that caused it, before any other mail.
                let at = entries.iter().position(is_start).map_or(0, |at| at + 1);
                entries.insert(at, Entry::Started);
                Beginning::Drive(entries)
            }
        }
    }

    /// Decides about an execution whose workflow this build does not contain.
    ///
    /// **\[R\] N12** Commands take effect without the code, apart from a cancel of a workflow that has
    /// begun. If the execution is then to be driven, the commit mails a `slice`. Bad interleaving: a
    /// worker without the code absorbs a `resume` and deletes it; nothing wakes a worker with the
    /// code.
    pub(super) fn obey(&mut self, history: &History, absorbed: Absorbed) -> Halt {
        let Absorbed {
            entries, requested, ..
        } = absorbed;
        let head = &self.committer.journal.head;
        let begun = history.entries().any(is_begin);
        let pending = !begun && head.status == Status::Pending;
        let lifts = |entry: &Entry| matches!(entry, Entry::Unpaused | Entry::Retried(_));
        let pending_entries = self.committer.pending.iter();
        let lifted = entries.iter().chain(pending_entries).any(lifts);
        let commanded = entries.iter().any(is_command);
        let close = match (requested.terminate, requested.cancel, requested.parked) {
            (Some(reason), ..) => Close::End(Err(Failure::new(kind::TERMINATED, reason))),
            (None, Some(reason), _) if pending => {
                Close::End(Err(Failure::new(kind::CANCELLED, reason)))
            }
            (None, _, Some(status)) if commanded => Close::Park(status),
            (None, _, None) if lifted => Close::HandOver(None),
            _ => {
                let (workflow, version) = (head.record.workflow.clone(), &head.record.version);
                let ended = Ended::Unregistered(workflow, version.clone());
                return Halt::Close(Close::Leave(ended));
            }
        };
        self.committer.append(entries);
        Halt::Close(close)
    }

    /// **\[R\]** Acquires before replaying, so that a replay that aborts the process is counted.
    async fn acquire(&mut self) -> Result<(), Halt> {
        let crash_count = self.committer.crash().await?;
        if crash_count > 2 {
            let eid = self.committer.journal.head.record.eid;
            tracing::warn!(%eid, crash_count, "runs of it end without progress");
        }
        Ok(())
    }
}

/// What a run does with an execution, with the entries that it has absorbed.
enum Beginning {
    Drive(Vec<Entry>),
    Close(Vec<Entry>, Close),
}

/// Returns whether the code of a part begins with this entry.
fn is_begin(entry: &Entry) -> bool {
    matches!(entry, Entry::Started | Entry::Continued { .. })
}

fn is_command(entry: &Entry) -> bool {
    matches!(
        entry,
        Entry::Received {
            body: Body::Control(_),
            ..
        }
    )
}

fn is_start(entry: &Entry) -> bool {
    matches!(
        entry,
        Entry::Received {
            body: Body::Start(_),
            ..
        }
    )
}
