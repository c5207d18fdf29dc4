//! `dev` and `worker`.

use crate::world::{World, read, until};

#[test]
fn until_idle_waits_for_all_work_and_for_nothing_else() {
    let world = World::new();
    let greeted: Vec<_> = (0..10)
        .map(|n| world.start(&["greet-twice", "--input", &format!("\"{n}\"")]))
        .collect();
    let waits = world.start(&["approve"]);
    let sleeps = world.start(&["nap", "--input", "3600"]);
    world.work();
    for eid in greeted {
        world.ok(&["result", &eid]);
    }
    for eid in [waits, sleeps] {
        assert_eq!(
            world.json(&["show", &eid])["execution"]["status"],
            "suspended"
        );
    }
}

#[test]
fn until_idle_leaves_the_queues_of_others() {
    let world = World::new();
    let other = world.start(&["greet", "--input", "\"a\"", "--queue", "other"]);
    world.work();
    assert_eq!(world.run(&["result", &other]).code, 5);
    world.ok(&[
        "worker",
        "--until-idle",
        "--queue",
        "urgent",
        "--queue",
        "other",
    ]);
    world.ok(&["result", &other]);
}

#[test]
fn dev_tells_in_json_lines() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"a\"", "--key", "k"]);
    let told = world.ok(&["dev", "--until-idle", "--json"]);
    let events: Vec<serde_json::Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<_> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["started", "completed"]);
    assert!(events.iter().all(|e| e["eid"] == eid && e["key"] == "k"));
    assert!(events[1]["seconds"].as_f64().is_some());
}

#[test]
fn two_processes_share_a_folder() {
    let world = World::new();
    let eids: Vec<_> = (0..30)
        .map(|n| world.start(&["greet", "--input", &format!("\"{n}\"")]))
        .collect();
    let mut one = world.spawn("one", &["worker", "--until-idle", "--concurrency", "2"]);
    let mut two = world.spawn("two", &["worker", "--until-idle", "--concurrency", "2"]);
    assert_eq!(one.ended().code(), Some(0), "{}", one.err());
    assert_eq!(two.ended().code(), Some(0), "{}", two.err());
    for (n, eid) in eids.iter().enumerate() {
        assert_eq!(world.ok(&["result", eid]), format!("\"hello, {n}\"\n"));
    }
}

#[test]
fn a_sleeper_wakes_while_dev_runs() {
    let world = World::new();
    let dev = world.spawn("dev", &["dev"]);
    until("it works", || dev.err().contains("worker started"));
    let eid = world.start(&["nap", "--input", "1"]);
    world.ok(&["result", &eid, "--wait", "60"]);
}

#[test]
fn a_killed_workers_execution_is_finished_by_the_next_one() {
    let world = World::new();
    let folder = world.path("");
    let input = serde_json::to_string(&folder).unwrap();
    let eid = world.start(&["gated", "--input", &input]);
    let mut first = world.spawn("first", &["worker", "--ttl", "1"]);
    let began = world.path("began");
    until("the step began", || read(&began).lines().count() == 1);

    first.kill();
    std::fs::write(world.path("gate"), "").unwrap();
    world.ok(&["worker", "--until-idle", "--ttl", "1"]);

    assert_eq!(world.ok(&["result", &eid]), "\"through\"\n");
    assert_eq!(read(&began).lines().count(), 2);
}
