//! `doctor`.

use serde_json::Value;

use crate::world::World;

fn findings(world: &World) -> (i32, Value) {
    let done = world.run(&["doctor", "--no-probes", "--json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    (done.code, report["findings"].clone())
}

#[test]
fn a_sound_bucket_passes_and_is_left_as_it_was() {
    let world = World::new();
    world.start(&["greet", "--input", "\"a\""]);
    world.start(&["approve"]);
    world.start(&["nap", "--input", "3600"]);
    world.start(&["greet-twice", "--input", "\"a\""]);
    world.work();
    world.start(&["greet", "--input", "\"b\""]);
    let report = world.json(&["doctor"]);
    assert!(report["violation"].is_null(), "{report}");
    assert_eq!(report["passed"].as_array().unwrap().len(), 12);
    assert_eq!(report["findings"].as_array().unwrap().len(), 0);
    assert_eq!(report["executions"], 7);
    assert_eq!(report["open"], 3);
    assert!(world.objects().keys("doctor/").is_empty());
}

#[test]
fn an_execution_that_lost_what_wakes_it_is_found() {
    let world = World::new();
    world.start(&["nap", "--input", "3600"]);
    world.work();
    assert_eq!(findings(&world).0, 0);
    let objects = world.objects();
    objects.remove(&objects.only("timers/"));
    let (code, found) = findings(&world);
    assert_eq!((code, &found[0]["why"]), (1, &"no_timer".into()), "{found}");

    let world = World::new();
    world.start(&["greet", "--input", "\"a\""]);
    let objects = world.objects();
    objects.remove(&objects.only("mail/"));
    let (code, found) = findings(&world);
    assert_eq!((code, &found[0]["why"]), (1, &"no_start".into()), "{found}");
}

#[test]
fn what_cannot_be_read_is_listed_by_key() {
    let world = World::new();
    world.start(&["approve"]);
    world.work();
    let objects = world.objects();
    let keys = objects.keys("x/");
    let head = keys.iter().find(|key| key.ends_with("/head")).unwrap();
    objects.put(head, "{\"format\":99}");
    let (code, found) = findings(&world);
    assert_eq!(
        (code, &found[0]["finding"]),
        (1, &"newer".into()),
        "{found}"
    );
    objects.put(head, "no head");
    let (code, found) = findings(&world);
    assert_eq!(
        (code, &found[0]["finding"]),
        (1, &"corrupt".into()),
        "{found}"
    );
    assert!(found[0]["key"].as_str().unwrap().ends_with("/head"));
}

#[test]
fn what_an_execution_names_and_is_broken_is_listed_with_it_and_so_is_what_is_foreign() {
    let world = World::new();
    let large = format!("\"{}\"", "x".repeat(20_000));
    let eid = world.start(&["greet", "--input", &large]);
    world.work();
    assert_eq!(findings(&world).0, 0);
    let objects = world.objects();
    let keys = objects.keys("x/");
    let blob = keys.iter().find(|key| key.contains("/blob/")).unwrap();
    objects.put(blob, "\"y\"");
    objects.put("feed/junk", "junk");
    let (code, found) = findings(&world);
    let kinds = [&found[0]["finding"], &found[1]["finding"]];
    assert_eq!((code, kinds), (1, [&"broken".into(), &"foreign".into()]));
    assert_eq!(found[0]["eid"], eid.as_str(), "{found}");
    assert_eq!(found[1]["key"], "feed/junk", "{found}");
    let reported = world.run(&["doctor", "--no-probes"]).out;
    assert!(
        reported.contains(&format!("broken   {eid}  x/")),
        "{reported}"
    );
    assert!(reported.contains("foreign  feed/junk"), "{reported}");
}

#[test]
fn parked_executions_wait_for_an_operator_and_are_no_finding() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.work();
    world.ok(&["pause", &eid]);
    world.work();
    let done = world.ok(&["doctor", "--no-probes"]);
    assert!(
        done.contains("1 parked, 0 blocked, 0 unserved, 0 findings"),
        "{done}"
    );
}

#[test]
fn e22_what_no_worker_serves_and_what_no_receive_reads_is_reported() {
    let world = World::new();
    let other = world.start(&["greet", "--input", "\"a\"", "--queue", "typo"]);
    let waits = world.start(&["approve"]);
    world.ok(&["signal", &waits, "aproval", "true"]);
    world.work();
    assert!(
        world
            .ok(&["list"])
            .contains("unread messages: 1 on aproval")
    );
    let report = |minutes: &str| {
        let done = world.run(&["doctor", "--no-probes", "--json", "--unserved", minutes]);
        let report: Value = serde_json::from_str(&done.out).unwrap();
        (done.code, report)
    };
    let (code, recent) = report("5");
    assert_eq!((code, &recent["unserved"]), (0, &Value::Array(Vec::new())));
    assert_eq!(recent["unread"][0]["eid"], waits);
    assert_eq!(recent["unread"][0]["channels"]["aproval"], 1);
    let (code, report) = report("0");
    let unserved = report["unserved"].as_array().unwrap();
    assert_eq!((code, unserved.len()), (1, 1));
    assert_eq!(
        (&unserved[0]["eid"], &unserved[0]["why"]),
        (&other.as_str().into(), &"queue".into())
    );
    let done = world.run(&["doctor", "--no-probes", "--unserved", "0"]);
    assert!(
        done.out.contains("no worker serves the queue typo"),
        "{done:?}"
    );
    assert!(done.out.contains("1 on aproval"), "{done:?}");
    let list = world.ok(&["list", "--unserved", "0", "--full"]);
    assert!(list.contains("no worker serves the queue typo"), "{list}");
}
