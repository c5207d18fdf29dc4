//! N26: what stops a runaway (docs/protocol.md, Runaways).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::App;
use super::findings::HOUR;
use crate::client::{Engine, Filter, Signal, Start};
use crate::domain::{Actor, Blocked, ExecutionId};
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, Failed, StepError};

const DAY: Duration = Duration::from_secs(86_400);

fn ada() -> Actor {
    Actor::human("ada")
}

/// An hour later, a child of its own type; so on for so many levels.
async fn nested(ctx: Context, levels: u64) -> Result<u64, Failed> {
    ctx.sleep(HOUR).await?;
    match levels {
        0 => Ok(0),
        levels => Ok(1 + ctx.child_named::<u64>("nested", &(levels - 1)).await?),
    }
}

fn app() -> App {
    App::new().workflow("nested", "1", nested)
}

fn settings(max_depth: u32) -> Settings {
    Settings {
        max_depth,
        ..Settings::default()
    }
}

#[test]
fn n26_a_child_below_the_bound_of_its_tree_is_refused() {
    let world = World::with_settings(app(), settings(3));
    let fits = world.start(Start::new("nested").input(&3_u64)).eid;
    let deeper = world.start(Start::new("nested").input(&4_u64)).eid;
    world.skip(HOUR * 5);
    assert_eq!(world.result::<u64>(fits), Ok(3));
    let failure = world.result::<u64>(deeper).unwrap_err();
    assert!(
        failure.starts_with("depth: "),
        "the kind reaches the root: {failure}"
    );
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(rows.len(), 4 + 4, "the fifth level was not started");
}

#[test]
fn n26_a_tree_keeps_the_bound_of_its_start() {
    let mut world = World::with_settings(app(), settings(2));
    let eid = world.start(Start::new("nested").input(&2_u64)).eid;
    world.run_all();
    let core = world.engine.core();
    let (ports, host) = (core.ports.clone(), core.host.clone());
    world.engine = Engine::with_settings(ports, app(), host, settings(0)).unwrap();
    world.skip(HOUR * 3);
    assert_eq!(world.result::<u64>(eid), Ok(2));
}

/// A step of its own, and the number of runs of it.
fn counted(steps: u64) -> (App, Arc<AtomicU64>) {
    let ran = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&ran);
    let app = App::new().workflow("counted", "1", move |ctx: Context, _: ()| {
        let count = Arc::clone(&count);
        async move {
            for _ in 0..steps {
                let count = Arc::clone(&count);
                let step = ctx.step("one", move || {
                    let count = Arc::clone(&count);
                    async move { Ok::<_, StepError>(count.fetch_add(1, Relaxed)) }
                });
                step.await?;
            }
            Ok::<_, Failed>(steps)
        }
    });
    (app, ran)
}

fn budget(budget: u64) -> Settings {
    Settings {
        budget,
        ..Settings::default()
    }
}

fn over(world: &World, eid: ExecutionId) -> Option<(u64, u64)> {
    let execution = world.block(world.engine.execution(eid)).unwrap();
    match execution.blocked? {
        Blocked::Budget { requests, max } => Some((requests, max)),
        other => panic!("blocked for another reason: {other}"),
    }
}

/// Messages, each of them in a run of its own.
async fn sums(ctx: Context, messages: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..messages {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

/// Steps, a wait, a message to itself, a child: what the price list contains.
async fn varied(ctx: Context, _: ()) -> Result<u64, Failed> {
    let steps = super::sequential(ctx.clone(), 3).await?;
    ctx.sleep(HOUR).await?;
    ctx.send(ctx.eid(), "in", &4_u64)?;
    let got = ctx.receive::<u64>("in").await?;
    Ok(steps + got + ctx.child_named::<u64>("nested", &0_u64).await?)
}

#[test]
fn n26_the_head_counts_the_requests_of_the_price_list() {
    let app = || app().workflow("varied", "1", varied);
    let world = World::new(app());
    let eid = world.start(Start::new("varied").key("k")).eid;
    world.skip(HOUR * 3);
    assert_eq!(world.result::<u64>(eid), Ok(3 + 4));
    let execution = world.block(world.engine.execution(eid)).unwrap();
    let price = world.block(world.engine.price(eid)).unwrap();
    let listed = price.write_requests + price.read_requests;
    assert_eq!(execution.requests_today, listed);
    assert_eq!(execution.budget, 20_000_000);
}

#[test]
fn n26_over_its_budget_an_execution_is_blocked_until_it_gets_a_larger_one() {
    let (app, ran) = counted(100);
    let world = World::with_settings(app, budget(40));
    let eid = world.start(Start::new("counted")).eid;
    world.run_all();
    assert_eq!(over(&world, eid), Some((40, 40)));
    let before = ran.load(Relaxed);
    assert!((30..40).contains(&before), "steps={before}");
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    assert!(over(&world, eid).is_some(), "the day is the same");
    assert_eq!(ran.load(Relaxed), before);
    let resumed = world.engine.resume_with_budget(eid, 200, ada());
    world.block(resumed).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(100));
    assert_eq!(ran.load(Relaxed), 100, "each step ran once");
}

#[test]
fn n26_a_start_sets_the_budget_of_its_tree() {
    let world = World::new(app());
    let start = Start::new("nested").input(&1_u64).budget(5_000);
    let eid = world.start(start).eid;
    world.skip(HOUR);
    let tree = world.block(world.engine.descendants(eid)).unwrap();
    assert_eq!(tree.executions.len(), 2);
    for eid in tree.executions.into_keys() {
        let execution = world.block(world.engine.execution(eid)).unwrap();
        assert_eq!(execution.budget, 5_000);
    }
}

#[test]
fn n26_each_day_is_counted_afresh() {
    let (app, ran) = counted(60);
    let world = World::with_settings(app, budget(40));
    let eid = world.start(Start::new("counted")).eid;
    world.run_all();
    assert!(over(&world, eid).is_some());
    world.skip(DAY);
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(60));
    assert_eq!(ran.load(Relaxed), 60);
}

#[test]
fn n26_a_budget_is_of_the_execution_and_not_of_a_run() {
    let app = || App::new().workflow("sums", "1", sums);
    let world = World::with_settings(app(), budget(40));
    let eid = world.start(Start::new("sums").input(&30_u64)).eid;
    for _ in 0..30 {
        world.signal(eid, Signal::on("in").value(&1_u64)).unwrap();
        world.run_all();
    }
    let (requests, max) = over(&world, eid).expect("30 runs make more than 40 requests");
    assert!(requests >= max, "requests={requests}");
    // Another process, with the settings of another deployment.
    let resumed = world.engine.resume_with_budget(eid, 1_000, ada());
    world.block(resumed).unwrap();
    let other = world.beside(app(), "w2", 2);
    other.run_all();
    assert_eq!(other.result::<u64>(eid), Ok(30), "no message is lost");
}
