//! Workflows that continue as new: what the next generation has of the one before (A28 to A30).

use std::time::Duration;

use bytes::Bytes;
use futures::future::{Either, select};

use super::inbox::{SECOND, ada, run, send};
use super::ledger::Ledger;
use super::{App, Ended, entries, keyed, patient};
use crate::client::{Signal, Start};
use crate::domain::{Body, Entry, ExecutionId, MessageId, Status};
use crate::keys::{Key, MailKey};
use crate::ports::Clock as _;
use crate::settings::Settings;
use crate::testing::World;
use crate::{Attempt, Context, Failed, OnClose, StepError};

/// Continues after each message; ends with 0. The input is the sum, and the values.
async fn counter(ctx: Context, (sum, all): (u64, Vec<u64>)) -> Result<(u64, Vec<u64>), Failed> {
    match ctx.receive::<u64>("in").await? {
        0 => Ok((sum, all)),
        n => {
            let all: Vec<u64> = all.into_iter().chain([n]).collect();
            ctx.continue_as_new(&(sum + n, all))
        }
    }
}

/// The same without a list: an input that does not grow.
async fn totals(ctx: Context, (sum, count): (u64, u64)) -> Result<(u64, u64), Failed> {
    match ctx.receive::<u64>("in").await? {
        0 => Ok((sum, count)),
        n => ctx.continue_as_new(&(sum + n, count + 1)),
    }
}

/// The same, and in the end the sum of 40 messages on another channel.
async fn hoards(ctx: Context, sum: u64) -> Result<u64, Failed> {
    match ctx.receive::<u64>("in").await? {
        0 => {
            let mut other = 0;
            for _ in 0..40 {
                other += ctx.receive::<u64>("other").await?;
            }
            Ok(1_000 * sum + other)
        }
        n => ctx.continue_as_new(&(sum + n)),
    }
}

/// Each generation runs a step of the same name; `n` of them. The value of each is another.
async fn steps(ctx: Context, ledger: Ledger, (n, sum): (u64, u64)) -> Result<u64, Failed> {
    let step = ctx.step("work", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            Ok::<_, StepError>(n)
        }
    });
    let sum = sum + step.await?;
    match n {
        1 => Ok(sum),
        _ => ctx.continue_as_new(&(n - 1, sum)),
    }
}

/// A step of 20 seconds loses a race against a message; the next generation's step of the same name
/// gives another value.
async fn races(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let step = ctx.step("work", move |_: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.clock().sleep(Duration::from_secs(20 + n)).await;
            Ok::<_, StepError>(n)
        }
    });
    match select(ctx.receive::<u64>("in"), step).await {
        Either::Left((received, _)) => {
            let next = n + received?;
            ctx.continue_as_new(&next)
        }
        Either::Right((worked, _)) => Ok(worked?),
    }
}

/// Starts two children, one of each policy, and continues; then ends with the result of a third.
async fn parent(ctx: Context, n: u64) -> Result<String, Failed> {
    if n == 0 {
        let cancelled = ctx.spawn_named("waits", &()).on_close(OnClose::Cancel);
        let cancelled = cancelled.start()?;
        let left = ctx.spawn_named("waits", &()).on_close(OnClose::Abandon);
        let left = left.start()?;
        ctx.receive::<u64>("in").await?;
        return ctx
            .continue_as_new(&1_u64)
            .map(|()| format!("{cancelled} {left}"));
    }
    let child = ctx.child_named::<u64>("counts", &3_u64).await?;
    Ok(format!("{child} in {}", ctx.generation()))
}

async fn waits(ctx: Context, (): ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("never").await?)
}

/// Continues `n` times, each time after a recorded sleep.
async fn counts(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.sleep(SECOND).await?;
    match n {
        0 => Ok(7),
        _ => ctx.continue_as_new(&(n - 1)),
    }
}

/// Never consumes anything.
async fn endless(ctx: Context, n: u64) -> Result<u64, Failed> {
    let _ = ctx.now();
    ctx.continue_as_new(&(n + 1))
}

/// Asks to continue, and returns something else.
async fn swallows(ctx: Context, n: u64) -> Result<u64, Failed> {
    let asked: Result<u64, Failed> = ctx.continue_as_new(&(n + 1));
    Ok(asked.unwrap_or(n))
}

fn app(ledger: &Ledger) -> App {
    let (a, b) = (ledger.clone(), ledger.clone());
    App::new()
        .workflow("counter", "1", counter)
        .workflow("totals", "1", totals)
        .workflow("hoards", "1", hoards)
        .workflow("steps", "1", move |ctx, n| steps(ctx, a.clone(), n))
        .workflow("races", "1", move |ctx, n| races(ctx, b.clone(), n))
        .workflow("parent", "1", parent)
        .workflow("waits", "1", waits)
        .workflow("counts", "1", counts)
        .workflow("endless", "1", endless)
        .workflow("swallows", "1", swallows)
}

fn with(settings: Settings) -> (World, Ledger) {
    let ledger = Ledger::default();
    let world = World::with_settings(app(&ledger), settings);
    ledger.open(&world);
    (world, ledger)
}

/// Tails of a few commits, so that segments are put aside soon.
fn small() -> Settings {
    Settings {
        tail: 2_000,
        segment: 2_000,
        ..patient()
    }
}

fn counter_at(world: &World) -> ExecutionId {
    let none: (u64, Vec<u64>) = (0, Vec::new());
    world
        .start(Start::new("counter").key("counter").input(&none))
        .eid
}

fn say(world: &World, eid: ExecutionId, n: u64) {
    world.clock.advance(Duration::from_millis(1));
    world.signal(eid, Signal::on("in").value(&n)).unwrap();
}

/// The messages of a mailbox, to be delivered once more.
fn copies(world: &World) -> Vec<(Key, Bytes)> {
    let rows = world.memory.snapshot().into_iter();
    let message =
        |key: &Key| MailKey::parse(key).is_some_and(|mail| mail.mid.as_str().starts_with('2'));
    rows.filter(|(key, _)| message(key)).collect()
}

fn again(world: &World, copies: &[(Key, Bytes)]) {
    for (key, body) in copies {
        let _ = world.block(world.engine.ports().create(key, body.clone()));
    }
}

fn generation(world: &World, eid: ExecutionId) -> u64 {
    let head: serde_json::Value = world.head(eid).get().unwrap();
    head["generation"].as_u64().unwrap_or(0)
}

fn continued(world: &World, eid: ExecutionId) -> usize {
    let all = entries(world, eid);
    let count = |entry: &&Entry| matches!(entry, Entry::Continued { .. });
    all.iter().filter(count).count()
}

#[test]
fn an_execution_continues_after_each_message_and_keeps_its_id() {
    let (world, _) = with(patient());
    let eid = counter_at(&world);
    for n in [1, 2, 3, 0] {
        say(&world, eid, n);
        world.run_all();
    }
    assert_eq!(world.result(eid), Ok((6_u64, vec![1_u64, 2, 3])));
    assert_eq!(continued(&world, eid), 3);
    assert_eq!(generation(&world, eid), 3);
}

#[test]
fn a29_messages_of_one_batch_reach_the_generations_that_follow() {
    let (world, _) = with(patient());
    let eid = counter_at(&world);
    (1..=5).for_each(|n| say(&world, eid, n));
    say(&world, eid, 0);
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(world.result(eid), Ok((15_u64, vec![1_u64, 2, 3, 4, 5])));
    assert_eq!(
        counts.writes, 2,
        "five continuations are part of one commit; the feed object"
    );
}

#[test]
fn a29_unread_messages_are_carried_over_again_and_again() {
    let (world, _) = with(small());
    let eid = world.start(Start::new("hoards").input(&0_u64)).eid;
    // 40 messages of which no generation reads one, sealed in segments that stay.
    send(&world, eid, "other", 40);
    world.run_all();
    for n in 1..=60 {
        say(&world, eid, n);
        world.run_all();
    }
    let unread = world.block(world.engine.unread(eid)).unwrap();
    assert_eq!(unread.len(), 40);
    say(&world, eid, 0);
    world.run_all();
    assert_eq!(world.result(eid), Ok(1_000 * 60 * 61 / 2 + 40_u64));
}

#[test]
fn a29_a_cancel_behind_the_return_reaches_the_next_generation() {
    let (world, _) = with(patient());
    let eid = counter_at(&world);
    world.run_all();
    say(&world, eid, 1);
    world.clock.advance(SECOND);
    world
        .block(world.engine.cancel(eid, "enough", ada()))
        .unwrap();
    world.run_all();
    let outcome = world.outcome(eid);
    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.value.unwrap_err().message, "enough");
    assert_eq!(continued(&world, eid), 1);
}

#[test]
fn a29_a_pause_behind_the_return_stays_in_force() {
    let (world, _) = with(patient());
    let eid = counter_at(&world);
    world.run_all();
    say(&world, eid, 1);
    say(&world, eid, 2);
    world.clock.advance(SECOND);
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    let (ended, _) = run(&world, eid);
    assert_eq!(ended, Ended::Parked(Status::Paused));
    world.block(world.engine.resume(eid, ada())).unwrap();
    say(&world, eid, 0);
    world.run_all();
    assert_eq!(world.result(eid), Ok((3_u64, vec![1_u64, 2])));
}

#[test]
fn a29_a_terminate_wins_over_the_continuation() {
    let (world, _) = with(patient());
    let eid = counter_at(&world);
    world.run_all();
    say(&world, eid, 1);
    world.clock.advance(SECOND);
    world
        .block(world.engine.terminate(eid, "at once", ada()))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Terminated);
}

#[test]
fn a28_a_copy_of_a_message_of_an_earlier_part_is_not_delivered_after_a_week() {
    let (world, _) = with(small());
    let eid = counter_at(&world);
    let mut all = Vec::new();
    for n in 1..=50 {
        say(&world, eid, n);
        all.extend(copies(&world));
        world.run_all();
        // Some copies come soon, some later.
        again(&world, &all[all.len().saturating_sub(3)..]);
        world.run_all();
    }
    for days in [0, 1, 7, 30] {
        world.clock.advance(days * 24 * 3600 * SECOND);
        again(&world, &all);
        world.run_all();
        assert!(copies(&world).is_empty(), "a copy is deleted");
    }
    say(&world, eid, 0);
    again(&world, &all);
    world.run_all();
    let (sum, values): (u64, Vec<u64>) = world.result(eid).unwrap();
    assert_eq!(values, (1..=50).collect::<Vec<_>>());
    assert_eq!(sum, 50 * 51 / 2);
}

#[test]
fn a28_a_copy_is_looked_up_at_the_price_of_the_segments_back_to_its_day() {
    let mut settings = small();
    settings.max_seen = 4;
    let (world, _) = with(settings);
    let eid = world.start(Start::new("totals").input(&(0_u64, 0_u64))).eid;
    let mut all = Vec::new();
    for n in 1..=60 {
        say(&world, eid, n);
        all.extend(copies(&world));
        world.run_all();
    }
    let segments = world.memory.snapshot();
    let segments = segments
        .iter()
        .filter(|(key, _)| key.as_str().contains("/log/"));
    let segments = segments.count() as u64;
    assert!(segments > 5, "{segments}");
    again(&world, &all[..1]);
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Stale);
    assert!(
        counts.reads >= segments && counts.reads <= segments + 4,
        "{counts:?}"
    );
    assert_eq!(
        counts.writes, 1,
        "it may be the sign of an outbox: the feed object"
    );
}

#[test]
fn a28_a_copy_stays_in_the_mailbox_while_an_earlier_segment_is_missing() {
    let mut settings = small();
    settings.max_seen = 4;
    let (world, _) = with(settings);
    let eid = world.start(Start::new("totals").input(&(0_u64, 0_u64))).eid;
    let mut all = Vec::new();
    for n in 1..=60 {
        say(&world, eid, n);
        all.extend(copies(&world));
        world.run_all();
    }
    let rows = world.memory.snapshot().into_iter();
    let mut segments = rows.filter(|(key, _)| key.as_str().contains("/log/"));
    // Of all segments, the one with the first entries.
    let first = segments.find(|(_, body)| body.windows(13).any(|text| text == b"\"commit\":1,\"f"));
    let (key, body) = first.unwrap();
    world.block(world.engine.ports().delete(&key)).unwrap();
    again(&world, &all[..1]);
    let error = world.block(world.engine.run(eid, world.causes(eid)));
    assert!(error.unwrap_err().to_string().contains(key.as_str()));
    assert_eq!(copies(&world).len(), 1);
    let audit = world.block(world.engine.audit()).unwrap();
    assert!(format!("{:?}", audit.findings).contains(key.as_str()));
    let _ = world.block(world.engine.ports().create(&key, body));
    world.run_all();
    assert!(copies(&world).is_empty());
    say(&world, eid, 0);
    world.run_all();
    assert_eq!(world.result(eid), Ok((60 * 61 / 2, 60_u64)));
}

#[test]
fn a28_keyed_messages_are_known_across_continuations() {
    let (world, _) = with(small());
    let eid = counter_at(&world);
    for n in 1..=40_u64 {
        let signal = || Signal::on("in").value(&n).key(format!("key-{n}"));
        world.signal(eid, signal()).unwrap();
        world.run_all();
        world.signal(eid, signal()).unwrap();
        world.run_all();
    }
    for n in 1..=40_u64 {
        let signal = Signal::on("in").value(&n).key(format!("key-{n}"));
        world.signal(eid, signal).unwrap();
    }
    world.run_all();
    say(&world, eid, 0);
    world.run_all();
    let (_, values): (u64, Vec<u64>) = world.result(eid).unwrap();
    assert_eq!(values, (1..=40).collect::<Vec<_>>());
}

#[test]
fn a30_a_workflow_that_only_continues_is_blocked() {
    let (world, _) = with(patient());
    let eid = world.start(Start::new("endless").input(&0_u64)).eid;
    world.run_all();
    assert_eq!(world.status(eid), Status::Blocked);
    let execution = world.block(world.engine.execution(eid)).unwrap();
    let why = execution.blocked.unwrap().to_string();
    assert!(why.contains("without having consumed"), "{why}");
    assert!(generation(&world, eid) <= 5);
}

#[test]
fn a_continuation_that_is_not_returned_blocks_the_execution() {
    let (world, _) = with(patient());
    let eid = world.start(Start::new("swallows").input(&0_u64)).eid;
    world.run_all();
    assert_eq!(world.status(eid), Status::Blocked);
    assert_eq!(continued(&world, eid), 0);
}

#[test]
fn steps_of_one_name_are_others_in_each_generation() {
    let (world, ledger) = with(patient());
    let start = Start::new("steps").key("steps").input(&(4_u64, 0_u64));
    let eid = world.start(start).eid;
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(world.result(eid), Ok(10_u64));
    assert_eq!(ledger.done().values().map(Vec::len).sum::<usize>(), 4);
    assert_eq!(
        counts.writes, 6,
        "a barrier for each step, the end, the feed object"
    );
}

#[test]
fn an_outcome_of_an_old_attempt_reaches_no_frame_of_the_next_generation() {
    let (world, _) = with(patient());
    let eid = world
        .start(Start::new("races").key("races").input(&0_u64))
        .eid;
    world.run_all();
    assert_eq!(eid, keyed("races"));
    assert_eq!(world.result(eid), Ok(0_u64));
    let eid = world.start(Start::new("races").input(&0_u64)).eid;
    say(&world, eid, 100);
    world.run_all();
    assert_eq!(world.result(eid), Ok(100_u64));
}

#[test]
fn children_of_a_generation_end_as_their_policies_say() {
    let (world, _) = with(patient());
    let eid = world.start(Start::new("parent").input(&0_u64)).eid;
    world.run_all();
    say(&world, eid, 1);
    world.skip(60 * SECOND);
    assert_eq!(world.result(eid), Ok("7 in 1".to_owned()));
    let started = entries(&world, eid)
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::FrameStarted {
                began: crate::domain::Began::Child { eid, .. },
                ..
            } => Some(eid),
            _ => None,
        });
    let started: Vec<ExecutionId> = started.collect();
    assert_eq!(world.status(started[0]), Status::Cancelled);
    assert_eq!(world.status(started[1]), Status::Suspended);
    // Its child has continued three times, and reported the end of its last generation.
    let result = MessageId::result(&started[2], 3);
    let received = entries(&world, eid).into_iter().any(|entry| {
        let mine = |body: &Body| matches!(body, Body::Child { generation: 3, .. });
        matches!(entry, Entry::Received { mid, body, .. } if mid == result && mine(&body))
    });
    assert!(received);
}

/// Case 1, and the price: requests of a turn and the size of the head do not grow.
#[test]
fn case_01_1000_messages_of_eight_senders_reach_a_loop_that_continues_once_each() {
    let (world, _) = with(patient());
    let none: (u64, Vec<u64>) = (0, Vec::new());
    let eid = world.start(Start::new("counter").input(&none)).eid;
    let mut all = Vec::new();
    for round in 0..125 {
        for sender in 0..8 {
            say(&world, eid, 1 + sender * 1_000 + round);
        }
        all.extend(copies(&world));
        world.run_all();
    }
    world.clock.advance(7 * 24 * 3600 * SECOND);
    again(&world, &all);
    world.run_all();
    say(&world, eid, 0);
    world.run_all();
    let (_, values): (u64, Vec<u64>) = world.result(eid).unwrap();
    assert_eq!(values.len(), 1_000);
    for sender in 0..8 {
        let of = values.iter().filter(|n| (*n - 1) / 1_000 == sender);
        let expected = (0..125).map(|round| 1 + sender * 1_000 + round);
        assert_eq!(
            of.copied().collect::<Vec<_>>(),
            expected.collect::<Vec<_>>()
        );
    }
    assert_eq!(continued(&world, eid), 1_000);
}

#[test]
fn a_turn_of_a_loop_costs_the_same_and_its_head_does_not_grow() {
    let (world, _) = with(patient());
    let eid = world.start(Start::new("totals").input(&(0_u64, 0_u64))).eid;
    world.run_all();
    let (mut most, mut writes) = (0, 0);
    for n in 1..=400 {
        say(&world, eid, n);
        let (ended, counts) = run(&world, eid);
        assert!(matches!(ended, Ended::Suspended(None)), "{ended:?}");
        // The head, the message and, once there are some, the ids of earlier parts.
        assert!(counts.reads <= 4, "turn {n}: {counts:?}");
        assert_eq!(counts.lists, 2, "turn {n}");
        writes += counts.writes;
        let execution = world.block(world.engine.execution(eid)).unwrap();
        most = most.max(execution.head_bytes);
        assert!(execution.segments <= 1, "turn {n}: {}", execution.segments);
    }
    assert!(most < 80 << 10, "a head of {most} bytes");
    // A commit and a feed object each; a segment and the ids of its mail for each 64 KiB.
    assert!(writes < 2 * 400 + 30, "{writes}");
}
