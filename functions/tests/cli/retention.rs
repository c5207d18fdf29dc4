//! `retention`: what is archived is shown as before, also when its key has started another execution.

use serde_json::Value;

use crate::world::{World, until};

/// Tombstones of executions under this lease may go after a second.
const TTL: [&str; 2] = ["--ttl", "0.05"];
const SECOND: &str = "0.0000116";

fn retain(world: &World, args: &[&str]) -> Value {
    let all = [&["retention", "--after", "0"], args, &TTL].concat();
    world.json(&all)
}

fn shown(world: &World, eid: &str) -> (Value, Value, Value) {
    let mut show = world.json(&["show", eid]);
    let execution = show["execution"].as_object_mut().unwrap();
    // These show its state, not its content.
    for field in ["archive", "head_bytes", "requests_today"] {
        execution.remove(field);
    }
    let journal = world.json(&["journal", eid]);
    let result = world.run(&["result", eid, "--json"]);
    let result = [result.out, result.err, result.code.to_string()];
    (show, journal, result.to_vec().into())
}

#[test]
fn what_is_archived_is_shown_as_before_and_listed_as_archived() {
    let world = World::new();
    let greeted = world.start(&["greet", "--input", "\"ana\"", "--key", "k"]);
    let failed = world.start(&["fail"]);
    let waits = world.start(&["approve"]);
    world.work();
    let eids = [&greeted, &failed];
    let before = eids.map(|eid| shown(&world, eid));
    let some = retain(&world, &[]);
    assert_eq!(
        (&some["archived"], &some["more"]),
        (&2.into(), &false.into())
    );
    assert_eq!(eids.map(|eid| shown(&world, eid)), before);
    let text = world.ok(&["show", &greeted]);
    assert!(text.contains("archive     archive/"), "{text}");
    assert_eq!(world.run(&["watch", &failed]).code, 1, "as it ended");
    let rows = world.json(&["list", "--status", "archived"]);
    // E22: with their final status.
    let rows = rows.as_array().unwrap();
    let mut ended: Vec<_> = rows.iter().map(|row| &row["status"]).collect();
    ended.sort_by_key(|status| status.as_str());
    assert_eq!(ended, ["completed", "failed"]);
    assert!(rows.iter().all(|row| row["archived"] == true), "{rows:?}");
    let rows = world.json(&["list", "--status", "failed"]);
    assert_eq!(
        (&rows[0]["eid"], &rows[0]["archived"]),
        (&failed.as_str().into(), &true.into())
    );
    assert_eq!(
        world.json(&["list", "--status", "suspended"])[0]["eid"],
        waits
    );
    let refused = world.run(&["signal", &greeted, "approval", "true"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(
        world.start(&["greet", "--input", "\"ana\"", "--key", "k"]),
        greeted
    );
    world.ok(&["doctor", "--no-probes"]);
    // The one that waits goes on.
    world.ok(&["signal", &waits, "approval", "true"]);
    world.work();
    assert_eq!(retain(&world, &[])["archived"], 1);
    let own = |eid: &str| format!("x/{}/{eid}/", &eid[eid.len() - 2..]);
    let left = eids.map(|eid| world.objects().keys(&own(eid)).len());
    assert_eq!(left, [1, 1], "tombstones");
}

#[test]
fn a_key_that_is_free_starts_another_execution_and_the_first_is_shown_as_before() {
    let world = World::new();
    let start = ["greet", "--input", "\"ana\"", "--key", "k"];
    let eid = world.start(&start);
    world.work();
    let before = shown(&world, &eid);
    assert_eq!(retain(&world, &["--free-after", SECOND])["archived"], 1);
    assert_eq!(shown(&world, "key:k"), before);
    until("its key is free", || world.start(&start) != eid);
    let next = world.start(&start);
    world.work();
    assert_eq!(shown(&world, &eid), before);
    assert_eq!(shown(&world, "key:k"), shown(&world, &next));
    world.ok(&["doctor", "--no-probes"]);
    let refused = world.run(&["signal", &eid, "go", "1"]);
    assert!(refused.err.contains(&next), "{refused:?}");
}

#[test]
fn delays_that_cannot_work_are_refused_by_name() {
    let world = World::new();
    world.start(&["greet", "--input", "\"ana\""]);
    for (option, value) in [("--after", "soon"), ("--free-after", "-1"), ("--rate", "0")] {
        let wrong = world.run(&["retention", &format!("{option}={value}")]);
        assert_eq!(wrong.code, 2, "{wrong:?}");
    }
    let mut command = world.command(&["retention"]);
    let output = command
        .env("MILLPOND_RETENTION_AFTER", "a week")
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("MILLPOND_RETENTION_AFTER"), "{message}");
}

#[test]
fn it_goes_on_until_it_is_interrupted() {
    let world = World::new();
    let greet = || {
        let eid = world.start(&["greet", "--input", "\"ana\""]);
        world.work();
        eid
    };
    // Who only archives makes no bucket.
    let first = greet();
    let every = ["retention", "--after", "0", "--every", "0.05"];
    let mut every = world.spawn("retention", &every);
    let is_archived = |eid: &str| {
        let shown = world.json(&["show", eid]);
        shown["execution"]["archive"].is_string()
    };
    until("it is archived", || is_archived(&first));
    let second = greet();
    until("so is the next one", || is_archived(&second));
    every.signal("INT");
    assert_eq!(every.ended().code(), Some(0));
    assert!(every.out().contains("1 archived"), "{}", every.out());
}

#[test]
fn unreadable_objects_are_left_and_reported() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", &format!("\"{}\"", "x".repeat(40_000))]);
    world.work();
    let shard = &eid[eid.len() - 2..];
    let objects = world.objects();
    let blobs = objects.keys(&format!("x/{shard}/{eid}/blob/"));
    assert!(!blobs.is_empty(), "its input is one");
    blobs.iter().for_each(|blob| objects.remove(blob));
    let some = world.run(&["retention", "--after", "0"]);
    assert_eq!(some.code, 1, "{some:?}");
    assert!(
        some.out.contains("1 that cannot be read completely"),
        "{some:?}"
    );
    assert!(some.err.contains("missing"), "{some:?}");
    assert_eq!(
        world.json(&["show", &eid])["execution"]["status"],
        "completed"
    );
}
