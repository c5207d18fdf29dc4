//! A head stays small, whatever an execution does (docs/protocol.md, The head; B28).

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;

use super::ledger::Ledger;
use super::story::Stories;
use super::{App, echo, keyed};
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::ports::Clock;
use crate::settings::Settings;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed, StepError};

async fn child(ctx: Context, text: String) -> Result<u64, Failed> {
    Ok(ctx.call("echo", echo, &(text.len() as u64)).await?)
}

/// `rounds` times `children` children at once, each with `bytes` of input.
async fn parent(ctx: Context, (rounds, children, bytes): (u64, u64, usize)) -> Result<u64, Failed> {
    let text = "x".repeat(bytes);
    let mut sum = 0;
    for _ in 0..rounds {
        let all = (0..children).map(|_| ctx.child_named::<u64>("child", &text));
        for value in join_all(all).await {
            sum += value?;
        }
    }
    Ok(sum)
}

/// `n` values of `bytes`, one after the other, behind an announcement (and a child's start).
async fn many(ctx: Context, (n, bytes, spawn): (u64, usize, bool)) -> Result<u64, Failed> {
    ctx.announce("begun", &n)?;
    if spawn {
        ctx.spawn_named("child", &"x").start()?;
    }
    for _ in 0..n {
        let step = ctx.step("text", move || async move {
            Ok::<_, StepError>("y".repeat(bytes))
        });
        step.await?;
    }
    Ok(n)
}

async fn receives(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<String>("in").await?.len() as u64;
    }
    Ok(sum)
}

fn world() -> World {
    let app = App::new()
        .workflow("child", "1", child)
        .workflow("parent", "1", parent)
        .workflow("receives", "1", receives)
        .workflow("many", "1", many);
    let world = World::new(app);
    world.memory.record();
    world
}

/// No head over 96 KiB, no more than a window of effects (and the timer and the feed).
fn assert_small(world: &World, what: &str) {
    let stories = Stories::read(&world.memory);
    for (eid, story) in &stories.all {
        story.check();
        let (bytes, outbox) = story.most();
        assert!(bytes <= 96 << 10, "{what}: {eid}: a head of {bytes} bytes");
        assert!(outbox <= 66, "{what}: {eid}: an outbox of {outbox}");
    }
}

#[test]
fn b28_i5_two_hundred_children_are_started_in_windows_and_received_in_few_runs() {
    for bytes in [1, 3_000] {
        let world = world();
        let input = (1_u64, 200_u64, bytes);
        let eid = world.start(Start::new("parent").key("p").input(&input)).eid;
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(200 * bytes as u64));
        assert_small(&world, &format!("{bytes} bytes each"));
        let stories = Stories::read(&world.memory);
        assert_eq!(stories.all.len(), 201);
    }
}

#[test]
fn a_parent_that_starts_many_children_again_and_again_is_no_crash_loop() {
    let world = world();
    let input = (8_u64, 70_u64, 1_usize);
    let eid = world.start(Start::new("parent").key("p").input(&input)).eid;
    world.run_all();
    assert_eq!(world.status(eid), Status::Completed);
    assert_small(&world, "eight rounds");
}

#[test]
fn an_announcement_that_waits_for_its_feed_object_does_not_keep_the_journal_in_the_head() {
    let world = world();
    let input = (60_u64, 8_000_usize, false);
    let eid = world.start(Start::new("many").key("m").input(&input)).eid;
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(60));
    assert_small(&world, "announced");
}

#[test]
pub(super) fn an_effect_that_a_slow_store_delays_does_not_keep_the_journal_in_the_head() {
    let world = world();
    let slow = Rule::new(Injection::Delay(Duration::from_secs(5)));
    world.faults.add(slow.on_writes().under("mail/").skip(1));
    let input = (60_u64, 8_000_usize, true);
    let eid = world.start(Start::new("many").key("m").input(&input)).eid;
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(60));
    assert_small(&world, "delayed");
}

#[test]
fn i3_a_full_mailbox_is_absorbed_in_commits_that_fit() {
    let world = world();
    let eid = world
        .start(Start::new("receives").key("h").input(&300_u64))
        .eid;
    assert_eq!(eid, keyed("h"));
    world.run_all();
    let text = "z".repeat(1_000);
    for n in 0..300 {
        let signal = Signal::on("in").key(n.to_string()).value(&text);
        world.signal(eid, signal).unwrap();
    }
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(300_000));
    assert_small(&world, "300 messages");
    assert!(world.with_work().is_empty());
}

/// A child, and a step that outlasts three renewals.
async fn beside(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    ctx.spawn_named("child", &"x").start()?;
    let step = ctx.step("slow", move || {
        let clock = Arc::clone(ledger.clock());
        async move {
            clock.sleep(Duration::from_secs(35)).await;
            Ok::<_, StepError>(1)
        }
    });
    Ok(step.await?)
}

#[test]
pub(super) fn b28_i6_a_child_whose_start_was_stuck_when_the_journal_was_sealed_is_started_later() {
    for tail in (300..1_500).step_by(40) {
        let ledger = Ledger::default();
        let app = || {
            let ledger = ledger.clone();
            App::new()
                .workflow("child", "1", child)
                .workflow("beside", "1", move |ctx, (): ()| {
                    beside(ctx, ledger.clone())
                })
        };
        let settings = Settings {
            tail,
            ..super::patient()
        };
        let world = World::with_settings(app(), settings);
        ledger.open(&world);
        let eid = world.start(Start::new("beside").key("b")).eid;
        {
            let dying = world.beside(app(), "dying", 2);
            let stuck = Rule::new(Injection::Delay(Duration::from_secs(600)));
            dying.faults.add(stuck.on_writes().under("mail/"));
            let mut running = pin!(dying.engine.run(eid, dying.causes(eid)));
            for _ in 0..25 {
                assert!(dying.pool.run_until_stalled(running.as_mut()).is_none());
                world.clock.advance(Duration::from_secs(1));
            }
        }
        world.clock.advance(Duration::from_secs(60));
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(1), "tail={tail}");
        let name = crate::domain::FrameName::parse("child").unwrap();
        let child = eid.child(0, &crate::FrameId::root().nth(&name, 0));
        assert_eq!(world.result::<u64>(child), Ok(1), "tail={tail}");
    }
}
