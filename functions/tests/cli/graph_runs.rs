//! `graph run` with commands as actions, and what shows and controls a run.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Done, World, read, until};

fn write(world: &World, name: &str, text: impl AsRef<[u8]>) {
    fs::write(world.path(name), text).unwrap();
}

/// A graph of one action with these fields.
fn action(fields: &str) -> String {
    format!(
        r#"{{"graph": 1, "id": "g", "entry": ["x"], "state": {{"name": {{}}, "got": {{}}}},
            "nodes": {{"x": {{"action": "work", "run": "worker", {fields}}}}}}}"#
    )
}

fn state(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Whether a process with the id in a file exists.
fn lives(world: &World, file: &str) -> bool {
    let id = read(&world.path(file));
    let kill = format!("kill -0 {}", id.trim());
    let status = Command::new("sh").args(["-c", &kill]).output();
    status.unwrap().status.success()
}

#[test]
fn a_graph_runs_with_commands_as_its_actions_and_prints_its_final_state() {
    let world = World::new();
    let node = r#""with": {"name": "state.name"}, "target": "got""#;
    write(&world, "g.json", action(node));
    let input = r#"{"name": "ana"}"#;
    let run = [
        "graph",
        "run",
        "g.json",
        "--input",
        input,
        "--handler",
        "work=cat",
    ];
    let ended = state(&world.ok(&run));
    assert_eq!(ended, json!({"name": "ana", "got": {"name": "ana"}}));
    // With its key, a run that has ended is only printed.
    let place = r#"work=printf '"%s %s %s"' $MILLPOND_NODE $MILLPOND_ATTEMPT $MILLPOND_ORDINAL; echo >> ran"#;
    let keyed = ["graph", "run", "g.json", "--key", "k", "--handler", place];
    let input = ["--input", r#"{"name": 1}"#];
    for _ in 0..2 {
        let ended = state(&world.ok(&[&keyed[..], &input].concat()));
        assert_eq!(ended["got"], "x 1 0");
    }
    assert_eq!(read(&world.path("ran")).lines().count(), 1, "it ran once");
    let other = world.run(&[&keyed[..], &["--input", r#"{"name": 2}"#]].concat());
    assert_eq!(other.code, 2, "{other:?}");
}

/// Runs a graph of one action without fields of its own.
fn run(world: &World, handler: &str) -> Done {
    write(world, "g.json", action(r#""target": "got""#));
    world.run(&["graph", "run", "g.json", "--handler", handler])
}

#[test]
fn a_command_that_fails_is_named_with_its_status_and_its_last_line_and_tried_again() {
    let world = World::new();
    let retry = action(r#""retry": {"attempts": 2, "backoff": "1ms"}"#);
    write(&world, "retry.json", retry);
    let handler = "work=echo >> ran; echo first >&2; echo no paper >&2; exit 3";
    let done = world.run(&["graph", "run", "retry.json", "--handler", handler]);
    assert_eq!(done.code, 1, "{done:?}");
    let why =
        "failed: action: exit: the command failed: exit status: 3: no paper: node=x, ordinal=0";
    assert!(done.err.contains(why), "{done:?}");
    assert!(done.err.contains("\nfirst\nno paper\n"), "{done:?}");
    assert_eq!(read(&world.path("ran")).lines().count(), 2, "two attempts");
    let killed = run(&world, "work=kill -9 $$");
    assert!(
        killed.err.contains("the command failed: signal: 9"),
        "{killed:?}"
    );
}

#[test]
fn a_command_that_cannot_succeed_is_a_final_failure_with_what_to_do() {
    let world = World::new();
    write(&world, "plain.txt", "");
    for (command, why) in [
        (
            "no-such-program",
            "a program of the command does not exist; install it",
        ),
        (
            "./plain.txt",
            "a program of the command cannot be executed; correct its permissions",
        ),
        (
            "true",
            "the command printed nothing; print its result as JSON, or null",
        ),
        (
            "echo two words",
            r#"did not print one JSON value; print the result and nothing else: "#,
        ),
        ("echo two words", r#"printed="two words "#),
        ("echo '1 2'", "did not print one JSON value"),
        ("echo 123456789012345678901", "did not print one JSON value"),
        ("printf '\"\\377\"'", "the command did not print UTF-8"),
        (
            "yes",
            "the command printed more than 1048576 bytes and was killed",
        ),
    ] {
        let mut fields = action(r#""target": "got", "retry": {"attempts": 3, "backoff": "1ms"}"#);
        fields.push('\n');
        write(&world, "final.json", fields);
        let _ = fs::remove_file(world.path("ran"));
        let handler = format!("work=echo >> ran; {command}");
        let done = world.run(&["graph", "run", "final.json", "--handler", &handler]);
        assert_eq!(done.code, 1, "{command}: {done:?}");
        assert!(done.err.contains(why), "{command}: {done:?}");
        assert_eq!(read(&world.path("ran")).lines().count(), 1, "{command}");
    }
}

#[test]
fn handlers_that_do_not_fit_the_definition_are_usage_errors() {
    let world = World::new();
    for (handler, why) in [
        ("other=cat", "an action has no handler; add it"),
        ("work", "must be NAME=COMMAND"),
    ] {
        let done = run(&world, handler);
        assert!(done.code == 2 && done.err.contains(why), "{done:?}");
    }
    assert!(!world.path("pond.db").exists(), "no bucket is created");
}

#[test]
fn a_command_that_passes_its_deadline_is_killed_with_its_process_group() {
    let world = World::new();
    write(&world, "g.json", action(r#""deadline": "1s""#));
    let handler = "work=sleep 600 & echo $! > pid; wait";
    let done = world.run(&["graph", "run", "g.json", "--handler", handler]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("failed: timeout: "), "{done:?}");
    until("the group is killed", || !lives(&world, "pid"));
}

#[test]
fn what_a_command_leaves_behind_is_killed_and_does_not_delay_its_end() {
    let world = World::new();
    let done = run(&world, "work=sleep 600 & echo $! > pid; echo 1");
    assert_eq!(state(&done.out)["got"], 1, "{done:?}");
    until("it is killed", || !lives(&world, "pid"));
}

const ASKS: &str = r#"{
    "graph": 1, "id": "g", "entry": ["ask"], "state": {"good": {}, "got": {}},
    "nodes": {
        "ask": {"input": {"message": "Good?", "schema": {"type": "boolean"}, "target": "good"}},
        "x": {"action": "work", "run": "worker", "with": {"good": "state.good"}, "target": "got"}
    },
    "edges": ["ask -> x"]
}"#;

/// Runs [`ASKS`].
const RUN: [&str; 7] = [
    "graph",
    "run",
    "g.json",
    "--key",
    "k",
    "--handler",
    "work=cat",
];

#[test]
fn a_run_is_answered_paused_and_resumed_from_another_process() {
    let world = World::new();
    write(&world, "g.json", ASKS);
    let mut running = world.spawn("run", &RUN);
    until("it asks", || {
        running.err().contains("input: Good?: node=ask, sequence=")
    });
    let status = |name: &str| world.json(&["graph", "show", "key:k"])["status"] == name;
    assert!(status("running"));
    world.ok(&["graph", "pause", "key:k"]);
    until("it is paused", || status("paused"));
    for other in [["--node", "x"], ["--at", "99"]] {
        let args = ["graph", "resolve", "key:k", "--answer", "1"];
        let none = world.run(&[&args[..], &other].concat());
        assert_eq!(none.code, 3, "{none:?}");
        assert!(none.err.contains("did you mean ask at "), "{none:?}");
    }
    world.ok(&["graph", "resolve", "key:k", "--answer", "true"]);
    world.ok(&["graph", "resume", "key:k"]);
    assert_eq!(running.ended().code(), Some(0), "{}", running.err());
    assert_eq!(
        state(&running.out()),
        json!({"good": true, "got": {"good": true}})
    );
}

#[test]
fn an_interrupted_run_goes_on_with_its_key_and_can_be_cancelled() {
    let world = World::new();
    write(&world, "g.json", ASKS);
    let mut first = world.spawn("first", &RUN);
    until("it asks", || first.err().contains("input: Good?"));
    first.signal("INT");
    assert_eq!(first.ended().code(), Some(5), "{}", first.err());
    let mut second = world.spawn("second", &RUN);
    until("it works", || second.err().contains("run: eid="));
    world.ok(&["graph", "cancel", "key:k"]);
    assert_eq!(second.ended().code(), Some(1), "{}", second.err());
    assert!(
        second.err().contains("cancelled: the run was cancelled"),
        "{}",
        second.err()
    );
}

#[test]
fn a_run_that_waits_is_shown_and_drawn_with_what_it_has_begun() {
    let world = World::new();
    write(&world, "g.json", ASKS);
    let run = [
        "graph",
        "run",
        "g.json",
        "--key",
        "k",
        "--handler",
        "work=exit 3",
        "--until-idle",
    ];
    assert_eq!(world.run(&run).code, 5, "it waits");
    let shown = world.ok(&["graph", "show", "key:k"]);
    let mut lines = shown.lines();
    assert!(
        lines.next().unwrap().starts_with("running: eid="),
        "{shown}"
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("input: Good?: node=ask, sequence="),
        "{shown}"
    );
    assert_eq!(lines.next(), Some("0.0 ask: waiting"), "{shown}");
    let draw = ["graph", "draw", "g.json", "--run", "key:k"];
    let drawn = world.ok(&draw);
    assert!(drawn.contains("ask<br/>input: good<br/>waiting"), "{drawn}");
    world.ok(&["graph", "resolve", "key:k", "--answer", "true"]);
    assert_eq!(world.run(&run).code, 1);
    let shown = world.json(&["graph", "show", "key:k"]);
    assert_eq!(
        (&shown["status"], &shown["snapshot"]),
        (&json!("failed"), &Value::Null)
    );
    let failed = &shown["activities"][1];
    assert_eq!(
        (&failed["node"], &failed["status"]),
        (&json!("x"), &json!("failed"))
    );
    let drawn = world.ok(&[&draw[..], &["--format", "dot"]].concat());
    assert!(drawn.contains("x\\naction: work\\nfailed"), "{drawn}");
    write(&world, "other.json", ASKS.replace("\"g\"", "\"h\""));
    let other = world.run(&["graph", "draw", "other.json", "--run", "key:k"]);
    assert_eq!(other.code, 2, "{other:?}");
    assert!(other.err.contains("one of another definition"), "{other:?}");
}

/// The commands of the section *A graph* of the README.
fn commands() -> String {
    let readme = include_str!("../../../README.md");
    let section = readme.split("\n## A graph\n").nth(1).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap();
    block.split("```").next().unwrap().to_owned()
}

#[test]
fn the_commands_of_the_readme_run_a_review_loop_to_its_end() {
    let world = World::new();
    let graphs = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/graphs");
    let script = commands().replace("examples/graphs", graphs);
    let app = env!("CARGO_BIN_EXE_millpond-test-app");
    let script = format!("app() {{ {app} --no-fsync \"$@\"; }}\n{script}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(world.path("."));
    let done = Done::of(&mut shell);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.err.contains("input: Good enough? Ponds are small."),
        "{done:?}"
    );
    let printed = done.out.lines().find(|line| line.starts_with('{')).unwrap();
    assert_eq!(
        state(printed)["published"],
        json!({"text": "Ponds are small."}),
        "{done:?}"
    );
    assert!(done.out.contains("2.0 review: waiting"), "{done:?}");
    assert!(
        done.out.contains("action: publish<br/>completed"),
        "{done:?}"
    );
}
