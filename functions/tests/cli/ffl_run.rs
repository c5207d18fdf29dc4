//! `ffl run` and `ffl explain`, with programs as handlers.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Done, World, until};

const PROGRAM: &str = "\
namespace n {
    event facet E(x: Json) => (y: Json)
    workflow W(x: Json = 1) => (y: Json) andThen {
        e = E(x = $.x)
        yield W(y = e.y)
    }
}
";

fn world(program: &str) -> World {
    let world = World::new();
    fs::write(world.path("p.ffl"), program).unwrap();
    world
}

/// Runs `n.W` in memory with a shell command as the handler of all event facets.
fn run(world: &World, command: &str, more: &[&str]) -> Done {
    let handler = format!("*={command}");
    let args = [
        "--bucket",
        "memory:",
        "ffl",
        "run",
        "p.ffl",
        "--handler",
        &handler,
    ];
    world.run(&[&args, more].concat())
}

/// The texts between fences in a section of the README.
fn fences(section: &str) -> Vec<String> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, rest) = readme.split_once(&format!("\n## {section}\n")).unwrap();
    let (section, _) = rest.split_once("\n## ").unwrap();
    let parts = section.split("```").skip(1).step_by(2);
    let texts = parts.map(|part| part.split_once('\n').unwrap().1.to_owned());
    texts.collect()
}

#[test]
fn the_readme_shows_a_run_in_ten_lines() {
    let world = World::new();
    let texts = fences("Without Rust");
    let [program, handler, command, result] = texts.as_slice() else {
        panic!("a program, a handler, a command and a result");
    };
    let lines = [program, handler, command].map(|text| text.lines().count());
    assert!(lines.iter().sum::<usize>() <= 10, "{lines:?}");
    fs::write(world.path("hello.ffl"), program).unwrap();
    fs::create_dir(world.path("handlers")).unwrap();
    write_executable(&world.path("handlers/hello.Greet"), handler);
    let app = world.command(&[]).get_program().to_owned();
    std::os::unix::fs::symlink(app, world.path("app")).unwrap();
    let path = format!("{}:/usr/bin:/bin", world.path("").display());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(world.path(""));
    let done = Done::of(shell.env_clear().env("PATH", path).env("USER", "ana"));
    assert_eq!((done.code, &done.out), (0, result), "{done:?}");
}

fn write_executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn t5_a_handler_gets_the_call_and_prints_the_returns() {
    let world = world(PROGRAM);
    let command = r#"printf '{"y": {"call": %s, "facet": "%s", "key": %s}}' "$(cat)" "$MILLPOND_FACET" ${#MILLPOND_IDEMPOTENCY_KEY}"#;
    let done = run(&world, command, &["--input", r#"{"x": "é€\u0001"}"#]);
    assert_eq!(done.code, 0, "{done:?}");
    let result: Value = serde_json::from_str(&done.out).unwrap();
    let call = json!({"facet": "n.E", "params": {"x": "é€\u{1}"}});
    assert_eq!(
        result,
        json!({"y": {"call": call, "facet": "n.E", "key": 32}})
    );
}

#[test]
fn t5_what_a_handler_must_not_return_fails_with_its_kind_and_step() {
    let world = world(PROGRAM);
    let cases = [
        (
            "echo 3",
            "InvalidReturns: 1 failed: a handler returns an object of returns by name, found a number: step=b0/e",
        ),
        (
            "echo NaN",
            "InvalidReturns: 1 failed: the handler's standard output is not one JSON object, logs belong on standard error: expected value at line 1 column 1: output=\"NaN\": step=b0/e",
        ),
        (
            "echo starting; echo '{}'",
            "InvalidReturns: 1 failed: the handler's standard output is not one JSON object, logs belong on standard error: expected value at line 1 column 1: output=\"starting {}\": step=b0/e",
        ),
        (
            "yes",
            "InvalidReturns: 1 failed: the handler's standard output is too large: max=16777216 bytes: step=b0/e",
        ),
        (
            "echo no room >&2; exit 3",
            "HandlerFailed: 1 failed: no room: exit status: 3: step=b0/e",
        ),
        (
            "exit 3",
            "HandlerFailed: 1 failed: the handler failed: exit status: 3: step=b0/e",
        ),
        (
            "kill -9 $$",
            "HandlerFailed: 1 failed: the handler failed: signal: 9 (SIGKILL): step=b0/e",
        ),
        (
            r#"echo '{"error": "sold out", "error_type": "Stock"}'; exit 1"#,
            "Stock: 1 failed: sold out: step=b0/e",
        ),
        (
            r#"echo '{"error": "", "error_type": "", "more": 1}'; exit 1"#,
            "HandlerFailed: 1 failed: the handler failed: exit status: 1: step=b0/e",
        ),
        (
            r#"echo '{"error": "by the handler", "error_type": "cancelled"}'; exit 1"#,
            "cancelled: 1 failed: by the handler: step=b0/e",
        ),
    ];
    for (command, failure) in cases {
        let done = run(&world, command, &[]);
        assert_eq!(
            (done.code, done.out.as_str()),
            (1, ""),
            "{command}: {done:?}"
        );
        let last = done.err.lines().last().unwrap_or_default();
        assert_eq!(last, format!("failed: {failure}"), "{command}");
    }
}

#[test]
fn t5_a_handler_may_return_nothing_and_leave_its_input_unread() {
    let world = world(PROGRAM);
    let large = json!({"x": "x".repeat(100_000)}).to_string();
    let done = run(&world, "exec <&-; echo '{\"y\": 1}'", &["--input", &large]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "{\"y\":1}\n"),
        "{done:?}"
    );
    let done = run(&world, "true", &[]);
    let last = done.err.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("failed: ReferenceError: 1 failed: the reference has no value"),
        "{done:?}"
    );
}

#[test]
fn t4_a_handler_that_takes_too_long_is_killed_with_what_it_started() {
    let world = world(&PROGRAM.replace("E(x = $.x)", "E(x = $.x) with Timeout(seconds = 1)"));
    let command = "sh -c 'echo $$ > pid; exec sleep 600' & wait";
    let done = run(&world, command, &[]);
    assert_eq!(done.code, 1, "{done:?}");
    let last = done.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("failed: timeout: 1 failed: "), "{done:?}");
    until_gone(&world, "pid");
}

/// Waits until the process whose id is in a file has ended.
fn until_gone(world: &World, file: &str) {
    let pid = fs::read_to_string(world.path(file)).unwrap();
    let args = ["-o", "stat=", "-p", pid.trim()];
    until("the process is killed", || {
        let state = Command::new("ps").args(args).output().unwrap().stdout;
        state.is_empty() || state.starts_with(b"Z")
    });
}

#[test]
fn t5_values_beyond_a_limit_fail_the_step() {
    let world = world(PROGRAM);
    let nested = format!("echo '{{\"y\": {}1{}}}'", "[".repeat(101), "]".repeat(101));
    let done = run(&world, &nested, &[]);
    let last = done.err.lines().last().unwrap_or_default();
    let failure = "failed: value: 1 failed: nested deeper than 100: step=b0/e";
    assert_eq!((done.code, last), (1, failure), "{done:?}");
}

#[test]
fn t5_output_that_is_not_utf_8_fails_the_step() {
    let world = world(PROGRAM);
    let done = run(&world, r#"printf '{"y": "\377"}'"#, &[]);
    let last = done.err.lines().last().unwrap_or_default();
    assert!(
        done.code == 1 && last.contains("InvalidReturns") && last.contains("code point"),
        "{done:?}"
    );
}

#[test]
fn t5_a_long_line_of_the_log_is_shown_in_parts() {
    let world = world(PROGRAM);
    let command = "head -c 20000 /dev/zero | tr '\\0' x >&2; echo '{\"y\": 1}'";
    let done = run(&world, command, &[]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "{\"y\":1}\n"),
        "{done:?}"
    );
    let shown = done.err.lines().filter(|line| line.starts_with("n.E: x"));
    let lengths: Vec<usize> = shown.map(str::len).collect();
    assert_eq!(lengths, [5 + 8192, 5 + 8192, 5 + 3616]);
}

#[test]
fn t5_what_a_handler_leaves_behind_with_its_output_is_killed() {
    let world = world(PROGRAM);
    let command = "sleep 600 & echo $! > pid; echo '{\"y\": 1}'";
    let done = run(&world, command, &[]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "{\"y\":1}\n"),
        "{done:?}"
    );
    until_gone(&world, "pid");
}

#[test]
fn the_command_line_is_checked_before_anything_is_written() {
    let world = world(PROGRAM);
    let refused = |more: &[&str], why: &str| {
        let args = ["ffl", "run", "p.ffl", "--handler", "*=true"];
        let done = world.run(&[&args, more].concat());
        assert_eq!(
            (done.code, done.out.as_str()),
            (2, ""),
            "{more:?}: {done:?}"
        );
        assert!(done.err.contains(why), "{more:?}: {done:?}");
    };
    refused(
        &["--workflow", "n.V"],
        "the program has no such workflow: workflow=n.V, workflows=n.W",
    );
    refused(
        &["--input", "{\"z\": 1}"],
        "the workflow has no such parameter: workflow=n.W, parameter=z",
    );
    refused(
        &["--input", "[]"],
        "the input is an object of parameters by name, found an array",
    );
    refused(&["--input", "{"], "the input is not valid JSON");
    refused(
        &["--handler", "a..b=true"],
        "a handler is registered under the name of a facet",
    );
    refused(&["--handlers", "nowhere"], "nowhere");
    fs::create_dir(world.path("h")).unwrap();
    fs::write(world.path("h/n.E.sh"), "#!/bin/sh\n").unwrap();
    refused(
        &["--handlers", "h"],
        "the file has no permission for it; run chmod +x on it",
    );
    fs::write(world.path("h/n.E"), "#!/bin/sh\n").unwrap();
    refused(
        &["--handlers", "h"],
        "two files are handlers of one event facet: remove one: facet=n.E, files=h/n.E,h/n.E.sh",
    );
    fs::write(world.path("p.ffl"), "facet F()").unwrap();
    refused(&[], "the texts declare no workflow");
    let two = "namespace n { workflow V() => () workflow W() => () }";
    fs::write(world.path("p.ffl"), two).unwrap();
    refused(
        &[],
        "the program has several workflows: name one with --workflow: workflows=n.V,n.W",
    );
    assert!(!world.path("pond.db").exists(), "no bucket is created");
}

#[test]
fn a_key_names_the_execution_which_is_explained_and_not_repeated() {
    let world = world(PROGRAM);
    fs::create_dir(world.path("h")).unwrap();
    let handler = world.path("h/n.E.sh");
    let script = "#!/bin/sh\necho once >> log\necho '{\"y\": 7}'\n";
    write_executable(&handler, script);
    fs::write(world.path("h/README"), "notes").unwrap();
    let args = ["ffl", "run", "p.ffl", "--handlers", "h", "--key", "k"];
    let first = world.run(&args);
    assert_eq!(
        (first.code, first.out.as_str()),
        (0, "{\"y\":7}\n"),
        "{first:?}"
    );
    assert!(
        first
            .err
            .contains("not named after an event facet: file=h/README"),
        "{first:?}"
    );
    assert_eq!(world.ok(&args), "{\"y\":7}\n");
    assert_eq!(fs::read_to_string(world.path("log")).unwrap(), "once\n");
    let tree = world.json(&["ffl", "explain", "p.ffl", "--execution", "key:k"]);
    let step = &tree["children"][0]["children"][0];
    assert_eq!(
        (&step["path"], &step["facet"]),
        (&json!("b0/e"), &json!("n.E"))
    );
    assert_eq!(
        (&step["params"], &step["returns"]),
        (&json!({"x": 1}), &json!({"y": 7}))
    );
    let text = world.ok(&["ffl", "explain", "p.ffl", "--execution", "key:k"]);
    let line = text.lines().nth(2).unwrap_or_default();
    assert!(line.starts_with("    e "), "{text}");
    assert!(
        line.contains("statement.Complete") && line.ends_with("n.E  {\"y\":7}"),
        "{text}"
    );
    // Another program is another version.
    fs::write(world.path("p.ffl"), PROGRAM.replace("= 1", "= 2")).unwrap();
    let other = world.run(&args);
    assert_eq!(other.code, 2, "{other:?}");
    let other = world.run(&["ffl", "explain", "p.ffl", "--execution", "key:k"]);
    assert!(
        other
            .err
            .contains("the execution runs another program than these texts"),
        "{other:?}"
    );
}
