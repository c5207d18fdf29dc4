//! Step 11: ends a pass.

use super::activation::Halt;
use super::ended::{Ended, RunError};
use super::pass::Pass;
use crate::domain::{Blocked, Entry, Failure, Json, OnClose, Status, kind};
use crate::process::OnFault;
use crate::replay::{Drive, Trouble};

impl Pass {
    /// Makes the final commit if nothing is live, with the earliest deadline as the timer.
    pub(super) async fn rest(&mut self, more: bool) -> Result<Ended, RunError> {
        if let Some(status) = self.parked {
            self.leave(status, None).await?;
            return Ok(Ended::Parked(status));
        }
        let due = self.next_due();
        if more {
            self.append(vec![Entry::Sliced]);
            self.leave(Status::Running, due).await?;
            return Ok(Ended::Sliced);
        }
        self.append(vec![Entry::Suspended]);
        self.leave(Status::Suspended, due).await?;
        Ok(Ended::Suspended(due))
    }

    /// Ends the execution: records its outcome and cancels the children that are still open.
    pub(super) async fn over(&mut self, result: Result<Json, Failure>) -> Result<Ended, RunError> {
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
        for (fid, child) in std::mem::take(&mut self.children) {
            if child.on_close != OnClose::Abandon {
                let (eid, queue, how) = (child.eid, child.queue, child.on_close);
                self.pending.push(Entry::ChildClosed {
                    fid,
                    eid,
                    queue,
                    how,
                });
            }
        }
        let (status, entry) = match result {
            Ok(value) => (
                Status::Completed,
                Entry::Completed {
                    value: value.into(),
                },
            ),
            Err(failure) if self.wanted(&failure) => {
                // The reason comes from the requester: the workflow reports only which frame was
                // cancelled.
                let asked = self
                    .asked
                    .take()
                    .filter(|_| failure.kind == kind::CANCELLED);
                let message = asked.unwrap_or(failure.message);
                let failure = Failure::new(failure.kind, message);
                (Status::Cancelled, Entry::Cancelled { failure })
            }
            Err(failure) => (Status::Failed, Entry::Failed { failure }),
        };
        self.pending.push(entry);
        self.leave(status, None).await?;
        Ok(Ended::Terminal(status))
    }

    pub(super) async fn block(&mut self, why: Blocked) -> Result<Ended, RunError> {
        tracing::warn!(eid = %self.journal.head.record.eid, %why, "parked");
        for live in std::mem::take(&mut self.live).into_values() {
            live.end();
        }
        self.driven = false; // its frames are not those of the journal
        self.append(vec![Entry::Blocked(why)]);
        self.leave(Status::Blocked, None).await?;
        Ok(Ended::Parked(Status::Blocked))
    }

    pub(super) async fn halted(&mut self, halt: Halt) -> Result<Ended, RunError> {
        match halt {
            Halt::Run(error) => self.blocked_by(*error).await,
            Halt::Trouble(Trouble::Nondeterminism {
                position,
                commit,
                expected,
                got,
            }) => {
                if self.is_older_build() {
                    return Ok(Ended::NewerCode(self.newest_code.clone()));
                }
                self.block(Blocked::Nondeterminism {
                    position,
                    commit,
                    expected,
                    got,
                })
                .await
            }
            Halt::Trouble(Trouble::ForeignAwait { message }) => {
                self.block(Blocked::ForeignAwait { message }).await
            }
            Halt::Trouble(Trouble::Panicked { message, location }) => {
                let failure = Failure::new(kind::PANIC, format!("{message} (at {location})"));
                let why = Blocked::Panicked { message, location };
                self.faulted(why, failure).await
            }
            Halt::Trouble(Trouble::UnfitValue {
                frame,
                expected,
                message,
            }) => {
                let text = format!("value of frame {frame} is no {expected}: {message}");
                let failure = Failure::new(kind::VALUE, text).terminal();
                let why = Blocked::UnfitValue {
                    frame,
                    expected,
                    message,
                };
                self.faulted(why, failure).await
            }
            Halt::Trouble(Trouble::Spins) | Halt::Stuck => {
                self.drive = None;
                if self.is_older_build() {
                    return Ok(Ended::NewerCode(self.newest_code.clone()));
                }
                let crash_count = self.crash().await?;
                let eid = self.journal.head.record.eid;
                tracing::warn!(%eid, crash_count, "workflow code does not come to an end");
                Ok(Ended::Stalled(crash_count))
            }
        }
    }

    /// Blocks or fails an execution whose code has a fault. **\[R\]** It is blocked by default: a
    /// failure would skip the compensation that the code has not reached.
    async fn faulted(&mut self, why: Blocked, failure: Failure) -> Result<Ended, RunError> {
        if self.is_older_build() {
            return Ok(Ended::NewerCode(self.newest_code.clone()));
        }
        match self.core.app.on_fault {
            OnFault::Block => self.block(why).await,
            OnFault::Fail => self.over(Err(failure)).await,
        }
    }

    /// Returns whether this is an old worker in a rolling deploy: it leaves an execution that it
    /// cannot replay to the new workers, and counts no crash.
    pub(super) fn is_older_build(&self) -> bool {
        self.newest_code > self.core.host.code_ref
    }

    /// Returns whether the execution ended because a message requested it. The failure of a
    /// cancelled child is an ordinary failure.
    fn wanted(&self, failure: &Failure) -> bool {
        matches!(&*failure.kind, kind::CANCELLED | kind::TERMINATED)
            && self.drive.as_ref().is_none_or(Drive::cancelled)
    }
}
