//! `list`, `show`, `journal`, `watch`, `workflows`.

use crate::world::{World, until};

#[test]
fn list_shows_states_and_filters_them() {
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
        "refused: root/charge#0",
    ] {
        assert!(all.contains(word), "{word}: {all}");
    }
    let full = world.ok(&["list", "--full"]);
    assert!(full.contains("the card was refused"), "{full}");
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

#[test]
fn e22_a_list_fits_80_columns_and_shows_everything_if_asked() {
    let world = World::new();
    let key = "a key of an order that is rather long";
    let eid = world.start(&["greet-twice", "--input", "\"ana\"", "--key", key]);
    world.start(&["fail"]);
    world.work();
    let short = world.ok(&["list"]);
    let widest = short.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{short}");
    let end = &eid[eid.len() - 12..];
    assert!(
        short.contains(end) && !short.contains(&eid) && !short.contains(key),
        "{short}"
    );
    assert_eq!(world.json(&["result", end])["eid"], eid);
    let full = world.ok(&["list", "--full"]);
    assert!(full.contains(&eid) && full.contains(key), "{full}");
}

#[test]
fn e22_a_list_names_what_no_worker_serves_and_counts_what_it_does_not_show() {
    let world = World::new();
    let stuck = world.start(&["greet", "--input", "\"a\"", "--queue", "typo"]);
    world.start(&["greet", "--input", "\"b\""]);
    world.work();
    let rows = world.json(&["list", "--unserved", "0"]);
    let of = |eid: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|row| row["eid"] == eid).unwrap()
    };
    assert_eq!(of(&stuck)["unserved"]["why"], "queue", "{rows}");
    let short = world.run(&["list", "--unserved", "0", "--limit", "1"]);
    assert!(short.err.contains("unserved=1"), "{short:?}");
    let whole = world.run(&["list", "--unserved", "0"]);
    assert!(
        whole.out.contains("no worker") && !whole.err.contains("unserved="),
        "{whole:?}"
    );
}

#[test]
fn e22_an_empty_result_names_the_filter() {
    let world = World::new();
    world.work();
    let none = world.run(&["list"]);
    assert_eq!(
        (none.code, &none.err[..]),
        (0, "no executions in sqlite:./pond.db\n")
    );
    let none = world.run(&["list", "--status", "failed", "--workflow", "greet"]);
    let filter = "no executions match: status=failed, workflow=greet, bucket=";
    assert!(none.code == 0 && none.err.starts_with(filter), "{none:?}");
}

#[test]
fn e22_show_lists_unread_messages_and_prices_the_tree_in_dollars() {
    let world = World::new();
    let eid = world.start(&["greet-twice", "--input", "\"bo\""]);
    world.ok(&["signal", &eid, "nobody", "\"hi\\u001b[2J\""]);
    world.work();
    let json = world.json(&["show", &eid]);
    assert_eq!(
        (&json["tree"]["executions"], &json["unread"][0]["channel"]),
        (&3.into(), &"nobody".into())
    );
    let writes = |price: &serde_json::Value| price["write_requests"].as_u64().unwrap();
    assert!(
        writes(&json["tree"]["price"]) > writes(&json["price"]) + 12,
        "{json}"
    );
    let shown = world.ok(&["show", &eid]);
    assert!(shown.contains("3 executions, about $0.000"), "{shown}");
    assert!(shown.contains("on nobody: \"hi\\u001b[2J\""), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn e22_a_child_that_has_not_begun_is_pending() {
    let world = World::new();
    let eid = world.start(&["elsewhere"]);
    world.work();
    let frame = &world.json(&["show", &eid])["frames"]["frames"][0];
    assert_eq!(
        (&frame["kind"], &frame["status"]),
        (&"child".into(), &"pending".into())
    );
    let shown = world.ok(&["show", &eid]);
    assert!(shown.contains("child     pending"), "{shown}");
}

#[test]
fn query_prints_the_state_and_what_is_awaited() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    let none = world.run(&["query", &eid]);
    assert_eq!((none.code, none.out.as_str()), (0, ""));
    world.work();
    let shown = world.ok(&["query", &eid]);
    assert!(shown.starts_with("state 0  entry "), "{shown}");
    assert!(shown.contains("\"asked\""), "{shown}");
    let waits = "waits  root/receive#0  for a message on approval\n";
    assert!(shown.ends_with(waits), "{shown}");
    world.ok(&["signal", &eid, "approval", "true"]);
    world.work();
    let page = world.json(&["query", &eid, "--states", "--limit", "1"]);
    assert_eq!(
        (&page["states"][0]["value"], &page["next"]),
        (&"asked".into(), &1.into())
    );
    let last = world.json(&["query", &eid]);
    assert_eq!(last["states"][0]["value"], true);
    assert_eq!(last["awaited"].as_array().unwrap().len(), 0);
    let early = world.json(&["query", &eid, "--at", "0"]);
    assert_eq!(early["states"].as_array().unwrap().len(), 0);
    let beyond = world.run(&["query", &eid, "--at", "1000"]);
    assert_eq!(beyond.code, 2);
    assert!(beyond.err.contains("entries="), "{beyond:?}");
    assert_eq!(world.run(&["query", &eid, "--from", "1"]).code, 2);
}

#[test]
fn versions_lists_those_that_executions_still_need() {
    let world = World::new();
    world.start(&["greet", "--input", "\"ana\""]);
    world.work();
    let none = world.run(&["versions"]);
    assert!(none.code == 0 && none.out.is_empty(), "{none:?}");
    world.start(&["approve"]);
    world.start(&["approve"]);
    let used = world.json(&["versions"]);
    assert_eq!(used.as_array().unwrap().len(), 1);
    assert_eq!(
        (&used[0]["workflow"], &used[0]["executions"]),
        (&"approve".into(), &2.into())
    );
    assert!(world.ok(&["versions"]).contains("registered"));
}

#[test]
fn replay_reports_what_this_build_would_block() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    let greeted = world.start(&["greet", "--input", "\"ana\""]);
    world.work();
    let open = world.json(&["replay"]);
    assert_eq!((&open["replayed"], &open["fit"]), (&1.into(), &1.into()));
    let all = world.json(&["replay", "--status", "completed", "--status", "suspended"]);
    assert_eq!(all["fit"], 2);

    // Exported, as objects and as documents.
    let folder = tempfile::tempdir().unwrap();
    let export = folder.path().join("export");
    let export = export.to_str().unwrap();
    world.ok(&["bucket", "export", export]);
    let exported = world.json(&["replay", "--against", export]);
    assert_eq!(exported["fit"], 2);
    let one = world.json(&["replay", "--against", export, "--workflow", "greet"]);
    assert_eq!(one["replayed"], 1);
    let text = world.ok(&["journal", &greeted, "--json"]);
    let file = folder.path().join("greeted.json");
    std::fs::write(&file, &text).unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(world.json(&["replay", "--against", path])["fit"], 1);

    // A journal of other code: it waits on another channel.
    let text = world.ok(&["journal", &eid, "--json"]);
    std::fs::write(&file, text.replace("\"approval\"", "\"other\"")).unwrap();
    let misfit = world.run(&["replay", "--against", path, "--json"]);
    assert_eq!(misfit.code, 1, "{misfit:?}");
    let report: serde_json::Value = serde_json::from_str(&misfit.out).unwrap();
    let finding = &report["findings"][0];
    assert_eq!(finding["finding"], "blocked");
    let blocked = &finding["blocked"];
    assert_eq!(blocked["reason"], "nondeterminism");
    assert_eq!(blocked["expected"], "receive root/receive#0 on other");
    assert_eq!(blocked["got"], "receive root/receive#0 on approval");
    let text = world.run(&["replay", "--against", path]);
    assert!(text.out.contains("1 of them do not fit"), "{text:?}");
    std::fs::write(&file, text.out.replace("approve", "x")).unwrap();
    assert_eq!(
        world.run(&["replay", "--against", path]).code,
        2,
        "no document"
    );
    let missing = folder.path().join("missing");
    assert_eq!(
        world
            .run(&["replay", "--against", missing.to_str().unwrap()])
            .code,
        2
    );
    let renamed = world
        .ok(&["journal", &eid, "--json"])
        .replace("\"approve\"", "\"gone\"");
    std::fs::write(&file, renamed).unwrap();
    let gone = world.run(&["replay", "--against", path]);
    assert!(
        gone.code == 1 && gone.out.contains("unregistered"),
        "{gone:?}"
    );
    std::fs::write(
        &file,
        world.ok(&["journal", &greeted, "--limit", "1", "--json"]),
    )
    .unwrap();
    let part = world.run(&["replay", "--against", path]);
    assert!(
        part.code == 2 && part.err.contains("only a part"),
        "{part:?}"
    );
}
