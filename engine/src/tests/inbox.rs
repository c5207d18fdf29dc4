//! Mailboxes of more than one page: what a run absorbs, what it deletes and what it costs (A25, A26).

use std::time::Duration;

use futures::future::join;

use super::ledger::Ledger;
use super::{App, Ended, entries, keyed, neighbour, patient};
use crate::client::{Signal, Start};
use crate::domain::{Actor, Body, Class, Entry, ExecutionId, MessageId, Status, Text};
use crate::keys::MailKey;
use crate::ports::Clock as _;
use crate::run::{Causes, Stop};
use crate::settings::Settings;
use crate::testing::{Counts, Injection, Request, Rule, Verb, World};
use crate::{Attempt, Context, Failed, StepError};

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// The sum of `n` messages.
async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

/// A child, and a message on a channel.
async fn parent(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("sums", &0_u64).await? + 1)
}

/// A message, then a child.
async fn starts(ctx: Context, _: ()) -> Result<u64, Failed> {
    ctx.receive::<u64>("in").await?;
    Ok(ctx.child_named::<u64>("sums", &0_u64).await? + 7)
}

/// A message, an hour at most.
async fn either(ctx: Context, _: ()) -> Result<u64, Failed> {
    let hour = 3600 * SECOND;
    Ok(ctx.receive::<u64>("in").timeout(hour).await?.unwrap_or(99))
}

/// A step of `seconds`, then the sum of `n` messages.
async fn works(ctx: Context, ledger: Ledger, (seconds, n): (u64, u64)) -> Result<u64, Failed> {
    let step = ctx.step("work", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            ledger.clock().sleep(Duration::from_secs(seconds)).await;
            Ok::<_, StepError>(100_u64)
        }
    });
    Ok(step.await? + sums(ctx, n).await?)
}

pub(super) fn app(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new()
        .workflow("sums", "1", sums)
        .workflow("parent", "1", parent)
        .workflow("starts", "1", starts)
        .workflow("either", "1", either)
        .workflow("works", "1", move |ctx, input| {
            works(ctx, ledger.clone(), input)
        })
}

/// Pages of `page` messages, of which a commit absorbs `batch`.
fn small(page: usize, batch: usize) -> Settings {
    Settings {
        mailbox_page: page,
        mailbox_batch: batch,
        ..patient()
    }
}

pub(super) fn ada() -> Actor {
    Actor::human("ada")
}

/// Sends `n` messages, one in each millisecond.
pub(super) fn send(world: &World, eid: ExecutionId, channel: &str, n: u64) {
    for _ in 0..n {
        world.clock.advance(Duration::from_millis(1));
        let signal = Signal::on(channel).value(&1_u64);
        world.signal(eid, signal).unwrap();
    }
}

/// The number of messages in the mailbox, by class.
pub(super) fn left(world: &World, eid: ExecutionId, class: Class) -> usize {
    let rows = world.memory.snapshot();
    let mail = rows.iter().filter_map(|(key, _)| MailKey::parse(key));
    mail.filter(|mail| mail.eid == eid && mail.mid.class() == class)
        .count()
}

/// Runs an execution as if a poll had found its mail.
pub(super) fn run(world: &World, eid: ExecutionId) -> (Ended, Counts) {
    let causes = Causes {
        possible_duplicate: false,
        ..world.causes(eid)
    };
    world.counted(|world| world.block(world.engine.run(eid, causes)).unwrap())
}

/// The messages that the journal contains.
pub(super) fn absorbed(world: &World, eid: ExecutionId) -> usize {
    let message = |entry: &Entry| {
        matches!(
            entry,
            Entry::Received {
                body: Body::Message { .. },
                ..
            }
        )
    };
    entries(world, eid).iter().filter(|e| message(e)).count()
}

#[test]
fn the_price_of_3000_messages_is_3000_reads_and_a_list_for_each_256_of_them() {
    let (world, _) = Ledger::world(app);
    let eid = world.start(Start::new("sums").input(&3_000_u64)).eid;
    send(&world, eid, "in", 3_000);
    let log = world.counting.log().len();
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<u64>(eid), Ok(3_000));
    assert_eq!(
        counts.reads, 3_002,
        "the head, its start, and each message once"
    );
    assert_eq!(counts.lists, 12, "3,000 messages, 256 at a time");
    assert_eq!(counts.deletes, 3_001);
    assert!(world.with_work().is_empty());
    let log = world.counting.log().split_off(log);
    let writes = |under: &str| {
        let to = |one: &&Request| one.verb.is_write() && one.key.contains(under);
        log.iter().filter(to).count()
    };
    assert_eq!(writes("/head"), 59, "24 KiB each");
    assert_eq!((writes("/log/"), writes("feed/")), (23, 1));
    // Of what it has read, it never holds more than a page.
    let (mut read, mut most) = (0_usize, 0);
    for request in &log {
        match request.verb {
            Verb::Read if request.key.starts_with("mail/") => read += 1,
            Verb::Delete => read = read.saturating_sub(1),
            _ => {}
        }
        most = most.max(read);
    }
    assert_eq!(most, 1_000);
}

#[test]
fn a_terminate_behind_1500_messages_takes_effect_in_the_first_commit() {
    let (world, _) = Ledger::world(app);
    let eid = world.start(Start::new("sums").input(&2_000_u64)).eid;
    world.run_all();
    send(&world, eid, "in", 1_500);
    world
        .block(world.engine.terminate(eid, "enough", ada()))
        .unwrap();
    let (ended, counts) = run(&world, eid);
    assert_eq!(ended, Ended::Terminal(Status::Terminated));
    // Its commit, and the feed; head and command, and the head twice for each page that is deleted. Each
    // full page costs a feed object more (A25).
    assert_eq!((counts.writes, counts.reads), (4, 7), "{counts:?}");
    assert_eq!(counts.lists, 3, "{counts:?}");
    assert_eq!(counts.deletes, 1_501, "{counts:?}");
    assert_eq!(absorbed(&world, eid), 0);
    assert!(world.with_work().is_empty());
}

#[test]
fn a27_a_result_is_found_before_a_flood_of_messages() {
    let settings = Settings {
        max_unread: 5,
        ..small(4, 2)
    };
    let (world, _) = Ledger::world_with(settings, app);
    let eid = world.start(Start::new("parent").key("p")).eid;
    world.run(eid).unwrap();
    send(&world, eid, "noise", 20);
    for child in world.with_work() {
        if child != eid {
            world.run(child).unwrap();
        }
    }
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<u64>(eid), Ok(1));
    assert_eq!(absorbed(&world, eid), 5, "of 20");
    // A full page is a sign of an undispatched outbox: the start of the child is sent again. N25: within a
    // second, it is left to the run that ended the child.
    world.clock.advance(SECOND);
    world.run_all();
    assert!(world.with_work().is_empty());
}

/// A process that dies after its `n`th write of a head, counted from 0.
fn dies_at(world: &World, ledger: &Ledger, n: u64) -> World {
    let process = neighbour(world, || app(ledger), 40 + n);
    let dies = Rule::new(Injection::LandedAndDied).on_writes();
    process.faults.add(dies.under("x/").skip(n));
    process
}

#[test]
fn a25_behind_a_full_page_an_outbox_counts_as_undispatched() {
    let (world, ledger) = Ledger::world_with(small(3, 3), app);
    let eid = world.start(Start::new("starts").key("s")).eid;
    world.run_all();
    // The final commit starts a child; its only sign is the message.
    send(&world, eid, "in", 1);
    assert!(dies_at(&world, &ledger, 0).run(eid).is_err());
    assert_eq!(world.with_work().len(), 1, "no child");
    // Newer mail hides it.
    for _ in 0..3 {
        world.clock.advance(SECOND);
        world.block(world.engine.resume(eid, ada())).unwrap();
    }
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
    assert!(world.with_work().is_empty());
}

#[test]
fn a25_a_run_without_fresh_mail_in_a_full_page_looks_behind_it() {
    let (world, ledger) = Ledger::world_with(small(3, 3), app);
    let eid = world.start(Start::new("sums").input(&4_u64)).eid;
    world.run_all();
    send(&world, eid, "in", 3);
    assert!(dies_at(&world, &ledger, 0).run(eid).is_err());
    send(&world, eid, "in", 1);
    assert_eq!(left(&world, eid, Class::Message), 4);
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<u64>(eid), Ok(4));
    assert!(world.with_work().is_empty());
}

#[test]
fn a25_a_sign_behind_messages_that_stay_is_found() {
    let settings = Settings {
        max_unread: 2,
        ..small(3, 3)
    };
    let (world, ledger) = Ledger::world_with(settings, app);
    let eid = world.start(Start::new("starts").key("s")).eid;
    world.run_all();
    send(&world, eid, "noise", 2);
    world.run_all();
    // The final commit starts a child; its only sign is the message.
    send(&world, eid, "in", 1);
    assert!(dies_at(&world, &ledger, 1).run(eid).is_err());
    assert_eq!(world.status(eid), Status::Suspended);
    assert_eq!(world.with_work().len(), 1, "no child");
    // Messages that the execution does not take come before it in the order of keys.
    let keys = (0..).map(|n| format!("key {n}"));
    let first = |key: &String| {
        let mid = MessageId::keyed("noise", &Text::parse(key).unwrap());
        mid.as_str() < "2.2"
    };
    for key in keys.filter(first).take(3) {
        let signal = Signal::on("noise").value(&1_u64).key(key.as_str());
        world.signal(eid, signal).unwrap();
    }
    assert_eq!(run(&world, eid).0, Ended::Full);
    assert_eq!(left(&world, eid, Class::Message), 3);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
    assert!(world.with_work().is_empty());
}

#[test]
fn a_run_that_is_asked_to_stop_within_a_mailbox_hands_over() {
    let (world, _) = Ledger::world_with(small(10, 2), app);
    let eid = world.start(Start::new("sums").input(&5_u64)).eid;
    world.run_all();
    send(&world, eid, "in", 5);
    let stop = Stop::default();
    stop.gently.set();
    let run = world.engine.run_until(eid, world.causes(eid), stop);
    assert_eq!(world.block(run).unwrap(), Ended::Sliced);
    assert_eq!(absorbed(&world, eid), 2);
    assert_eq!(left(&world, eid, Class::Control), 1, "a hint of its own");
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(5));
    assert!(world.with_work().is_empty());
}

#[test]
fn a26_a_live_run_that_dies_leaves_one_message_that_wakes_the_execution() {
    let (world, ledger) = Ledger::world_with(small(3, 1), app);
    let start = Start::new("works").input(&(60_u64, 5_u64)).key("w");
    let eid = world.start(start).eid;
    send(&world, eid, "in", 5);
    let dead = neighbour(&world, || app(&ledger), 7);
    let run = dead.engine.run(eid, world.causes(eid));
    let acts = async {
        world.clock.sleep(25 * SECOND).await;
        assert_eq!(absorbed_now(&world, eid).await, 5, "all are absorbed");
        let mail = world.memory.snapshot();
        let mail = mail.iter().filter(|(key, _)| MailKey::parse(key).is_some());
        assert_eq!(mail.count(), 2, "deleted, but one and the last batch");
        dead.faults.add(Rule::new(Injection::Died).on_writes());
    };
    let (ended, ()) = world.block(join(run, acts));
    assert!(ended.is_err());
    world.clock.advance(31 * SECOND);
    assert_eq!(world.with_work().len(), 1);
    world.skip(3600 * SECOND);
    assert_eq!(world.result::<u64>(eid), Ok(105));
    assert_eq!(ledger.wrong(), Vec::<String>::new());
}

pub(super) async fn absorbed_now(world: &World, eid: ExecutionId) -> usize {
    let page = world.engine.journal(eid, 0, usize::MAX).await.unwrap();
    let entries = page.commits.into_iter().flat_map(|commit| commit.entries);
    let messages = entries.filter(|entry| {
        matches!(
            entry,
            Entry::Received {
                body: Body::Message { .. },
                ..
            }
        )
    });
    messages.count()
}

#[test]
fn a26_a_run_that_has_absorbed_nothing_deletes_nothing_while_it_lives() {
    let (world, ledger) = Ledger::world_with(small(3, 3), app);
    let start = Start::new("works").input(&(60_u64, 2_u64)).key("w");
    let eid = world.start(start).eid;
    send(&world, eid, "in", 2);
    // The first holder absorbs the page, and dies. It may be slow, and still delete.
    assert!(dies_at(&world, &ledger, 0).run(eid).is_err());
    send(&world, eid, "noise", 1);
    world.clock.advance(31 * SECOND);
    let second = neighbour(&world, || app(&ledger), 8);
    let run = second.engine.run(eid, world.causes(eid));
    let acts = async {
        world.clock.sleep(25 * SECOND).await;
        let mail = world.memory.snapshot();
        let mail = mail.iter().filter(|(key, _)| MailKey::parse(key).is_some());
        assert_eq!(mail.count(), 4);
        second.faults.add(Rule::new(Injection::Died).on_writes());
    };
    let (ended, ()) = world.block(join(run, acts));
    assert!(ended.is_err());
    world.skip(3600 * SECOND);
    assert_eq!(world.result::<u64>(eid), Ok(102));
    assert!(world.with_work().is_empty());
}

#[test]
fn b24_a_message_of_a_later_batch_beats_a_deadline() {
    let (world, _) = Ledger::world_with(small(4, 2), app);
    let eid = world.start(Start::new("either")).eid;
    world.run_all();
    send(&world, eid, "noise", 9);
    send(&world, eid, "in", 1);
    world.clock.advance(7200 * SECOND);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(1));
}

#[test]
fn mail_of_an_ended_execution_is_deleted_page_by_page() {
    let (world, _) = Ledger::world_with(small(2, 2), app);
    let eid = world.start(Start::new("sums").input(&1_u64)).eid;
    world.run_all();
    send(&world, eid, "in", 6);
    let (ended, counts) = world.counted(|world| world.run(eid).unwrap());
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert_eq!(counts.deletes, 6, "{counts:?}");
    assert_eq!(absorbed(&world, eid), 2);
    assert!(world.with_work().is_empty());
}

#[test]
fn i2_two_runs_at_once_absorb_each_message_once() {
    for late in 0..8 {
        let (world, ledger) = Ledger::world_with(small(3, 1), app);
        let start = Start::new("works").input(&(40_u64, 9_u64)).key("w");
        let eid = world.start(start).eid;
        send(&world, eid, "in", 9);
        let (one, two) = (
            neighbour(&world, || app(&ledger), 11),
            neighbour(&world, || app(&ledger), 12),
        );
        // The first one stands still during a request, and goes on when its lease is over.
        let stands = Rule::new(Injection::Delay(70 * SECOND));
        one.faults.add(stands.at(4 + late * 5));
        let first = one.engine.run(eid, world.causes(eid));
        let second = async {
            world.clock.sleep(35 * SECOND).await;
            two.engine.run(eid, world.causes(eid)).await
        };
        let _ = world.block(join(first, second));
        world.skip(3600 * SECOND);
        assert_eq!(world.result::<u64>(eid), Ok(109), "late={late}");
        assert_eq!(absorbed(&world, eid), 9, "late={late}");
        assert!(world.with_work().is_empty(), "late={late}");
        assert_eq!(eid, keyed("w"));
    }
}
