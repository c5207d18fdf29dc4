//! How long a dispatch may go on.

use std::pin::pin;
use std::time::Duration;

use futures::future::join;

use super::ledger::Ledger;
use super::{App, Ended, keyed, neighbour};
use crate::client::{Notice, Retention, RetentionSettings, Signal, Start};
use crate::domain::Status;
use crate::ports::Clock;
use crate::testing::{Injection, Rule, World};
use crate::{Attempt, Context, Failed, StepError};

const SECOND: Duration = Duration::from_secs(1);

/// Two messages to one execution, and a step of 20 seconds.
async fn sends(ctx: Context, ledger: Ledger) -> Result<u64, Failed> {
    ctx.send(keyed("receiver"), "in", &1_u64)?;
    ctx.send(keyed("receiver"), "in", &2_u64)?;
    let step = ctx.step("slow", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            ledger.clock().sleep(20 * SECOND).await;
            Ok::<_, StepError>(9_u64)
        }
    });
    Ok(step.await?)
}

async fn receives(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

async fn asks(ctx: Context) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("receives", &0_u64).await?)
}

fn app(ledger: &Ledger) -> App {
    let ledger = ledger.clone();
    App::new()
        .workflow("sends", "1", move |ctx, (): ()| sends(ctx, ledger.clone()))
        .workflow("receives", "1", receives)
        .workflow("asks", "1", |ctx, (): ()| asks(ctx))
}

fn world() -> (World, Ledger) {
    Ledger::world_with(super::patient(), app)
}

#[test]
fn a_dispatch_makes_no_request_after_the_lease_it_ran_under() {
    let (world, ledger) = world();
    let reported = world
        .start(Start::new("receives").input(&3_u64).key("receiver"))
        .eid;
    let eid = world.start(Start::new("sends").key("sends")).eid;
    let first = world.beside(app(&ledger), "first", 2);
    // The first of the two messages is on its way when the process stands still.
    let slow = Rule::new(Injection::Delay(SECOND))
        .on_writes()
        .under("mail/");
    first.faults.add(slow);
    let mut run = pin!(first.engine.run(eid, first.causes(eid)));
    assert!(first.pool.run_until_stalled(run.as_mut()).is_none());
    assert_eq!(first.faults.met(), 1);
    world.clock.advance(31 * SECOND);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(9), "another one took over");
    assert!(world.with_work().is_empty(), "both messages were received");
    let before = world.memory.snapshot();
    let ended = first.pool.run_until(&world.clock, run);
    assert_eq!(ended.unwrap(), Ended::Lost);
    assert_eq!(world.memory.snapshot(), before, "it went on dispatching");
    world
        .signal(reported, Signal::on("in").value(&4_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(reported), Ok(7));
}

#[test]
fn a_dispatch_that_a_renewal_overtakes_goes_on_under_the_new_lease() {
    let (world, ledger) = world();
    world.start(Start::new("receives").input(&2_u64).key("receiver"));
    let eid = world.start(Start::new("sends").key("sends")).eid;
    let process = neighbour(&world, || app(&ledger), 2);
    // Each effect takes longer than the step, both longer than one lease: the final
    // commit waits for them, and the lease is kept meanwhile.
    let slow = Rule::new(Injection::Delay(25 * SECOND))
        .on_writes()
        .under("mail/");
    process.faults.add(slow.always());
    let looks = async {
        for _ in 0..3 {
            world.clock.sleep(15 * SECOND).await;
            let looked = world.engine.run(eid, world.causes(eid)).await.unwrap();
            assert!(matches!(looked, Ended::Held(_)), "{looked:?}");
        }
    };
    let (ended, ()) = world.block(join(process.engine.run(eid, process.causes(eid)), looks));
    assert_eq!(ended.unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(ledger.runs(eid, "slow"), 1);
    world.run_all();
    assert_eq!(world.result::<u64>(keyed("receiver")), Ok(3));
    assert!(world.with_work().is_empty());
}

/// A20: a dispatch without a lease has no limit of time, because the child's head stays.
#[test]
fn i5_a_dispatch_of_any_age_begins_no_child_again() {
    for (dies, days) in [(false, 1), (true, 1), (false, 200), (true, 200)] {
        let (world, ledger) = world();
        let eid = world.start(Start::new("asks").key("asks")).eid;
        if dies {
            // Its successor dispatches what it has left, and stands still.
            let dead = world.beside(app(&ledger), "dead", 3);
            let dies = Rule::new(Injection::LandedAndDied).on_writes();
            dead.faults.add(dies.under("x/"));
            assert!(dead.run(eid).is_err());
        }
        let first = world.beside(app(&ledger), "first", 2);
        let slow = Rule::new(Injection::Delay(SECOND)).on_writes();
        first.faults.add(slow.under("mail/"));
        let mut run = pin!(first.engine.run(eid, first.causes(eid)));
        assert!(first.pool.run_until_stalled(run.as_mut()).is_none());
        assert_eq!(world.status(eid), Status::Suspended);
        world.clock.advance(300 * SECOND);
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(0), "another one dispatched it");
        let settings = RetentionSettings::default();
        let retention = Retention::new(&world.engine, settings).unwrap();
        for _ in 0..2 {
            world.clock.advance(days * 86_400 * SECOND);
            world.block(retention.passes(&Notice::new())).unwrap();
        }
        let name = crate::domain::FrameName::parse("receives").unwrap();
        let child = eid.child(0, &crate::FrameId::root().nth(&name, 0));
        let before = world.head(child);
        let _ = first.pool.run_until(&world.clock, run);
        world.run_all();
        assert_eq!(world.head(child).as_str(), before.as_str());
        assert!(world.with_work().is_empty());
    }
}
