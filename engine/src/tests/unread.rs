//! Messages that no `receive` consumes (A27).

use futures::future::join;

use super::Ended;
use super::inbox::{SECOND, absorbed, absorbed_now, ada, app, left, run, send};
use super::ledger::Ledger;
use super::worker::{Log, beside, options};
use crate::client::{Signal, Start};
use crate::domain::{Blocked, Class, Entry, Status};
use crate::ports::Clock as _;
use crate::settings::Settings;
use crate::sweeper::Sweeper;
use crate::testing::World;

/// At most 4 unread messages, or 6 for an execution that waits for another one.
fn few() -> Settings {
    Settings {
        mailbox_batch: 3,
        max_unread: 4,
        max_unread_waiting: 6,
        ..Settings::default()
    }
}

#[test]
fn a27_a_paused_execution_takes_no_more_messages_than_it_may_have_unread() {
    let (world, _) = Ledger::world_with(few(), app);
    let eid = world.start(Start::new("sums").input(&10_u64)).eid;
    world.run_all();
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    send(&world, eid, "in", 10);
    assert_eq!(world.run(eid).unwrap(), Ended::Parked(Status::Paused));
    assert_eq!(absorbed(&world, eid), 4);
    // What stays wakes it for nothing: a head, a list, and no write.
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Full);
    assert_eq!((counts.reads, counts.lists), (1, 1), "{counts:?}");
    assert_eq!((counts.writes, counts.deletes), (0, 0), "{counts:?}");
    assert_eq!(left(&world, eid, Class::Message), 6);
    // A command is taken.
    world.block(world.engine.resume(eid, ada())).unwrap();
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert!(world.with_work().is_empty());
}

#[test]
fn a27_a_full_page_of_messages_that_stay_costs_lists_and_no_write() {
    let settings = Settings {
        mailbox_page: 3,
        ..few()
    };
    let (world, _) = Ledger::world_with(settings, app);
    let eid = world.start(Start::new("sums").input(&10_u64)).eid;
    world.run_all();
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    send(&world, eid, "in", 10);
    world.run_all();
    assert_eq!(left(&world, eid, Class::Message), 6);
    // Behind the page there may be the sign of an undispatched outbox.
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Full);
    assert_eq!((counts.reads, counts.lists), (1, 2), "{counts:?}");
    assert_eq!((counts.writes, counts.deletes), (0, 0), "{counts:?}");
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert!(world.with_work().is_empty());
}

#[test]
fn a27_while_an_attempt_runs_only_commands_are_taken_beyond_the_bound() {
    let (world, ledger) = Ledger::world_with(few(), app);
    let start = Start::new("works").input(&(60_u64, 11_u64));
    let eid = world.start(start).eid;
    send(&world, eid, "in", 10);
    let run = world.engine.run(eid, world.causes(eid));
    let acts = async {
        world.clock.sleep(25 * SECOND).await;
        world.engine.pause(eid, "wait", ada()).await.unwrap();
        world.clock.sleep(15 * SECOND).await;
        assert_eq!(world.engine.status(eid).await.unwrap(), Status::Paused);
        assert_eq!(absorbed_now(&world, eid).await, 4);
    };
    let (ended, ()) = world.block(join(run, acts));
    assert_eq!(ended.unwrap(), Ended::Parked(Status::Paused));
    world.block(world.engine.resume(eid, ada())).unwrap();
    send(&world, eid, "in", 1);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(111));
    assert_eq!(ledger.wrong(), Vec::<String>::new());
}

#[test]
fn a27_an_execution_finds_the_message_that_it_waits_for_behind_others() {
    let (world, _) = Ledger::world_with(few(), app);
    let eid = world.start(Start::new("sums").input(&1_u64)).eid;
    world.run_all();
    send(&world, eid, "noise", 5);
    send(&world, eid, "in", 1);
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(absorbed(&world, eid), 6);
}

#[test]
fn a27_beyond_the_second_bound_an_execution_is_blocked_and_names_the_channel() {
    let (world, _) = Ledger::world_with(few(), app);
    let eid = world.start(Start::new("sums").input(&1_u64)).eid;
    world.run_all();
    send(&world, eid, "noise", 10);
    send(&world, eid, "in", 1);
    assert_eq!(world.run(eid).unwrap(), Ended::Parked(Status::Blocked));
    assert_eq!(absorbed(&world, eid), 6);
    let why = super::entries(&world, eid).into_iter().rev();
    let mut why = why.filter_map(|entry| match entry {
        Entry::Blocked(why) => Some(why),
        _ => None,
    });
    let expected = Blocked::Inbox {
        channel: "noise".to_owned(),
        unread: 6,
    };
    assert_eq!(why.next(), Some(expected));
    assert_eq!(run(&world, eid).0, Ended::Full);
    // With a larger bound, a resume finds the message.
    let settings = Settings {
        max_unread_waiting: 100,
        ..few()
    };
    let roomy = bounded(&world, settings);
    roomy.block(roomy.engine.resume(eid, ada())).unwrap();
    roomy.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
}

/// A process on the same bucket with other bounds.
fn bounded(world: &World, settings: Settings) -> World {
    let ledger = Ledger::default();
    let mut other = world.beside(app(&ledger), "roomy", 9);
    let core = other.engine.core();
    let (ports, host) = (core.ports.clone(), core.host.clone());
    other.engine =
        crate::client::Engine::with_settings(ports, app(&ledger), host, settings).unwrap();
    other
}

#[test]
fn a27_messages_that_stay_wake_no_worker_for_ever() {
    let (world, _) = Ledger::world_with(few(), app);
    let eid = world.start(Start::new("sums").input(&10_u64)).eid;
    world.run_all();
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    send(&world, eid, "in", 10);
    let log = Log::default();
    let (_, counts) = world.counted(|world| {
        beside(world, options(world, &log), async {
            world.clock.sleep(3600 * SECOND).await;
        });
    });
    assert_eq!(absorbed(&world, eid), 4);
    let full = log.ended(eid).into_iter();
    let full = full.filter(|(_, ended)| *ended == Ended::Full).count();
    assert!(
        (100..=140).contains(&full),
        "twice a minute at most: {full}"
    );
    assert!(counts.writes <= 4, "{counts:?}");
    // The sweeper reports them at growing intervals.
    let since = world.clock.now();
    world.clock.advance(60 * SECOND);
    let sweeper = Sweeper::new(&world.engine).since(Some(since));
    let swept = world.block(sweeper.pass()).unwrap();
    assert_eq!((swept.stale_mail, swept.reported), (6, 0));
}

#[test]
fn a27_a_flood_of_large_messages_blocks_an_execution_and_does_not_fail_it() {
    let settings = Settings {
        max_unread: 40,
        max_unread_waiting: 1_000,
        max_journal: 100_000,
        ..Settings::default()
    };
    let (world, _) = Ledger::world_with(settings, app);
    let eid = world.start(Start::new("sums").input(&1_u64)).eid;
    world.run_all();
    let large = "x".repeat(2_000);
    for _ in 0..60 {
        let signal = Signal::on("noise").value(&large);
        world.signal(eid, signal).unwrap();
    }
    assert_eq!(world.run(eid).unwrap(), Ended::Parked(Status::Blocked));
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert!(execution.journal_bytes < 100_000);
    assert!(matches!(execution.blocked, Some(Blocked::Inbox { .. })));
}
