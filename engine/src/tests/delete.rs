//! Deleting an execution that has ended: G8.

use std::time::Duration;

use super::{App, echo, keyed};
use crate::client::{Delete, Deleted, EngineError, Retention, RetentionSettings, Start};
use crate::domain::{Actor, ExecutionId, Status};
use crate::process::Notice;
use crate::settings::Settings;
use crate::testing::{Injection, Rule, World};
use crate::{Context, Failed};

const DAY: Duration = Duration::from_secs(86_400);

fn ada() -> Actor {
    Actor::human("ada")
}

/// A small value and a large one.
async fn rich(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.announce("large", &"l".repeat(200 << 10))?;
    Ok(ctx.call("echo", echo, &n).await?)
}

async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    Ok(ctx.child_named::<u64>("rich", &n).await? + 1)
}

async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("go").await?)
}

fn app() -> App {
    App::new()
        .workflow("rich", "1", rich)
        .workflow("parent", "1", parent)
        .workflow("waits", "1", waits)
}

fn delete(world: &World, eid: ExecutionId, how: Delete) -> Result<Deleted, EngineError> {
    world.block(world.engine.delete(eid, how, ada()))
}

fn ended(world: &World, key: &str) -> ExecutionId {
    let eid = world.start(Start::new("rich").input(&3_u64).key(key)).eid;
    world.run_all();
    eid
}

/// The keys of objects that belong to an execution, without the feed.
fn left(world: &World, eid: ExecutionId) -> Vec<String> {
    let rows = world.memory.snapshot().into_iter();
    let keys = rows.map(|(key, _)| key.to_string());
    let own = |key: &String| key.contains(&eid.to_string()) && !key.starts_with("feed/");
    keys.filter(own).collect()
}

fn retain(world: &World) {
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    world.block(retention.pass(&Notice::default())).unwrap();
}

#[test]
fn a_deleted_execution_leaves_a_tombstone_that_says_who_deleted_it() {
    let world = World::new(app());
    let eid = ended(&world, "a");
    assert_eq!(delete(&world, eid, Delete::new()).unwrap(), Deleted::Now);
    let head = crate::keys::head(&eid).to_string();
    assert_eq!(left(&world, eid), [head]);
    let gone = world.block(world.engine.frames(eid)).unwrap_err();
    assert_eq!(
        gone.to_string(),
        format!("execution {eid} was deleted by ada")
    );
    assert_eq!(delete(&world, eid, Delete::new()).unwrap(), Deleted::Before);
    let rows = world
        .block(world.engine.list(&crate::client::Filter::default()))
        .unwrap();
    let row = rows.iter().find(|row| row.eid == eid).unwrap();
    assert!(row.deleted && row.status == Status::Completed, "{row:?}");
    let audit = world.block(world.engine.audit()).unwrap();
    assert_eq!(audit.findings, []);
}

#[test]
fn a_delete_costs_a_read_a_tombstone_a_report_two_lists_and_the_last_effects() {
    let world = World::new(app());
    let eid = ended(&world, "a");
    world.clock.advance(Duration::from_secs(1));
    let (deleted, counts) = world.counted(|w| delete(w, eid, Delete::new()));
    deleted.unwrap();
    // The feed object of the end is written once more.
    assert_eq!(
        (counts.write_requests(), counts.read_requests()),
        (5, 1),
        "{counts:?}"
    );
}

#[test]
fn its_key_stays_in_use_or_is_free_at_once() {
    let world = World::new(app());
    let start = |key: &str| world.start(Start::new("rich").input(&3_u64).key(key));
    let (kept, freed) = (ended(&world, "kept"), ended(&world, "freed"));
    delete(&world, kept, Delete::new()).unwrap();
    delete(&world, freed, Delete::new().free_key()).unwrap();
    assert_eq!((start("kept").eid, start("kept").fresh), (kept, false));
    let next = start("freed");
    assert!(next.fresh && next.eid != freed, "{next:?}");
    world.run_all();
    assert_eq!(world.result::<u64>(next.eid), Ok(3));
}

#[test]
fn an_execution_that_runs_is_not_deleted_and_neither_is_one_with_newer_entries() {
    let world = World::new(app());
    let eid = world.start(Start::new("waits")).eid;
    world.run_all();
    let refused = delete(&world, eid, Delete::new()).unwrap_err();
    assert!(
        refused.to_string().ends_with("cancel it first"),
        "{refused}"
    );
    let eid = ended(&world, "a");
    let seen = world
        .block(world.engine.execution(eid))
        .unwrap()
        .newest_entry;
    let stale = delete(&world, eid, Delete::new().fence(seen - 1)).unwrap_err();
    assert!(matches!(stale, EngineError::StaleFence { .. }), "{stale}");
    delete(&world, eid, Delete::new().fence(seen)).unwrap();
}

#[test]
fn an_archived_execution_is_deleted_with_its_archive() {
    let world = World::new(app());
    let eid = ended(&world, "a");
    world.clock.advance(30 * DAY);
    retain(&world);
    assert!(
        left(&world, eid)
            .iter()
            .any(|key| key.starts_with("archive-blob/"))
    );
    assert_eq!(delete(&world, eid, Delete::new()).unwrap(), Deleted::Now);
    assert_eq!(left(&world, eid), [crate::keys::head(&eid).to_string()]);
    world.clock.advance(400 * DAY);
    retain(&world);
    assert_eq!(left(&world, eid), [crate::keys::head(&eid).to_string()]);
}

#[test]
fn g8_a_delete_dispatches_what_the_last_run_has_left() {
    for at in 0..12 {
        let world = World::new(app());
        let start = Start::new("parent").input(&3_u64).key("parent");
        let eid = world.start(start).eid;
        world.run(eid).unwrap();
        let child = world
            .with_work()
            .into_iter()
            .find(|one| *one != eid)
            .unwrap();
        // The run of the child dies; where that is after its last commit, the child is deleted.
        world
            .faults
            .add(Rule::new(Injection::LandedAndDied).skip(at));
        let _ = world.run(child);
        let world = world.beside(app(), "other", 9);
        let status = world.status(child);
        assert_eq!(
            delete(&world, child, Delete::new()).is_ok(),
            status == Status::Completed
        );
        world.skip(Settings::default().ttl * 4);
        assert_eq!(
            world.result::<u64>(keyed("parent")),
            Ok(4),
            "cut at {at}, {status}"
        );
    }
}

#[test]
fn a_delete_that_is_cut_anywhere_is_completed_by_the_same_call_or_by_retention() {
    for (at, again) in (0..16).flat_map(|at| [(at, true), (at, false)]) {
        let world = World::new(app());
        let eid = ended(&world, "a");
        world
            .faults
            .add(Rule::new(Injection::LandedAndDied).skip(at));
        let first = delete(&world, eid, Delete::new());
        let world = world.beside(app(), "other", 9);
        let deleted = world.block(world.engine.frames(eid)).is_err();
        if again {
            delete(&world, eid, Delete::new()).unwrap();
        } else {
            world.clock.advance(30 * DAY);
            retain(&world);
        }
        let rest = left(&world, eid);
        match deleted || again {
            true => assert_eq!(rest, [crate::keys::head(&eid).to_string()], "cut at {at}"),
            false => assert!(first.is_err() && rest.len() > 1, "cut at {at}: {rest:?}"),
        }
    }
}

#[test]
fn what_has_changed_since_it_was_listed_is_not_deleted() {
    let world = World::new(app());
    let eid = ended(&world, "a");
    let rows = world.block(world.engine.list(&crate::client::Filter::default()));
    let listed = rows.unwrap()[0].updated_at;
    let older = listed - jiff::SignedDuration::from_secs(1);
    let changed = delete(&world, eid, Delete::new().unchanged_since(older)).unwrap_err();
    assert!(matches!(changed, EngineError::Changed { .. }), "{changed}");
    assert_eq!(world.result::<u64>(eid), Ok(3));
    delete(&world, eid, Delete::new().unchanged_since(listed)).unwrap();
}
