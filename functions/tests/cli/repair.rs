//! `retry` and `delete`.

use std::fs;

use serde_json::json;

use crate::world::World;

/// Executions of which the second step has failed.
fn failed(world: &World, count: usize) -> Vec<String> {
    let folder = json!(world.path("")).to_string();
    let start = |_| world.start(&["flaky", "--input", &folder]);
    let eids: Vec<String> = (0..count).map(start).collect();
    world.work();
    eids
}

fn mend(world: &World) {
    fs::write(world.path("mended"), "").unwrap();
}

/// How often a first step ran.
fn begun(world: &World) -> usize {
    let began = fs::read_to_string(world.path("began")).unwrap();
    began.lines().count()
}

#[test]
fn a_failed_execution_is_retried_from_the_failure() {
    let world = World::new();
    let eid = failed(&world, 1).remove(0);
    assert_eq!(world.run(&["result", &eid]).code, 1);
    mend(&world);
    let done = world.run(&["retry", &eid, "--reason", "the disk is back"]);
    assert!(
        done.code == 0 && done.err.contains("retry requested"),
        "{done:?}"
    );
    world.work();
    assert_eq!(world.ok(&["result", &eid]).trim(), "\"done\"");
    assert_eq!(begun(&world), 1, "the first step did not run again");
    let journal = world.ok(&["journal", &eid]);
    assert!(journal.contains("execution.retried"), "{journal}");
    assert!(journal.contains("the disk is back"), "{journal}");
    let again = world.run(&["retry", &eid]);
    assert_eq!(again.code, 4, "{again:?}");
}

#[test]
fn a_reset_begins_at_a_frame_that_show_names() {
    let world = World::new();
    let eid = failed(&world, 1).remove(0);
    mend(&world);
    let wrong = world.run(&["retry", &eid, "--from", "first"]);
    assert!(
        wrong.code == 2 && wrong.err.contains("root/name#0"),
        "{wrong:?}"
    );
    world.ok(&["retry", &eid, "--from", "root/first#0"]);
    world.work();
    assert_eq!(world.ok(&["result", &eid]).trim(), "\"done\"");
    assert_eq!(begun(&world), 2);
}

#[test]
fn all_failed_executions_of_a_workflow_are_retried_at_once() {
    let world = World::new();
    let eids = failed(&world, 3);
    let other = world.start(&["fail"]);
    world.work();
    mend(&world);
    let report = world.json(&["retry", "--status", "failed", "--workflow", "flaky"]);
    assert_eq!(
        report,
        json!({"asked": "retry", "executions": 3, "changed": 0})
    );
    world.work();
    for eid in &eids {
        assert_eq!(world.ok(&["result", eid]).trim(), "\"done\"");
    }
    assert_eq!(world.run(&["result", &other]).code, 1);
    let none = world.run(&["retry"]);
    assert_eq!(none.code, 2, "{none:?}");
}

#[test]
fn an_execution_that_has_ended_is_deleted_and_its_key_may_become_free() {
    let world = World::new();
    let waits = world.start(&["approve"]);
    let eid = world.start(&["greet", "--input", "\"a\"", "--key", "k"]);
    world.work();
    let refused = world.run(&["delete", &waits]);
    assert!(
        refused.code == 4 && refused.err.contains("cancel it first"),
        "{refused:?}"
    );
    world.ok(&["delete", &eid, "--free-key"]);
    let gone = world.run(&["show", &eid]);
    assert!(
        gone.code == 4 && gone.err.contains("was deleted by"),
        "{gone:?}"
    );
    let next = world.start(&["greet", "--input", "\"a\"", "--key", "k"]);
    assert_ne!(next, eid);
    world.work();
    let report = world.json(&["delete", "--status", "completed"]);
    assert_eq!(
        report,
        json!({"asked": "delete", "executions": 1, "changed": 0})
    );
}
