//! `triggers check` and `triggers test`, and every example of docs/triggers.md.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::world::World;

const RULES: &str = r#"
[[trigger]]
name = "greetings"
source = "s3"
bucket = "inbox"
prefix = "in/"
each = "json-lines"
workflow = "greet"
input = "$.line.name"

[[trigger]]
name = "approvals"
source = "webhook"
path = "/approve"
signature = { scheme = "github", secret = "hub" }
signal = { channel = "approval", to = "order ${$.body.order}", payload = true }
"#;

fn upload(key: &str) -> String {
    let object = json!({"key": key, "etag": "aa", "sequencer": "01"});
    json!({
        "id": "e1", "source": "aws.s3", "detail-type": "Object Created",
        "detail": {"bucket": {"name": "inbox"}, "object": object},
    })
    .to_string()
}

fn write(world: &World, name: &str, text: &str) {
    fs::write(world.path(name), text).unwrap();
}

#[test]
fn valid_rules_are_listed() {
    let world = World::new();
    write(&world, "t.toml", RULES);
    let done = world.run(&["triggers", "check", "t.toml"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (
            0,
            "greetings: s3: starts greet, for each of the object's json-lines\n\
             approvals: webhook: signals approval to an execution, found by key\n"
        ),
        "{done:?}"
    );
    assert!(done.err.contains("starts itself"), "{done:?}");
    assert!(
        done.err.contains("MILLPOND_WEBHOOK_SECRETS is not set"),
        "{done:?}"
    );
    let reported = world.json(&["triggers", "check", "t.toml"]);
    assert_eq!(reported["triggers"][1]["name"], "approvals");
    assert_eq!(reported["errors"], json!([]));
    // No file that is named, no rules in the bucket.
    let mut command = world.command(&["triggers", "check"]);
    command.env("MILLPOND_TRIGGERS", world.path("t.toml"));
    assert!(command.status().unwrap().success());
}

#[test]
fn rules_are_found_in_the_bucket_too() {
    let world = World::new();
    let nowhere = world.run(&["triggers", "check"]);
    assert_eq!(nowhere.code, 6, "{nowhere:?}");
    let why = "neither FILE nor MILLPOND_TRIGGERS names rules";
    assert!(nowhere.err.contains(why), "{nowhere:?}");
    world.start(&["greet", "--input", "\"ana\""]);
    let none = world.run(&["triggers", "check"]);
    assert_eq!(none.code, 2, "{none:?}");
    assert!(
        none.err.contains("put an object config/triggers.toml"),
        "{none:?}"
    );
    let none = world.run(&["triggers", "check", "gone.toml"]);
    assert!(
        none.code == 2 && none.err.contains("file=gone.toml"),
        "{none:?}"
    );
    world.objects().put("config/triggers.toml", RULES);
    assert!(
        world
            .ok(&["triggers", "check"])
            .starts_with("greetings: s3")
    );
}

#[test]
fn rules_without_a_trigger_are_valid_and_noted() {
    let world = World::new();
    write(&world, "none.toml", "");
    let checked = world.run(&["triggers", "check", "none.toml"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.err.contains("no [[trigger]]"), "{checked:?}");
}

#[test]
fn invalid_rules_are_reported_with_their_positions() {
    let world = World::new();
    let bad = RULES
        .replace("\"greet\"", "\"gret\"")
        .replace("bucket = \"inbox\"", "bucket = \"pond\"")
        .replace("prefix = \"in/\"", "suffix = \".json\"");
    write(&world, "t.toml", &bad);
    let mut command = world.command(&["triggers", "check", "t.toml"]);
    command
        .env("MILLPOND_BUCKET", "s3://pond/state")
        .env("MILLPOND_WEBHOOK_SECRETS", r#"{"hubb": "x"}"#);
    let done = crate::world::Done::of(&mut command);
    assert_eq!(done.code, 1, "{done:?}");
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(
        lines[0].starts_with(
            "t.toml: line 8, column 1: trigger greetings: unknown workflow `gret`; did you mean `greet`?"
        ),
        "{done:?}"
    );
    assert!(
        lines[1].starts_with(
            "t.toml: line 2, column 1: trigger greetings: the trigger would start itself"
        ) && lines[1].contains("s3://pond/state/"),
        "{done:?}"
    );
    assert!(
        lines[2].contains("unknown secret `hub`; did you mean `hubb`?"),
        "{done:?}"
    );
    assert!(!done.err.contains("note:"), "{done:?}");
    write(
        &world,
        "t.toml",
        "[[trigger]]\nname = \"a\"\nworkfow = \"w\"\n",
    );
    let done = world.run(&["triggers", "check", "t.toml", "--json"]);
    assert_eq!(done.code, 1);
    let reported: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let messages = reported["errors"].as_array().unwrap();
    assert!(
        messages
            .iter()
            .any(|one| one["line"] == 3 && one["column"] == 1),
        "{reported}"
    );
}

#[test]
fn an_event_is_tested_without_starting_anything() {
    let world = World::new();
    write(&world, "t.toml", RULES);
    write(&world, "good.json", &upload("in/a b.json"));
    write(&world, "bad.json", &upload("out/a.json"));
    let test = |event: &str, more: &[&str]| {
        world.run(&[&["triggers", "test", event, "--file", "t.toml"], more].concat())
    };
    let done = test("good.json", &[]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.out
            .contains("s3 inbox/in/a b.json@01-aa\n  greetings: matches; --object FILE"),
        "{done:?}"
    );

    write(
        &world,
        "lines",
        "{\"name\":\"a\"}\n{}\n{\"name\":\"c\"}\n{\"name\":\"d\"}\nno\n",
    );
    let done = test("good.json", &["--object", "lines"]);
    for wanted in [
        "greetings: matches, 5 lines",
        "    key      greetings:inbox/in/a b.json@01-aa#1\n",
        "greetings: matches, but `input`: the event has no value at `$.line.name`",
        "and 2 more lines, 1 of them invalid",
        "approvals: no: the trigger's source is webhook, the event's is s3",
    ] {
        assert!(done.out.contains(wanted), "{wanted}: {done:?}");
    }
    let done = test("bad.json", &["--json"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.out
            .contains("\"why\": \"detail.object.key is \\\"out/a.json\\\""),
        "{done:?}"
    );
    let mut command = world.command(&["triggers", "test", "good.json", "--file", "t.toml"]);
    let done = crate::world::Done::of(command.env("MILLPOND_BUCKET", "s3://inbox/in"));
    assert!(
        done.code == 1 && done.out.contains("the engine itself wrote"),
        "{done:?}"
    );
    write(&world, "text", "no JSON");
    assert_eq!(test("text", &[]).code, 2);
    assert!(!world.path("pond.db").exists());
}

#[test]
fn a_request_is_tested_with_its_signature() {
    let world = World::new();
    write(&world, "t.toml", RULES);
    let request = json!({
        "rawPath": "/approve", "body": "Hello, World!",
        "headers": {"x-hub-signature-256":
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
        "requestContext": {"http": {"method": "POST"}},
    });
    write(&world, "r.json", &request.to_string());
    let test = |secret: &str| {
        let mut command = world.command(&["triggers", "test", "r.json", "--file", "t.toml"]);
        let secrets = json!({"hub": secret}).to_string();
        crate::world::Done::of(command.env("MILLPOND_WEBHOOK_SECRETS", secrets))
    };
    let good = test("It's a Secret to Everybody");
    assert!(
        good.out.contains("approvals: matches, but `signal.to`"),
        "{good:?}"
    );
    let removal = request.to_string().replace("POST", "DELETE");
    write(&world, "d.json", &removal);
    let done = world.run(&["triggers", "test", "d.json", "--file", "t.toml"]);
    assert!(
        done.code == 1
            && done
                .out
                .contains("approvals: no: webhooks accept only POST, DELETE"),
        "{done:?}"
    );
    let wrong = test("another");
    assert!(
        wrong
            .out
            .contains("approvals: no: the signature does not match the body"),
        "{wrong:?}"
    );
    assert_eq!(wrong.code, 1);
}

/// A fenced block of a document.
struct Block<'a> {
    kind: &'a str,
    text: String,
    line: usize,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open): (Vec<Block<'_>>, bool) = (Vec::new(), false);
    for (n, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(kind), false) => {
                let (text, line) = (String::new(), n + 1);
                blocks.push(Block { kind, text, line });
                open = true;
            }
            (Some(_), true) => open = false,
            (None, true) => {
                let block = blocks.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

/// Rules (`toml`), an event (`json`), perhaps an object (`csv`), and the output of `triggers test`
/// of them (`text`).
#[test]
fn every_example_of_the_reference_has_the_output_shown_there() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/triggers.md");
    let document = fs::read_to_string(path).unwrap();
    let world = World::new();
    let (mut shown, mut rules, mut object) = (0, 0, false);
    for block in blocks(&document) {
        match block.kind {
            "toml" => {
                let good = millpond_functions::triggers::Rules::parse(&block.text);
                good.unwrap_or_else(|error| {
                    panic!("docs/triggers.md, line {}: {error}", block.line)
                });
                write(&world, "rules", &block.text);
                rules += 1;
            }
            "json" => write(&world, "event", &block.text),
            "csv" => {
                write(&world, "object", &block.text);
                object = true;
            }
            "text" => {
                let mut args = vec!["triggers", "test", "event", "--file", "rules"];
                if std::mem::take(&mut object) {
                    args.extend(["--object", "object"]);
                }
                let done = world.run(&args);
                assert_eq!(
                    done.out, block.text,
                    "docs/triggers.md, line {}",
                    block.line
                );
                shown += 1;
            }
            other => assert!(
                matches!(other, "rust" | "sh"),
                "line {}: {other}",
                block.line
            ),
        }
    }
    assert!(shown >= 5 && rules >= 6, "shown={shown}, rules={rules}");
}
