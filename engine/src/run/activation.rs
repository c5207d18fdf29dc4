//! Activations of workflow code, under a watchdog.
//!
//! An activation moves the driver out of the run's task, so that an endless loop blocks nothing
//! else. If it does not return in time, the pass abandons it; it has only memory, and no way to
//! write to the bucket.

use futures::FutureExt;
use futures::channel::oneshot;

use super::ended::RunError;
use super::pass::Pass;
use crate::domain::{Entry, Json};
use crate::replay::{Drive, Position, Trouble, Turn};

/// Why workflow code cannot continue.
#[derive(Debug)]
pub(super) enum Halt {
    Trouble(Trouble),
    /// The activation did not return in time.
    Stuck,
    /// The workflow was not driven: a value could not be read.
    Run(Box<RunError>),
}

/// A journal entry to be delivered to the workflow.
pub(super) struct Delivery {
    pub(super) at: Position,
    pub(super) entry: Entry,
    /// The value, if the entry contains a reference.
    pub(super) value: Option<Json>,
    /// Set on the last entry of a replayed commit: the number of frames registered by then.
    pub(super) frames: Option<u32>,
}

impl Pass {
    /// Runs `work` on the driver, outside this task.
    pub(super) async fn activation<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Drive) -> T + Send + 'static,
    ) -> Result<T, Halt> {
        let Some(mut drive) = self.drive.take() else {
            return Err(Halt::Stuck);
        };
        drive.set_now(self.now);
        let (tx, mut rx) = oneshot::channel();
        let span = tracing::Span::current();
        self.core.ports.spawner.turn(Box::new(move || {
            let out = span.in_scope(|| work(&mut drive));
            // The receiver is gone if the watchdog fired first.
            let _ = tx.send((drive, out));
        }));
        let core = std::sync::Arc::clone(&self.core);
        let mut timer = core.ports.clock.sleep(core.settings.watchdog).fuse();
        futures::select_biased! {
            back = rx => match back {
                Ok((drive, out)) => {
                    self.drive = Some(drive);
                    Ok(out)
                }
                Err(oneshot::Canceled) => Err(Halt::Stuck),
            },
            () = timer => Err(Halt::Stuck),
        }
    }

    /// Replays committed entries: each delivery is followed by one poll. Records nothing.
    pub(super) async fn replay(&mut self, batch: Vec<Delivery>) -> Result<(), Halt> {
        let ready = self
            .activation(move |drive| {
                let mut ready = None;
                for Delivery {
                    at,
                    entry,
                    value,
                    frames,
                } in batch
                {
                    drive.deliver(at, &entry, value)?;
                    if ready.is_none()
                        && let Turn::Ready(result) = drive.turn()?
                    {
                        ready = Some(result);
                    }
                    if let Some(frames) = frames {
                        drive.check_frames(at, frames)?;
                    }
                }
                Ok::<_, Trouble>(ready)
            })
            .await?
            .map_err(Halt::Trouble)?;
        if ready.is_some() {
            self.ready = ready;
        }
        Ok(())
    }

    /// Appends live entries and delivers each, followed by one poll, in this order: live order is
    /// journal order. Frames that the workflow registers meanwhile are appended after each entry.
    ///
    /// **I3, I6** All of them are appended, even if the workflow fails: their mail is deleted,
    /// and until then an absorbed mid is the sign of an undispatched outbox.
    pub(super) async fn deliver(&mut self, entries: Vec<Entry>) -> Result<(), Halt> {
        if self.ready.is_some() {
            self.append(entries); // it has returned: no entry can reach it any more
            return Ok(());
        }
        let Position {
            number: first,
            commit,
        } = self.next_position();
        let mut values = Vec::with_capacity(entries.len());
        for entry in &entries {
            match self.resolved(entry).await {
                Ok(value) => values.push(value),
                Err(error) => {
                    self.append(entries);
                    return Err(Halt::Run(Box::new(error)));
                }
            }
        }
        let kept = entries.clone();
        let stretched = self
            .activation(move |drive| {
                let (mut out, mut ready) = (Vec::new(), None);
                let mut entries = entries.into_iter().zip(values);
                while let Some((entry, value)) = entries.next() {
                    let at = Position {
                        number: first + out.len() as u64,
                        commit,
                    };
                    let delivered = drive.deliver(at, &entry, value);
                    out.push(entry);
                    let turn = delivered.and_then(|()| drive.turn());
                    out.extend(drive.take_entries());
                    match turn {
                        Err(trouble) => {
                            out.extend(entries.map(|(entry, _)| entry));
                            return (out, Err(trouble));
                        }
                        Ok(Turn::Waits) => {}
                        Ok(Turn::Ready(result)) => {
                            ready = Some(result);
                            break;
                        }
                    }
                }
                out.extend(entries.map(|(entry, _)| entry));
                (out, Ok(ready))
            })
            .await;
        let (out, ready) = match stretched {
            Ok(back) => back,
            Err(halt) => {
                self.append(kept); // outcomes are facts, even if the workflow fails
                return Err(halt);
            }
        };
        self.append(out);
        self.ready = ready.map_err(Halt::Trouble)?;
        self.abort_dropped();
        Ok(())
    }

    /// Returns the number of the next entry to be appended, and of the commit that will contain
    /// it.
    pub(super) fn next_position(&self) -> Position {
        let head = &self.journal.head;
        let number = head.entries + self.pending.len() as u64;
        Position {
            number,
            commit: head.commit + 1,
        }
    }
}
