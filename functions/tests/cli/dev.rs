//! `start`, `signal`, `cancel` and their kin.

use std::io::Write as _;
use std::process::Stdio;

use crate::world::{Done, World};

#[test]
fn n9_a_start_on_a_queue_that_no_worker_serves_is_refused() {
    let world = World::new();
    let start = |queue: &str| {
        let mut command = world.command(&["start", "approve", "--queue", queue]);
        Done::of(command.env("MILLPOND_QUEUES", "default,slow"))
    };
    assert_eq!(start("slow").code, 0);
    let refused = start("fast");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("served: default, slow"), "{refused:?}");
    let mut invalid = world.command(&["start", "approve"]);
    let invalid = Done::of(invalid.env("MILLPOND_QUEUES", "UPPER/"));
    assert!(invalid.err.contains("MILLPOND_QUEUES"), "{invalid:?}");
}

#[test]
fn n26_a_budget_is_set_by_resume_and_shown() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    world.ok(&["resume", &eid, "--budget", "1"]);
    world.work();
    let shown = world.json(&["show", &eid]);
    let execution = &shown["execution"];
    assert_eq!(
        (
            &execution["status"],
            &execution["blocked"]["reason"],
            &execution["budget"]
        ),
        (&"blocked".into(), &"budget".into(), &1.into()),
        "{shown}"
    );
    let used = execution["requests_today"].as_u64().unwrap();
    assert!(
        world
            .ok(&["show", &eid])
            .contains(&format!("{used} of 1 requests today"))
    );
    let list = world.ok(&["list", "--full"]);
    assert!(list.contains("it has used its budget"), "{list}");
    let doctor = world.run(&["doctor", "--no-probes"]);
    assert!(
        doctor.code == 1 && doctor.out.contains("it has used its budget"),
        "{doctor:?}"
    );

    world.ok(&["resume", &eid, "--budget", "1000"]);
    world.ok(&["signal", &eid, "approval", "true"]);
    world.work();
    assert_eq!(world.ok(&["result", &eid]), "true\n");
    let journal = world.ok(&["journal", &eid]);
    assert!(
        journal.contains("resume with a budget of 1000 requests a day"),
        "{journal}"
    );
}

#[test]
fn a_started_execution_is_run_and_gives_its_result() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"ana\""]);
    assert_eq!(world.run(&["result", &eid]).code, 5);

    let reported = world.work();

    assert!(
        reported.contains("started") && reported.contains("completed"),
        "{reported}"
    );
    assert_eq!(world.ok(&["result", &eid]), "\"hello, ana\"\n");
    let result = world.json(&["result", &eid]);
    assert_eq!(result["status"], "completed");
    assert_eq!(result["value"], "hello, ana");
}

#[test]
fn the_input_comes_from_a_file_or_from_stdin_too() {
    let world = World::new();
    std::fs::write(world.path("name.json"), "\"bo\"").unwrap();
    let file = world.start(&["greet", "--input-file", "name.json"]);
    let mut command = world.command(&["start", "greet", "-"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"\"cy\"").unwrap();
    let stdin = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    world.work();
    assert_eq!(world.ok(&["result", &file]), "\"hello, bo\"\n");
    assert_eq!(world.ok(&["result", stdin.trim()]), "\"hello, cy\"\n");
}

#[test]
fn one_key_starts_one_execution_and_names_it() {
    let world = World::new();
    let start = ["greet", "--input", "\"ana\"", "--key", "order 42"];
    let eid = world.start(&start);
    assert_eq!(world.start(&start), eid);
    let again = world.json(&["start", "greet", "--input", "\"bo\"", "--key", "order 42"]);
    assert_eq!(again["fresh"], false);
    assert_eq!(again["differs"], true);
    world.work();
    assert_eq!(
        world.ok(&["result", "--key", "order 42"]),
        "\"hello, ana\"\n"
    );
    assert_eq!(world.ok(&["result", "key:order 42"]), "\"hello, ana\"\n");
}

#[test]
fn start_waits_for_the_result_where_a_worker_works() {
    let world = World::new();
    let _worker = world.spawn("worker", &["worker"]);
    let done = world.run(&["start", "greet", "--input", "\"ana\"", "--wait", "60"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.ends_with("\"hello, ana\"\n"), "{done:?}");
}

#[test]
fn a_start_for_later_waits_for_its_instant() {
    let world = World::new();
    let later = ["greet", "--input", "\"a\"", "--at", "2999-01-01T00:00:00Z"];
    let eid = world.start(&later);
    world.work();
    assert_eq!(
        world.json(&["show", &eid])["execution"]["status"],
        "suspended"
    );
    assert!(world.ok(&["show", &eid]).contains("2999-01-01"));
}

#[test]
fn a_signal_ends_the_wait_and_a_key_is_delivered_once() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    let first = world.json(&["signal", &eid, "approval", "true", "--key", "k"]);
    let second = world.json(&["signal", &eid, "approval", "true", "--key", "k"]);
    assert_eq!(
        (&first["fresh"], &second["fresh"]),
        (&true.into(), &false.into())
    );
    world.work();
    assert_eq!(world.ok(&["result", &eid]), "true\n");
    assert_eq!(world.run(&["signal", &eid, "approval", "true"]).code, 4);
}

#[test]
fn a_channel_that_nothing_waits_on_is_a_warning() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    let done = world.run(&["signal", &eid, "aproval", "true"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("did you mean approval?"), "{done:?}");
    let quiet = world.run(&["signal", &eid, "approval", "true"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn cancel_and_terminate_end_an_execution_with_their_reason() {
    let world = World::new();
    for verb in ["cancel", "terminate"] {
        let eid = world.start(&["approve"]);
        world.work();
        assert_eq!(
            world.json(&[verb, &eid, "--reason", "no more"])["asked"],
            verb
        );
        world.work();
        let done = world.run(&["result", &eid]);
        assert_eq!(done.code, 7, "{done:?}");
        let journal = world.ok(&["journal", &eid]);
        assert!(
            journal.contains(&format!("{verb} no more  from ana")),
            "{journal}"
        );
        assert_eq!(world.run(&[verb, &eid]).code, 4);
    }
}

#[test]
fn a_paused_execution_is_not_driven_until_it_is_resumed() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    world.ok(&["pause", &eid, "--reason", "audit"]);
    world.ok(&["signal", &eid, "approval", "true"]);
    world.work();
    assert_eq!(world.json(&["show", &eid])["execution"]["status"], "paused");
    world.ok(&["resume", &eid]);
    world.work();
    assert_eq!(world.ok(&["result", &eid]), "true\n");
}
