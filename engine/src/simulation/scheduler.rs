//! The sequence of choices: the next request, its course, the process that dies, the step of time.
//! All of them are drawn from the seed.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;

use super::chronicle::Chronicle;
use super::client::{Client, cancel_all, key_of};
use super::clock::SkewedClock;
use super::dice::Dice;
use super::gate::Gate;
use super::op::Course;
use super::oracle::{self, Broken};
use super::plan::{Faults, Plan};
use super::process::{Process, Stage, works};
use super::story::Stories;
use super::{Report, Simulation};
use crate::ExecutionId;
use crate::client::Engine;
use crate::domain::Text;
use crate::ports::{Bucket, Clock, Doorbell, Ports};
use crate::settings::Settings;
use crate::testing::{ManualClock, MemoryBucket, Pool, SeededEntropy};

/// The number of rounds in which all waiting executions are cancelled: programs nest two deep.
const ROUNDS: usize = 4;
/// The duration of a lease.
const TTL: Duration = Duration::from_secs(30);
/// The number of choices after which an execution is considered to never come to rest.
const MOST: usize = 400_000;
/// The time without a write after which all processes count as resting: longer than the pauses
/// between attempts.
const STILL: Duration = Duration::from_secs(10);
/// The time that they must remain at rest in the end.
const REST: Duration = Duration::from_secs(120);

pub(super) struct Scheduler {
    dice: Dice,
    pub(super) plan: Arc<Plan>,
    faults: Faults,
    time: Arc<ManualClock>,
    pub(super) gate: Arc<Gate>,
    chronicle: Arc<Chronicle>,
    stage: Stage,
    client: Client,
    processes: Vec<Process>,
    /// Reads the bucket without faults.
    observer: Engine,
    choices: usize,
    /// The time at which faults stopped.
    calm: Option<Duration>,
    closing: bool,
}

impl Scheduler {
    pub(super) fn new(simulation: &Simulation) -> Self {
        let plan = Arc::new(simulation.plan.clone());
        let start = "2026-01-01T00:00:00Z".parse();
        let time = Arc::new(ManualClock::new(start.unwrap_or(Timestamp::UNIX_EPOCH)));
        let memory = Arc::new(MemoryBucket::new(Arc::clone(&time) as Arc<dyn Clock>));
        let chronicle = Arc::new(Chronicle::default());
        let gate = Arc::new(Gate::new(
            Arc::clone(&memory),
            Arc::clone(&chronicle),
            Arc::clone(&time),
        ));
        let roots: Arc<Vec<ExecutionId>> = Arc::new((0..plan.roots.len()).map(root_id).collect());
        let stage = Stage {
            gate: Arc::clone(&gate),
            chronicle: Arc::clone(&chronicle),
            roots: Arc::clone(&roots),
            settings: Settings {
                ttl: TTL,
                max_crashes: 1_000_000,
                tail: plan.tail,
                inline: plan.inline,
                mailbox_page: plan.page,
                mailbox_batch: plan.batch,
                max_unread: plan.max_unread,
                // For every other seed: the cache must change only the number of reads.
                sticky: if plan.seed.is_multiple_of(2) {
                    1 << 20
                } else {
                    0
                },
                // For every third seed: a process may stand still during a request.
                request_timeout: match plan.seed % 3 {
                    0 => Duration::MAX,
                    _ => TTL / 2,
                },
                ..Settings::default()
            },
            extend: simulation.extend.clone(),
            seed: plan.seed,
        };
        let clock = |at: usize| {
            let skew = plan.skews.get(at).copied().unwrap_or(0);
            Arc::new(SkewedClock::new(Arc::clone(&time), skew))
        };
        let processes = (0..=plan.workers)
            .map(|at| Process::new(at, clock(at)))
            .collect();
        let ports = Ports {
            bucket: Arc::clone(&memory) as Arc<dyn Bucket>,
            clock: Arc::clone(&time) as Arc<dyn Clock>,
            entropy: Arc::new(SeededEntropy::new(plan.seed)),
            wakeups: Arc::new(Doorbell::default()),
            spawner: Arc::new(Pool::new()),
        };
        let starts = Arc::new(simulation.starts.clone());
        Self {
            dice: Dice::new(plan.seed, 2),
            faults: plan.faults,
            observer: stage.engine_on(ports, "observer"),
            client: Client::new(Arc::clone(&plan), roots, starts, Arc::clone(&chronicle)),
            plan,
            time,
            gate,
            chronicle,
            stage,
            processes,
            choices: 0,
            calm: None,
            closing: false,
        }
    }

    pub(super) fn log(&self) -> Vec<String> {
        self.gate.log()
    }

    /// Faults, then calm until rest, then a cancellation of all waiting executions, then permanent
    /// rest.
    pub(super) fn run(&mut self) -> Result<Report, Broken> {
        while self.choices < self.plan.faulty {
            self.turn();
            self.choose();
        }
        self.calm_down();
        self.dispatch()?;
        // A paused execution that is cancelled first processes the messages it has received by
        // then, and may start others: these are cancelled in the next round.
        for _ in 0..ROUNDS {
            let stories = Stories::read(&self.chronicle.open())?;
            oracle::at_rest(&self.observer, &stories, &self.chronicle.open())?;
            let open: Vec<ExecutionId> = stories.open().collect();
            if open.is_empty() {
                break;
            }
            self.close(open);
            self.dispatch()?;
        }
        self.stay_at_rest()?;
        let written = self.chronicle.open();
        let stories = Stories::read(&written)?;
        oracle::at_the_end(&self.observer, &stories, &written)?;
        Ok(Report {
            requests: self.gate.requests(),
            executions: stories.all.len(),
            commits: stories.all.values().map(|story| story.commits.len()).sum(),
            effects: written.effects.len(),
            lives: self.processes.iter().map(Process::lives).sum(),
            virtual_time: self.time.monotonic(),
        })
    }

    /// Runs all processes until all wait.
    fn turn(&mut self) {
        let now = self.time.monotonic();
        let workers = self.plan.workers;
        for at in 0..self.processes.len() {
            let process = &mut self.processes[at];
            if process.restart.is_some_and(|at| at <= now) {
                if at < workers {
                    process.boot(&self.stage, "w", works);
                } else {
                    let client = self.client.clone();
                    process.boot(&self.stage, "c", |engine, _| vec![client.acts(engine)]);
                }
            }
            if process.turn() {
                process.restart = Some(now + Duration::from_millis(self.dice.below(20_000)));
            }
        }
        let (dice, faulty) = (&self.dice, self.calm.is_none());
        self.gate.decide(|| {
            let wait = Duration::from_millis(dice.below(200_000));
            (faulty && dice.chance(500)).then_some(now + wait)
        });
    }

    fn choose(&mut self) {
        self.choices += 1;
        let faults = self.faults;
        if self.dice.chance(faults.crash) {
            return self.crash();
        }
        if self.dice.chance(faults.stop) {
            let at = self.dice.index(self.plan.workers);
            self.gate.note(format!("w{at} is asked to stop"));
            return self.processes[at].ask_to_stop();
        }
        if self.dice.chance(faults.step) {
            return self.step_clock();
        }
        let ready = self.gate.ready();
        if ready.is_empty() || self.dice.chance(faults.hurry) {
            return self.pass_time();
        }
        let ticket = self.dice.pick(&ready);
        self.gate.let_go(ticket, self.course());
    }

    fn course(&self) -> Course {
        let (faults, dice) = (self.faults, &self.dice);
        let later = |most| self.time.monotonic() + Duration::from_millis(dice.below(most));
        if dice.chance(faults.not_sent) {
            Course::NotSent
        } else if dice.chance(faults.reply_lost) {
            Course::ReplyLost
        } else if dice.chance(faults.late) {
            Course::Late(later(200_000))
        } else if dice.chance(faults.slow) {
            Course::Slow(later(90_000))
        } else if dice.chance(faults.slow_reply) {
            Course::SlowReply(later(90_000))
        } else {
            Course::Land
        }
    }

    fn crash(&mut self) {
        let at = self.dice.index(self.processes.len());
        let down = self.time.monotonic() + Duration::from_millis(self.dice.below(60_000));
        if self.processes[at].is_up() {
            self.gate.note(format!("process {at} dies"));
            self.processes[at].crash(down);
        }
    }

    fn step_clock(&mut self) {
        let at = self.dice.index(self.processes.len());
        let span = self.dice.pick(&[1_000, 20_000, 600_000]);
        let to = i64::try_from(self.dice.below(2 * span)).unwrap_or(0) - span.cast_signed();
        self.gate
            .note(format!("the clock of process {at} is now off by {to} ms"));
        self.processes[at].clock.set_skew(to);
    }

    /// Advances to the next time at which an event can happen.
    fn pass_time(&self) {
        let now = self.time.monotonic();
        let restarts = self.processes.iter().filter_map(|process| process.restart);
        let next = restarts
            .chain(self.time.next_deadline())
            .chain(self.gate.next_hold())
            .min();
        let step = next.map_or(Duration::from_secs(1), |at| at.saturating_sub(now));
        self.time.advance(step);
    }

    /// Faults stop: held requests land, crashed processes restart, clocks are corrected.
    fn calm_down(&mut self) {
        self.gate.note("faults stop");
        let now = self.time.monotonic();
        (self.calm, self.faults) = (Some(now), Faults::NONE);
        self.gate.let_all_go();
        for process in &mut self.processes {
            process.clock.set_skew(0);
            if !process.is_up() {
                process.restart = Some(now);
            }
        }
    }

    /// I4: runs until all processes rest.
    fn dispatch(&mut self) -> Result<(), Broken> {
        let begun = self.time.monotonic();
        let most = Duration::from_millis(self.plan.longest());
        let mut still = None;
        loop {
            self.turn();
            let now = self.time.monotonic();
            let idle = self.gate.ready().is_empty();
            if idle && (self.client.is_done() || self.closing) && self.is_at_rest()? {
                // A run may be between two attempts at a request, and have more to write.
                let landed = self.chronicle.open().landed.len();
                match still {
                    Some((since, before)) if before == landed => {
                        if now >= since + STILL {
                            return Ok(());
                        }
                    }
                    _ => still = Some((now, landed)),
                }
            }
            let took = now - begun;
            if took > most || self.choices > MOST {
                let left = self.left();
                let why = format!(
                    "no rest {took:?} after faults stopped ({} choices): {left}",
                    self.choices
                );
                return Err(Broken::new("I4", why));
            }
            self.choose();
        }
    }

    fn left(&self) -> String {
        let rows = self.gate.memory.snapshot();
        let keys = rows.iter().map(|(key, _)| key.as_str());
        let causes: Vec<&str> = keys
            .filter(|key| key.starts_with("mail/") || key.starts_with("timers/"))
            .collect();
        let heads = match Stories::read(&self.chronicle.open()) {
            Err(broken) => broken.to_string(),
            Ok(stories) => {
                let heads = stories.all.iter().map(|(eid, story)| {
                    let head = story.last();
                    format!("{eid} {} {:?}", head.status, head.lease)
                });
                heads.collect::<Vec<_>>().join("; ")
            }
        };
        format!("causes={causes:?} heads={heads}")
    }

    /// Cancels all executions that still wait, as an external client.
    fn close(&mut self, open: Vec<ExecutionId>) {
        self.gate.note(format!("closing {open:?}"));
        self.closing = true;
        let client = &mut self.processes[self.plan.workers];
        client.crash(Duration::ZERO);
        client.boot(&self.stage, "c", |engine, _| {
            let engine = engine.clone();
            let act = async move {
                cancel_all(engine, open).await;
                std::future::pending::<()>().await;
            };
            vec![act.boxed()]
        });
    }

    /// I6: no process writes any more.
    fn stay_at_rest(&mut self) -> Result<(), Broken> {
        let (end, before) = (
            self.time.monotonic() + REST,
            self.chronicle.open().landed.len(),
        );
        while self.time.monotonic() < end {
            self.turn();
            self.choose();
        }
        let written = self.chronicle.open();
        match written.landed.get(before) {
            None => Ok(()),
            Some(landed) => {
                let why = format!("written when all was at rest: {}", landed.key);
                Err(Broken::new("I6", why))
            }
        }
    }
}

fn root_id(root: usize) -> ExecutionId {
    let key = Text::parse(&key_of(root));
    ExecutionId::keyed(&key.expect("a short text is a key"), 0)
}
