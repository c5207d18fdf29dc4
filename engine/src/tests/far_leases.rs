//! Leases of holders whose clock is far ahead (N10).

use std::sync::Arc;
use std::time::Duration;

use futures::future::join;

use super::ledger::Ledger;
use super::worker::app;
use super::{App, clocked, neighbour};
use crate::client::{Finding, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::ports::Clock as _;
use crate::run::Ended;
use crate::simulation::SkewedClock;
use crate::testing::{Injection, Rule, World};

const SECOND: Duration = Duration::from_secs(1);
const HOURS: Duration = Duration::from_secs(2 * 3600);

/// A world, and a process of it whose wall clock is `ahead`.
fn worlds(ahead: Duration) -> (World, World) {
    let (world, ledger) = Ledger::world(app);
    let other = neighbour(&world, || app(&ledger), 7);
    let millis = i64::try_from(ahead.as_millis()).unwrap();
    let clock = Arc::new(SkewedClock::new(Arc::clone(&world.clock), millis));
    (world, clocked(other, app(&ledger), clock))
}

/// Starts an execution of `steps` steps of ten seconds, whose first run dies with its first lease.
fn abandoned(world: &World, other: &World, steps: u64) -> ExecutionId {
    let eid = world.start(Start::new("slow").input(&steps)).eid;
    let dies = Rule::new(Injection::LandedAndDied).on_writes();
    other.faults.add(dies.under("x/"));
    assert!(
        world
            .block(other.engine.run(eid, world.causes(eid)))
            .is_err()
    );
    eid
}

#[test]
fn n10_a_lease_from_a_clock_far_ahead_lasts_for_its_duration() {
    let (world, other) = worlds(HOURS);
    let eid = abandoned(&world, &other, 1);
    let begun = world.clock.now();
    world.clock.advance(29 * SECOND);
    let (held, counts) = world.counted(|world| world.run(eid));
    assert_eq!(held.unwrap(), Ended::Held(begun + 30 * SECOND));
    // The causes, then the head and its last change.
    let (_, causes) = world.counted(|world| world.causes(eid));
    assert_eq!(counts.lists - causes.lists, 1);
    assert_eq!((counts.reads - causes.reads, counts.writes), (1, 0));
    world.clock.advance(SECOND);
    let ada = Actor::human("ada");
    world
        .block(world.engine.terminate(eid, "enough", ada))
        .unwrap();
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Terminated));
}

#[test]
fn n10_a_renewed_lease_is_honoured_whatever_the_clock_of_its_holder() {
    let (world, other) = worlds(HOURS);
    let eid = world.start(Start::new("slow").input(&6_u64)).eid;
    let looks = async {
        world.clock.sleep(45 * SECOND).await;
        world.engine.run(eid, world.causes(eid)).await
    };
    let run = other.engine.run(eid, world.causes(eid));
    let (ended, looked) = world.block(join(run, looks));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
    assert!(matches!(looked.unwrap(), Ended::Held(_)));
}

#[test]
fn n10_a_lease_within_two_durations_is_honoured_to_its_end() {
    let (world, other) = worlds(25 * SECOND);
    let eid = abandoned(&world, &other, 1);
    let begun = world.clock.now();
    world.clock.advance(31 * SECOND);
    let (held, counts) = world.counted(|world| world.run(eid));
    assert_eq!(held.unwrap(), Ended::Held(begun + 55 * SECOND));
    let (_, causes) = world.counted(|world| world.causes(eid));
    assert_eq!(counts.lists, causes.lists, "the head alone decides");
}

#[test]
fn n10_an_audit_names_a_lease_from_a_clock_far_ahead() {
    let (world, other) = worlds(HOURS);
    let eid = abandoned(&world, &other, 1);
    let found = world.block(world.engine.audit()).unwrap().findings;
    let holder = &other.engine.core().host.worker;
    assert!(
        matches!(&found[..], [Finding::FarLease { eid: of, worker, .. }] if (*of, worker) == (eid, holder)),
        "{found:?}"
    );
    // For a clock that is as far ahead, it is a lease like any other.
    let clock = SkewedClock::new(Arc::clone(&world.clock), 2 * 3_600_000);
    let beside = world.beside(App::new(), "beside", 9);
    let beside = clocked(beside, App::new(), Arc::new(clock));
    let found = beside.block(beside.engine.audit()).unwrap().findings;
    assert_eq!(found, []);
    world.clock.advance(30 * SECOND);
    world.run_all();
    let found = world.block(world.engine.audit()).unwrap().findings;
    assert_eq!(found, [], "another worker has taken over");
}
