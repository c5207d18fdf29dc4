//! Rules B17 to B34 about times, sizes and the feed (docs/protocol.md, Labels).

use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::findings::{HOUR, begun, timers};
use super::story::Stories;
use super::{App, Ended, clocked};
use crate::client::{Signal, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::keys::{Key, MailKey};
use crate::ports::{Clock, Expect, Outcome};
use crate::run::Causes;
use crate::settings::Settings;
use crate::sweeper::Sweeper;
use crate::testing::{Injection, ManualClock, Rule, World};
use crate::{Context, Failed, StepError};

/// What a step of 45 seconds needs, and how often one began.
#[derive(Clone, Default)]
struct Slow {
    clock: Arc<OnceLock<Arc<ManualClock>>>,
    begun: Arc<AtomicU32>,
}

impl Slow {
    fn app(&self) -> App {
        let slow = self.clone();
        App::new().workflow("slow", "1", move |ctx, messages| {
            slow.clone().workflow(ctx, messages)
        })
    }

    fn world(&self) -> World {
        let world = World::with_settings(self.app(), super::patient());
        world.memory.record();
        let _ = self.clock.set(Arc::clone(&world.clock));
        world
    }

    fn begun(&self) -> u32 {
        self.begun.load(Ordering::SeqCst)
    }

    /// Announces its start, takes a step of 45 seconds, then receives `messages`.
    async fn workflow(self, ctx: Context, messages: u64) -> Result<u64, Failed> {
        ctx.announce("begins", &1_u64)?;
        let slow = ctx.step("slow", move || {
            let this = self.clone();
            async move {
                this.begun.fetch_add(1, Ordering::SeqCst);
                let clock = this.clock.get().expect("set with the world");
                clock.sleep(Duration::from_secs(45)).await;
                Ok::<_, StepError>(1_u64)
            }
        });
        let mut sum = slow.await?;
        for _ in 0..messages {
            sum += ctx.receive::<u64>("in").await?;
        }
        Ok(sum)
    }
}

fn ada() -> Actor {
    Actor::human("ada")
}

/// What the engine announced of `eid`, object by object.
fn announced(world: &World, eid: ExecutionId) -> Vec<(u64, Vec<String>)> {
    let stories = Stories::read(&world.memory);
    let reported = stories.all[&eid].reported.iter();
    let kinds = reported.map(|(reported, _)| {
        let kinds = reported.events.iter().map(|event| event.kind.clone());
        (reported.commit, kinds.collect())
    });
    kinds.collect()
}

#[test]
fn b17_a_pause_keeps_mail_drops_the_timer_and_a_resume_sets_it_anew() {
    for message in [None, Some(4_u64)] {
        let (world, eid) = begun(Start::new("timed").input(&1_u64));
        let due = timers(&world)[0].due;
        world.block(world.engine.pause(eid, "wait", ada())).unwrap();
        world.run_all();
        assert!(timers(&world).is_empty());
        if let Some(value) = message {
            world.signal(eid, Signal::on("in").value(&value)).unwrap();
            world.run_all();
        }
        assert!(world.with_work().is_empty(), "absorbed and deleted");
        assert_eq!(world.status(eid), Status::Paused);
        world.block(world.engine.resume(eid, ada())).unwrap();
        world.run_all();
        if message.is_none() {
            assert_eq!(timers(&world)[0].due, due);
        }
        world.skip(HOUR);
        assert_eq!(world.result::<u64>(eid), Ok(message.unwrap_or(1_000)));
    }
}

#[test]
fn b20_a_message_that_was_absorbed_long_ago_is_known_from_a_segment() {
    let settings = Settings {
        tail: 900,
        ..Settings::default()
    };
    let world = World::with_settings(super::findings::app(), settings);
    world.memory.record();
    let eid = world.start(Start::new("timed").input(&8_u64).key("k")).eid;
    world.run_all();
    for n in 0..7_u64 {
        world.signal(eid, Signal::on("in").value(&n)).unwrap();
        world.run_all();
    }
    let rows = world.memory.recorded();
    let first = rows.iter().find(|(key, _)| {
        MailKey::parse(key).is_some_and(|mail| mail.mid.as_str().starts_with("2."))
    });
    let (key, body) = first.unwrap().clone();
    let head = world.head(eid);
    assert!(head.as_str().contains("/log/"), "something is sealed");
    // A late retry of its sender.
    let ports = world.engine.ports();
    let _ = world.block(ports.create(&key, body)).unwrap();
    assert_eq!(world.run(eid).unwrap(), Ended::Stale);
    assert_eq!(world.head(eid).as_str(), head.as_str());
    assert!(world.with_work().is_empty());
    world.signal(eid, Signal::on("in").value(&7_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(28));
}

#[test]
fn b21_a_sweep_brings_mail_that_is_older_than_an_lease_and_writes_nothing() {
    let world = World::new(super::findings::app());
    let eid = world.start(Start::new("timed").input(&0_u64).key("k")).eid;
    let sweeper = Sweeper::new(&world.engine);
    let sweep = || world.counted(|world| world.block(sweeper.pass()).unwrap());
    assert_eq!(sweep().0.stale_mail, 0);
    world.clock.advance(Duration::from_secs(31));
    let (swept, counts) = sweep();
    assert_eq!(swept.stale_mail, 1);
    assert_eq!((counts.writes, counts.deletes, counts.lists), (0, 0, 2));
    world.run_all();
    assert_eq!(world.status(eid), Status::Completed);
    world.clock.advance(Duration::from_secs(31));
    assert_eq!(sweep().0.stale_mail, 0);
}

#[test]
fn b23_a_renewal_reads_none_of_a_huge_mailbox_again() {
    let slow = Slow::default();
    let world = slow.world();
    let eid = world
        .start(Start::new("slow").input(&1_100_u64).key("s"))
        .eid;
    for _ in 0..1_100 {
        world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    }
    let causes = Causes {
        possible_duplicate: false,
        ..world.causes(eid)
    };
    let run = |world: &World| world.block(world.engine.run(eid, causes)).unwrap();
    let (ended, counts) = world.counted(run);
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(counts.reads, 1_101 + 1, "{counts:?}");
    assert!(
        counts.lists >= 5 + 4,
        "it was renewed four times: {counts:?}"
    );
    assert_eq!(world.result::<u64>(eid), Ok(1_101));
    assert!(world.with_work().is_empty());
}

#[test]
pub(super) fn b25_old_mail_makes_a_run_acquire_before_it_replays() {
    for (age, acquires) in [(0, false), (89, false), (91, true)] {
        let slow = Slow::default();
        let world = slow.world();
        let eid = world.start(Start::new("slow").input(&0_u64).key("s")).eid;
        world.clock.advance(Duration::from_secs(age));
        let dead = world.beside(slow.app(), "dead", 2);
        let write = Rule::new(Injection::LandedAndDied).on_writes();
        dead.faults.add(write.under("x/"));
        assert!(dead.run(eid).is_err());
        let execution = world.block(world.engine.execution(eid)).unwrap();
        let kinds = super::reported(&world, eid);
        let began = kinds.iter().any(|kind| kind.starts_with("frame.started"));
        assert_eq!(began, !acquires, "after {age} s: {kinds:?}");
        assert_eq!(execution.status, Status::Running);
        world.skip(HOUR);
        assert_eq!(world.result::<u64>(eid), Ok(1));
    }
}

#[test]
fn b26_one_feed_object_reports_all_that_happened_up_to_its_commit() {
    async fn announcing(ctx: Context, n: u64) -> Result<u64, Failed> {
        for at in 0..n {
            ctx.announce("word", &at)?;
        }
        Ok(n)
    }
    let world = World::new(App::new().workflow("announcing", "1", announcing));
    world.memory.record();
    let eid = world
        .start(Start::new("announcing").input(&3_u64).key("t"))
        .eid;
    world.run_all();
    let reported = announced(&world, eid);
    assert_eq!(reported.len(), 1, "{reported:?}");
    let count = |kind: &str| {
        reported[0]
            .1
            .iter()
            .filter(|reported| *reported == kind)
            .count()
    };
    assert_eq!(count("announce.word"), 3, "{reported:?}");
    assert_eq!(count("execution.started"), 1, "{reported:?}");
    assert_eq!(count("execution.completed"), 1, "{reported:?}");
}

#[test]
pub(super) fn b29_no_attempt_begins_when_its_barrier_took_longer_than_the_lease() {
    let slow = Slow::default();
    let world = slow.world();
    let eid = world.start(Start::new("slow").input(&0_u64).key("s")).eid;
    let delay = Rule::new(Injection::Delay(Duration::from_secs(31)));
    world.faults.add(delay.on_writes().under("x/"));
    assert_eq!(world.run(eid).unwrap(), Ended::Lost);
    assert_eq!(slow.begun(), 0, "its barrier may be another's by now");
    world.skip(HOUR);
    assert_eq!(world.result::<u64>(eid), Ok(1));
    assert_eq!(slow.begun(), 1);
}

#[test]
pub(super) fn i1_a_lease_whose_time_has_not_passed_is_left_alone() {
    let slow = Slow::default();
    let world = slow.world();
    let eid = world.start(Start::new("slow").input(&0_u64).key("s")).eid;
    let mut lease = pin!(world.engine.run(eid, world.causes(eid)));
    let other = world.beside(slow.app(), "other", 2);
    for _ in 0..40 {
        assert!(world.pool.run_until_stalled(lease.as_mut()).is_none());
        let before = world.memory.snapshot();
        let ended = other.run(eid).unwrap();
        assert!(matches!(ended, Ended::Held(_)), "{ended:?}");
        assert_eq!(world.memory.snapshot(), before);
        world.clock.advance(Duration::from_secs(1));
    }
    let ended = world.block(lease).unwrap();
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(slow.begun(), 1);
}

#[test]
pub(super) fn a6_recorded_instants_never_decrease_though_a_clock_does() {
    let (world, eid) = begun(Start::new("timed").input(&2_u64));
    world.clock.advance(Duration::from_secs(60));
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    world.run_all();
    let behind = ManualClock::new("2025-12-31T23:00:00Z".parse().unwrap());
    let other = world.beside(super::findings::app(), "behind", 2);
    let other = clocked(other, super::findings::app(), Arc::new(behind));
    world.signal(eid, Signal::on("in").value(&2_u64)).unwrap();
    other.run(eid).unwrap();
    assert_eq!(world.result::<u64>(eid), Ok(3));
    Stories::read(&world.memory).all[&eid].check();
}

#[test]
pub(super) fn a_timer_never_comes_before_its_deadline() {
    async fn nap(ctx: Context, nanos: u64) -> Result<(), Failed> {
        Ok(ctx.sleep(Duration::from_nanos(nanos)).await?)
    }
    for nanos in [1, 999, 1_000, 1_500_000_001] {
        let world = World::new(App::new().workflow("nap", "1", nap));
        let eid = world.start(Start::new("nap").input(&nanos)).eid;
        world.run(eid).unwrap();
        let wait = timers(&world)[0].due.duration_since(world.clock.now());
        world.clock.advance(wait.try_into().unwrap());
        let ended = world.run(eid).unwrap();
        assert_eq!(ended, Ended::Terminal(Status::Completed), "{nanos} ns");
    }
}

#[test]
fn b30_a_start_at_an_instant_commits_its_timer_and_suspends() {
    let slow = Slow::default();
    let world = slow.world();
    let at = "2026-01-01T10:00:00Z".parse().unwrap();
    let eid = world.start(Start::new("slow").input(&0_u64).at(at)).eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Suspended(Some(at)));
    assert_eq!(timers(&world)[0].due, at);
    world.skip(HOUR * 9);
    assert_eq!(slow.begun(), 0);
    world.skip(HOUR * 2);
    assert_eq!(world.result::<u64>(eid), Ok(1));
}

#[test]
pub(super) fn b31_a_word_to_the_feed_that_rides_with_a_renewal_is_in_its_outbox() {
    let slow = Slow::default();
    let world = slow.world();
    let eid = world.start(Start::new("slow").input(&0_u64).key("s")).eid;
    // It dies after its first renewal, before the feed object is written.
    let dead = world.beside(slow.app(), "dead", 2);
    let write = Rule::new(Injection::LandedAndDied).on_writes();
    dead.faults.add(write.under("x/").skip(1));
    assert!(dead.run(eid).is_err());
    assert!(announced(&world, eid).is_empty());
    let head = world.head(eid);
    assert!(head.as_str().contains("\"feed\"]"), "{}", head.as_str());
    // The next holder of the lease reports it first.
    world.clock.advance(Duration::from_secs(31));
    let next = world.beside(slow.app(), "next", 3);
    let write = Rule::new(Injection::Died).on_writes();
    next.faults.add(write.under("x/"));
    assert!(next.run(eid).is_err());
    let reported = announced(&world, eid);
    assert!(
        reported[0].1.contains(&"announce.begins".to_owned()),
        "{reported:?}"
    );
    world.skip(HOUR);
    assert_eq!(world.result::<u64>(eid), Ok(1));
}

#[test]
pub(super) fn b31_the_end_is_reported_though_an_earlier_message_is_still_in_flight() {
    // The final commit waits for what is undispatched: a feed object of before is not its own.
    let slow = Slow::default();
    let world = slow.world();
    let eid = world.start(Start::new("slow").input(&0_u64).key("s")).eid;
    let delay = Rule::new(Injection::Delay(Duration::from_secs(40)));
    world.faults.add(delay.on_writes().under("feed/"));
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
    let reported = announced(&world, eid);
    let ends = |(_, kinds): &(u64, Vec<String>)| kinds.contains(&"execution.completed".to_owned());
    assert!(reported.iter().any(ends), "{reported:?}");
}

#[test]
fn b33_a_timer_that_a_slow_settler_created_again_is_one_read_requests_run() {
    let world = World::new(super::findings::app());
    let eid = world.start(Start::new("timed").input(&2_u64).key("k")).eid;
    let held = Rule::new(Injection::Held).on_writes().under("timers/");
    world.faults.add(held);
    world.run_all();
    let first = timers(&world);
    world.clock.advance(Duration::from_secs(60));
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    world.run_all();
    let second = timers(&world);
    assert_ne!(first, second);
    world.block(world.faults.release()).unwrap();
    assert_eq!(timers(&world).len(), 2, "the first try came late");
    let before = world.head(eid);
    let wait = HOUR - Duration::from_secs(60);
    let ((), counts) = world.counted(|world| world.skip(wait));
    assert_eq!(timers(&world), second, "the stale one is gone");
    assert_eq!((counts.writes, counts.deletes), (0, 1), "{counts:?}");
    assert_eq!(world.head(eid).as_str(), before.as_str());
    world.skip(HOUR);
    assert_eq!(world.result::<u64>(eid), Ok(1_001));
}

#[test]
fn b34_the_start_of_another_queue_is_no_orphan() {
    let (world, _) = begun(Start::new("timed").input(&1_u64));
    let eid = world.start(Start::new("timed").input(&1_u64).key("x")).eid;
    let start = world.causes(eid).mail[0].clone();
    let stray = start.as_str().replace("mail/default/", "mail/slow/");
    let stray = Key::parse(&stray.replace("/0.start", "/0.slice")).unwrap();
    assert!(MailKey::parse(&stray).is_some());
    let start_of = MailKey::parse(&start).unwrap();
    let ports = world.engine.ports();
    world.block(async {
        ports.delete(&crate::keys::head(&eid)).await.unwrap();
        let written = ports.bucket.write(&stray, "{}".into(), Expect::Absent);
        assert!(matches!(written.await.unwrap(), Outcome::Landed(_)));
    });
    // Told of both at once, by the queue of the one that belongs to nobody: the head is made.
    let both = Causes {
        queue: "slow".parse().unwrap(),
        mail: vec![stray.clone(), start.clone()],
        timers: Vec::new(),
        deliveries: 0,
        possible_duplicate: false,
    };
    let run = |causes: &Causes| world.block(world.engine.run(eid, causes.clone())).unwrap();
    assert!(matches!(run(&both), Ended::Suspended(_)));
    assert_eq!(world.status(eid), Status::Suspended);

    // Nor is a second start without a hint: its queue is listed for the mail beside it.
    world.block(ports.delete(&crate::keys::head(&eid))).unwrap();
    let second = Start::new("timed").input(&1_u64).key("x").queue("slow");
    assert_eq!(world.start(second).eid, eid);
    world.block(ports.delete(&crate::keys::head(&eid))).unwrap();
    world.block(ports.delete(&stray)).unwrap();
    let beside = Causes {
        queue: start_of.queue,
        mail: vec![start, stray],
        ..both
    };
    let ended = run(&beside);
    assert!(matches!(ended, Ended::Suspended(_)), "{ended:?}");
    assert_eq!(world.status(eid), Status::Suspended);
}
