//! What operators are shown: unserved mail and why, unread messages, blocked executions, and the
//! cost of a whole tree.

use std::time::Duration;

use crate::client::{App, Filter, Signal, Start, Unserved, WhyUnserved};
use crate::domain::{ExecutionId, Queue, Status};
use crate::testing::World;
use crate::{Context, Failed};

const FIVE: Duration = Duration::from_secs(300);

async fn approve(ctx: Context) -> Result<bool, Failed> {
    Ok(ctx.receive("in").await?)
}

async fn parent(ctx: Context) -> Result<bool, Failed> {
    Ok(ctx.child_named::<bool>("approve", &()).await?)
}

fn app() -> App {
    App::new()
        .workflow("approve", "1", |ctx, ()| approve(ctx))
        .workflow("parent", "1", |ctx, ()| parent(ctx))
}

fn start(world: &World, start: Start) -> ExecutionId {
    world.start(start).eid
}

fn unserved(world: &World) -> Vec<Unserved> {
    world.block(world.engine.unserved(FIVE)).unwrap()
}

#[test]
fn e22_mail_that_no_worker_serves_is_reported_with_the_reason() {
    let world = World::new(app());
    let other = start(&world, Start::new("approve").queue("slow"));
    assert_eq!(unserved(&world), []);
    world.clock.advance(FIVE);
    assert_eq!(unserved(&world), [], "it is not older than five minutes");
    world.clock.advance(Duration::from_secs(1));
    let (found, counts) = world.counted(unserved);
    let [one] = found.as_slice() else {
        panic!("one: {found:?}")
    };
    assert_eq!((one.eid, one.causes), (other, 1));
    assert_eq!(one.queue, Queue::parse("slow").unwrap());
    assert_eq!(one.why, WhyUnserved::Queue);
    assert_eq!(one.reason(), "no worker serves the queue slow");
    // Mail, timers, feed; the head.
    assert_eq!((counts.lists, counts.reads), (3, 1));
}

#[test]
fn e22_a_version_that_no_worker_has_is_named() {
    let old = World::new(app());
    let left = start(&old, Start::new("approve"));
    let app = App::new().workflow("approve", "2", |ctx, ()| approve(ctx));
    let new = old.beside(app, "w2", 2);
    new.clock.advance(FIVE * 2);
    start(&new, Start::new("approve"));
    new.run_all();
    let found = unserved(&new);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].eid, &found[0].why), (left, &WhyUnserved::Version));
    assert_eq!(found[0].reason(), "no worker has approve@1");
}

#[test]
fn e22_ended_and_deferred_executions_need_no_worker() {
    let world = World::new(app());
    let at = world.engine.ports().clock.now() + FIVE * 10;
    start(&world, Start::new("approve").at(at));
    let ended = start(&world, Start::new("approve"));
    world.signal(ended, Signal::on("in").value(&true)).unwrap();
    world.run_all();
    world.clock.advance(FIVE * 2);
    assert_eq!(unserved(&world), []);
}

#[test]
fn e22_a_timer_that_nothing_serves_is_reported() {
    let nap = |ctx: Context, ()| async move {
        ctx.sleep(Duration::from_secs(60)).await?;
        Ok::<_, Failed>(())
    };
    let world = World::new(App::new().workflow("nap", "1", nap));
    let eid = start(&world, Start::new("nap"));
    world.run_all();
    world.clock.advance(Duration::from_secs(60) + FIVE * 2);
    let found = unserved(&world);
    assert_eq!(found.len(), 1, "{found:?}");
    let late = world
        .engine
        .ports()
        .clock
        .now()
        .duration_since(found[0].since);
    assert_eq!((found[0].eid, late.unsigned_abs()), (eid, FIVE * 2));
}

#[test]
fn e22_messages_that_no_receive_consumed_are_unread() {
    let world = World::new(app());
    let eid = start(&world, Start::new("approve"));
    world.signal(eid, Signal::on("typo").value(&1)).unwrap();
    world.run_all();
    let listed = world.block(world.engine.list(&Filter::default())).unwrap();
    let note = "unread messages: 1 on typo";
    assert_eq!(listed[0].note.as_deref(), Some(note));
    world.signal(eid, Signal::on("later").value(&2)).unwrap();
    let unread = |world: &World| {
        let found = world.block(world.engine.unread(eid)).unwrap();
        let named = found
            .into_iter()
            .map(|m| (m.channel.to_string(), m.absorbed));
        named.collect::<Vec<_>>()
    };
    let both = [("typo".to_owned(), true), ("later".to_owned(), false)];
    assert_eq!(unread(&world), both);
    let audit = world.block(world.engine.audit()).unwrap();
    let channels: Vec<_> = audit.unread[0].channels.iter().collect();
    assert_eq!(channels, [(&"typo".parse().unwrap(), &1)]);
    // The message that the workflow receives is read, also after the end.
    world.signal(eid, Signal::on("in").value(&true)).unwrap();
    world.run_all();
    assert_eq!(unread(&world)[0], both[0]);
    assert_eq!(unread(&world).len(), 2);
    let audit = world.block(world.engine.audit()).unwrap();
    assert_eq!(audit.unread, []);
    let listed = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(
        (listed[0].status, &listed[0].note),
        (Status::Completed, &None)
    );
}

#[test]
fn e22_a_blocked_execution_is_reported_with_its_reason() {
    let world = World::new(app());
    let eid = start(&world, Start::new("approve"));
    world.run_all();
    let other = App::new().workflow("approve", "1", |ctx: Context, ()| async move {
        ctx.sleep(FIVE).await?;
        Ok::<_, Failed>(())
    });
    let world = super::deployed(world, other, "20270101T000000-b");
    world.signal(eid, Signal::on("in").value(&true)).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Blocked);
    let audit = world.block(world.engine.audit()).unwrap();
    assert_eq!(audit.blocked.len(), 1);
    assert_eq!(audit.blocked[0].eid, eid);
    let why = audit.blocked[0].why.as_ref().unwrap().to_string();
    assert!(why.contains("the program does not ask"), "{why}");
}

#[test]
fn e22_the_price_of_a_tree_includes_its_children() {
    let world = World::new(app());
    let eid = start(&world, Start::new("parent"));
    world.run(eid).unwrap();
    let tree = || world.block(world.engine.descendants(eid)).unwrap();
    let before = tree();
    let states: Vec<_> = before.executions.values().copied().collect();
    assert_eq!(before.executions[&eid], Some(Status::Suspended));
    assert!(states.contains(&Some(Status::Pending)), "{states:?}");
    world.run_all();
    let (tree, counts) = world.counted(|_| tree());
    let child = tree.executions.keys().find(|id| **id != eid).unwrap();
    let price = |eid| world.block(world.engine.price(eid)).unwrap();
    assert_eq!(tree.price, price(eid) + price(*child));
    assert_eq!((counts.lists, counts.reads), (0, 2));
}
