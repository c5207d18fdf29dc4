//! `dev` and `worker`.

use crate::world::{World, read, until};

#[test]
fn until_idle_waits_for_all_work_and_for_nothing_else() {
    let world = World::new();
    let greeted: Vec<_> = (0..10)
        .map(|n| world.start(&["greet-twice", "--input", &format!("\"{n}\"")]))
        .collect();
    let waits = world.start(&["approve"]);
    let sleeps = world.start(&["nap", "--input", "3600"]);
    world.work();
    for eid in greeted {
        world.ok(&["result", &eid]);
    }
    for eid in [waits, sleeps] {
        assert_eq!(
            world.json(&["show", &eid])["execution"]["status"],
            "suspended"
        );
    }
}

#[test]
fn until_idle_leaves_the_queues_of_others() {
    let world = World::new();
    let other = world.start(&["greet", "--input", "\"a\"", "--queue", "other"]);
    world.work();
    assert_eq!(world.run(&["result", &other]).code, 5);
    world.ok(&[
        "worker",
        "--until-idle",
        "--queue",
        "urgent",
        "--queue",
        "other",
    ]);
    world.ok(&["result", &other]);
}

#[test]
fn dev_reports_in_json_lines() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"a\"", "--key", "k"]);
    let reported = world.ok(&["dev", "--until-idle", "--json"]);
    let events: Vec<serde_json::Value> = reported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<_> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["started", "completed"]);
    assert!(events.iter().all(|e| e["eid"] == eid && e["key"] == "k"));
    assert!(events[1]["seconds"].as_f64().is_some());
}

#[test]
fn two_processes_share_a_folder() {
    let world = World::new();
    let eids: Vec<_> = (0..30)
        .map(|n| world.start(&["greet", "--input", &format!("\"{n}\"")]))
        .collect();
    let mut one = world.spawn("one", &["worker", "--until-idle", "--concurrency", "2"]);
    let mut two = world.spawn("two", &["worker", "--until-idle", "--concurrency", "2"]);
    assert_eq!(one.ended().code(), Some(0), "{}", one.err());
    assert_eq!(two.ended().code(), Some(0), "{}", two.err());
    for (n, eid) in eids.iter().enumerate() {
        assert_eq!(world.ok(&["result", eid]), format!("\"hello, {n}\"\n"));
    }
}

#[test]
fn a_sleeper_wakes_while_dev_runs() {
    let world = World::new();
    let dev = world.spawn("dev", &["dev"]);
    until("it works", || dev.err().contains("worker started"));
    let eid = world.start(&["nap", "--input", "1"]);
    world.ok(&["result", &eid, "--wait", "60"]);
}

#[test]
fn a_killed_workers_execution_is_finished_by_the_next_one() {
    let world = World::new();
    let folder = world.path("");
    let input = serde_json::to_string(&folder).unwrap();
    let eid = world.start(&["gated", "--input", &input]);
    let mut first = world.spawn("first", &["worker", "--ttl", "1"]);
    let began = world.path("began");
    until("the step began", || read(&began).lines().count() == 1);

    first.kill();
    std::fs::write(world.path("gate"), "").unwrap();
    world.ok(&["worker", "--until-idle", "--ttl", "1"]);

    assert_eq!(world.ok(&["result", &eid]), "\"through\"\n");
    assert_eq!(read(&began).lines().count(), 2);
}

#[test]
fn e21_a_worker_reports_changes_and_attempts_in_json_lines() {
    let world = World::new();
    let eid = world.start(&["fail", "--key", "k"]);
    let reported = world.ok(&["worker", "--until-idle", "--json"]);
    let events: Vec<serde_json::Value> = reported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let named = events.iter().map(|event| {
        assert!(event["eid"] == eid && event["key"] == "k" && event["workflow"] == "fail");
        (
            event["level"].as_str().unwrap(),
            event["event"].as_str().unwrap(),
        )
    });
    let expected = [
        ("info", "started"),
        ("info", "attempt started"),
        ("info", "step failed"),
        ("warn", "failed"),
    ];
    assert_eq!(named.collect::<Vec<_>>(), expected);
    assert_eq!(
        (&events[1]["fid"], &events[1]["attempt"]),
        (&"root/charge#0".into(), &1.into())
    );
    let why = "refused: root/charge#0: the card was refused";
    assert_eq!(events[3]["why"], why);
}

#[test]
fn e21_a_worker_logs_failures_unless_configured_otherwise() {
    let lines = |args: &[&str]| {
        let world = World::new();
        let eid = world.start(&["fail"]);
        let log = world.run(&[&["worker", "--until-idle"], args].concat()).err;
        let about = log.lines().filter(|line| line.contains(&eid)).count();
        (
            about,
            log.lines().filter(|line| line.contains("WARN")).count(),
        )
    };
    assert_eq!(lines(&[]), (1, 1));
    assert_eq!(lines(&["--log", "info"]), (4, 1));
    assert_eq!(lines(&["--log", "error"]), (0, 0));
}

#[test]
fn e21_a_worker_warns_once_of_a_blocked_execution() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    world.ok(&["signal", &eid, "approval", "\"yes\""]);
    let log = world.run(&["worker", "--until-idle"]).err;
    let warnings: Vec<_> = log.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    let named = ["blocked", &eid, "frame=root/receive#0"];
    assert!(named.iter().all(|part| warnings[0].contains(part)), "{log}");

    let world = World::new();
    let eid = world.start(&["approve"]);
    world.ok(&["signal", &eid, "approval", "\"yes\""]);
    let told = world.ok(&["worker", "--until-idle", "--json"]);
    let events = told.lines().map(|line| serde_json::from_str(line).unwrap());
    let blocked: Vec<serde_json::Value> = events
        .filter(|event: &serde_json::Value| event["event"] == "blocked")
        .collect();
    assert_eq!(blocked.len(), 1, "{told}");
    assert_eq!(
        (&blocked[0]["level"], &blocked[0]["eid"]),
        (&"warn".into(), &eid.into())
    );
}

#[test]
fn e21_a_worker_serves_metrics_and_its_health() {
    use std::io::{Read as _, Write as _};
    let world = World::new();
    let worker = world.spawn("worker", &["worker", "--metrics", "127.0.0.1:0"]);
    let mut address = None;
    until("it reports the address", || {
        let log = worker.err();
        let url = log
            .lines()
            .find_map(|line| line.strip_prefix("metrics: http://"));
        address = url
            .and_then(|url| url.strip_suffix("/metrics"))
            .map(str::to_owned);
        address.is_some()
    });
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(address.as_deref().unwrap()).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    assert!(get("/health").starts_with("HTTP/1.1 200"));
    let eid = world.start(&["greet", "--input", "\"a\""]);
    world.ok(&["result", &eid, "--wait", "60"]);
    until("the run is counted", || {
        get("/metrics").contains("millpond_runs_ended_total{result=\"completed\"} 1")
    });
    assert!(get("/metrics").contains("millpond_attempts_total 1"));
}
