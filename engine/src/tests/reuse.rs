//! Seeds: one key is started again and again, while starters and passes are slow, replies are lost,
//! and old messages come once more (docs/protocol.md, Retention).
//!
//! The oracle: each execution of the key has an id of its own, exactly one of its calls is fresh, its
//! child paid once, and nothing of one execution reached another.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{join, join_all};

use super::{App, neighbour};
use crate::client::{Notice, Retention, RetentionSettings, Start, Started};
use crate::domain::{ExecutionId, Text};
use crate::keys::MailKey;
use crate::ports::Clock as _;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed, StepError};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);
/// Rounds of starts, 100 days apart.
const ROUNDS: u64 = 4;
const SEEDS: u64 = 24;

/// How often each input was paid.
type Paid = Arc<Mutex<BTreeMap<u64, u64>>>;

async fn buys(ctx: Context, n: u64) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("pays", &n).await?)
}

async fn pays(ctx: Context, n: u64, paid: Paid) -> Result<u64, Failed> {
    let step = ctx.step("pay", move || {
        let paid = Arc::clone(&paid);
        async move {
            *paid.lock().unwrap().entry(n).or_default() += 1;
            Ok::<_, StepError>(n)
        }
    });
    Ok(step.await?)
}

fn app(paid: &Paid) -> App {
    let paid = Arc::clone(paid);
    let app = App::new().workflow("buys", "1", buys);
    app.workflow("pays", "1", move |ctx, n: u64| {
        pays(ctx, n, Arc::clone(&paid))
    })
}

/// Numbers that follow from a seed.
struct Dice(AtomicU64);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        let next = |n: u64| {
            n.wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695)
        };
        let before = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| Some(next(n)));
        (next(before.unwrap_or_default()) >> 33) % end
    }
}

struct Town {
    world: World,
    dice: Dice,
    over: AtomicBool,
    paid: Paid,
    calls: Mutex<Vec<(Started, u64)>>,
}

impl Town {
    fn process(&self, seed: u64) -> World {
        neighbour(&self.world, || app(&self.paid), seed)
    }

    async fn sleep(&self, time: Duration) {
        self.world.clock.sleep(time).await;
    }

    /// Two starters of one round; some of their requests are slow or lose their reply.
    async fn starts(&self, caller: u64) {
        for round in 0..ROUNDS {
            let process = self.process(100 + round * 2 + caller);
            let slow = Duration::from_secs(1 + self.dice.below(40_000));
            let share =
                |injection, share| Rule::new(injection).share(share, self.dice.below(1 << 30));
            process.faults.add(share(Injection::Delay(slow), 250));
            process
                .faults
                .add(share(Injection::LandedReplyLost, 60).on_writes());
            process.faults.add(share(Injection::NotSent, 60));
            let input = round * 10 + caller;
            if let Ok(started) = process
                .engine
                .start(Start::new("buys").input(&input).key("k"))
                .await
            {
                self.calls.lock().unwrap().push((started, input));
            }
            self.sleep(100 * DAY + HOUR * u32::try_from(self.dice.below(3)).unwrap())
                .await;
        }
        if caller == 1 {
            self.over.store(true, Ordering::SeqCst);
        }
    }

    /// Passes, some requests of which take days.
    async fn retains(&self, pass: u64) {
        let process = self.process(200 + pass);
        let slow = HOUR * u32::try_from(1 + self.dice.below(240)).unwrap();
        let share = Rule::new(Injection::Delay(slow)).share(60, self.dice.below(1 << 30));
        process.faults.add(share);
        let settings = RetentionSettings::default();
        let retention = Retention::new(&process.engine, settings).unwrap();
        while !self.over.load(Ordering::SeqCst) {
            let _tried_again_by_the_next = retention.pass(&Notice::new()).await;
            self.sleep(DAY * u32::try_from(1 + self.dice.below(6)).unwrap())
                .await;
        }
    }

    /// Messages of any age come once more.
    async fn repeats(&self) {
        while !self.over.load(Ordering::SeqCst) {
            let mut mail = self.world.memory.recorded();
            mail.retain(|(key, _)| MailKey::parse(key).is_some());
            if let Some(at) = (mail.len() as u64).checked_sub(1) {
                let (key, body) =
                    mail.swap_remove(usize::try_from(self.dice.below(at + 1)).unwrap());
                let _ = self.world.engine.ports().create(&key, body).await.unwrap();
            }
            self.sleep(DAY * u32::try_from(1 + self.dice.below(9)).unwrap())
                .await;
        }
    }

    async fn runs(&self) {
        let process = self.process(300);
        while !self.over.load(Ordering::SeqCst) {
            for eid in self.world.with_work() {
                process.engine.run(eid, process.causes(eid)).await.unwrap();
            }
            self.sleep(HOUR).await;
        }
    }

    fn check(&self, seed: u64) {
        self.world.run_all();
        let mut calls: BTreeMap<ExecutionId, Vec<(Started, u64)>> = BTreeMap::new();
        for (started, input) in self.calls.lock().unwrap().iter() {
            calls
                .entry(started.eid)
                .or_default()
                .push((*started, *input));
        }
        let mut paid = BTreeMap::new();
        for n in 0.. {
            let eid = ExecutionId::keyed(&Text::parse("k").unwrap(), n);
            if self.world.block(self.world.engine.status(eid)).is_err() {
                break;
            }
            let calls = calls.remove(&eid).unwrap_or_default();
            let ran = self.world.result::<u64>(eid).unwrap();
            paid.insert(ran, 1);
            for (started, input) in &calls {
                let what = format!("seed {seed}: {calls:?} ran with {ran}");
                assert_eq!(started.fresh, *input == ran, "{what}");
                assert_eq!(started.differs, *input != ran, "{what}");
            }
        }
        assert!(paid.len() > 1, "seed {seed}: the key was never free");
        assert!(calls.is_empty(), "seed {seed}: ids of no number: {calls:?}");
        assert_eq!(*self.paid.lock().unwrap(), paid, "seed {seed}");
        let audit = self.world.block(self.world.engine.audit()).unwrap();
        assert_eq!(audit.findings, [], "seed {seed}");
        assert!(self.world.with_work().is_empty());
    }
}

#[test]
fn a21_no_two_executions_of_a_key_are_ever_mixed() {
    for seed in 0..SEEDS {
        let paid = Paid::default();
        let town = Town {
            world: World::new(app(&paid)),
            dice: Dice(AtomicU64::new(seed)),
            over: AtomicBool::new(false),
            paid,
            calls: Mutex::default(),
        };
        town.world.memory.record();
        let starts = join(town.starts(0), town.starts(1));
        let passes = join_all((0..2).map(|pass| town.retains(pass)));
        town.world.block(join(
            join(starts, passes),
            join(town.repeats(), town.runs()),
        ));
        town.check(seed);
    }
}
