//! The interleavings that rules A1 to A16 forbid (docs/protocol.md, Labels), one test each.

use std::time::Duration;

use futures::future::join;

use super::story::Stories;
use super::{App, Ended, keyed, neighbour, sequential};
use crate::client::{Signal, Start};
use crate::domain::{ExecutionId, Queue, Status};
use crate::keys::TimerKey;
use crate::ports::Clock;
use crate::run::{Causes, RunError};
use crate::testing::{Injection, Rule, Verb, World};
use crate::{Context, Failed, OnClose};

pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// Sleeps an hour, then a child and a message at once.
async fn late_child(ctx: Context, _: ()) -> Result<u64, Failed> {
    ctx.sleep(HOUR).await?;
    let child = ctx.child_named::<u64>("sequential", &3_u64);
    let (child, message) = futures::join!(child, ctx.receive::<u64>("in"));
    Ok(child? + message?)
}

/// Sleeps an hour, then two steps.
async fn late_steps(ctx: Context, _: ()) -> Result<u64, Failed> {
    ctx.sleep(HOUR).await?;
    sequential(ctx, 2).await
}

/// A message, an hour at most; again and again.
async fn timed(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        let until = ctx.receive::<u64>("in").timeout(HOUR);
        sum += until.await?.unwrap_or(1_000);
    }
    Ok(sum)
}

/// Lets go of a child that goes on.
async fn lets_go(ctx: Context, _: ()) -> Result<u64, Failed> {
    let child = ctx.child_named::<u64>("sequential", &2_u64);
    let mut child = child.on_close(OnClose::Abandon);
    crate::select! {
        value = child => Ok(value?),
        slept = ctx.sleep(Duration::from_nanos(1)) => { slept?; Ok(5) }
    }
}

pub(super) fn app() -> App {
    App::new()
        .workflow("late_child", "1", late_child)
        .workflow("late_steps", "1", late_steps)
        .workflow("timed", "1", timed)
        .workflow("lets_go", "1", lets_go)
        .workflow("sequential", "1", sequential)
}

/// Started under its own name, run until it rests.
pub(super) fn begun(start: Start) -> (World, ExecutionId) {
    let world = World::with_settings(app(), super::patient());
    world.memory.record();
    let eid = world.start(start.key("k")).eid;
    world.run_all();
    (world, eid)
}

pub(super) fn timers(world: &World) -> Vec<TimerKey> {
    let rows = world.memory.snapshot();
    rows.iter()
        .filter_map(|(key, _)| TimerKey::parse(key))
        .collect()
}

/// A process that dies after its `n`th write of a head, counted from 0.
fn dies_at(world: &World, n: u64, seed: u64) -> World {
    let process = world.beside(app(), &format!("dies{seed}"), seed);
    let dies = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
    process.faults.add(dies.skip(n));
    process
}

fn no_causes() -> Causes {
    Causes {
        queue: Queue::default(),
        mail: Vec::new(),
        timers: Vec::new(),
        deliveries: 0,
        possible_duplicate: false,
    }
}

#[test]
pub(super) fn a1_the_timer_that_woke_a_run_stays_while_a_lease_is_set() {
    let (world, eid) = begun(Start::new("late_steps"));
    world.clock.advance(HOUR);
    for n in 0..2 {
        let dead = dies_at(&world, n, 20 + n);
        assert!(dead.run(eid).is_err());
        assert_eq!(timers(&world).len(), 1, "died after head write {n}");
        world.clock.advance(Duration::from_secs(31));
    }
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
    assert!(timers(&world).is_empty());
}

#[test]
pub(super) fn a2_what_a_timer_run_committed_and_did_not_dispatch_is_dispatched_by_a_message_run() {
    let (world, eid) = begun(Start::new("late_child"));
    world.clock.advance(HOUR);
    assert!(dies_at(&world, 0, 20).run(eid).is_err());
    assert_eq!(
        world.status(eid),
        Status::Suspended,
        "the final commit landed"
    );
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    let mut causes = world.causes(eid);
    causes.timers.clear();
    world.block(world.engine.run(eid, causes)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
pub(super) fn a2_a_stale_timer_that_is_gone_does_not_hide_the_one_that_covers_an_outbox() {
    // A take-over is woken by a hint of a timer that was served long ago. The timer that
    // covers the outbox is the one in the head.
    let (world, eid) = begun(Start::new("late_child"));
    let stale = crate::keys::timer(world.clock.now(), &Queue::default(), &eid, 99);
    world.clock.advance(HOUR);
    // A lease holder that dies right after it acquired, on its way to the timer's work.
    let mut causes = world.causes(eid);
    causes.deliveries = 9;
    let dead = dies_at(&world, 0, 20);
    assert!(dead.block(dead.engine.run(eid, causes)).is_err());
    assert!(world.head(eid).as_str().contains("\"lease\":{"));
    world.clock.advance(Duration::from_secs(31));
    // The take-over acquires (B25), commits the child's start, and dies before it dispatches.
    let dead = dies_at(&world, 1, 21);
    let hint = Causes {
        timers: vec![stale],
        ..no_causes()
    };
    assert!(dead.block(dead.engine.run(eid, hint)).is_err());
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    let mut causes = world.causes(eid);
    causes.timers.clear();
    world.block(world.engine.run(eid, causes)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
pub(super) fn a3_mail_of_a_live_execution_is_no_orphan_to_a_slow_run_that_saw_no_head() {
    let world = World::with_settings(app(), super::patient());
    let starter = world.beside(app(), "starter", 8);
    starter
        .faults
        .add(Rule::new(Injection::Died).under("x/").on_writes());
    let start = Start::new("timed").input(&2_u64).key("k");
    assert!(starter.block(starter.engine.start(start)).is_err());
    let eid = keyed("k");
    let slow = neighbour(&world, app, 2);
    slow.faults
        .add(Rule::new(Injection::Delay(Duration::from_secs(60))).on(Verb::List));
    let others = async {
        world.clock.sleep(Duration::from_secs(1)).await;
        world.engine.run(eid, world.causes(eid)).await.unwrap();
        let message = Signal::on("in").value(&4_u64);
        world.engine.signal(eid, message).await.unwrap();
    };
    let (ended, ()) = world.block(join(slow.engine.run(eid, world.causes(eid)), others));
    assert!(
        matches!(ended.unwrap(), Ended::Suspended(_)),
        "it started over"
    );
    world.signal(eid, Signal::on("in").value(&6_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
}

#[test]
pub(super) fn a3_mail_and_timers_of_a_lost_head_stay_and_are_a_finding() {
    let (world, eid) = begun(Start::new("timed").input(&1_u64));
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    world
        .block(world.engine.ports().delete(&crate::keys::head(&eid)))
        .unwrap();
    world.clock.advance(HOUR);
    let before = world.memory.snapshot();
    assert_eq!(world.run(eid).unwrap(), Ended::Orphan);
    assert_eq!(world.memory.snapshot(), before);
    let head = crate::keys::head(&eid);
    for (key, _) in before {
        if key.as_str().starts_with("feed/") {
            world.block(world.engine.ports().delete(&key)).unwrap();
        }
    }
    let audit = world.block(world.engine.audit()).unwrap();
    let found = audit.findings;
    assert!(
        matches!(&found[..], [crate::client::Finding::Corrupt { key, .. }] if *key == head),
        "{found:?}"
    );
}

#[test]
pub(super) fn a4_a_run_without_a_fresh_cause_commits_nothing() {
    let world = World::with_settings(app(), super::patient());
    let eid = world.start(Start::new("timed").input(&1_u64).key("k")).eid;
    let start = world.causes(eid);
    let dead = world.beside(app(), "dead", 2);
    dead.faults.add(Rule::new(Injection::Died).on(Verb::Delete));
    assert!(dead.run(eid).is_err());
    world.clock.advance(HOUR * 2);
    let before = world.head(eid);
    // Dispatched for `start`; by its clock the deadline has passed.
    let ended = world.block(world.engine.run(eid, start)).unwrap();
    assert_eq!(ended, Ended::Stale);
    assert_eq!(world.head(eid).as_str(), before.as_str());
    assert_eq!(timers(&world).len(), 1, "the timer is still to be served");
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1_000));
}

#[test]
pub(super) fn a5_a_slow_settler_does_not_touch_the_timer_of_a_later_commit() {
    let (world, eid) = begun(Start::new("timed").input(&3_u64));
    let first = timers(&world);
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    let slow = neighbour(&world, app, 2);
    slow.faults
        .add(Rule::new(Injection::Delay(Duration::from_secs(60))).on(Verb::Delete));
    let others = async {
        world.clock.sleep(Duration::from_secs(1)).await;
        let message = Signal::on("in").value(&2_u64);
        world.engine.signal(eid, message).await.unwrap();
        world.engine.run(eid, world.causes(eid)).await.unwrap();
    };
    let (ended, ()) = world.block(join(slow.engine.run(eid, world.causes(eid)), others));
    ended.unwrap();
    let now = timers(&world);
    assert_eq!(now.len(), 1);
    assert_ne!(now, first);
    let named = world.block(world.engine.execution(eid)).unwrap().timer;
    assert_eq!(named, Some(now[0].due), "what the head names is there");
    world.skip(HOUR * 2);
    assert_eq!(world.result::<u64>(eid), Ok(1_003));
}

#[test]
pub(super) fn a7_a_stale_writers_segment_replaces_nothing() {
    let world = World::with_settings(
        app(),
        crate::settings::Settings {
            tail: 900,
            ..crate::settings::Settings::default()
        },
    );
    world.memory.record();
    let eid = world
        .start(Start::new("sequential").input(&12_u64).key("k"))
        .eid;
    for n in 0..8 {
        let dead = world.beside(app(), &format!("d{n}"), 30 + n);
        let log = format!("x/{}/{eid}/log/", eid.shard());
        dead.faults
            .add(Rule::new(Injection::Held).under(log.clone()).skip(n % 2));
        dead.faults.add(
            Rule::new(Injection::Died)
                .on_writes()
                .under(log)
                .skip(1 + n % 2),
        );
        let _ = dead.run(eid);
        world.clock.advance(Duration::from_secs(31));
        world.run_all();
        world.block(dead.faults.release()).unwrap();
    }
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(66));
    Stories::read(&world.memory).all[&eid].check();
    let whole = world.block(world.engine.journal(eid, 0, 999)).unwrap();
    assert!(whole.commits.len() > 12);
}

#[test]
fn a8_two_finished_executions_do_not_wake_each_other() {
    let world = World::with_settings(app(), super::patient());
    let eid = world.start(Start::new("lets_go").key("k")).eid;
    // The parent ends and dies before it dispatches: twice, at each of its commits.
    for seed in 0..3 {
        let _ = dies_at(&world, 0, 40 + seed).run(eid);
        world.clock.advance(Duration::from_secs(31));
    }
    world.skip(HOUR);
    assert!(world.with_work().is_empty());
    let name = crate::domain::FrameName::parse("sequential").unwrap();
    let child = eid.child(0, &crate::FrameId::root().nth(&name, 0));
    assert_eq!(world.result::<u64>(child), Ok(1));
    let ((), counts) = world.counted(|world| world.skip(HOUR * 1_000));
    assert_eq!(
        counts.write_requests() + counts.read_requests() + counts.deletes,
        0,
        "nothing moves any more"
    );
    // A late try of its start mail is a cheap run: the last outbox once more, and rest.
    let mid = crate::domain::MessageId::start();
    let late = crate::keys::mail(&Queue::default(), &child, &mid);
    let ports = world.engine.ports();
    let _ = world.block(ports.create(&late, "{}".into())).unwrap();
    let ((), counts) = world.counted(World::run_all);
    assert!(counts.writes <= 3, "{counts:?}");
    assert!(world.with_work().is_empty());
}

#[test]
pub(super) fn a16_an_unknown_commit_whose_expected_version_is_still_there_is_written_again() {
    for n in 0..6 {
        let (world, _) = begun(Start::new("timed").input(&0_u64));
        let eid = world.start(Start::new("sequential").input(&3_u64)).eid;
        let held = Rule::new(Injection::Held).on_writes().under("x/");
        world.faults.add(held.skip(n));
        let ended = world.run(eid).unwrap();
        assert_eq!(ended, Ended::Terminal(Status::Completed), "commit {n}");
        let before = world.head(eid);
        world.block(world.faults.release()).unwrap();
        assert_eq!(world.head(eid).as_str(), before.as_str(), "it came twice");
        assert_eq!(world.result::<u64>(eid), Ok(3));
        Stories::read(&world.memory).all[&eid].check();
    }
}

#[test]
pub(super) fn a16_a_commit_of_unknown_injection_ends_the_run_without_another_write() {
    let (world, eid) = begun(Start::new("timed").input(&1_u64));
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    let writer = world.beside(app(), "writer", 2);
    writer.faults.add(
        Rule::new(Injection::LandedReplyLost)
            .on_writes()
            .under("x/"),
    );
    writer.faults.add(
        Rule::new(Injection::NotSent)
            .on(Verb::Read)
            .under("x/")
            .skip(1)
            .always(),
    );
    let written = world.memory.recorded().len();
    let error = writer.run(eid).unwrap_err();
    assert!(matches!(
        error,
        RunError::Commit(crate::journal::CommitError::Unknown { .. })
    ));
    assert_eq!(world.memory.recorded().len(), written + 1);
    assert!(!world.with_work().is_empty(), "its cause stays");
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(4));
    assert!(world.with_work().is_empty());
}
