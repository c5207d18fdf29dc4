//! Pauses of executions whose runs had no effect.

use std::time::Duration;

use super::paused::Paused;
use super::scheduler::Scheduler;
use crate::domain::ExecutionId;
use crate::ports::{Backoff, BucketError};
use crate::run::{Ended, RunError};

/// Pauses after runs of one execution without effect.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));

impl Scheduler {
    /// Decides when the execution of a run that has ended may run again.
    pub(super) fn pause(&mut self, eid: ExecutionId, ended: Result<Ended, RunError>) {
        let (now, wall) = (self.now(), self.core.ports.clock.now());
        match ended {
            Ok(Ended::Suspended(due)) => {
                self.paused.remove(&eid);
                self.next_timer = [self.next_timer, due].into_iter().flatten().min();
            }
            Ok(
                Ended::Terminal(_) | Ended::Parked(_) | Ended::Stale | Ended::Sliced | Ended::Again,
            ) => {
                self.paused.remove(&eid);
            }
            Ok(Ended::Held(until)) => {
                let wait = Duration::try_from(until.duration_since(wall)).unwrap_or_default();
                self.paused.insert(
                    eid,
                    Paused {
                        until: now + wait,
                        times: 0,
                        full: false,
                        looked: false,
                    },
                );
            }
            Ok(Ended::Unregistered(workflow, version)) => {
                self.log_once(format!("{workflow}@{version}"), || {
                    tracing::warn!(%workflow, %version, "not registered here: its mail is left for a worker that has it");
                });
                self.back_off(eid, now);
            }
            Ok(Ended::NewerCode(code)) => {
                self.log_once(code.clone(), || {
                    tracing::warn!(%eid, %code, "written by a newer build: left for its workers");
                });
                self.back_off(eid, now);
            }
            Ok(Ended::Orphan) => {
                self.log_once(eid.to_string(), || {
                    tracing::error!(%eid, "the head of this execution is missing; its mail and timers stay: run doctor");
                });
                self.back_off(eid, now);
            }
            Ok(Ended::Full) => {
                self.log_once(format!("{eid} is full"), || {
                    tracing::warn!(%eid, "it has too many unread messages: the others stay in its mailbox");
                });
                self.back_off(eid, now);
                let paused = self.paused.entry(eid);
                paused.and_modify(|paused| paused.full = true);
            }
            Ok(Ended::Lost | Ended::Stalled(_)) => self.back_off(eid, now),
            Err(error) => {
                self.back_off(eid, now);
                let asked = error.bucket().map(BucketError::wait);
                if let (Some(asked), Some(paused)) = (asked, self.paused.get_mut(&eid)) {
                    paused.until = paused.until.max(now + asked);
                }
            }
        }
    }

    fn back_off(&mut self, eid: ExecutionId, now: Duration) {
        let paused = self.paused.entry(eid).or_insert(Paused {
            until: now,
            times: 0,
            full: false,
            looked: false,
        });
        (paused.looked, paused.full) = (false, false);
        paused.times += 1;
        paused.until = now + BACKOFF.after(paused.times);
    }

    /// Records that a poll covers the pauses that have ended. Drops those that ended long ago.
    pub(super) fn looked_at_pauses(&mut self, now: Duration) {
        for paused in self.paused.values_mut() {
            paused.looked |= paused.until <= now;
        }
        self.paused
            .retain(|_, paused| !paused.looked || paused.until + BACKOFF.longest() * 4 > now);
    }
}
