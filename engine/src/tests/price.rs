//! The price list (docs/operations.md, Price list): exact request counts.

use std::time::Duration;

use futures::future::join_all;

use super::{App, Ended, echo, sequential};
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::ports::Fault;
use crate::run::Causes;
use crate::testing::{Counts, Injection, Rule, Verb, World};
use crate::{Context, Failed};

#[track_caller]
fn assert_price(what: &str, counts: &Counts, write_requests: u64, read_requests: u64) {
    assert_eq!(
        (counts.write_requests(), counts.read_requests()),
        (write_requests, read_requests),
        "{what}: {counts:?}"
    );
}

async fn concurrent(ctx: Context, n: u64) -> Result<u64, Failed> {
    let steps = (0..n).map(|at| ctx.call("echo", echo, &at));
    let mut sum = 0;
    for value in join_all(steps).await {
        sum += value?;
    }
    Ok(sum)
}

async fn waits(ctx: Context, timed: bool) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..2 {
        sum += if timed {
            let long = Duration::from_secs(3600);
            ctx.receive::<u64>("in")
                .timeout(long)
                .await?
                .unwrap_or(1_000)
        } else {
            ctx.receive::<u64>("in").await?
        };
    }
    Ok(sum)
}

async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|_| ctx.child_named::<u64>("sequential", &2_u64));
    let mut sum = 0;
    for value in join_all(children).await {
        sum += value?;
    }
    Ok(sum)
}

fn app() -> App {
    App::new()
        .workflow("sequential", "1", sequential)
        .workflow("concurrent", "1", concurrent)
        .workflow("waits", "1", waits)
        .workflow("parent", "1", parent)
}

#[test]
fn n_sequential_steps_cost_n_plus_5_write_requests_and_2_read_requests_from_start_to_end() {
    for n in [0, 1, 5, 100] {
        let world = World::new(app());
        let (started, counts) = world.counted(|w| w.start(Start::new("sequential").input(&n)));
        assert_price("start", &counts, 2, 0);
        let (ended, counts) = world.counted(|w| w.run(started.eid));
        assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
        assert_price(&format!("run of {n} steps"), &counts, n + 3, 2);
        assert_eq!(world.result::<u64>(started.eid), Ok((0..n).sum()));
    }
}

#[test]
fn k_concurrent_steps_that_end_together_cost_one_commit() {
    for k in [1, 5, 50] {
        let world = World::new(app());
        let started = world.start(Start::new("concurrent").input(&k));
        let (ended, counts) = world.counted(|w| w.run(started.eid));
        assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
        // list, acquire with all starts, one commit with all outcomes, feed
        assert_price(&format!("{k} concurrent steps"), &counts, 4, 2);
    }
}

#[test]
fn a_keyed_start_costs_one_read_more_and_its_repetition_only_that() {
    let world = World::new(app());
    let keyed = || Start::new("sequential").input(&3_u64).key("a/b ü");
    let (first, counts) = world.counted(|w| w.start(keyed()));
    assert_price("keyed start", &counts, 2, 1);
    let (again, counts) = world.counted(|w| w.start(keyed()));
    assert_price("the same again", &counts, 0, 1);
    assert_eq!(
        (first.eid, first.fresh, again.fresh),
        (again.eid, true, false)
    );
    let other = world.start(Start::new("sequential").input(&4_u64).key("a/b ü"));
    assert_eq!(
        (other.eid, other.fresh, other.differs),
        (first.eid, false, true)
    );
    let else_ = world.start(Start::new("concurrent").input(&3_u64).key("a/b ü"));
    assert!(else_.differs, "the key belongs to another workflow");
}

#[test]
fn suspending_costs_commit_feed_and_second_list_and_a_timer_if_timed() {
    for (timed, write_requests) in [(false, 4), (true, 5)] {
        let world = World::new(app());
        let started = world.start(Start::new("waits").input(&timed));
        let (ended, counts) = world.counted(|w| w.run(started.eid));
        assert!(matches!(ended.unwrap(), Ended::Suspended(due) if due.is_some() == timed));
        // the list of any run, then 3 (+ 1)
        assert_price(
            &format!("suspend, timed={timed}"),
            &counts,
            write_requests,
            2,
        );
    }
}

#[test]
fn b32_a_signal_and_the_resume_it_causes_cost_what_the_list_states() {
    for (timed, timer) in [(false, 0), (true, 1)] {
        let world = World::new(app());
        let eid = world.start(Start::new("waits").input(&timed)).eid;
        world.run(eid).unwrap();
        world.clock.advance(Duration::from_secs(1)); // so that the deadline moves
        let (sent, counts) = world.counted(|w| w.signal(eid, Signal::on("in").value(&1_u64)));
        sent.unwrap();
        assert_price("signal", &counts, 1, 1);
        let (ended, counts) = world.counted(|w| w.run(eid));
        assert!(matches!(ended.unwrap(), Ended::Suspended(_)));
        // 2 lists, commit, feed; head and message
        assert_price(&format!("resume, timed={timed}"), &counts, 4 + timer, 2);
    }
}

#[test]
fn a_timer_run_costs_one_read_more_on_the_run_after_it() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits").input(&true)).eid;
    world.run(eid).unwrap();
    world.clock.advance(Duration::from_secs(3600));
    let (ended, counts) = world.counted(|w| w.run(eid));
    assert!(matches!(ended.unwrap(), Ended::Suspended(Some(_))));
    // list, commit, timer, feed, second list; head. No message.
    assert_price("timer run", &counts, 5, 1);
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    let (ended, counts) = world.counted(|w| w.run(eid));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
    // list, commit, feed; head, message, and whether the fired timer still exists
    assert_price("the run after it", &counts, 3, 3);
    assert_eq!(world.result::<u64>(eid), Ok(1_001));
}

#[test]
fn a_child_of_two_steps_costs_8_write_requests_and_2_read_requests_in_all() {
    for n in [1_u64, 5] {
        let world = World::new(app());
        let eid = world.start(Start::new("parent").input(&n)).eid;
        let ((), counts) = world.counted(|world| {
            world.run(eid).unwrap();
            // The children end together: one run absorbs all that is there.
            world
                .with_work()
                .into_iter()
                .for_each(|child| drop(world.run(child).unwrap()));
            world.run(eid).unwrap();
        });
        assert_eq!(world.result::<u64>(eid), Ok(n));
        // The parent: list, commit, feed, second list; then list, commit, feed. Head and start
        // mail; head and one result mail a child.
        assert_price(&format!("{n} children"), &counts, 7 + n * 8, 3 + n * 3);
    }
}

#[test]
fn mail_that_is_reported_again_and_gone_costs_two_reads() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits").input(&true)).eid;
    let start = world.causes(eid);
    let describe = |causes: &Causes| {
        let reported = Causes {
            possible_duplicate: true,
            ..causes.clone()
        };
        let (ended, counts) =
            world.counted(|world| world.block(world.engine.run(eid, reported)).unwrap());
        (ended, counts.write_requests(), counts.read_requests())
    };
    // Nothing is read twice: list, commit, timer, feed, second list; head and start.
    assert_eq!(describe(&start).1, 5);
    assert_eq!(describe(&start), (Ended::Stale, 0, 2));
    // One of several is enough to look at all.
    world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
    let mut both = world.causes(eid);
    both.mail.extend(start.mail.clone());
    assert!(matches!(describe(&both).0, Ended::Suspended(_)));
    assert_eq!(describe(&both), (Ended::Stale, 0, 3));
    // Nor is one that is over listed.
    world.skip(Duration::from_secs(7200));
    assert_eq!(world.status(eid), Status::Completed);
    assert_eq!(describe(&start), (Ended::Stale, 0, 2));
}

#[test]
pub(super) fn a_possible_duplicate_beside_a_timer_is_looked_at_like_any_cause() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits").input(&true)).eid;
    let start = world.causes(eid);
    world.run(eid).unwrap();
    world.clock.advance(Duration::from_secs(3600));
    let mut causes = world.causes(eid);
    assert_eq!(causes.timers.len(), 1);
    causes.mail = start.mail;
    causes.possible_duplicate = true;
    let ended = world.block(world.engine.run(eid, causes)).unwrap();
    assert!(matches!(ended, Ended::Suspended(Some(_))), "{ended:?}");
}

#[test]
fn a_possible_duplicate_that_cannot_be_read_is_taken_for_there() {
    let world = World::new(app());
    let eid = world.start(Start::new("sequential").input(&1_u64)).eid;
    let start = world.causes(eid);
    let dead = world.beside(app(), "dead", 2);
    dead.faults.add(Rule::new(Injection::Died).on(Verb::Delete));
    assert!(dead.run(eid).is_err());
    assert_eq!(world.status(eid), Status::Completed);
    let denied = Rule::new(Injection::Error(Fault::Denied));
    world
        .faults
        .add(denied.on(Verb::Read).under("mail/").always());
    let reported = Causes {
        possible_duplicate: true,
        ..start
    };
    let ended = world.block(world.engine.run(eid, reported)).unwrap();
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    assert!(world.with_work().is_empty(), "it was deleted");
}

#[test]
fn a_spurious_cause_costs_one_list_and_one_read() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits").input(&false)).eid;
    world.run(eid).unwrap();
    let (ended, counts) = world.counted(|w| w.run(eid));
    assert_eq!(ended.unwrap(), Ended::Stale);
    assert_price("spurious", &counts, 1, 1);
}
