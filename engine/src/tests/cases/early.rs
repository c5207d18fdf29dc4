//! Case 2: a message that comes as early as it can. Case 3: a wait that lost its race.

use std::time::Duration;

use futures::future::join;

use super::super::{App, keyed, neighbour};
use super::{SECOND, number, summing, sums};
use crate::client::{EngineError, FrameStatus, Signal, Start};
use crate::domain::Status;
use crate::keys::{MailKey, TimerKey};
use crate::ports::Clock;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed};

#[test]
fn case_02_a_message_at_the_instant_of_the_start_is_consumed_by_a_worker_30_seconds_late() {
    let world = World::new(summing());
    let eid = world.start(Start::new("sums").input(&2_u64)).eid;
    world.signal(eid, number(4)).unwrap();
    world.clock.advance(30 * SECOND);
    world.signal(eid, number(5)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(9));
    assert!(world.with_work().is_empty());
}

#[test]
fn case_02_a_message_to_a_start_in_flight_is_consumed_if_and_only_if_it_was_acknowledged() {
    // The start's mail, or its head, takes ten seconds; somebody sends in every one of them.
    for slow in ["mail/", "x/"] {
        let world = World::new(summing());
        let starter = neighbour(&world, summing, 2);
        let delay = Rule::new(Injection::Delay(10 * SECOND))
            .on_writes()
            .under(slow);
        starter.faults.add(delay);
        let eid = keyed("k");
        let sender = async {
            let (mut received, mut unknown) = (0, 0_u64);
            for n in 1..=12 {
                match world.engine.signal(eid, number(n)).await {
                    Ok(_) => received += n,
                    Err(EngineError::UnknownExecution { .. }) => unknown += 1,
                    Err(error) => panic!("{error}"),
                }
                let _ = world.engine.run(eid, world.causes(eid)).await;
                world.clock.sleep(SECOND).await;
            }
            (received, unknown)
        };
        let start = Start::new("sums").input(&12_u64).key("k");
        let (started, (received, unknown)) = world.block(join(starter.engine.start(start), sender));
        assert!(started.unwrap().fresh);
        assert!(unknown > 0, "{slow}: its sender saw that nobody was there");
        for _ in 0..unknown {
            world.signal(eid, number(0)).unwrap();
        }
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(received), "{slow}");
        assert!(world.with_work().is_empty(), "{slow}");
    }
}

#[test]
fn case_02_a_message_with_its_start_is_consumed_once_however_often_it_is_tried() {
    for injection in [
        Injection::LandedReplyLost,
        Injection::NotSent,
        Injection::Refused,
        Injection::LandedRefused,
    ] {
        for at in 0..3 {
            let world = World::new(summing());
            let client = world.beside(summing(), "client", 2);
            client.faults.add(Rule::new(injection).on_writes().skip(at));
            for _ in 0..3 {
                let start = Start::new("sums").input(&2_u64).key("k");
                let both = client.engine.signal_with_start(start, number(4).key("m"));
                client.block(both).unwrap();
            }
            world.run_all();
            assert_eq!(
                world.status(keyed("k")),
                Status::Suspended,
                "{injection:?} at {at}"
            );
            world.signal(keyed("k"), number(5)).unwrap();
            world.run_all();
            assert_eq!(
                world.result::<u64>(keyed("k")),
                Ok(9),
                "{injection:?} at {at}"
            );
        }
    }
}

/// Whichever comes first, in a month; then one more.
async fn race(ctx: Context, more: bool) -> Result<u64, Failed> {
    let month = Duration::from_secs(30 * 86_400);
    let first = crate::select! {
        a = ctx.receive::<u64>("a") => a?,
        b = ctx.receive::<u64>("b") => b?,
        slept = ctx.sleep(month) => { slept?; 0 }
    };
    if !more {
        return Ok(first);
    }
    let then = ctx.receive::<u64>("in").await?;
    // What lost the race is still there for a later wait.
    Ok(first + then + ctx.receive::<u64>("b").await?)
}

fn racing() -> App {
    App::new()
        .workflow("race", "1", race)
        .workflow("sums", "1", sums)
}

fn on(channel: &str, n: u64) -> Signal {
    Signal::on(channel).value(&n)
}

/// Mails and timers that there are.
fn causes(world: &World) -> (usize, usize) {
    let rows = world.memory.snapshot();
    let mails = rows.iter().filter_map(|(key, _)| MailKey::parse(key));
    let timers = rows.iter().filter_map(|(key, _)| TimerKey::parse(key));
    (mails.count(), timers.count())
}

#[test]
fn case_03_a_race_that_ends_its_execution_leaves_no_timer_and_no_wait() {
    let world = World::new(racing());
    let eid = world.start(Start::new("race").input(&false)).eid;
    world.run_all();
    assert_eq!(causes(&world), (0, 1));
    world.signal(eid, on("a", 3)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(3));
    assert_eq!(causes(&world), (0, 0));
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!(execution.timer, None);
    // What comes now follows the rule for messages to a finished run.
    let late = world.signal(eid, on("b", 4)).unwrap_err();
    assert!(
        matches!(late, EngineError::TerminalExecution { .. }),
        "{late}"
    );
    let ((), counts) = world.counted(|world| world.skip(Duration::from_secs(40 * 86_400)));
    assert_eq!(
        counts.write_requests() + counts.read_requests() + counts.deletes,
        0
    );
}

#[test]
fn case_03_a_race_in_the_middle_leaves_no_timer_and_no_wait_of_the_losers() {
    let world = World::new(racing());
    let eid = world.start(Start::new("race").input(&true)).eid;
    world.run_all();
    world.signal(eid, on("a", 3)).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    assert_eq!(causes(&world), (0, 0));
    let frames = world.block(world.engine.frames(eid)).unwrap();
    let waiting = frames
        .frames
        .iter()
        .filter(|frame| frame.status == FrameStatus::Waiting);
    assert_eq!(waiting.count(), 1, "{frames:?}");
    world.signal(eid, on("b", 4)).unwrap();
    world.run_all();
    world.skip(Duration::from_secs(40 * 86_400));
    assert_eq!(
        world.status(eid),
        Status::Suspended,
        "no sleep of the race ends"
    );
    world.signal(eid, number(5)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(12));
}
