//! The interleavings that rules A1 to A16 forbid (docs/protocol.md, Labels), about
//! what leaves an execution, and what finds out that it has: one test each.

use std::time::Duration;

use futures::future::join;

use super::findings::{HOUR, begun, timers};
use super::story::Stories;
use super::{App, Ended, keyed, neighbour, sequential};
use crate::client::{Signal, Start};
use crate::domain::{ExecutionId, FrameName, MessageId, Status};
use crate::keys::Prefix;
use crate::ports::Clock;
use crate::testing::{Injection, Rule, Verb, World};
use crate::{Context, Failed, FrameId, OnClose};

/// A message or an instant; a message; then the same instant again.
async fn twice(ctx: Context, _: ()) -> Result<u64, Failed> {
    let end = "2026-01-01T01:00:00Z".parse()?;
    let first = {
        let (mut message, mut sleep) = (ctx.receive::<u64>("in"), ctx.sleep_until(end));
        crate::select! {
            received = message => received?,
            slept = sleep => { slept?; 1_000 }
        }
    };
    let second = ctx.receive::<u64>("in").await?;
    ctx.sleep_until(end).await?;
    Ok(first + second)
}

/// A text of so many bytes.
async fn text(_: Context, bytes: usize) -> Result<String, Failed> {
    Ok("x".repeat(bytes))
}

/// Asks a child for a text.
async fn asks(ctx: Context, bytes: usize) -> Result<usize, Failed> {
    let text = ctx.child_named::<String>("text", &bytes).await?;
    Ok(text.len())
}

async fn receives(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

/// Starts a child and sends it a message, at once.
async fn sends(ctx: Context, _: ()) -> Result<u64, Failed> {
    let child = ctx.spawn_named("receives", &()).start()?;
    ctx.send(child, "in", &4_u64)?;
    Ok(0)
}

/// Starts a child, and ends without it in the same breath.
async fn leaves(ctx: Context, _: ()) -> Result<u64, Failed> {
    let child = ctx.child_named::<String>("text", &2_usize);
    let mut child = child.on_close(OnClose::Abandon);
    crate::select! {
        text = child => Ok(text?.len() as u64),
        () = futures::future::ready(()) => Ok(5),
    }
}

fn app() -> App {
    App::new()
        .workflow("twice", "1", twice)
        .workflow("text", "1", text)
        .workflow("asks", "1", asks)
        .workflow("receives", "1", receives)
        .workflow("sends", "1", sends)
        .workflow("leaves", "1", leaves)
        .workflow("sequential", "1", sequential)
}

fn world() -> World {
    let world = World::with_settings(app(), super::patient());
    world.memory.record();
    world
}

/// The first child of `parent`, of a workflow called `name`.
fn child(parent: ExecutionId, name: &str) -> ExecutionId {
    parent.child(0, &FrameId::root().nth(&FrameName::parse(name).unwrap(), 0))
}

#[test]
pub(super) fn a3_a_message_does_not_overtake_the_start_of_the_child_it_is_for() {
    let world = world();
    let eid = world.start(Start::new("sends").key("t")).eid;
    let slow = Rule::new(Injection::Delay(Duration::from_secs(5)));
    world.faults.add(slow.on_writes().under("mail/"));
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(0));
    assert_eq!(world.result::<u64>(child(eid, "receives")), Ok(4));
}

#[test]
pub(super) fn a5_a_timer_of_the_same_instant_set_again_survives_a_slow_deleter() {
    let world = world();
    let eid = world.start(Start::new("twice").key("t")).eid;
    world.run_all();
    let first = timers(&world);
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    // It has let go of the instant, and is slow to delete its timer.
    let slow = neighbour(&world, app, 2);
    let delay = Rule::new(Injection::Delay(Duration::from_secs(60)));
    slow.faults.add(delay.on(Verb::Delete).under("timers/"));
    let others = async {
        world.clock.sleep(Duration::from_secs(1)).await;
        let message = Signal::on("in").value(&2_u64);
        world.engine.signal(eid, message).await.unwrap();
        world.engine.run(eid, world.causes(eid)).await.unwrap();
    };
    let (ended, ()) = world.block(join(slow.engine.run(eid, world.causes(eid)), others));
    ended.unwrap();
    let again = timers(&world);
    assert_eq!(again.len(), 1, "the second timer is there");
    assert_eq!(again[0].due, first[0].due);
    world.skip(HOUR * 2);
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

#[test]
pub(super) fn a6_a_timer_whose_deadline_is_unchanged_is_kept_by_other_runs() {
    async fn both(ctx: Context, _: ()) -> Result<u64, Failed> {
        let (slept, received) = futures::join!(ctx.sleep(HOUR), ctx.receive::<u64>("in"));
        slept?;
        Ok(received?)
    }
    let world = World::new(App::new().workflow("both", "1", both));
    let eid = world.start(Start::new("both")).eid;
    world.run_all();
    let set = timers(&world);
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    world.run_all();
    assert_eq!(timers(&world), set);
    world.skip(HOUR);
    assert_eq!(world.result::<u64>(eid), Ok(4));
}

#[test]
pub(super) fn a8_a_child_that_ends_after_its_parent_wakes_it_once() {
    let world = world();
    let eid = world.start(Start::new("leaves").key("l")).eid;
    let mut runs = 0;
    while let Some(work) = world.with_work().last().copied() {
        let _ended = world.run(work).unwrap();
        runs += 1;
        assert!(runs < 20, "they never come to rest");
    }
    assert_eq!(world.result::<u64>(eid), Ok(5));
    let left = child(eid, "text");
    assert_eq!(world.result::<String>(left), Ok("xx".to_owned()));
}

#[test]
pub(super) fn i7_a_message_that_comes_after_the_end_changes_nothing() {
    let (world, eid) = begun(Start::new("timed").input(&1_u64));
    let slow = neighbour(&world, super::findings::app, 2);
    let delay = Rule::new(Injection::Delay(Duration::from_secs(9)));
    slow.faults.add(delay.on_writes().under("mail/"));
    let others = async {
        world.clock.sleep(Duration::from_secs(1)).await;
        let message = Signal::on("in").value(&4_u64);
        world.engine.signal(eid, message).await.unwrap();
        world.engine.run(eid, world.causes(eid)).await.unwrap();
    };
    let late = slow.engine.signal(eid, Signal::on("in").value(&5_u64));
    let (sent, ()) = world.block(join(late, others));
    sent.unwrap();
    let before = world.head(eid);
    assert!(!world.with_work().is_empty());
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.head(eid).as_str(), before.as_str());
    assert!(world.with_work().is_empty());
}

#[test]
pub(super) fn a12_a_large_result_does_not_depend_on_its_senders_prefix() {
    let world = world();
    let eid = world
        .start(Start::new("asks").input(&40_000_usize).key("a"))
        .eid;
    world.run(eid).unwrap();
    let child = child(eid, "text");
    assert_eq!(
        world.run(child).unwrap(),
        Ended::Terminal(Status::Completed)
    );
    // The child's own objects go before its parent looks.
    let blobs = Prefix::parse(&format!("x/{}/{child}/blob/", child.shard())).unwrap();
    let rows = world.memory.snapshot();
    let blobs: Vec<_> = rows
        .iter()
        .filter(|(key, _)| key.is_under(&blobs))
        .collect();
    assert_eq!(blobs.len(), 1);
    for (key, _) in blobs {
        world.block(world.engine.ports().delete(key)).unwrap();
    }
    world.run_all();
    assert_eq!(world.result::<usize>(eid), Ok(40_000));
}

#[test]
pub(super) fn a15_the_feed_reports_the_end_of_a_child_only_after_its_result_was_sent() {
    for n in 0..8 {
        let world = world();
        let eid = world.start(Start::new("asks").input(&3_usize).key("a")).eid;
        world.run(eid).unwrap();
        let child = child(eid, "text");
        let dies = world.beside(app(), "dies", 2);
        let write = Rule::new(Injection::LandedAndDied).on_writes();
        dies.faults.add(write.skip(n));
        let _ = dies.run(child);
        let stories = Stories::read(&world.memory);
        let reported = stories.all[&child].reported.iter();
        let ends = reported.filter(|(reported, _)| reported.status == Status::Completed);
        let mid = MessageId::result(&child, 0);
        let sent = stories.mails.get(&(eid, mid));
        for (_, at) in ends {
            assert!(sent.is_some_and(|sent| sent < at), "died after write {n}");
        }
        world.skip(HOUR);
        assert_eq!(world.result::<usize>(eid), Ok(3), "died after write {n}");
    }
}

#[test]
pub(super) fn a16_a_first_try_that_lands_after_the_second_was_sent_is_the_runs_own() {
    for n in 0..4 {
        let world = world();
        let eid = world
            .start(Start::new("sequential").input(&3_u64).key("s"))
            .eid;
        let write = |injection| Rule::new(injection).on_writes().under("x/").skip(n);
        world.faults.add(write(Injection::Held));
        world
            .faults
            .add(write(Injection::Delay(Duration::from_secs(9))));
        let late = async {
            world.clock.sleep(Duration::from_secs(5)).await;
            world.faults.release().await.unwrap();
        };
        let (ended, ()) = world.block(join(world.engine.run(eid, world.causes(eid)), late));
        let end = Ended::Terminal(Status::Completed);
        assert_eq!(ended.unwrap(), end, "commit {n}");
        assert_eq!(world.result::<u64>(eid), Ok(3));
        Stories::read(&world.memory).all[&eid].check();
    }
}

#[test]
pub(super) fn a16_a_commit_of_another_process_is_not_taken_for_the_runs_own() {
    // The write is lost on its way, another one comes first, and the reply never comes.
    let (world, eid) = begun(Start::new("timed").input(&2_u64));
    assert_eq!(eid, keyed("k"));
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    let slow = neighbour(&world, super::findings::app, 2);
    let write = Rule::new(Injection::Held).on_writes().under("x/");
    slow.faults.add(write);
    let delay = Rule::new(Injection::Delay(Duration::from_secs(9)));
    slow.faults.add(delay.on(Verb::Read).under("x/").skip(1));
    let others = async {
        world.clock.sleep(Duration::from_secs(1)).await;
        let other = Signal::on("in").value(&5_u64);
        world.engine.signal(eid, other).await.unwrap();
        world.engine.run(eid, world.causes(eid)).await.unwrap();
    };
    let (ended, ()) = world.block(join(slow.engine.run(eid, world.causes(eid)), others));
    assert_eq!(ended.unwrap(), Ended::Lost);
    world.block(slow.faults.release()).unwrap();
    assert_eq!(world.result::<u64>(eid), Ok(9));
    Stories::read(&world.memory).all[&eid].check();
}
