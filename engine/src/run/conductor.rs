//! The conductor: the steps of a run, in their order (docs/protocol.md, A run).

use std::sync::Arc;

use tracing::{Instrument as _, field};

use super::absorbed::Absorbed;
use super::attempts::Attempts;
use super::committer::Committer;
use super::ended::{Causes, Ended, RunError};
use super::halt::{Close, Halt};
use super::inbox::Inbox;
use super::load::{self, Loaded, Ready};
use super::program::Program;
use super::retry::{Decided, Target};
use super::state::State;
use super::{Stop, finish};
use crate::domain::{Entry, ExecutionId, Provenance, RetryRequest, Status};
use crate::journal::{CommitError, History};
use crate::keys::{Key, TimerKey};
use crate::process::Core;
use crate::stored::LoadError;

/// Maximum number of iterations of one run; the next hint continues the work.
const ITERATIONS: u32 = 16;

/// Runs `eid` for as long as it has work. At most one run of an execution at a time in a process.
///
/// `served` receives the keys of the mail that was absorbed and deleted: hints about it are
/// obsolete. `stop` hands the execution over: no new attempt begins, and running attempts may end
/// until [`Stop::now`] is set.
///
/// # Errors
/// [`RunError`]: the store failed, or an object cannot be read. The causes remain; run it again.
pub(crate) async fn run(
    core: Arc<Core>,
    eid: ExecutionId,
    causes: Causes,
    stop: Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    // Every log record from here on, including those of workflow code, names the execution.
    let span = tracing::info_span!("run", %eid, epoch = field::Empty);
    iterations(core, eid, causes, stop, served)
        .instrument(span)
        .await
}

async fn iterations(
    core: Arc<Core>,
    eid: ExecutionId,
    mut causes: Causes,
    stop: Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    let mut ended = Ended::Again;
    let hints = core.run_hints.receive(eid);
    core.counter.run();
    for _ in 0..ITERATIONS {
        ended = match load::load(&core, eid, &causes, served).await? {
            Loaded::Ready(mut ready) => {
                let kept = ready.kept;
                ready.inbox.listen(hints.queue());
                match iteration(&core, *ready, &causes, &stop, served).await {
                    // The kept head was replaced meanwhile: repeat, with a read.
                    Err(RunError::Commit(CommitError::Lost { .. })) if kept => {
                        core.counter.conflict();
                        continue;
                    }
                    // The run is dropped with its memory, and nothing more is written.
                    Err(RunError::Commit(CommitError::Lost { .. })) => {
                        core.counter.conflict();
                        Ended::Lost
                    }
                    other => other?,
                }
            }
            Loaded::Ended(ended) => ended,
        };
        // A run that was asked to stop leaves the rest to the next hint.
        if !matches!(ended, Ended::Again) || stop.gently.is_set() {
            return Ok(ended);
        }
        causes.deliveries = 0; // an iteration that asks for another one made progress
        causes.possible_duplicate = false; // and has deleted the mail it was given
    }
    Ok(ended)
}

/// Steps 6 to 13, on a head that this run may continue from.
async fn iteration(
    core: &Arc<Core>,
    ready: Ready,
    causes: &Causes,
    stop: &Stop,
    served: &mut Vec<Key>,
) -> Result<Ended, RunError> {
    let Begun {
        mut run,
        mut history,
        broken,
        registered,
    } = Run::begin(core, ready, causes).await?;
    let crash_loop = run.is_crash_loop(causes);
    let mut absorbed = run.absorb_first(&history, broken.as_ref());
    run.carry_out_retry(&mut history, &mut absorbed).await?;
    let closed = if let Some(status) = run.stays_ended() {
        run.committer.append_joined(absorbed.entries);
        Ok(Close::Park(status))
    } else if registered {
        let broken = broken.as_ref();
        run.advance(history, absorbed, broken, crash_loop, stop)
            .await
    } else {
        Err(run.obey(&history, absorbed))
    };
    let closes = match closed {
        Ok(close) | Err(Halt::Close(close)) => run.dispatch_before(&close).await.map(|()| close),
        Err(Halt::Failed(error)) => Err(error),
    };
    let close = match closes {
        Ok(close) => close,
        Err(error) => return Err(run.save_outcomes(error).await),
    };
    match run.close(close).await? {
        ended @ (Ended::Suspended(_) | Ended::Terminal(_) | Ended::Parked(_) | Ended::Sliced) => {
            run.finish(ended, causes, stop, served).await
        }
        // Nothing was decided, or another run holds the lease: the causes remain.
        other => Ok(other),
    }
}

/// One iteration of a run: an execution between its commits.
pub(super) struct Run {
    pub(super) core: Arc<Core>,
    pub(super) committer: Committer,
    pub(super) inbox: Inbox,
    pub(super) attempts: Attempts,
    pub(super) program: Program,
    /// The mail that was deleted between commits.
    pub(super) served: Vec<Key>,
}

struct Begun {
    run: Run,
    /// What is read of the journal.
    history: History,
    /// The reason why a part of it is missing.
    broken: Option<LoadError>,
    /// Whether this build contains the workflow.
    registered: bool,
}

impl Run {
    /// Step 6, first half: reads the mail; if this build does not contain the workflow, the commands.
    async fn begin(core: &Arc<Core>, ready: Ready, causes: &Causes) -> Result<Begun, RunError> {
        let Ready {
            mut journal,
            history,
            broken,
            mut inbox,
            waking,
            kept: _,
            early,
        } = ready;
        let record = &mut journal.head.record;
        // **[R] N12** The build of its parent does not contain the workflow of this child. The first
        // build that does decides the version, and its first commit records it. Otherwise no build
        // would ever run it.
        if record.version.is_empty()
            && let Some(newest) = core.app.newest(&record.workflow)
        {
            record.version.clone_from(&newest.version);
        }
        let registered = core.app.find(&record.workflow, &record.version).is_some();
        if !registered {
            inbox.keep_commands();
        }
        let state = State::of(&journal.head, &history);
        let room = core.settings.max_unread.saturating_sub(state.unread.len());
        inbox.read_first(&early, room).await?;
        // **[R] A6** A timer proves its instant, and recorded instants never decrease.
        let timers = causes.timers.iter().filter_map(TimerKey::parse);
        let proven = timers.map(|timer| timer.due).max();
        let now = core.ports.clock.now().max(journal.head.at);
        let now = proven.map_or(now, |proven| now.max(proven));
        // **B24** Not now: a message may have come since the listing.
        let least = proven.max(Some(journal.head.at));
        inbox.listed_at = inbox.listed_at.max(least.unwrap_or(now));
        let run = Self {
            core: Arc::clone(core),
            committer: Committer::new(core, journal, state, waking, now),
            inbox,
            attempts: Attempts::new(core),
            program: Program::new(core),
            served: Vec::new(),
        };
        Ok(Begun {
            run,
            history,
            broken,
            registered,
        })
    }

    /// Step 6: turns the mail that the first listing found into entries.
    fn absorb_first(&mut self, history: &History, broken: Option<&LoadError>) -> Absorbed {
        let head = &self.committer.journal.head;
        let target = Target {
            status: head.status,
            generation: head.generation,
            newest: head.newest,
            budget: head.budget.max,
            history,
            broken,
        };
        let resumed = match head.status {
            Status::Suspended => vec![Entry::Resumed],
            _ => Vec::new(),
        };
        let empty = self.commit_of(resumed);
        self.absorb_with(empty.entries.clone(), |request, by, before| {
            let mut commit = empty.clone();
            commit.entries = before.to_vec();
            target.decide(request, by, &commit)
        })
    }

    /// Absorbs mail while the execution runs: it is not retried now.
    pub(super) fn absorb(&mut self) -> Absorbed {
        self.absorb_with(Vec::new(), |_, _, _| {
            Err("it runs: only a failed or blocked execution is retried".to_owned())
        })
    }

    fn absorb_with(
        &mut self,
        entries: Vec<Entry>,
        decide: impl Fn(&RetryRequest, &Provenance, &[Entry]) -> Result<Decided, String>,
    ) -> Absorbed {
        let (state, head) = (&mut self.committer.state, &self.committer.journal.head);
        let absorbed = self.inbox.absorb(state, head, entries, decide);
        if absorbed.released {
            state.crash_count = 0;
        }
        absorbed
    }

    /// Steps 7 to 10. Returns how the run closes.
    async fn advance(
        &mut self,
        history: History,
        absorbed: Absorbed,
        broken: Option<&LoadError>,
        crash_loop: bool,
        stop: &Stop,
    ) -> Result<Close, Halt> {
        let entries = self.decide(&history, absorbed, broken, crash_loop).await?; // 7
        self.replay(history, entries).await?; // 8
        loop {
            self.committer.tick();
            self.list_before_deadlines().await?;
            self.fulfil_deadlines().await?;
            self.check_bounds();
            if let Some(result) = self.program.take_result() {
                let Some(input) = self.program.continuation() else {
                    return Ok(Close::End(result));
                };
                self.continue_as_new(input).await?;
                continue;
            }
            let held = self.is_held(stop);
            let steps = self.attempts.startable(&self.program, self.committer.now);
            let (begins, overdue) = (!held && !steps.is_empty(), self.inbox.is_overdue());
            if self.must_list(overdue, begins) {
                self.receive_mail().await?;
                continue;
            }
            self.begin_attempts(begins && !overdue, &steps).await?; // 9
            if self.attempts.is_empty() {
                if self.is_flooded() {
                    return Ok(Close::Block(self.committer.state.flooded()));
                }
                if self.has_more(stop) {
                    self.next_batch().await?;
                    continue;
                }
                if held || !self.waits_in_place() {
                    return Ok(self.rest(stop, &steps));
                }
            }
            let event = self.next_event(stop).await;
            self.handle(event, stop).await?; // 10
        }
    }

    /// Steps 12 and 13: dispatches, deletes the causes, and lists the mailbox once more.
    async fn finish(
        mut self,
        ended: Ended,
        causes: &Causes,
        stop: &Stop,
        served: &mut Vec<Key>,
    ) -> Result<Ended, RunError> {
        self.committer.dispatch_the_rest().await?; // 12
        let (head, timers) = (&self.committer.journal.head, &self.committer.timers);
        let (superseded, waking) = (timers.superseded.as_ref(), timers.waking.as_ref());
        let absorbed = self.inbox.absorbed();
        finish::delete(&self.core, head, &absorbed, causes, superseded, waking).await?;
        served.extend(absorbed);
        served.append(&mut self.served);
        // 13. Hints for mail that arrived during this run had no effect. What is left in the mailbox of
        // an execution that has ended is deleted by a run that has read its head since.
        let more = match head.status.is_terminal() {
            true => self.inbox.is_left(),
            false => self.inbox.is_woken(head).await?,
        };
        self.core.sticky.keep(&self.committer.journal);
        // The mail with which a run hands over is a hint of its own.
        let hands_over = stop.gently.is_set() && matches!(ended, Ended::Sliced);
        Ok(if more && !hands_over {
            Ended::Again
        } else {
            ended
        })
    }
}
