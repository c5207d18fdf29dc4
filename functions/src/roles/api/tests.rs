//! Requests to an in-memory engine.

use std::collections::BTreeMap;
use std::time::Duration;

use millpond::client::App;
use millpond::domain::Status;
use millpond::prelude::*;
use millpond::settings::Settings;
use millpond_testing::{Injection, Rule, World};
use serde_json::{Value, json};

use super::{Response, api};
use crate::events::Request;

async fn greet(ctx: Context, name: String) -> Result<String, Failed> {
    let word: String = ctx.receive("word").await?;
    Ok(format!("{word}, {name}"))
}

fn world() -> World {
    World::new(App::new().workflow("greet", "1", greet))
}

fn request(method: &str, path: &str, body: &str) -> Request {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: BTreeMap::new(),
        body: body.to_owned().into(),
        id: None,
        time: None,
        source_ip: None,
        caller: Some("arn:aws:iam::1:user/ann".to_owned()),
    }
}

fn ask(world: &World, request: &Request) -> (u16, Value, Response) {
    let left = Duration::from_secs(30);
    let response = world.block(api(&world.engine, request, left));
    let body = serde_json::from_str(&response.body).expect("in a test");
    (response.status, body, response)
}

fn call(world: &World, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let (status, body, _) = ask(world, &request(method, path, &body.to_string()));
    (status, body)
}

#[test]
fn an_execution_is_started_signalled_and_read_at_the_price_of_each() {
    let world = world();
    let body = json!({"workflow": "greet", "input": "Ann", "key": "a b/ü"});
    let (status, started) = call(&world, "POST", "/executions", &body);
    assert_eq!((status, &started["fresh"]), (201, &json!(true)));
    let again = call(&world, "POST", "/executions/", &body);
    assert_eq!((again.0, &again.1["fresh"]), (200, &json!(false)));
    assert_eq!(again.1["eid"], started["eid"]);
    world.run_all();
    let place = "/executions/key:a%20b%2F%C3%BC";
    let (read, counts) = world.counted(|world| call(world, "GET", place, &Value::Null));
    assert_eq!((read.0, &read.1["status"]), (200, &json!("suspended")));
    assert_eq!(counts.reads, 2, "the execution of the key, and its head");
    let result = format!("/executions/{}/result", started["eid"].as_str().unwrap());
    assert_eq!(call(&world, "GET", &result, &Value::Null).0, 202);
    let now = format!("{result}?wait=0");
    assert_eq!(call(&world, "GET", &now, &Value::Null).0, 202);
    let word = json!({"channel": "word", "payload": "hello", "key": "1"});
    let signal = format!("{place}/signal");
    let (status, sent) = call(&world, "POST", &signal, &word);
    assert_eq!((status, &sent["answer"]), (202, &json!("sent")));
    let mut again = word.clone();
    again["confirm"] = json!(true);
    let (status, sent) = call(&world, "POST", &signal, &again);
    assert_eq!((status, &sent["answer"]), (202, &json!("known")));
    world.run_all();
    let (status, ended) = call(&world, "GET", &result, &Value::Null);
    assert_eq!((status, &ended["value"]), (200, &json!("hello, Ann")));
    // An ended execution accepts no more signals.
    assert_eq!(call(&world, "POST", &signal, &word).0, 409);
}

async fn counts(ctx: Context) -> Result<(), Failed> {
    for n in 0..3_u64 {
        ctx.set_state(&n)?;
    }
    Ok(ctx.receive("go").await?)
}

#[test]
fn the_state_of_an_execution_is_read_by_a_replay() {
    let counts = |ctx, ()| counts(ctx);
    let world = World::new(App::new().workflow("counts", "1", counts));
    let body = json!({"workflow": "counts", "key": "one"});
    call(&world, "POST", "/executions", &body);
    world.run_all();
    let get = |query: &str| {
        let path = format!("/executions/key:one/state{query}");
        call(&world, "GET", &path, &Value::Null)
    };
    let (status, newest) = get("");
    assert_eq!((status, &newest["states"][0]["value"]), (200, &json!(2)));
    assert_eq!(newest["awaited"][0]["about"], "go");
    assert_eq!(newest["awaited"][0]["kind"], "receive");
    let (_, page) = get("?from=1&limit=1");
    let state = &page["states"][0];
    assert_eq!((&state["number"], &page["next"]), (&json!(1), &json!(2)));
    let (status, early) = get("?at=0");
    assert_eq!((status, &early["states"]), (200, &json!([])));
    let (status, beyond) = get("?at=99");
    let detail = beyond["detail"].as_str().unwrap();
    assert!(status == 400 && detail.contains("entries="), "{detail}");
    assert_eq!(get("?at=x").0, 400);
    // Another build cannot replay it.
    let other = World::beside(&world, App::new().workflow("counts", "2", greet), "w2", 2);
    let path = "/executions/key:one/state";
    assert_eq!(call(&other, "GET", path, &Value::Null).0, 404);
    let other = World::beside(&world, App::new().workflow("counts", "1", greet), "w3", 3);
    let (status, problem) = call(&other, "GET", path, &Value::Null);
    assert_eq!((status, &problem["code"]), (409, &json!("conflict")));
}

#[test]
fn the_actor_is_who_the_platform_found_and_a_body_cannot_name_one() {
    let world = world();
    let body = json!({"workflow": "greet", "input": "Ann", "actor": "root"});
    let (status, problem) = call(&world, "POST", "/executions", &body);
    assert_eq!((status, &problem["code"]), (400, &json!("invalid")));
    let body = json!({"workflow": "greet", "input": "Ann"});
    let (_, started) = call(&world, "POST", "/executions", &body);
    let eid = started["eid"].as_str().unwrap().parse().unwrap();
    let record = world.block(world.engine.execution(eid)).unwrap().record;
    assert_eq!(record.created_by.actor.id, "arn:aws:iam::1:user/ann");
}

#[test]
fn a_wrong_method_is_answered_with_the_allowed_one() {
    let world = world();
    for (path, allow) in [
        ("/health", "GET"),
        ("/executions", "POST"),
        ("/executions/7", "GET"),
        ("/executions/7/result", "GET"),
        ("/executions/7/state", "GET"),
        ("/executions/7/signal", "POST"),
    ] {
        let (status, problem, response) = ask(&world, &request("PUT", path, ""));
        assert_eq!((status, &response.headers["allow"][..]), (405, allow));
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("method=PUT"), "{detail}");
    }
}

#[test]
fn a_wrong_request_is_a_problem_that_describes_the_right_one() {
    let world = world();
    let text = |method: &str, path: &str, body: &str| {
        let (status, problem, response) = ask(&world, &request(method, path, body));
        assert_eq!(response.headers["content-type"], "application/problem+json");
        let detail = problem["detail"].as_str().unwrap().to_owned();
        (status, detail)
    };
    let nobody = "/executions/00000000-0000-4000-8000-000000000001";
    for (method, path, body, status, detailed) in [
        ("GET", "/nowhere", "", 404, "/executions/ID/signal"),
        ("DELETE", "/executions", "", 405, "DELETE"),
        ("POST", "/executions", "{", 400, "invalid body"),
        ("POST", "/executions", " [\"greet\"]", 400, "a JSON object"),
        (
            "POST",
            "/executions",
            "{\"workflow\": \"no\"}",
            404,
            "known: greet",
        ),
        (
            "POST",
            "/executions",
            "{\"workflow\": \"greet\", \"input\": 7}",
            400,
            "String",
        ),
        ("GET", "/executions/7", "", 400, "7"),
        ("GET", nobody, "", 404, "no execution"),
        ("GET", "/executions/key:%FF", "", 400, "UTF-8"),
        (
            "GET",
            &format!("{nobody}/result?wait=soon"),
            "",
            400,
            "seconds",
        ),
        (
            "POST",
            &format!("{nobody}/signal"),
            "{\"channel\": \"a\"}",
            404,
            "no execution",
        ),
    ] {
        let (got, detail) = text(method, path, body);
        assert_eq!(got, status, "{method} {path}: {detail}");
        assert!(detail.contains(detailed), "{method} {path}: {detail}");
    }
    let mut form = request("POST", "/executions", "a=b");
    let kind = "application/x-www-form-urlencoded".to_owned();
    form.headers.insert("content-type".to_owned(), kind);
    assert_eq!(ask(&world, &form).0, 415);
    assert_eq!(world.memory.len(), 0);
}

#[test]
fn a_value_that_would_be_changed_is_refused_before_any_write() {
    async fn same(_: Context, number: f64) -> Result<f64, Failed> {
        Ok(number)
    }
    let world = World::new(App::new().workflow("same", "1", same));
    let started = json!({"workflow": "same", "input": 1, "key": "a"});
    let started = call(&world, "POST", "/executions", &started).1;
    let mailbox = format!(
        "/executions/{}/signal",
        started["eid"].as_str().expect("an id")
    );
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    for (value, why) in [
        ("18446744073709551616", "integer over 64 bits"),
        ("9007199254740993.0", "decimal that a double would round"),
        ("1e400", "not a JSON number"),
        (r#""\ud800""#, "cannot be read"),
        (&deep, "nested deeper than 100"),
    ] {
        let start = format!(r#"{{"workflow": "same", "key": "b", "input": {value}}}"#);
        let signal = format!(r#"{{"channel": "word", "payload": {value}}}"#);
        for (path, body) in [("/executions", &start), (mailbox.as_str(), &signal)] {
            let before = world.memory.len();
            let (status, problem, _) = ask(&world, &request("POST", path, body));
            let detail = problem["detail"].as_str().expect("a detail");
            assert_eq!(status, 400, "{problem}");
            assert!(detail.contains(why), "{value}: {detail}");
            assert_eq!(world.memory.len(), before, "{value}");
        }
    }
    let exact = r#"{"workflow": "same", "key": "b", "input": 0.10000000000000001}"#;
    let (status, ..) = ask(&world, &request("POST", "/executions", exact));
    assert_eq!(status, 201);
}

#[test]
fn a_result_is_waited_for_no_longer_than_the_call_lasts() {
    let world = world();
    let body = json!({"workflow": "greet", "input": "Ann"});
    let (_, started) = call(&world, "POST", "/executions", &body);
    let path = format!(
        "/executions/{}/result?wait=600",
        started["eid"].as_str().unwrap()
    );
    let before = world.engine.ports().clock.monotonic();
    let ask = request("GET", &path, "");
    let asked = api(&world.engine, &ask, Duration::from_secs(5));
    assert_eq!(world.block(asked).status, 202);
    let took = world.engine.ports().clock.monotonic() - before;
    assert_eq!(took, Duration::from_secs(4));
    assert_eq!(
        world.status(started["eid"].as_str().unwrap().parse().unwrap()),
        Status::Pending
    );
}

#[test]
fn health_costs_nothing_and_fails_if_the_bucket_is_asked_and_does_not_answer() {
    let world = world();
    let (health, counts) = world.counted(|world| call(world, "GET", "/health", &Value::Null));
    assert_eq!((health.0, counts.reads, counts.lists), (200, 0, 0));
    assert_eq!(health.1["workflows"][0]["workflow"], json!("greet"));
    assert_eq!(call(&world, "GET", "/health?bucket=1", &Value::Null).0, 200);
    world.faults.add(Rule::new(Injection::NotSent));
    assert_eq!(call(&world, "GET", "/health?bucket=1", &Value::Null).0, 503);
}

#[test]
fn d18_a_problem_names_no_key_of_the_bucket() {
    let world = world();
    let body = json!({"workflow": "greet", "input": "Ann"});
    let (_, started) = call(&world, "POST", "/executions", &body);
    let place = format!("/executions/{}", started["eid"].as_str().unwrap());
    world.faults.add(Rule::new(Injection::NotSent).always());
    let signal = json!({"channel": "word", "payload": "hello"});
    for (method, path) in [
        ("GET", "/health?bucket=1".to_owned()),
        ("GET", place.clone()),
        ("GET", format!("{place}/result")),
        ("POST", format!("{place}/signal")),
        ("POST", "/executions".to_owned()),
    ] {
        let body = if path == "/executions" {
            &body
        } else {
            &signal
        };
        let (status, problem) = call(&world, method, &path, body);
        assert_eq!(
            (status, &problem["code"]),
            (503, &json!("storage")),
            "{path}"
        );
        let detail = problem["detail"].as_str().unwrap();
        let shown = ["x/", "mail/", "head", "key="]
            .iter()
            .any(|part| detail.contains(part));
        assert!(!shown, "{path}: {detail}");
    }
}

#[test]
fn d18_only_people_are_human() {
    for (arn, kind) in [
        ("arn:aws:iam::1:user/ann", "human"),
        ("arn:aws:iam::1:root", "human"),
        (
            "arn:aws:sts::1:assumed-role/AWSReservedSSO_Ops_1a/ann",
            "human",
        ),
        ("arn:aws:sts::1:federated-user/ann", "human"),
        ("arn:aws:sts::1:assumed-role/deploy/i-0123", "system"),
        ("arn:aws-cn:iam::1:role/deploy", "system"),
        ("nonsense", "system"),
    ] {
        let world = world();
        let body = json!({"workflow": "greet", "input": "Ann"}).to_string();
        let mut start = request("POST", "/executions", &body);
        start.caller = Some(arn.to_owned());
        let (_, started, _) = ask(&world, &start);
        let eid = started["eid"].as_str().unwrap().parse().unwrap();
        let record = world.block(world.engine.execution(eid)).unwrap().record;
        let actor = &record.created_by.actor;
        assert_eq!((json!(actor.kind), &*actor.id), (json!(kind), arn));
    }
}

#[test]
fn item_9_a_queue_that_the_deployment_does_not_serve_is_refused_before_any_write() {
    let settings = Settings {
        queues: ["default", "slow"].map(|name| name.parse().unwrap()).into(),
        ..Settings::default()
    };
    let world = World::with_settings(App::new().workflow("greet", "1", greet), settings);
    let start = |queue: Value| {
        let body = json!({"workflow": "greet", "input": "Ann", "queue": queue});
        call(&world, "POST", "/executions", &body)
    };
    let (status, problem) = start(json!("solw"));
    assert_eq!(status, 400);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("served: default, slow"), "{detail}");
    assert_eq!(world.memory.len(), 0);
    for queue in [json!("slow"), json!("default"), Value::Null] {
        assert_eq!(start(queue).0, 201);
    }
}
