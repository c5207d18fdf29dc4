//! Instances: cold starts, freezing, deadlines, crashes, limits.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use millpond_cloud::lambda::{Failure, Function, MOST_BYTES, Spec};
use serde_json::Value;

use crate::stage::{ask, spec};

#[tokio::test]
async fn a_cold_start_is_measured_once_and_the_instance_is_kept() {
    let function = Function::new(spec());
    let first = ask(&function, "", 0).await.expect("it answers");
    let second = ask(&function, "", 0).await.expect("it answers");
    assert_eq!(first["pid"], second["pid"]);
    assert_ne!(first["request"], second["request"]);
    let reports = function.reports();
    let init = reports[0].init.expect("the first is cold");
    assert!(
        init > Duration::ZERO && init < Duration::from_secs(5),
        "{init:?}"
    );
    assert_eq!(reports[1].init, None);
    let peak = reports[1].peak_kb.expect("it lives");
    assert!((500..100_000).contains(&peak), "{peak} kB");
}

#[tokio::test]
async fn the_process_learns_its_deadline_its_name_and_its_trace() {
    let function = Function::new(spec());
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("it is past 1970")
            .as_millis()
    };
    let before = now();
    let answer = ask(&function, "", 0).await.expect("it answers");
    let deadline = u128::from(answer["deadline"].as_u64().expect("it has one"));
    assert!(
        (before + 3000..=now() + 3000).contains(&deadline),
        "{deadline}"
    );
    assert_eq!(answer["arn"], function.spec().arn());
    let trace = answer["trace"].as_str().expect("it has one");
    assert!(
        trace.starts_with("Root=1-") && trace.contains(";Parent="),
        "{trace}"
    );
}

#[tokio::test]
async fn the_environment_is_lambdas_and_the_functions_and_nothing_else() {
    let spec = spec()
        .variable("MINE", "1")
        .variable("AWS_REGION", "elsewhere");
    let function = Function::new(spec);
    let all = ask(&function, "environment", 0).await.expect("it answers");
    let all: std::collections::BTreeMap<String, String> =
        serde_json::from_value(all).expect("pairs");
    assert_eq!(all["MINE"], "1");
    assert_eq!(all["AWS_REGION"], millpond_cloud::REGION);
    assert_eq!(all["AWS_LAMBDA_FUNCTION_NAME"], "probe");
    assert!(!all.contains_key("HOME") && !all.contains_key("CARGO_MANIFEST_DIR"));
}

#[tokio::test]
async fn an_idle_instance_is_frozen_and_a_busy_one_is_not() {
    let function = Function::new(spec());
    assert_eq!(
        function.instances(),
        0,
        "nothing runs before the first invocation"
    );
    ask(&function, "", 0).await.expect("it answers");
    assert_eq!(function.frozen(), 1);
    let (busy, frozen) = tokio::join!(ask(&function, "wait", 300), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        function.frozen()
    });
    busy.expect("it answers");
    assert_eq!(frozen, 0, "it works");
    assert_eq!(function.frozen(), 1);
    assert_eq!(function.retire().await, 1);
    assert_eq!(function.instances(), 0);
}

#[tokio::test]
async fn an_invocation_past_its_time_out_is_killed_busy_or_waiting() {
    let mut spec = spec();
    spec.timeout = Duration::from_millis(300);
    let function = Function::new(spec);
    for what in ["wait", "spin"] {
        let failure = ask(&function, what, 60_000)
            .await
            .expect_err("it is too slow");
        let after = Duration::from_millis(300);
        assert_eq!(failure, Failure::TimedOut { after });
        assert_eq!(function.instances(), 0, "the process is gone");
    }
    assert!(
        ask(&function, "", 0).await.is_ok(),
        "a new instance answers"
    );
}

#[tokio::test]
async fn a_crash_fails_its_own_invocation_only() {
    let function = Function::new(spec());
    let first = ask(&function, "", 0).await.expect("it answers");
    for (what, how) in [("exit", "exit status: 3"), ("abort", "SIGABRT")] {
        match ask(&function, what, 0).await {
            Err(Failure::Exited { status }) => assert!(status.contains(how), "{status}"),
            other => panic!("no crash: {other:?}"),
        }
    }
    let last = ask(&function, "", 0).await.expect("a new instance answers");
    assert_ne!(first["pid"], last["pid"]);
    assert_eq!(function.instances(), 1);
}

#[tokio::test]
async fn an_error_leaves_the_instance_alive() {
    let function = Function::new(spec());
    let before = ask(&function, "", 0).await.expect("it answers");
    match ask(&function, "fail", 0).await {
        Err(Failure::Handled { message, .. }) => assert!(message.contains("asks for a failure")),
        other => panic!("no error: {other:?}"),
    }
    let after = ask(&function, "", 0).await.expect("it answers");
    assert_eq!(before["pid"], after["pid"]);
}

#[tokio::test]
async fn more_than_six_megabytes_is_refused_both_ways() {
    let function = Function::new(spec());
    // The response is a JSON text: two quotes more.
    let most = u64::try_from(MOST_BYTES).expect("it is small") - 2;
    assert!(ask(&function, "large", most).await.is_ok());
    let bytes = MOST_BYTES + 1;
    match ask(&function, "large", most + 1).await {
        Err(failure) => assert_eq!(failure, Failure::ResponseTooLarge { bytes }),
        Ok(_) => panic!("it passed"),
    }
    let event = vec![b'x'; bytes];
    let refused = function.invoke(event).await.expect_err("it is too large");
    assert_eq!(refused, Failure::EventTooLarge { bytes });
}

#[tokio::test]
async fn an_instance_that_outgrows_its_memory_is_killed() {
    let mut spec = spec();
    spec.memory_mb = 64;
    let function = Function::new(spec);
    match ask(&function, "eat", 200_000_000).await {
        Err(Failure::OutOfMemory {
            used_kb,
            limit_mb: 64,
        }) => assert!(used_kb > 64 * 1024),
        other => panic!("it was not killed: {other:?}"),
    }
}

#[tokio::test]
async fn each_concurrent_invocation_has_an_instance_up_to_the_limit() {
    let mut spec = spec();
    spec.concurrency = 2;
    let function = Function::new(spec);
    let (first, second) = tokio::join!(ask(&function, "wait", 400), ask(&function, "wait", 400));
    let pid = |answer: Result<Value, Failure>| answer.expect("it answers")["pid"].clone();
    assert_ne!(pid(first), pid(second));
    let answers = tokio::join!(
        ask(&function, "wait", 400),
        ask(&function, "wait", 400),
        ask(&function, "wait", 400)
    );
    let answers = [answers.0, answers.1, answers.2];
    let throttled = |answer: &Result<_, _>| matches!(answer, Err(Failure::Throttled { .. }));
    assert_eq!(answers.iter().filter(|answer| throttled(answer)).count(), 1);
    assert_eq!(function.instances(), 2);
}

#[tokio::test]
async fn a_function_that_cannot_begin_reports_the_remedy() {
    let failed = async |spec: Spec| {
        let function = Function::new(spec);
        let failure = ask(&function, "", 0).await.expect_err("it cannot begin");
        assert_eq!(function.instances(), 0);
        failure.to_string()
    };
    let exits = failed(spec().variable("PROBE_INIT", "exit")).await;
    assert!(exits.contains("exit status: 7"), "{exits}");
    let mut hangs = spec().variable("PROBE_INIT", "hang");
    hangs.init_timeout = Duration::from_millis(200);
    let hangs = failed(hangs).await;
    assert!(hangs.contains("no next within 0.20 seconds"), "{hangs}");
    let absent = failed(Spec::new("absent", "/nonexistent/bootstrap")).await;
    assert!(absent.contains("cannot be started"), "{absent}");
}

#[tokio::test]
async fn an_instance_can_be_killed_on_demand_busy_ones_first() {
    let function = Function::new(spec());
    assert_eq!(function.kill_one(0), None, "nothing runs");
    ask(&function, "", 0).await.expect("it answers");
    let (answer, killed) = tokio::join!(ask(&function, "wait", 60_000), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        function.kill_one(5)
    });
    assert!(matches!(answer, Err(Failure::Exited { .. })), "{answer:?}");
    assert_eq!(killed, Some(1));
    let idle = ask(&function, "", 0).await.expect("a new instance answers");
    assert_eq!(function.kill_one(0), Some(2));
    let next = ask(&function, "", 0).await.expect("a new instance answers");
    assert_ne!(idle["pid"], next["pid"], "a dead instance gets no work");
}
