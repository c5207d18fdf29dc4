//! `list`, `show`, `journal`, `watch`, `workflows`.

use crate::world::{World, until};

#[test]
fn list_tells_states_and_filters_them() {
    let world = World::new();
    let greeted = world.start(&["greet", "--input", "\"ana\"", "--key", "k"]);
    world.start(&["fail"]);
    world.start(&["approve"]);
    world.work();
    let pending = world.start(&["nap", "--input", "1"]);

    let all = world.ok(&["list"]);
    for word in [
        "completed",
        "failed",
        "suspended",
        "pending",
        "the card was refused",
    ] {
        assert!(all.contains(word), "{word}: {all}");
    }
    assert!(!all.contains('\u{1b}'), "no color without a terminal");
    let some = world.json(&["list", "--status", "completed", "--status", "pending"]);
    let eids: Vec<_> = some.as_array().unwrap().iter().map(|r| &r["eid"]).collect();
    assert_eq!(eids, [&pending, &greeted]);
    let fails = world.json(&["list", "--workflow", "fail"]);
    assert_eq!(fails[0]["status"], "failed");
    assert_eq!(
        world
            .json(&["list", "--limit", "1"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let wrong = world.run(&["list", "--status", "complete"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("a similar value exists: 'completed'"),
        "{wrong:?}"
    );
}

#[test]
fn show_draws_the_frames_and_prices_them() {
    let world = World::new();
    let eid = world.start(&["greet-twice", "--input", "\"bo\""]);
    world.work();
    let shown = world.ok(&["show", &eid]);
    assert!(shown.contains("├─ greet#0  child"), "{shown}");
    assert!(shown.contains("└─ greet#1  child"), "{shown}");
    assert!(shown.contains("write requests"), "{shown}");
    let json = world.json(&["show", &eid]);
    assert_eq!(json["execution"]["status"], "completed");
    assert_eq!(json["frames"]["frames"][0]["kind"], "child");
    let child = json["frames"]["frames"][0]["child"].as_str().unwrap();
    let child = world.json(&["show", child]);
    assert_eq!(child["execution"]["record"]["parent"]["eid"], eid);

    let one_step = world.start(&["greet", "--input", "\"bo\""]);
    world.work();
    let price = &world.json(&["show", &one_step])["price"];
    assert_eq!(
        (&price["write_requests"], &price["read_requests"]),
        (&6.into(), &2.into())
    );
}

#[test]
fn an_execution_is_named_by_a_part_of_its_id() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"ana\"", "--key", "one"]);
    world.start(&["greet", "--input", "\"ana\"", "--key", "two"]);
    world.work();
    for part in [
        &eid[..4],
        &eid[..13],
        &eid[eid.len() - 6..],
        &eid.to_uppercase(),
    ] {
        assert_eq!(world.json(&["result", part])["eid"], eid, "{part}");
    }
}

#[test]
fn journal_pages_and_watch_follow_to_the_end() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    let mut watch = world.spawn("watch", &["watch", &eid]);
    until("the watcher shows the wait", || {
        watch.out().contains("on approval")
    });
    world.ok(&["signal", &eid, "approval", "true"]);
    world.work();
    assert_eq!(watch.ended().code(), Some(0));
    assert!(
        watch.out().contains("execution.completed"),
        "{}",
        watch.out()
    );

    let first = world.json(&["journal", &eid, "--limit", "1"]);
    assert_eq!(first["commits"][0]["commit"], 1);
    assert_eq!(first["next"], 2);
    let rest = world.json(&["journal", &eid, "--from", "2"]);
    assert_eq!(rest["commits"][0]["commit"], 2);
    assert!(rest["next"].is_null());
    let lines = world.ok(&["watch", &eid, "--json"]);
    let commits = lines.lines().map(|line| {
        let commit: serde_json::Value = serde_json::from_str(line).unwrap();
        commit["commit"].as_u64().unwrap()
    });
    assert_eq!(commits.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn workflows_are_listed_with_their_types() {
    let world = World::new();
    let table = world.ok(&["workflows"]);
    assert!(table.contains("greet-twice  2"), "{table}");
    let json = world.json(&["workflows", "--schema"]);
    let greet = json
        .as_array()
        .unwrap()
        .iter()
        .find(|w| w["name"] == "greet");
    let greet = greet.unwrap();
    assert_eq!(greet["input_schema"]["type"], "string");
    assert!(!world.path("pond.db").exists(), "it needs no bucket");
}
