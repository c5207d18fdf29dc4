//! What a replay makes of a journal: the same again, or a named refusal.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::ledger::Ledger;
use super::{App, Ended, deployed, keyed, reported};
use crate::client::{Signal, Start};
use crate::domain::{Actor, Blocked, Entry, ExecutionId, Status};
use crate::ports::Clock;
use crate::testing::{Injection, Rule, World};
use crate::{Attempt, Context, Failed, StepError};

type Seen = Arc<Mutex<BTreeSet<String>>>;

/// When the step ends, the message comes and the timer is due, in seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    step: u64,
    message: u64,
    timer: u64,
}

/// A race of three; then the message, if it did not win, or another one.
async fn race(ctx: Context, ledger: Ledger, seen: Seen, times: Times) -> Result<String, Failed> {
    let step = ctx.step("slow", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            let clock = Arc::clone(ledger.clock());
            if times.message < times.step {
                clock.sleep(Duration::from_secs(times.message)).await;
                let signal = Signal::on("in").value("one").key("one");
                ledger.outside().signal(attempt.eid(), signal).await?;
            }
            let left = times.step - times.message.min(times.step);
            let wait = if left == 0 { times.step } else { left };
            clock.sleep(Duration::from_secs(wait)).await;
            Ok::<_, StepError>("step".to_owned())
        }
    });
    let mut step = step;
    let mut message = ctx.receive::<String>("in");
    let mut timer = ctx.sleep(Duration::from_secs(times.timer));
    let branch = crate::select! {
        value = step => value?,
        value = message => value?,
        slept = timer => { slept?; "timer".to_owned() }
    };
    drop((step, message, timer));
    seen.lock().unwrap().insert(branch.clone());
    let next = ctx.receive::<String>("in").await?;
    Ok(format!("{branch} {next}"))
}

fn racing(ledger: &Ledger, seen: &Seen, times: Times) -> App {
    let (ledger, seen) = (ledger.clone(), Arc::clone(seen));
    App::new().workflow("race", "1", move |ctx, (): ()| {
        race(ctx, ledger.clone(), Arc::clone(&seen), times)
    })
}

/// Runs the race; each process dies after its `lives`th commit. All branches that any of them
/// saw, and the result.
fn raced(times: Times, lives: u64) -> (BTreeSet<String>, String) {
    let (ledger, seen) = (Ledger::default(), Seen::default());
    let app = || racing(&ledger, &seen, times);
    let world = World::new(app());
    ledger.open(&world);
    ledger.set_outside(world.beside(app(), "outside", 99).engine.clone());
    let eid = world.start(Start::new("race").key("race")).eid;
    for n in 0..60 {
        let process = world.beside(app(), &format!("p{n}"), n + 5);
        let dies = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
        // B25: under an expired lease, the commit before the replay comes first.
        let leased = world.head(eid).as_str().contains("\"lease\":{");
        let lives = lives.saturating_add(u64::from(leased));
        process.faults.add(dies.skip(lives));
        process.run_all();
        if process.status_of(eid).is_terminal() {
            break;
        }
        world.clock.advance(Duration::from_secs(31));
        for text in ["one", "two"] {
            // Whoever sent none before the race was decided sends now.
            if !seen.lock().unwrap().is_empty() {
                let signal = Signal::on("in").value(text).key(text);
                let _ = world.signal(eid, signal);
                world.clock.advance(Duration::from_millis(1));
            }
        }
    }
    let result = world.result::<String>(eid);
    let seen = seen.lock().unwrap().clone();
    (seen, result.unwrap())
}

impl World {
    /// The status, by a process that no fault meets.
    fn status_of(&self, eid: ExecutionId) -> Status {
        self.head(eid).get::<serde_json::Value>().unwrap()["status"]
            .as_str()
            .and_then(|text| serde_json::from_value(text.into()).ok())
            .unwrap()
    }
}

#[test]
fn i9_a_race_has_one_winner_in_every_order_of_arrival_and_after_every_crash() {
    for (step, message, timer) in [
        (3, 13, 23),
        (3, 23, 13),
        (13, 3, 23),
        (23, 3, 13),
        (13, 23, 3),
        (23, 13, 3),
    ] {
        let times = Times {
            step,
            message,
            timer,
        };
        let first = step.min(message).min(timer);
        let (seen, result) = raced(times, u64::MAX);
        assert_eq!(seen.len(), 1, "{times:?}");
        let expected = match first {
            _ if first == step => "step one",
            _ if first == timer => "timer one",
            _ => "one two",
        };
        assert_eq!(result, expected, "{times:?}");
        for lives in 0..3 {
            let (seen, result) = raced(times, lives);
            // Which branch it is depends on when they died; that all agree does not.
            assert_eq!(seen.len(), 1, "{times:?} lives={lives}: {seen:?}");
            let branch = seen.first().unwrap();
            let next = if branch == "one" { "two" } else { "one" };
            assert_eq!(
                result,
                format!("{branch} {next}"),
                "{times:?} lives={lives}"
            );
        }
    }
}

/// How a program differs from the one that wrote the journal.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Nothing,
    Added,
    AddedLast,
    Removed,
    Renamed,
    Reordered,
    Input,
    Channel,
}

async fn program(ctx: Context, n: u64, change: Change) -> Result<u64, Failed> {
    let call = |name, n: u64| ctx.call(name, super::echo, &n);
    let mut sum = 0;
    if change == Change::Reordered {
        sum += call("b", 2).await?;
    }
    let first = if change == Change::Renamed { "a2" } else { "a" };
    sum += call(first, if change == Change::Input { n + 1 } else { n }).await?;
    if change == Change::Added {
        sum += call("x", 5).await?;
    }
    if !matches!(change, Change::Removed | Change::Reordered) {
        sum += call("b", 2).await?;
    }
    if change == Change::AddedLast {
        sum += call("x", 5).await?;
    }
    let channel = if change == Change::Channel {
        "out"
    } else {
        "in"
    };
    sum += ctx.receive::<u64>(channel).await?;
    Ok(sum + call("c", 3).await?)
}

fn programmed(change: Change) -> App {
    App::new().workflow("p", "1", move |ctx, n| program(ctx, n, change))
}

const OLD: &str = "20260101T000000-a";
const NEW: &str = "20260102T000000-b";
const NEWEST: &str = "20260103T000000-a";

/// Suspended on a message, run by the build `code`; the message is there.
fn waiting(code: &str) -> (World, ExecutionId) {
    let world = deployed(
        World::new(programmed(Change::Nothing)),
        programmed(Change::Nothing),
        code,
    );
    let eid = world.start(Start::new("p").key("p").input(&1_u64)).eid;
    world.run(eid).unwrap();
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    (world, eid)
}

fn build(world: &World, change: Change, code: &str) -> World {
    deployed(
        world.beside(programmed(change), code, 7),
        programmed(change),
        code,
    )
}

#[test]
fn i9_changed_code_parks_a_live_execution_loses_nothing_and_goes_on_when_it_fits_again() {
    for change in [
        Change::Added,
        Change::AddedLast,
        Change::Removed,
        Change::Renamed,
        Change::Reordered,
        Change::Input,
        Change::Channel,
    ] {
        let (world, eid) = waiting(OLD);
        let before = reported(&world, eid);
        let changed = build(&world, change, NEW);
        changed.run_all();
        assert_eq!(world.status(eid), Status::Blocked, "{change:?}");
        let execution = world.block(world.engine.execution(eid)).unwrap();
        let Some(Blocked::Nondeterminism {
            position,
            expected,
            got,
            commit,
        }) = execution.blocked
        else {
            panic!("{change:?}: {:?}", execution.blocked);
        };
        assert_ne!(expected, got, "{change:?}");
        let at = usize::try_from(position).unwrap();
        let fid = before[at].split(' ').nth(1).unwrap_or("?");
        assert!(
            expected.contains(fid),
            "{change:?}: {expected}, entry {fid}"
        );
        assert!(commit >= 1 && !got.is_empty());
        let started = |all: &[String]| {
            all.iter()
                .filter(|e| e.starts_with("frame.started"))
                .count()
        };
        assert_eq!(
            started(&reported(&world, eid)),
            started(&before),
            "{change:?}: an attempt"
        );

        // An operator's resume does not help as long as the code does not fit.
        world
            .block(world.engine.resume(eid, Actor::human("ada")))
            .unwrap();
        changed.run_all();
        assert_eq!(world.status(eid), Status::Blocked, "{change:?}");
        // The old code again. The message is still there.
        let fits = build(&world, Change::Nothing, NEWEST);
        world
            .block(world.engine.resume(eid, Actor::human("ada")))
            .unwrap();
        fits.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(10), "{change:?}");
        assert!(world.with_work().is_empty());
    }
}

#[test]
fn i9_a_frame_added_beside_others_is_noticed_by_their_number() {
    async fn beside(ctx: Context, more: bool) -> Result<u64, Failed> {
        let one = ctx.receive::<u64>("in");
        let two = ctx.sleep(Duration::from_secs(60));
        let three = ctx.call("b", super::echo, &2);
        if more {
            let (a, b, c) = futures::join!(one, two, three);
            b?;
            return Ok(a? + c?);
        }
        let (a, b) = futures::join!(one, two);
        b?;
        Ok(a?)
    }
    let app = |more| App::new().workflow("p", "1", move |ctx, (): ()| beside(ctx, more));
    let world = deployed(World::new(app(false)), app(false), OLD);
    let eid = world.start(Start::new("p").key("p")).eid;
    world.run(eid).unwrap();
    let changed = deployed(world.beside(app(true), "new", 3), app(true), NEW);
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    changed.run_all();
    assert_eq!(world.status(eid), Status::Blocked);
}

#[test]
pub(super) fn b27_an_old_build_leaves_alone_what_a_newer_one_wrote() {
    // B27: nondeterminism in a head that a newer build wrote is left to that build.
    let (world, eid) = waiting(NEW);
    let old = build(&world, Change::Renamed, OLD);
    let before = world.memory.snapshot();
    assert_eq!(old.run(eid).unwrap(), Ended::NewerCode(NEW.to_owned()));
    assert_eq!(world.memory.snapshot(), before, "something was written");
    // Not after the message has grown old either, when a run acquires before it replays.
    for _ in 0..8 {
        world.clock.advance(Duration::from_secs(100));
        assert_eq!(old.run(eid).unwrap(), Ended::NewerCode(NEW.to_owned()));
    }
    world.clock.advance(Duration::from_secs(31));
    build(&world, Change::Nothing, NEW).run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
}

#[test]
fn b27_an_old_build_that_serves_a_pause_does_not_make_the_journal_its_own() {
    // B27: the newest commit is the old build's, the frames are not.
    let (world, eid) = waiting(NEW);
    let old = build(&world, Change::Renamed, OLD);
    let ada = || Actor::human("ada");
    world
        .block(world.engine.pause(eid, "a while", ada()))
        .unwrap();
    old.run_all();
    assert_eq!(world.status(eid), Status::Paused);
    world.block(world.engine.resume(eid, ada())).unwrap();
    assert_eq!(old.run(eid).unwrap(), Ended::NewerCode(NEW.to_owned()));
    build(&world, Change::Nothing, NEW).run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
}

#[test]
fn i3_messages_absorbed_beside_an_end_or_a_block_are_in_the_journal() {
    let (world, eid) = waiting(OLD);
    for n in 5..8_u64 {
        world.clock.advance(Duration::from_millis(1));
        world.signal(eid, Signal::on("in").value(&n)).unwrap();
    }
    build(&world, Change::Renamed, NEW).run_all();
    let received = |world: &World| {
        let entries = super::entries(world, eid);
        let mails = entries
            .iter()
            .filter(|e| matches!(e, Entry::Received { .. }));
        mails.count()
    };
    assert_eq!(received(&world), 5, "start and four messages");
    assert_eq!(eid, keyed("p"));
    let fits = build(&world, Change::Nothing, NEWEST);
    world.signal(eid, Signal::on("in").value(&9_u64)).unwrap();
    world
        .block(world.engine.resume(eid, Actor::human("ada")))
        .unwrap();
    fits.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert_eq!(received(&world), 7, "and one message and the resume");
}
