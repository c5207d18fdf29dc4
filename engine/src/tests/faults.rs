//! Faults of workflow code (N6): a panic, or a recorded value of another type, parks the
//! execution until fixed code is deployed, and skips nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{deployed, entries};
use crate::client::{Signal, Start};
use crate::domain::{Actor, ActorKind, Blocked, Entry, ExecutionId, Json, Status, kind};
use crate::process::{App, OnFault};
use crate::testing::World;
use crate::{Context, Failed, StepError};

const OLDER: &str = "20251231T000000-test";
const NEWER: &str = "20260102T000000-test";

fn blocked(world: &World, eid: ExecutionId) -> Blocked {
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!(execution.status, Status::Blocked);
    execution.blocked.unwrap()
}

fn resume(world: &World, eid: ExecutionId) {
    let ada = Actor::new(ActorKind::Human, "ada");
    world.block(world.engine.resume(eid, ada)).unwrap();
    world.run_all();
}

/// Reserves, picks the `at`th of three prices, and undoes the reservation if the price is refused.
async fn picks(ctx: Context, at: usize, undone: Arc<AtomicU64>) -> Result<u64, Failed> {
    ctx.step("reserve", || async { Ok::<_, StepError>(()) })
        .await?;
    let refused = ctx.receive::<u64>("refused").await?;
    let prices = [1_u64, 2, 3];
    let price = prices[at];
    if refused == price {
        let undo = move || {
            let undone = Arc::clone(&undone);
            async move { Ok::<_, StepError>(undone.fetch_add(1, Ordering::SeqCst)) }
        };
        ctx.step("undo", undo).await?;
    }
    Ok(price)
}

fn app(at: usize, undone: &Arc<AtomicU64>) -> App {
    let undone = Arc::clone(undone);
    App::new().workflow("picks", "1", move |ctx, (): ()| {
        picks(ctx, at, Arc::clone(&undone))
    })
}

#[test]
fn n6_a_panic_parks_with_its_place_and_fixed_code_goes_on() {
    let undone = Arc::default();
    let world = World::new(app(3, &undone));
    let eid = world.start(Start::new("picks")).eid;
    world.run_all();
    world
        .signal(eid, Signal::on("refused").value(&3_u64))
        .unwrap();
    world.run_all();
    let Blocked::Panicked { message, location } = blocked(&world, eid) else {
        panic!("blocked for another reason");
    };
    assert!(message.contains("index out of bounds"), "{message}");
    assert!(location.contains("tests/faults.rs:"), "{location}");
    // The same code panics again; fixed code continues, with its compensation.
    resume(&world, eid);
    assert!(matches!(blocked(&world, eid), Blocked::Panicked { .. }));
    let world = deployed(world, app(2, &undone), NEWER);
    resume(&world, eid);
    assert_eq!(world.result::<u64>(eid), Ok(3));
    assert_eq!(undone.load(Ordering::SeqCst), 1);
}

#[test]
fn n6_what_the_code_decided_before_it_panicked_is_not_recorded() {
    async fn announces(ctx: Context, falls: bool) -> Result<u64, Failed> {
        ctx.receive::<()>("go").await?;
        ctx.announce("progress", &1_u64)?;
        assert!(!falls, "it fell");
        Ok(ctx.receive::<u64>("more").await?)
    }
    let world = World::new(App::new().workflow("a", "1", |ctx, (): ()| announces(ctx, true)));
    let eid = world.start(Start::new("a")).eid;
    world.run_all();
    world.signal(eid, Signal::on("go").value(&())).unwrap();
    world.run_all();
    assert!(matches!(blocked(&world, eid), Blocked::Panicked { .. }));
    let announced = |entry: &Entry| matches!(entry, Entry::Announced { .. });
    assert!(!entries(&world, eid).iter().any(announced));
    // Fixed code may decide otherwise in that turn.
    let silent = |ctx: Context, (): ()| async move {
        ctx.receive::<()>("go").await?;
        Ok::<u64, Failed>(ctx.receive::<u64>("more").await?)
    };
    let world = deployed(world, App::new().workflow("a", "1", silent), NEWER);
    resume(&world, eid);
    world.signal(eid, Signal::on("more").value(&7_u64)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(7));
}

#[test]
fn n6_a_message_of_another_type_parks_and_is_read_by_fixed_code() {
    async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
        Ok(ctx.receive::<u64>("payment").await?)
    }
    async fn lenient(ctx: Context, _: ()) -> Result<u64, Failed> {
        let text = ctx.receive::<String>("payment").await?;
        Ok(text.parse()?)
    }
    let world = World::new(App::new().workflow("waits", "1", waits));
    let eid = world.start(Start::new("waits")).eid;
    world.run_all();
    world
        .signal(eid, Signal::on("payment").value("300"))
        .unwrap();
    world.run_all();
    let Blocked::InvalidValue {
        frame,
        expected,
        message,
    } = blocked(&world, eid)
    else {
        panic!("blocked for another reason");
    };
    assert_eq!((&*frame, &*expected), ("root/receive#0", "u64"));
    assert!(message.contains("invalid type: string"), "{message}");
    let world = deployed(world, App::new().workflow("waits", "1", lenient), NEWER);
    resume(&world, eid);
    assert_eq!(world.result::<u64>(eid), Ok(300));
}

#[test]
fn n6_a_recorded_value_that_a_new_build_cannot_read_parks() {
    async fn counts(ctx: Context, _: ()) -> Result<u64, Failed> {
        let n = ctx
            .step("n", || async { Ok::<_, StepError>(5_u64) })
            .await?;
        ctx.receive::<()>("go").await?;
        Ok(n)
    }
    async fn changed(ctx: Context, _: ()) -> Result<u64, Failed> {
        let n = ctx
            .step("n", || async { Ok::<_, StepError>(vec![5_u64]) })
            .await?;
        ctx.receive::<()>("go").await?;
        Ok(n.len() as u64)
    }
    let world = World::new(App::new().workflow("counts", "1", counts));
    let eid = world.start(Start::new("counts")).eid;
    world.run_all();
    let world = deployed(world, App::new().workflow("counts", "1", changed), NEWER);
    world.signal(eid, Signal::on("go").value(&())).unwrap();
    world.run_all();
    assert!(
        matches!(blocked(&world, eid), Blocked::InvalidValue { frame, .. } if frame == "root/n#0")
    );
    let world = deployed(world, App::new().workflow("counts", "1", counts), NEWER);
    resume(&world, eid);
    assert_eq!(world.result::<u64>(eid), Ok(5));
}

#[test]
fn n6_an_older_build_leaves_the_execution_to_the_newer_one() {
    let undone = Arc::default();
    let world = World::new(app(2, &undone));
    let eid = world.start(Start::new("picks")).eid;
    world.run_all();
    let world = deployed(world, app(9, &undone), OLDER);
    world
        .signal(eid, Signal::on("refused").value(&1_u64))
        .unwrap();
    let ended = world.run(eid).unwrap();
    assert!(
        matches!(ended, crate::run::Ended::NewerCode(_)),
        "{ended:?}"
    );
    let world = deployed(world, app(2, &undone), NEWER);
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

#[test]
fn n6_a_setting_makes_faults_fail_the_execution() {
    async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
        let n = ctx.receive::<u64>("n").await?;
        assert_ne!(n, 2, "n is two");
        Ok(n)
    }
    for (payload, failed, text) in [
        ("2", kind::PANIC, "n is two"),
        ("\"2\"", kind::VALUE, "root/receive#0"),
    ] {
        let app = App::new().workflow("waits", "1", waits);
        let world = World::new(app.on_fault(OnFault::Fail));
        let eid = world.start(Start::new("waits")).eid;
        world.run_all();
        let json = Json::parse(payload).unwrap();
        world.signal(eid, Signal::on("n").json(json)).unwrap();
        world.run_all();
        assert_eq!(world.status(eid), Status::Failed);
        let failure = world.outcome(eid).value.unwrap_err();
        assert_eq!(failure.kind, failed);
        assert!(failure.message.contains(text), "{failure}");
    }
}

/// Waits for a payment in cents.
#[millpond::workflow(channels(payment: u64, "order.note": String))]
async fn order(ctx: Context) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("payment").await?)
}

#[test]
fn n6_a_signal_of_another_shape_is_refused_where_channels_are_declared() {
    let world = World::new(App::new().register::<order>());
    let eid = world.start(Start::of::<order>(&())).eid;
    world.run_all();
    let before = world.memory.snapshot();
    let refused = |signal| world.signal(eid, signal).unwrap_err().to_string();
    assert_eq!(
        refused(Signal::on("payment").value("300")),
        "the message does not fit channel \"payment\" of order, which takes u64"
    );
    assert_eq!(
        refused(Signal::on("payments").value(&300_u64)),
        "order has no channel \"payments\"; its channels: payment, order.note"
    );
    assert_eq!(world.memory.snapshot(), before, "nothing was written");
    world
        .signal(eid, Signal::on("order.note").value("by noon"))
        .unwrap();
    world
        .signal(eid, Signal::on("payment").value(&300_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(300));
}
