//! Ids, starts of one key, and the executions of a key one after the other (docs/protocol.md, Keys).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::join;

use super::cuts::Way;
use super::{App, keyed, neighbour};
use crate::client::{
    EngineError, Notice, Retained, Retention, RetentionSettings, Signal, Signalled, Start, Started,
};
use crate::domain::{ExecutionId, Status, Text};
use crate::journal::Journal;
use crate::keys;
use crate::ports::Clock as _;
use crate::testing::{Counts, Injection, Rule, Verb, World};
use crate::{Context, Failed, StepError};

const DAY: Duration = Duration::from_secs(86_400);

/// Starts a child that pays, between two messages.
async fn parent(ctx: Context, paid: Arc<AtomicU64>) -> Result<u64, Failed> {
    let a = ctx.receive::<u64>("a").await?;
    ctx.spawn_named("pays", &()).start()?;
    let b = ctx.receive::<u64>("b").await?;
    Ok(a + b + paid.load(Ordering::SeqCst))
}

async fn pays(ctx: Context, paid: Arc<AtomicU64>) -> Result<u64, Failed> {
    let step = ctx.step("pay", move || {
        let paid = Arc::clone(&paid);
        async move { Ok::<_, StepError>(paid.fetch_add(1, Ordering::SeqCst) + 1) }
    });
    Ok(step.await?)
}

async fn echoes(_: Context, n: u64) -> Result<u64, Failed> {
    Ok(n)
}

async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("go").await?)
}

/// The id of a child, and a key for an outside system.
async fn spawns(ctx: Context, n: u64) -> Result<(ExecutionId, String), Failed> {
    let child = ctx.spawn_named("echoes", &n).start()?;
    Ok((child, ctx.idempotency_key()))
}

fn app() -> App {
    let paid = Arc::new(AtomicU64::new(0));
    let pays_into = Arc::clone(&paid);
    App::new()
        .workflow("parent", "1", move |ctx, (): ()| {
            parent(ctx, Arc::clone(&paid))
        })
        .workflow("pays", "1", move |ctx, (): ()| {
            pays(ctx, Arc::clone(&pays_into))
        })
        .workflow("echoes", "1", echoes)
        .workflow("waits", "1", waits)
        .workflow("spawns", "1", spawns)
}

fn nth(key: &str, n: u32) -> ExecutionId {
    ExecutionId::keyed(&Text::parse(key).unwrap(), n)
}

fn retain(world: &World) -> Retained {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    world.block(retention.passes(&Notice::new())).unwrap()
}

/// An execution of the key `k`, archived, with a free key.
fn free() -> World {
    let world = World::with_settings(app(), super::patient());
    world.start(Start::new("echoes").input(&1_u64).key("k"));
    world.run_all();
    world.clock.advance(DAY * 8);
    retain(&world);
    world.clock.advance(DAY * 91);
    world
}

fn echo(n: u64) -> Start {
    Start::new("echoes").input(&n).key("k")
}

/// The number in `next` of the tombstone of (k, 0).
fn next(world: &World) -> Option<u32> {
    let eid = keyed("k");
    let first = Journal::load(world.engine.ports(), &eid);
    world.block(first).unwrap().unwrap().head.archived?.next
}

/// Exactly one of the calls is fresh, all name one execution, and the others differ as their inputs.
#[track_caller]
fn one_is_fresh(all: &[(Started, u64)], ran: u64) {
    let fresh: Vec<_> = all.iter().filter(|(started, _)| started.fresh).collect();
    assert!(
        matches!(fresh[..], [(_, input)] if *input == ran),
        "{all:?}, ran with {ran}"
    );
    for (started, input) in all {
        assert_eq!(started.eid, all[0].0.eid);
        assert_eq!(started.differs, *input != ran, "{all:?}, ran with {ran}");
    }
}

#[test]
fn a19_two_messages_of_one_commit_arrive_in_the_order_in_which_they_were_sent() {
    async fn sends(ctx: Context, to: ExecutionId) -> Result<(), Failed> {
        for n in 0..12_u64 {
            ctx.send(to, "in", &n)?;
        }
        Ok(())
    }
    async fn collects(ctx: Context, count: usize) -> Result<Vec<u64>, Failed> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(ctx.receive("in").await?);
        }
        Ok(all)
    }
    let app = App::new().workflow("sends", "1", sends);
    let world = World::new(app.workflow("collects", "1", collects));
    let collect = Start::new("collects").input(&12_usize).key("to");
    let to = world.start(collect).eid;
    world.run_all();
    world.start(Start::new("sends").input(&to).key("from"));
    world.run_all();
    assert_eq!(world.result::<Vec<u64>>(to), Ok((0..12).collect()));
}

/// A22: the mail of one starter is slow, the other one's execution has run by then.
#[test]
pub(super) fn a22_two_starters_of_one_key_are_never_both_fresh() {
    for slow_at in 0..8 {
        for ways in [
            Injection::Delay(Duration::from_secs(5)),
            Injection::LandedReplyLost,
        ] {
            let world = World::with_settings(app(), super::patient());
            let slow = neighbour(&world, app, 2);
            slow.faults.add(Rule::new(ways).at(slow_at));
            let other = async {
                world.clock.sleep(Duration::from_secs(1)).await;
                let started = world.engine.start(echo(2)).await.unwrap();
                let causes = world.causes(started.eid);
                world.engine.run(started.eid, causes).await.unwrap();
                started
            };
            let (first, second) = world.block(join(slow.engine.start(echo(1)), other));
            world.run_all();
            let ran = world.result::<u64>(keyed("k")).unwrap();
            one_is_fresh(&[(first.unwrap(), 1), (second, 2)], ran);
        }
    }
}

/// A22: a start is cut at each request, and tried again; another one starts the same key.
#[test]
fn a22_a_start_is_cut_at_each_request_and_one_call_at_most_is_fresh() {
    for reused in [false, true] {
        for at in 0..6 {
            for way in Way::of(Verb::Create) {
                let world = if reused {
                    free()
                } else {
                    World::with_settings(app(), super::patient())
                };
                let eid = nth("k", u32::from(reused));
                let client = world.beside(app(), "client", 7);
                way.cut(&client, at);
                let first = client.block(client.engine.start(echo(4)));
                world.run_all();
                let second = world.start(echo(5));
                let _ = world.block(client.faults.release());
                let third = world.start(echo(6));
                world.run_all();
                let ran = world.result::<u64>(eid).unwrap();
                let mut all = vec![(second, 5), (third, 6)];
                all.extend(first.as_ref().ok().map(|first| (*first, 4)));
                assert!(all.iter().all(|(started, _)| started.eid == eid), "{all:?}");
                match all.iter().any(|(started, _)| started.fresh) {
                    true => one_is_fresh(&all, ran),
                    // The client that began it is dead, or its request failed.
                    false => assert!(first.is_err() && ran == 4, "{way:?} at {at}: {all:?}"),
                }
                assert!(world.with_work().is_empty());
            }
        }
    }
}

/// A22: two callers send under one key; a run absorbs one message between the requests of the other.
#[test]
pub(super) fn a22_of_two_messages_with_one_key_one_is_fresh() {
    for slow_at in 0..6 {
        for way in [
            Injection::Delay(Duration::from_secs(5)),
            Injection::LandedReplyLost,
        ] {
            let world = World::with_settings(app(), super::patient());
            let eid = world.start(Start::new("parent")).eid;
            world.run_all();
            let slow = neighbour(&world, app, 2);
            slow.faults.add(Rule::new(way).at(slow_at));
            let signal = || Signal::on("a").value(&1_u64).key("once").confirmed();
            let other = async {
                world.clock.sleep(Duration::from_secs(1)).await;
                let answer = world.engine.signal(eid, signal()).await.unwrap();
                let causes = world.causes(eid);
                world.engine.run(eid, causes).await.unwrap();
                answer
            };
            let (one, two) = world.block(join(slow.engine.signal(eid, signal()), other));
            let mut both = [one.unwrap(), two];
            both.sort_by_key(|answer| *answer != Signalled::Fresh);
            assert_eq!(both, [Signalled::Fresh, Signalled::Known], "{slow_at}");
            world.run_all();
            world.signal(eid, Signal::on("b").value(&1_u64)).unwrap();
            world.run_all();
            assert_eq!(world.result::<u64>(eid), Ok(3));
        }
    }
}

#[test]
fn a_message_is_fresh_sent_or_known_at_the_price_of_each_answer() {
    let world = World::with_settings(app(), super::patient());
    let eid = world.start(Start::new("parent")).eid;
    world.run_all();
    let signal = || Signal::on("a").value(&1_u64).key("once");
    let answer = |signal, answer, write, read| {
        let sent = |world: &World| world.block(world.engine.signal(eid, signal)).unwrap();
        let (found, counts) = world.counted(sent);
        assert_eq!((found, price(&counts)), (answer, (write, read)));
    };
    let other = Signal::on("other").value(&1_u64);
    answer(other, Signalled::Fresh, 1, 1);
    answer(signal().confirmed(), Signalled::Fresh, 1, 2);
    answer(signal().confirmed(), Signalled::Known, 1, 2);
    world.run_all();
    answer(signal(), Signalled::Sent, 1, 1);
    answer(signal(), Signalled::Known, 1, 2);
    world.run_all();
    answer(signal().confirmed(), Signalled::Known, 1, 2);
}

/// A22: the head advances, is archived and becomes free between the mail and the head.
#[test]
pub(super) fn a22_a_starter_that_stalls_for_100_days_is_fresh_by_its_nonce() {
    // Between its mail and its head; and before its mail.
    for (under, own) in [("x/", true), ("mail/", false)] {
        for days in [0, 8, 100] {
            let world = World::with_settings(app(), super::patient());
            let slow = neighbour(&world, app, 2);
            let stalls = Rule::new(Injection::Delay(DAY * 200)).on_writes();
            slow.faults.add(stalls.under(under));
            let other = async {
                world.clock.sleep(Duration::from_secs(10)).await;
                if !own {
                    assert!(world.engine.start(echo(2)).await.unwrap().fresh);
                }
                let eid = keyed("k");
                world.engine.run(eid, world.causes(eid)).await.unwrap();
                let settings = RetentionSettings::default();
                let retention = Retention::new(&world.engine, settings).unwrap();
                world.clock.sleep(DAY * days).await;
                retention.passes(&Notice::new()).await.unwrap();
            };
            let (started, ()) = world.block(join(slow.engine.start(echo(1)), other));
            let started = started.unwrap();
            // 200 days later its key is free, whether it was archived by then or not.
            let free = days > 7;
            let n = u32::from(!own && free);
            assert_eq!(
                (started.eid, started.fresh),
                (nth("k", n), own || free),
                "{under} {days}"
            );
            assert_eq!(started.differs, !own && !free);
            world.run_all();
            let begun = [0, 1].map(|n| world.block(world.engine.status(nth("k", n))).is_ok());
            assert_eq!(begun, [true, n == 1], "one call begins one execution");
            assert!(world.with_work().is_empty(), "its late mail is deleted");
        }
    }
}

/// A21: both read a free key; whatever is slow, one execution begins.
#[test]
pub(super) fn a21_two_starters_of_a_free_key_begin_one_execution() {
    for slow_at in 0..8 {
        for slower_at in 0..8 {
            let world = free();
            let all = [3, 4].map(|seed| neighbour(&world, app, seed));
            for (process, at) in all.iter().zip([slow_at, slower_at]) {
                let delay = Duration::from_secs(1 + at);
                process
                    .faults
                    .add(Rule::new(Injection::Delay(delay)).at(at));
            }
            let starts = join(all[0].engine.start(echo(1)), all[1].engine.start(echo(2)));
            let (one, two) = world.block(starts);
            world.run_all();
            let ran = world.result::<u64>(nth("k", 1)).unwrap();
            one_is_fresh(&[(one.unwrap(), 1), (two.unwrap(), 2)], ran);
            assert_eq!(next(&world), Some(1));
        }
    }
}

/// A21: one dies between `next` and its start; the next starter begins it.
#[test]
fn a21_a_starter_dies_between_next_and_its_start() {
    let world = free();
    let dies = world.beside(app(), "dies", 3);
    let after_next = Rule::new(Injection::LandedAndDied).on_writes();
    dies.faults.add(after_next);
    assert!(dies.block(dies.engine.start(echo(1))).is_err());
    assert_eq!(next(&world), Some(1));
    assert!(world.block(world.engine.status(nth("k", 1))).is_err());
    let (started, counts) = world.counted(|world| world.start(echo(2)));
    assert_eq!((started.eid, started.fresh), (nth("k", 1), true));
    assert_eq!(price(&counts), (2, 2));
    world.run_all();
    assert_eq!(world.result::<u64>(nth("k", 1)), Ok(2));
}

/// A21: a signal by key reads (key, 0) while its `next` is written.
#[test]
fn a21_a_signal_by_key_reaches_the_next_execution_or_is_refused_by_its_name() {
    for slow_at in 0..8 {
        let world = free();
        let (starts, signals) = (neighbour(&world, app, 3), neighbour(&world, app, 4));
        let delay = Duration::from_secs(2);
        signals
            .faults
            .add(Rule::new(Injection::Delay(delay)).at(slow_at % 4));
        starts
            .faults
            .add(Rule::new(Injection::Delay(delay)).at(slow_at));
        let signal = || Signal::on("go").value(&7_u64).key("once");
        let by_key = async {
            let mut to = signals.engine.newest_of("k").await.unwrap();
            for _ in 0..16 {
                match signals.engine.signal(to, signal()).await {
                    Ok(_) => return to,
                    Err(EngineError::TerminalExecution { next, .. }) => to = next.unwrap_or(to),
                    Err(EngineError::UnknownExecution { .. }) => {}
                    Err(other) => panic!("{other:?}"),
                }
                world.clock.sleep(Duration::from_secs(1)).await;
            }
            panic!("it never reached the next execution")
        };
        let start = starts.engine.start(Start::new("waits").key("k"));
        let (started, to) = world.block(join(start, by_key));
        assert_eq!((started.unwrap().eid, to), (nth("k", 1), nth("k", 1)));
        world.run_all();
        assert_eq!(world.result::<u64>(nth("k", 1)), Ok(7), "slow at {slow_at}");
    }
}

/// A20: a duplicate of a message that was absorbed long ago dispatches an old outbox again.
#[test]
pub(super) fn a20_a_duplicate_of_any_age_starts_no_child_again() {
    for days in [0, 8, 100, 400] {
        let world = World::with_settings(app(), super::patient());
        let eid = world.start(Start::new("parent").key("p")).eid;
        world.run_all();
        let signal = || Signal::on("a").value(&1_u64).key("delivery-1");
        world.signal(eid, signal()).unwrap();
        world.run_all();
        for _ in 0..2 {
            world.clock.advance(DAY * days);
            retain(&world);
        }
        world.signal(eid, signal()).unwrap();
        world.run_all();
        assert!(world.with_work().is_empty());
        world.signal(eid, Signal::on("b").value(&1_u64)).unwrap();
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(3), "paid once; {days} days");
    }
}

/// A21: no old message reaches the next execution of a key, and no old child is its own.
#[test]
fn a21_nothing_of_one_execution_reaches_the_next_one_of_its_key() {
    let world = World::with_settings(app(), super::patient());
    world.memory.record();
    let start = |n: u64| world.start(Start::new("spawns").input(&n).key("alice")).eid;
    let first = start(1);
    world.run_all();
    world.clock.advance(DAY * 8);
    retain(&world);
    world.clock.advance(DAY * 91);
    retain(&world);
    let second = start(2);
    world.run_all();
    let of = |eid| world.result::<(ExecutionId, String)>(eid).unwrap();
    let ((one, key), (two, other)) = (of(first), of(second));
    assert!(first != second && one != two && key != other);
    assert_eq!(
        (world.result::<u64>(one), world.result::<u64>(two)),
        (Ok(1), Ok(2))
    );
    // Every message that was ever sent comes once more.
    let before = world.memory.snapshot();
    for (key, body) in world.memory.recorded() {
        if keys::MailKey::parse(&key).is_some() {
            let _ = world
                .block(world.engine.ports().create(&key, body))
                .unwrap();
        }
    }
    // N25: within a second, the start of what has ended is left to the run that ended it.
    world.clock.advance(Duration::from_secs(1));
    world.run_all();
    let left = world.memory.snapshot().into_iter();
    let left: Vec<_> = left
        .filter(|(key, _)| before.iter().all(|(old, _)| old != key))
        .collect();
    // Its effects may be reported again.
    let feed = |key: &keys::Key| key.as_str().starts_with("feed/");
    assert!(
        left.iter().all(|(key, _)| feed(key)),
        "all of it is deleted"
    );
    assert_eq!(world.status(second), Status::Completed);
}

fn price(counts: &Counts) -> (u64, u64) {
    (counts.write_requests(), counts.read_requests())
}

#[test]
fn a_start_of_a_used_key_costs_at_most_three_write_and_two_read_requests() {
    let world = World::with_settings(app(), super::patient());
    let started = |write, read, fresh| {
        let (started, counts) = world.counted(|world| world.start(echo(1)));
        assert_eq!((price(&counts), started.fresh), ((write, read), fresh));
        started.eid
    };
    let archived = || {
        world.run_all();
        world.clock.advance(DAY * 99);
        assert_eq!(retain(&world).archived, 1);
    };
    let shown = |eid| {
        let price = world.block(world.engine.price(eid)).unwrap();
        (price.write_requests, price.read_requests)
    };
    let first = started(2, 1, true);
    archived();
    // `next` is written, and read from the second time on.
    let second = started(3, 1, true);
    started(0, 2, false);
    archived();
    let third = started(3, 2, true);
    started(0, 2, false);
    archived();
    let [one, two, three] = [first, second, third].map(shown);
    assert_eq!(
        (
            (two.0 - one.0, two.1 - one.1),
            (three.0 - one.0, three.1 - one.1)
        ),
        ((1, 0), (1, 1))
    );
}
