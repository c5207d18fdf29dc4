//! Cutting a scenario at every request (case 9): whatever was the last thing that a process
//! did, another one brings the execution to the same end, and the bucket shows no trace.

mod apps;
mod check;
mod continues;
mod loops;
mod plain;
mod retries;
mod talk;
mod trees;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::ledger::Ledger;
use crate::client::{Asleep, EngineError, Signal, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::settings::Settings;
use crate::testing::{Injection, Rule, Verb, World};

/// Most plays of one scenario that is cut in pairs.
const PAIRS: usize = 400;

/// Something that somebody does, again and again until it has worked.
type Act = Box<dyn Fn(&World) -> bool>;

/// What is run, and how it must end.
pub(super) struct Scenario {
    pub(super) settings: Settings,
    pub(super) acts: Vec<Act>,
    /// The keys of starts, with the status and the result in JSON.
    pub(super) ends: Vec<(&'static str, Status, &'static str)>,
    /// Executions that there are in the end: these and their children.
    pub(super) executions: std::ops::RangeInclusive<usize>,
    /// A kind of entry that the uncut play must have: it is about that.
    pub(super) sends: Option<&'static str>,
}

/// Who dies or is failed how, at which of its requests: one process after the other.
pub(super) type Cuts = Vec<(Way, u64)>;

/// What becomes of the process whose request is cut.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// Not sent, and the process is dead.
    Died,
    /// Landed, and the process is dead.
    LandedAndDied,
    /// Landed, and the reply is lost; the process lives on.
    ReplyLost,
    /// An error; the process lives on.
    NotSent,
    /// Sent and stuck on its way: the process is dead, and the write comes in the end.
    Late,
}

impl Way {
    /// The ways that differ for a request: what reads leaves nothing behind.
    pub(super) fn of(verb: Verb) -> &'static [Self] {
        match verb {
            Verb::Read | Verb::List => &[Self::Died, Self::NotSent],
            Verb::Delete => &[Self::Died, Self::LandedAndDied],
            Verb::Create | Verb::Replace => &[
                Self::Died,
                Self::LandedAndDied,
                Self::ReplyLost,
                Self::NotSent,
                Self::Late,
            ],
        }
    }

    pub(super) fn cut(self, world: &World, at: u64) {
        let injection = match self {
            Self::Died => Injection::Died,
            Self::LandedAndDied => Injection::LandedAndDied,
            Self::ReplyLost => Injection::LandedReplyLost,
            Self::NotSent => Injection::NotSent,
            Self::Late => {
                world.faults.add(Rule::new(Injection::Held).at(at));
                world.faults.add(Rule::new(Injection::Died).at(at + 1));
                return;
            }
        };
        world.faults.add(Rule::new(injection).at(at));
    }
}

impl Scenario {
    pub(super) fn new(acts: Vec<Act>, end: (&'static str, Status, &'static str)) -> Self {
        Self {
            settings: Settings::default(),
            acts,
            ends: vec![end],
            executions: 1..=1,
            sends: None,
        }
    }

    pub(super) fn also(mut self, end: (&'static str, Status, &'static str)) -> Self {
        self.ends.push(end);
        self.executions(2)
    }

    pub(super) fn executions(mut self, count: usize) -> Self {
        self.executions = count..=count;
        self
    }

    /// For clients that do not know whether they did.
    pub(super) fn at_least(mut self, count: usize) -> Self {
        self.executions = count..=count + 1;
        self
    }

    pub(super) fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    pub(super) fn sends(mut self, kind: &'static str) -> Self {
        self.sends = Some(kind);
        self
    }

    /// Runs it uncut, then cut everywhere in every way.
    pub(super) fn cut_everywhere(&self) {
        let requests = self.play(&[]);
        assert!(requests.len() > 3, "nothing to cut: {requests:?}");
        everywhere(&requests).for_each(|cuts| self.try_to_play(&cuts));
    }

    /// Cuts twice: the process, then the one that recovers from it.
    pub(super) fn cut_in_pairs(&self) {
        let requests = self.play(&[]);
        in_pairs(&requests).for_each(|cuts| self.try_to_play(&cuts));
    }

    /// What each death leaves is taken away from whoever needs it: the audit names these
    /// executions, and no others (case 10). Not for trees.
    pub(super) fn strand_everywhere(&self) -> BTreeSet<Asleep> {
        let mut whys = BTreeSet::new();
        for (at, verb) in (0..).zip(self.play(&[])) {
            for way in Way::of(verb) {
                let ledger = Ledger::default();
                let first = World::with_settings(apps::app(&ledger), self.settings.clone());
                ledger.open(&first);
                let outside = first.beside(apps::app(&ledger), "outside", 99);
                ledger.set_outside(outside.engine.clone());
                let world = process(&first, &ledger, 0);
                way.cut(&world, at);
                self.go_on(&world, &mut 0);
                whys.extend(check::what_is_missed(&outside));
            }
        }
        whys
    }

    fn try_to_play(&self, cuts: &[(Way, u64)]) {
        let played = catch_unwind(AssertUnwindSafe(|| self.play(cuts)));
        if let Err(panic) = played {
            eprintln!("cut at {cuts:?}");
            std::panic::resume_unwind(panic);
        }
    }

    /// Plays it with these cuts, one process after the other, then one without; the requests
    /// of the last.
    pub(super) fn play(&self, cuts: &[(Way, u64)]) -> Vec<Verb> {
        let ledger = Ledger::default();
        let first = World::with_settings(apps::app(&ledger), self.settings.clone());
        first.memory.record();
        ledger.open(&first);
        let outside = first.beside(apps::app(&ledger), "outside", 99);
        ledger.set_outside(outside.engine.clone());
        let (mut at, mut cut) = (0, Vec::new());
        for (n, (way, request)) in cuts.iter().enumerate() {
            let world = process(&first, &ledger, n);
            if n > 0 {
                // The lease of the one before ends, and old mail is brought again.
                world.skip(self.settings.ttl + Duration::from_secs(1));
            }
            way.cut(&world, *request);
            self.go_on(&world, &mut at);
            check::nothing_stands_still(&world);
            let audit = outside.block(outside.engine.audit()).unwrap();
            assert_eq!(audit.findings, [], "I4: the audit misses something");
            cut.push(world);
        }
        let last = process(&first, &ledger, cuts.len());
        if cuts.is_empty() {
            self.go_on(&last, &mut at);
        }
        let log = last.counting.log();
        last.skip(self.settings.ttl + Duration::from_secs(1));
        self.go_on(&last, &mut at);
        assert_eq!(at, self.acts.len(), "an act never succeeds");
        last.skip(self.settings.ttl * 4);
        check::ends(self, &last);
        for world in &cut {
            last.block(world.faults.release()).unwrap();
        }
        // Whatever is stale comes up once and goes.
        last.skip(Duration::from_secs(400 * 86_400));
        check::ends(self, &last);
        check::all(self, &last, &ledger);
        check::nothing_is_left(&last);
        if let Some(kind) = self.sends.filter(|_| cuts.is_empty()) {
            check::is_told(&last, kind);
        }
        log.iter().map(|request| request.verb).collect()
    }

    fn go_on(&self, world: &World, at: &mut usize) {
        while let Some(act) = self.acts.get(*at) {
            // A client tries again as long as its process lives.
            let done = (0..3).any(|_| act(world));
            if !done || world.faults.is_dead() {
                return;
            }
            *at += 1;
        }
    }
}

/// Each request, in each way.
fn everywhere(requests: &[Verb]) -> impl Iterator<Item = Cuts> {
    let ways = |(at, verb): (u64, &Verb)| Way::of(*verb).iter().map(move |way| vec![(*way, at)]);
    (0..).zip(requests).flat_map(ways)
}

/// Each request, and each one of the process that recovers. Where that is more than [`PAIRS`]
/// plays, each first cut meets every nth second one, another nth each time.
fn in_pairs(requests: &[Verb]) -> impl Iterator<Item = Cuts> {
    let second = requests.len() + 2;
    let deadly = |(way, _): &(Way, u64)| matches!(way, Way::Died | Way::LandedAndDied);
    let firsts: Vec<_> = everywhere(requests).flatten().filter(deadly).collect();
    let stride = (firsts.len() * second).div_ceil(PAIRS).max(1);
    (0..).zip(firsts).flat_map(move |(n, first): (usize, _)| {
        let thens = (n % stride..second).step_by(stride);
        thens.map(move |then| vec![first, (Way::LandedAndDied, then as u64)])
    })
}

/// The `n`th process on the bucket of `first`.
fn process(first: &World, ledger: &Ledger, n: usize) -> World {
    let seed = 10 + n as u64;
    first.beside(apps::app(ledger), &format!("w{seed}"), seed)
}

/// Starts the workflow with its own name as the key.
pub(super) fn start(workflow: &'static str, n: u64) -> Act {
    let start = move || Start::new(workflow).key(workflow).input(&n);
    Box::new(move |world| world.block(world.engine.start(start())).is_ok())
}

/// Sends a message under a key of its own.
pub(super) fn signal(to: &'static str, channel: &'static str, n: u64) -> Act {
    let signal = move || Signal::on(channel).value(&n).key(format!("{channel}-{n}"));
    let to = super::keyed(to);
    Box::new(move |world| fine(&world.block(world.engine.signal(to, signal()))))
}

/// Runs what has work.
pub(super) fn run() -> Act {
    Box::new(|world| {
        world.run_all();
        true
    })
}

/// Lets time pass.
pub(super) fn skip(time: Duration) -> Act {
    Box::new(move |world| {
        world.skip(time);
        true
    })
}

/// An operator's command.
#[derive(Clone, Copy)]
pub(super) enum Command {
    Cancel,
    Terminate,
    Pause,
    Resume,
}

pub(super) fn command(command: Command, to: &'static str) -> Act {
    let to = super::keyed(to);
    Box::new(move |world| fine(&world.block(command.send(&world.engine, to))))
}

impl Command {
    pub(super) async fn send(
        self,
        engine: &crate::client::Engine,
        to: ExecutionId,
    ) -> Result<(), EngineError> {
        let by = Actor::human("ada");
        match self {
            Self::Cancel => engine.cancel(to, "enough", by).await,
            Self::Terminate => engine.terminate(to, "at once", by).await,
            Self::Pause => engine.pause(to, "wait", by).await,
            Self::Resume => engine.resume(to, by).await,
        }
    }
}

/// What came too late has nothing to do any more.
fn fine<T>(text: &Result<T, EngineError>) -> bool {
    matches!(text, Ok(_) | Err(EngineError::TerminalExecution { .. }))
}
