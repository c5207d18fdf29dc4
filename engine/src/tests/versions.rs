//! B41: the versions of changes (`replay/version.rs`).

use std::time::Duration;

use super::{App, echo};
use crate::client::{Filter, Query, Signal, Start};
use crate::domain::{Actor, Blocked, Entry, ExecutionId, Status};
use crate::ports::Clock;
use crate::testing::World;
use crate::{Context, Failed};

/// Receives three messages; the step after each of them is the change, from message `at` on.
async fn changed(ctx: Context, at: u64, max: u32) -> Result<String, Failed> {
    let mut said = String::new();
    for n in 0..3 {
        ctx.receive::<()>("in").await?;
        let version = if n >= at {
            ctx.version("twice", max)?
        } else {
            0
        };
        said.push_str(&version.to_string());
        for _ in 0..=version {
            ctx.call("echo", echo, &n).await?;
        }
    }
    Ok(said)
}

/// The code before the change.
async fn old(ctx: Context, _: ()) -> Result<String, Failed> {
    for n in 0..3 {
        ctx.receive::<()>("in").await?;
        ctx.call("echo", echo, &n).await?;
    }
    Ok("old".to_owned())
}

fn old_app() -> App {
    App::new().workflow("w", "1", old)
}

/// The code with the change in this version, from message `at` on.
fn new_app(at: u64, max: u32) -> App {
    App::new().workflow("w", "1", move |ctx, ()| changed(ctx, at, max))
}

fn started(world: &World) -> ExecutionId {
    let eid = world.start(Start::new("w").input(&())).eid;
    world.run_all();
    eid
}

fn message(world: &World, eid: ExecutionId) {
    world.signal(eid, Signal::on("in").value(&())).unwrap();
    world.run_all();
}

fn result(world: &World, eid: ExecutionId) -> String {
    world.result::<String>(eid).unwrap_or_else(|error| error)
}

fn ada() -> Actor {
    Actor::human("ada")
}

/// The versions in the journal.
fn recorded(world: &World, eid: ExecutionId) -> Vec<u32> {
    let page = world
        .block(world.engine.journal(eid, 1, usize::MAX))
        .unwrap();
    let entries = page.commits.into_iter().flat_map(|commit| commit.entries);
    let versions = entries.filter_map(|entry| match entry {
        Entry::ChangeVersioned { version, .. } => Some(version),
        _ => None,
    });
    versions.collect()
}

#[test]
fn b41_a_new_execution_takes_the_newest_branch_and_keeps_it() {
    let world = World::new(new_app(0, 1));
    let eid = started(&world);
    message(&world, eid);
    assert_eq!(recorded(&world, eid), [1]);
    // The next build has a version more.
    let next = world.beside(new_app(0, 2), "w2", 2);
    message(&next, eid);
    message(&next, eid);
    assert_eq!(result(&next, eid), "111");
    assert_eq!(recorded(&world, eid), [1]);
    let eid = started(&next);
    (0..3).for_each(|_| message(&next, eid));
    assert_eq!(result(&next, eid), "222");
}

#[test]
fn b41_an_execution_that_has_passed_the_change_keeps_the_old_branch() {
    for passed in 1..=2 {
        let world = World::new(old_app());
        let eid = started(&world);
        (0..passed).for_each(|_| message(&world, eid));
        let next = world.beside(new_app(0, 1), "w2", 2);
        (passed..3).for_each(|_| message(&next, eid));
        assert_eq!(result(&next, eid), "000", "one version for the execution");
        assert!(recorded(&world, eid).is_empty());
    }
}

#[test]
fn b41_an_execution_that_has_not_reached_the_change_takes_the_new_branch() {
    let world = World::new(old_app());
    let (fresh, waiting) = (started(&world), started(&world));
    message(&world, waiting);
    let next = world.beside(new_app(0, 1), "w2", 2);
    (0..3).for_each(|_| message(&next, fresh));
    assert_eq!(result(&next, fresh), "111", "it had received nothing yet");
    let later = world.beside(new_app(1, 1), "w3", 3);
    (0..2).for_each(|_| message(&later, waiting));
    assert_eq!(result(&later, waiting), "011");
    assert_eq!(recorded(&world, waiting), [1]);
}

#[test]
fn b41_a_build_without_the_recorded_version_blocks_until_one_with_it_comes() {
    let world = World::new(new_app(0, 2));
    let eid = started(&world);
    message(&world, eid);
    let rolled_back = world.beside(new_app(0, 1), "w2", 2);
    message(&rolled_back, eid);
    assert_eq!(world.status(eid), Status::Blocked);
    let why = world.block(world.engine.execution(eid)).unwrap().blocked;
    let (change, version, max) = ("twice".to_owned(), 2, 1);
    let newer = Blocked::NewerVersion {
        change,
        version,
        max,
    };
    assert_eq!(why, Some(newer));
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    message(&world, eid);
    assert_eq!(result(&world, eid), "222", "nothing was lost meanwhile");
}

#[test]
fn b41_a_message_to_a_paused_execution_is_not_passed() {
    let world = World::new(new_app(0, 1));
    let eid = started(&world);
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    world.run_all();
    // It is absorbed and committed: the workflow receives it in the replay after the pause.
    message(&world, eid);
    assert_eq!(
        (world.status(eid), recorded(&world, eid)),
        (Status::Paused, vec![])
    );
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    assert_eq!(recorded(&world, eid), [1]);
    (0..2).for_each(|_| message(&world, eid));
    assert_eq!(result(&world, eid), "111");
}

#[test]
fn b41_what_the_old_code_decided_before_it_panicked_is_passed() {
    async fn panics(ctx: Context, _: ()) -> Result<String, Failed> {
        ctx.receive::<()>("in").await?;
        ctx.announce("received", &1)?;
        ctx.receive::<()>("in").await?;
        panic!("on the way")
    }
    async fn fixed(ctx: Context, _: ()) -> Result<String, Failed> {
        ctx.receive::<()>("in").await?;
        let first = ctx.version("first", 1)?;
        ctx.announce(if first == 0 { "received" } else { "changed" }, &1)?;
        ctx.receive::<()>("in").await?;
        Ok(format!("{first}{}", ctx.version("second", 1)?))
    }
    let world = World::new(App::new().workflow("w", "1", panics));
    let eid = started(&world);
    // Both messages are in one commit, which contains the decision after the first one.
    world.signal(eid, Signal::on("in").value(&())).unwrap();
    message(&world, eid);
    assert_eq!(world.status(eid), Status::Blocked);
    let next = world.beside(App::new().workflow("w", "1", fixed), "w2", 2);
    next.block(next.engine.resume(eid, ada())).unwrap();
    next.run_all();
    assert_eq!(
        result(&next, eid),
        "01",
        "the panicked activation decided nothing"
    );
}

#[test]
fn b41_a_call_may_be_moved_and_removed() {
    let world = World::new(new_app(0, 1));
    let eid = started(&world);
    message(&world, eid);
    assert_eq!(recorded(&world, eid), [1]);
    // Each execution that is left has version 1: the old branch and the call are gone.
    async fn without(ctx: Context, _: ()) -> Result<String, Failed> {
        for n in 0..3 {
            ctx.receive::<()>("in").await?;
            ctx.call("echo", echo, &n).await?;
            ctx.call("echo", echo, &n).await?;
        }
        Ok(format!("{}", ctx.version("twice", 7)?))
    }
    let next = world.beside(App::new().workflow("w", "1", without), "w2", 2);
    (0..2).for_each(|_| message(&next, eid));
    assert_eq!(
        (result(&next, eid), recorded(&next, eid)),
        ("1".into(), vec![1])
    );
}

#[test]
fn b41_a_version_costs_no_request_and_is_shown_by_a_query() {
    async fn shows(ctx: Context, versioned: bool) -> Result<(), Failed> {
        let version = if versioned { ctx.version("new", 3)? } else { 0 };
        ctx.set_state(&version)?;
        Ok(ctx.receive::<()>("in").await?)
    }
    let world = World::new(App::new().workflow("w", "1", shows));
    let price = |versioned: bool| {
        let eid = world.start(Start::new("w").input(&versioned)).eid;
        let (_, counts) = world.counted(|world| world.run(eid).unwrap());
        (eid, (counts.write_requests(), counts.read_requests()))
    };
    let ((_, without), (eid, with)) = (price(false), price(true));
    assert_eq!(with, without);
    let shown = world.block(world.engine.query(eid, &Query::newest()));
    assert_eq!(shown.unwrap().states[0].value.get(), Ok(3));
}

#[test]
fn a_version_is_refused_for_an_invalid_name_and_in_a_step() {
    async fn refused(ctx: Context, _: ()) -> Result<(String, String), Failed> {
        let name = ctx.version("a b", 1).unwrap_err().to_string();
        let inner = ctx.clone();
        let step = ctx.step("inner", move || {
            let error = inner.version("c", 1).unwrap_err().to_string();
            async move { Ok::<_, crate::StepError>(error) }
        });
        ctx.sleep(Duration::from_secs(1)).await?;
        Ok((name, step.await?))
    }
    let world = World::new(App::new().workflow("w", "1", refused));
    let eid = started(&world);
    world.skip(Duration::from_secs(1));
    let (name, step) = world.result::<(String, String)>(eid).unwrap();
    assert!(name.contains("frame name"), "{name}");
    assert!(step.contains("outside of its workflow"), "{step}");
}

#[test]
fn the_versions_in_use_are_those_of_executions_that_have_not_ended() {
    let apps = |app: App| app.workflow("w", "2", old).workflow("a", "7", old);
    let world = World::new(apps(old_app()));
    let start = |name: &str, version: &str| {
        let start = Start::new(name).version(version).input(&());
        let eid = world.start(start).eid;
        world.clock.advance(Duration::from_secs(60));
        eid
    };
    let first = world.clock.now();
    let (ended, _, _) = (start("w", "1"), start("w", "1"), start("w", "2"));
    let (_, pending) = (start("w", "1"), start("a", "7"));
    world.run(ended).unwrap();
    (0..3).for_each(|_| message(&world, ended));
    assert_eq!(world.status(ended), Status::Completed);
    assert_eq!(world.status(pending), Status::Suspended);
    let rows = |world: &World| {
        let used = world.block(world.engine.versions()).unwrap();
        let row = |used: crate::client::UsedVersion| {
            let since = used.since.duration_since(first).as_secs();
            let name = format!("{}@{}", used.workflow, used.version);
            (name, used.executions, since, used.registered)
        };
        used.into_iter().map(row).collect::<Vec<_>>()
    };
    let row =
        |name: &str, executions, since, registered| (name.into(), executions, since, registered);
    let used = [
        row("a@7", 1, 240, true),
        row("w@1", 2, 60, true),
        row("w@2", 1, 120, true),
    ];
    assert_eq!(rows(&world), used);
    let other = world.beside(
        App::new().workflow("w", "2", old).declare("a", "7"),
        "w2",
        2,
    );
    let has: Vec<bool> = rows(&other).into_iter().map(|row| row.3).collect();
    assert_eq!(has, [false, false, true]);
    let (_, listed) = world.counted(|world| world.block(world.engine.list(&Filter::default())));
    let (_, counts) = world.counted(|world| rows(world));
    assert_eq!(
        (counts.write_requests(), counts.read_requests()),
        (listed.write_requests(), listed.read_requests())
    );
}
