//! Step 11: the final commit.

use jiff::Timestamp;

use super::conductor::Run;
use super::ended::{Ended, RunError};
use super::halt::{Close, Halt};
use super::program::Halted;
use crate::domain::{Blocked, Entry, Failure, Json, OnClose, Status, kind};
use crate::process::OnFault;
use crate::replay::Trouble;

impl Run {
    /// Decides how a run closes whose workflow code cannot continue.
    pub(super) fn halted(&mut self, halted: Halted) -> Halt {
        let older = self.committer.is_older_build();
        let close = match halted {
            Halted::Trouble(trouble @ Trouble::ForeignAwait { .. }) => Close::Block(trouble.into()),
            _ if older => {
                let newest = self.committer.state.newest_code.clone();
                Close::Leave(Ended::NewerCode(newest))
            }
            Halted::Trouble(Trouble::Spins) | Halted::Stuck => Close::CountCrash,
            Halted::Trouble(trouble) => match failure_of(&trouble) {
                Some(failure) => self.fault(trouble.into(), failure),
                None => Close::Block(trouble.into()),
            },
        };
        Halt::Close(close)
    }

    /// Blocks or fails an execution whose code has a fault. **\[R\]** It is blocked by default: a
    /// failure would skip the compensation that the code has not reached.
    fn fault(&self, why: Blocked, failure: Failure) -> Close {
        match self.core.app.on_fault {
            OnFault::Block => Close::Block(why),
            OnFault::Fail => Close::End(Err(failure)),
        }
    }

    /// Dispatches what earlier commits of this run have decided, before a commit that closes it.
    pub(super) async fn dispatch_before(&mut self, close: &Close) -> Result<(), RunError> {
        match close {
            Close::CountCrash | Close::Leave(_) => return Ok(()),
            Close::End(_) | Close::Block(_) => self.attempts.abort_all(),
            _ => {}
        }
        self.committer.drain().await
    }

    /// **\[R\] A31** Commits the outcomes of attempts before the run ends with `error`, which it returns:
    /// they are in its memory only. Bad interleaving: an attempt ends; the next request of the run, a
    /// listing or an effect, fails until its attempts are used up; the run ends, and the attempt counts
    /// as lost.
    pub(super) async fn save_outcomes(&mut self, error: RunError) -> RunError {
        let refused = matches!(error, RunError::Commit(_));
        if self.committer.lease.acquired
            && !refused
            && let Err(second) = self.committer.save().await
        {
            tracing::debug!(error = %second, "outcomes of attempts could not be stored");
        }
        error
    }

    /// Makes the final commit.
    pub(super) async fn close(&mut self, close: Close) -> Result<Ended, RunError> {
        match close {
            Close::Suspend(due) => {
                self.committer.unread = self.program.unread();
                self.committer.receives = self.receives();
                self.committer.append([Entry::Suspended]);
                self.leave(Status::Suspended, due).await?;
                Ok(Ended::Suspended(due))
            }
            Close::StartLater(at) => {
                self.leave(Status::Suspended, Some(at)).await?;
                Ok(Ended::Suspended(Some(at)))
            }
            Close::HandOver(due) => {
                self.committer.append([Entry::Sliced]);
                self.leave(Status::Running, due).await?;
                Ok(Ended::Sliced)
            }
            // Absorbed and committed, not delivered; the timer is dropped.
            Close::Park(status) => {
                self.leave(status, None).await?;
                Ok(match status.is_terminal() {
                    true => Ended::Terminal(status),
                    false => Ended::Parked(status),
                })
            }
            Close::Block(why) => self.block(why).await,
            Close::End(result) => self.end(result).await,
            Close::CountCrash => self.count_crash().await,
            Close::Leave(ended) => Ok(ended),
        }
    }

    async fn leave(&mut self, status: Status, due: Option<Timestamp>) -> Result<(), RunError> {
        let frames = self.program.frames();
        self.committer.leave(frames, status, due).await
    }

    /// Ends the execution: records its outcome and cancels the children that are still open.
    async fn end(&mut self, result: Result<Json, Failure>) -> Result<Ended, RunError> {
        self.close_children();
        let (status, entry) = match result {
            Ok(value) => {
                let value = value.into();
                (Status::Completed, Entry::Completed { value })
            }
            Err(failure) if self.was_requested(&failure) => {
                // The reason comes from the requester: the workflow reports only which frame was
                // cancelled.
                let cancel = self.committer.state.requested.cancel.clone();
                let reason = cancel.filter(|_| failure.kind == kind::CANCELLED);
                let message = reason.unwrap_or(failure.message);
                let failure = Failure::new(failure.kind, message);
                let status = match &*failure.kind {
                    kind::TERMINATED => Status::Terminated,
                    _ => Status::Cancelled,
                };
                (status, Entry::Cancelled { failure })
            }
            Err(failure) => (Status::Failed, Entry::Failed { failure }),
        };
        self.committer.append([entry]);
        self.leave(status, None).await?;
        Ok(Ended::Terminal(status))
    }

    /// Cancels or terminates the children that are still open.
    pub(super) fn close_children(&mut self) {
        for (fid, child) in self.committer.state.children.clone() {
            if child.on_close != OnClose::Abandon {
                self.committer.append([Entry::ChildClosed {
                    fid,
                    eid: child.eid,
                    queue: child.queue,
                    how: child.on_close,
                }]);
            }
        }
    }

    /// Returns whether the execution ended because a message requested it. The failure of a
    /// cancelled child is an ordinary failure.
    fn was_requested(&self, failure: &Failure) -> bool {
        matches!(&*failure.kind, kind::CANCELLED | kind::TERMINATED)
            && self.program.may_be_cancelled()
    }

    async fn block(&mut self, why: Blocked) -> Result<Ended, RunError> {
        self.program.left_the_journal();
        self.committer.append([Entry::Blocked(why)]);
        self.leave(Status::Blocked, None).await?;
        Ok(Ended::Parked(Status::Blocked))
    }

    async fn count_crash(&mut self) -> Result<Ended, RunError> {
        self.program.abandon();
        let crash_count = self.committer.crash().await?;
        let eid = self.committer.journal.head.record.eid;
        tracing::warn!(%eid, crash_count, "workflow code does not come to an end");
        Ok(Ended::Stalled(crash_count))
    }
}

/// The failure of a fault of the code; `None` if the code only does not fit the journal.
fn failure_of(trouble: &Trouble) -> Option<Failure> {
    match trouble {
        Trouble::Panicked { message, location } => Some(Failure::new(
            kind::PANIC,
            format!("{message} (at {location})"),
        )),
        Trouble::InvalidValue {
            frame,
            expected,
            message,
        } => {
            let text = format!("value of frame {frame} is no {expected}: {message}");
            Some(Failure::new(kind::VALUE, text).terminal())
        }
        Trouble::Nondeterminism { .. }
        | Trouble::ForeignAwait { .. }
        | Trouble::NewerVersion { .. }
        | Trouble::Spins => None,
    }
}
