//! Interrupts: the first hands over, the second ends at once.
#![cfg(unix)]

use crate::world::{Running, World, files, read, until};

fn at_work(world: &World) -> (String, Running) {
    let input = serde_json::to_string(&world.path("")).unwrap();
    let eid = world.start(&["gated", "--input", &input]);
    let dev = world.spawn("dev", &["dev"]);
    until("the step began", || !read(&world.path("began")).is_empty());
    (eid, dev)
}

#[test]
fn the_first_interrupt_lets_a_running_step_end() {
    for name in ["INT", "TERM"] {
        let world = World::new();
        let (eid, mut dev) = at_work(&world);
        dev.signal(name);
        until("it hands over", || dev.err().contains("stopping"));
        std::fs::write(world.path("gate"), "").unwrap();
        assert_eq!(dev.ended().code(), Some(0), "{}", dev.err());
        world.work();
        assert_eq!(world.ok(&["result", &eid]), "\"through\"\n");
        assert_eq!(read(&world.path("began")).lines().count(), 1, "it ran once");
    }
}

#[test]
fn the_second_interrupt_ends_at_once() {
    let world = World::new();
    let (_, mut dev) = at_work(&world);
    dev.signal("INT");
    until("it hands over", || dev.err().contains("stopping"));
    dev.signal("INT");
    assert_eq!(dev.ended().code(), Some(130), "{}", dev.err());
}

#[test]
fn steps_that_spin_on_every_thread_stop_no_timer_and_no_interrupt() {
    let world = World::new();
    let input = serde_json::to_string(&world.path("")).unwrap();
    world.start(&["spin", "--input", &input]);
    let mut dev = world.spawn("dev", &["dev", "--ttl", "2"]);
    until("they spin", || !read(&world.path("began")).is_empty());
    let eid = world.start(&["nap", "--input", "1"]);
    world.ok(&["result", &eid, "--wait", "60"]);
    dev.signal("INT");
    until("it hands over", || dev.err().contains("stopping"));
    dev.signal("INT");
    assert_eq!(dev.ended().code(), Some(130), "{}", dev.err());
}

#[test]
fn a_worker_is_notified_by_another_process_before_it_polls() {
    let world = World::new();
    let worker = world.spawn("worker", &["worker", "--look", "60"]);
    until("it listens", || {
        files(&world.path("pond.db-bells")).len() == 1
    });
    let eid = world.start(&["greet", "--input", "\"ana\""]);
    // Far sooner than a look would find it.
    let out = world.ok(&["result", &eid, "--wait", "30"]);
    assert!(out.contains("ana"), "{out}");
    drop(worker);
}
