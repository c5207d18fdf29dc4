//! N9: queues that no worker of the deployment serves.

use super::{App, reported, sequential};
use crate::client::{Engine, Filter, Signal, Start};
use crate::domain::ExecutionId;
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, Failed, FrameError};

/// A child on the queue `fast`, then a message.
async fn parent(ctx: Context, _: ()) -> Result<String, Failed> {
    let child = ctx.child_named::<u64>("sequential", &2_u64);
    let found = match child.queue("fast").await {
        Ok(value) => value.to_string(),
        Err(FrameError::UnknownQueue { queue, .. }) => format!("no {queue}"),
        Err(FrameError::TooDeep { .. }) => "too deep".to_owned(),
        Err(error) => return Err(error.into()),
    };
    ctx.receive::<u64>("go").await?;
    Ok(found)
}

fn app() -> App {
    App::new()
        .workflow("parent", "1", parent)
        .workflow("sequential", "1", sequential)
}

fn serving(queues: &[&str]) -> Settings {
    Settings {
        queues: queues.iter().map(|name| name.parse().unwrap()).collect(),
        ..Settings::default()
    }
}

/// A parent whose child was decided under `before`, and that ends under `after`.
fn deployed(before: &[&str], after: &[&str]) -> (World, ExecutionId) {
    changed(serving(before), serving(after))
}

fn changed(before: Settings, after: Settings) -> (World, ExecutionId) {
    let mut world = World::with_settings(app(), before);
    let eid = world.start(Start::new("parent")).eid;
    world.run_all();
    let core = world.engine.core();
    let (ports, host) = (core.ports.clone(), core.host.clone());
    world.engine = Engine::with_settings(ports, app(), host, after).unwrap();
    world.signal(eid, Signal::on("go").value(&1_u64)).unwrap();
    world.run_all();
    (world, eid)
}

#[test]
fn n9_a_child_on_a_queue_that_no_worker_serves_is_refused() {
    let (world, eid) = deployed(&["default", "slow"], &["default", "slow"]);
    assert_eq!(world.result(eid), Ok("no fast".to_owned()));
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(rows.len(), 1, "no child was started");
    let entries = reported(&world, eid);
    assert!(
        entries.contains(&"frame.recorded root/sequential#0".to_owned()),
        "{entries:?}"
    );
}

#[test]
fn n9_a_child_is_started_on_any_queue_unless_the_served_ones_are_named() {
    let (world, eid) = deployed(&[], &[]);
    assert_eq!(world.result(eid), Ok("1".to_owned()));
}

#[test]
fn n9_a_refusal_stays_if_the_queue_is_served_later() {
    let (world, eid) = deployed(&["default"], &["default", "fast"]);
    assert_eq!(world.result(eid), Ok("no fast".to_owned()));
}

#[test]
fn n9_a_started_child_is_not_refused_if_its_queue_is_served_no_more() {
    let (world, eid) = deployed(&["default", "fast"], &["default"]);
    assert_eq!(world.result(eid), Ok("1".to_owned()));
}

#[test]
fn n26_a_child_that_is_too_deep_is_refused_for_that_whatever_the_queues() {
    let before = Settings {
        max_depth: 0,
        ..serving(&[])
    };
    let (world, eid) = changed(before, serving(&["default"]));
    assert_eq!(world.result(eid), Ok("too deep".to_owned()));
}
