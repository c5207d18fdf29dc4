//! Steps 6 and 7: decides whether to drive the workflow at all.

use super::Stop;
use super::absorb::Inbox;
use super::ended::{Ended, RunError};
use super::pass::Pass;
use crate::domain::{Blocked, Body, Commit, Control, Entry, Failure, Status, kind};
use crate::stored::LoadError;

impl Pass {
    pub(super) async fn go_on(
        &mut self,
        history: Vec<Commit>,
        inbox: Inbox,
        broken: Option<&LoadError>,
        crash_loop: bool,
        stop: &Stop,
    ) -> Result<Ended, RunError> {
        if let Some(reason) = inbox.terminate {
            self.append(inbox.entries);
            return self.over(Err(Failure::new(kind::TERMINATED, reason))).await;
        }
        if let Some(status) = self.parked {
            // 7. Absorbed and committed, not delivered; the timer is dropped.
            self.append(inbox.entries);
            self.leave(status, None).await?;
            return Ok(Ended::Parked(status));
        }
        if let Some(error) = broken {
            self.append(inbox.entries);
            return self.block(unreadable(error)).await;
        }
        if self.crash_count >= self.core.settings.max_crashes {
            self.append(inbox.entries);
            let message = "runs ended without progress; `resume` tries again".to_owned();
            return self
                .block(Blocked::Stalled {
                    crash_count: self.crash_count,
                    message,
                })
                .await;
        }
        let mut entries = inbox.entries;
        if let Some(ended) = self.not_yet(&history, &mut entries).await? {
            return Ok(ended);
        }
        if crash_loop && !self.is_older_build() {
            self.commit_acquisition().await?;
        }
        let kept = entries.clone();
        match self.replayed(history, entries).await {
            Ok(Ok(())) => self.live(stop).await,
            Ok(Err(halt)) => self.halted(halt).await,
            Err(error) => {
                self.pending.clear();
                self.append(kept);
                self.blocked_by(error).await
            }
        }
    }

    /// Parks the execution if one of its own objects cannot be read: a retry cannot help, and the
    /// operator needs the key of that object. After any other error the run ends, and is
    /// repeated.
    pub(super) async fn blocked_by(&mut self, error: RunError) -> Result<Ended, RunError> {
        match error {
            RunError::Load(error @ (LoadError::Corrupt { .. } | LoadError::Missing { .. })) => {
                self.block(unreadable(&error)).await
            }
            error => Err(error),
        }
    }

    /// Handles an execution that has not begun: a start at a later instant only sets the timer.
    async fn not_yet(
        &mut self,
        history: &[Commit],
        entries: &mut Vec<Entry>,
    ) -> Result<Option<Ended>, RunError> {
        let committed = history.iter().flat_map(|commit| &commit.entries);
        if committed
            .clone()
            .any(|entry| matches!(entry, Entry::Started))
        {
            return Ok(None);
        }
        let cancelled = committed
            .chain(entries.iter())
            .find_map(|entry| match entry {
                Entry::Received {
                    body: Body::Control(Control::Cancel { reason }),
                    ..
                } => Some(reason),
                _ => None,
            });
        if let Some(reason) = cancelled.cloned() {
            self.append(std::mem::take(entries));
            return self
                .over(Err(Failure::new(kind::CANCELLED, reason)))
                .await
                .map(Some);
        }
        match self.journal.head.record.start_at {
            Some(at) if at > self.now => {
                self.append(std::mem::take(entries));
                self.leave(Status::Suspended, Some(at)).await?;
                Ok(Some(Ended::Suspended(Some(at))))
            }
            _ => {
                // After the `start` that caused it, before any other mail.
                let start = |entry: &Entry| {
                    matches!(
                        entry,
                        Entry::Received {
                            body: Body::Start(_),
                            ..
                        }
                    )
                };
                let at = entries.iter().position(start).map_or(0, |at| at + 1);
                entries.insert(at, Entry::Started);
                Ok(None)
            }
        }
    }

    /// **\[R\]** Acquires before replaying, so that a replay that aborts the process is counted.
    async fn commit_acquisition(&mut self) -> Result<(), RunError> {
        let crash_count = self.crash().await?;
        if crash_count > 2 {
            let eid = self.journal.head.record.eid;
            tracing::warn!(%eid, crash_count, "runs of it end without progress");
        }
        Ok(())
    }
}

/// Names the object that parks an execution.
fn unreadable(error: &LoadError) -> Blocked {
    let (key, message) = match error {
        LoadError::Corrupt { key, why } => (key.to_string(), why.clone()),
        LoadError::Missing { key } => (key.to_string(), "it is not there".to_owned()),
        other => (String::new(), other.to_string()),
    };
    Blocked::Unreadable { key, message }
}
