//! Exit codes, and their messages.

use serde_json::Value;

use crate::world::{Done, World};

#[test]
fn a_failed_execution_is_1() {
    let world = World::new();
    let eid = world.start(&["fail"]);
    world.work();
    let done = world.run(&["result", &eid]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("the card was refused"), "{done:?}");
    let json = world.run(&["result", &eid, "--json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["status"], "failed");
    assert_eq!(json["failure"]["kind"], "refused");
}

#[test]
fn a_wrong_command_line_or_value_is_2() {
    let world = World::new();
    for args in [
        &["strat"][..],
        &["start"],
        &["start", "greet", "--input", "ana"],
        &["start", "greet", "--input", "1", "--input-file", "x"],
        &["start", "greet", "--input-file", "absent.json"],
        &["start", "no such name!"],
        &["start", "greet", "--input", "-1"],
        &["start", "greet"],
        &["show", "ab"],
        &["show", "xyz!"],
        &["show"],
        &["list", "--bucket", "s3://"],
        &["dev", "--concurrency", "0"],
        &["dev", "--queue", "Bad Queue"],
        &["--ttl", "0", "list"],
    ] {
        let done = world.run(args);
        assert_eq!(done.code, 2, "{args:?}: {done:?}");
        assert!(!done.err.is_empty(), "{args:?}");
    }
    let done = world.run(&["start", "nap", "--input", "-1"]);
    assert!(
        done.err
            .contains("the input does not fit nap, which takes u64"),
        "{done:?}"
    );
    assert!(world.objects().keys("mail/").is_empty());
}

#[test]
fn a_value_that_would_be_changed_is_refused_before_any_write() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"a\""]);
    let keys = || [world.objects().keys("x/"), world.objects().keys("mail/")];
    let before = keys();
    for (value, why) in [
        ("18446744073709551616", "integer over 64 bits"),
        ("9007199254740993.0", "decimal that a double would round"),
        ("1e400", "not a JSON number"),
    ] {
        for args in [
            &["start", "nap", "--input", value][..],
            &["signal", &eid, "word", value],
        ] {
            let done = world.run(args);
            assert_eq!(done.code, 2, "{args:?}: {done:?}");
            assert!(done.err.contains(why), "{args:?}: {done:?}");
        }
    }
    assert_eq!(keys(), before);
}

#[test]
fn a_missing_object_is_exit_3_and_similar_names_are_suggested() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"a\"", "--key", "k"]);
    let wrong = format!("{}0{}", &eid[..8].replace(&eid[..1], "f"), &eid[9..]);
    let slip = format!(
        "{}{}",
        &eid[..35],
        if eid.ends_with('7') { "8" } else { "7" }
    );
    for text in [&slip, &eid[..7].chars().rev().collect::<String>()] {
        let done = world.run(&["show", text]);
        assert_eq!(done.code, 3, "{text}: {done:?}");
    }
    let done = world.run(&["show", &slip]);
    assert!(
        done.err.contains(&format!("did you mean {eid}?")),
        "{done:?}"
    );
    assert_ne!(world.run(&["show", &wrong]).code, 0);
    world.start(&["greet", "--input", "\"a\"", "--key", "invoice-17"]);
    let done = world.run(&["show", "key:invoice-71"]);
    assert_eq!(done.code, 3, "{done:?}");
    assert!(
        done.err.contains("no execution was started with the key"),
        "{done:?}"
    );
    assert!(
        done.err.contains("did you mean key:invoice-17?"),
        "{done:?}"
    );
    let done = world.run(&["start", "gret"]);
    assert_eq!(done.code, 3);
    assert!(done.err.contains("did you mean greet"), "{done:?}");
    let done = world.run(&["start", "greet", "--version", "9"]);
    assert_eq!(done.code, 3);
    let json = world.run(&["show", &slip, "--json"]);
    let error: Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!(error["error"]["kind"], "not_found");
    assert_eq!(error["error"]["near"][0], eid);
}

#[test]
fn a_missing_bucket_is_6_and_is_not_made_by_looking() {
    let world = World::new();
    let done = world.run(&["list"]);
    assert_eq!(done.code, 6, "{done:?}");
    assert!(
        done.err.contains("no bucket here") && done.err.contains("pond.db"),
        "{done:?}"
    );
    assert!(!world.path("pond.db").exists());
}

#[test]
fn a_bad_variable_is_named() {
    let world = World::new();
    let mut command = world.command(&["list"]);
    let done = Done::of(command.env("MILLPOND_TTL", "soon"));
    assert_eq!(done.code, 2);
    assert!(done.err.contains("MILLPOND_TTL"), "{done:?}");
    let mut command = world.command(&["list"]);
    let done = Done::of(command.env("MILLPOND_BUCKET", "ftp://x"));
    assert_eq!(done.code, 2);
    assert!(done.err.contains("sqlite:./file.db"), "{done:?}");
    let done = world.run(&["list", "--bucket", "file:./pond"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("use a SQLite file"), "{done:?}");
}

#[test]
fn variables_apply_where_options_are_absent() {
    let world = World::new();
    let mut command = world.command(&["start", "greet", "--input", "\"a\""]);
    let url = format!("sqlite:{}", world.path("other.db").display());
    let done = Done::of(command.env("MILLPOND_BUCKET", &url));
    assert_eq!(done.code, 0, "{done:?}");
    let eid = done.out.trim();
    let shown = world.json(&["show", eid, "--bucket", "sqlite:./other.db"]);
    assert_eq!(
        shown["execution"]["record"]["created_by"]["actor"]["id"],
        "ana"
    );
}

#[test]
fn help_documents_the_exit_codes() {
    let world = World::new();
    let help = world.ok(&["--help"]);
    assert!(help.contains("Exit codes:") && help.contains("MILLPOND_BUCKET"));
    assert!(help.contains("Usage: millpond-test-app"), "{help}");
    for command in ["dev", "start", "show", "doctor", "signal"] {
        world.ok(&[command, "--help"]);
    }
}
