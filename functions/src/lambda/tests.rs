//! The output of a shell.

use std::io;
use std::sync::{Arc, Mutex};

use millpond::client::{Counts, Swept};
use millpond::domain::Queue;
use millpond_wrappers::Usage;
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt as _;

use super::context::at_rest;
use super::last::Last;
use super::log::lines;
use super::metrics::Metrics;
use super::sweeper::{Sent, answer};
use crate::roles::{Batch, Served};

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("in a test").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_of_the_log_contains_the_fields_of_its_spans_flat() {
    let buffer = Buffer::default();
    let to = buffer.clone();
    let subscriber = tracing_subscriber::registry().with(lines(move || to.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let invocation = tracing::info_span!("invocation", request_id = "r1", role = "worker");
        invocation.in_scope(|| {
            let run = tracing::info_span!("run", eid = "e1", epoch = tracing::field::Empty);
            run.record("epoch", 7);
            run.in_scope(|| {
                let attempt = tracing::info_span!("attempt", fid = "root/a#1", attempt = 2);
                attempt.in_scope(|| tracing::warn!(cents = 5, "it is \"odd\"\nvery"));
            });
        });
    });
    let bytes = buffer.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let line: Value = serde_json::from_str(&text).unwrap();
    for (field, value) in [
        ("level", json!("WARN")),
        ("message", json!("it is \"odd\"\nvery")),
        ("cents", json!(5)),
        ("request_id", json!("r1")),
        ("eid", json!("e1")),
        ("epoch", json!(7)),
        ("fid", json!("root/a#1")),
        ("attempt", json!(2)),
    ] {
        assert_eq!(line[field], value, "{field}: {line}");
    }
    assert!(line["timestamp"].is_string(), "{line}");
}

#[test]
fn metrics_are_a_line_that_cloudwatch_reads() {
    let counts = Counts {
        runs: 3,
        attempts: 4,
        commits: 5,
        conflicts: 1,
        undelivered: 0,
    };
    let mut metrics = Metrics::since("r1", true, Counts::default(), Usage::default());
    let eid = "00000000-0000-4000-8000-000000000001".parse().unwrap();
    metrics.batch(&Batch {
        failed: ["a".to_owned()].into(),
        whole_failed: false,
        served: vec![Served {
            eid,
            ended: None,
            waited: Some(std::time::Duration::from_millis(12)),
            late: None,
        }],
    });
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let line = metrics.line(now, "pond-worker", "worker", counts, &Usage::default());
    assert_eq!(line["Runs"], json!(3));
    assert_eq!(line["MailLag"], json!([12.0]));
    assert_eq!(
        (&line["ColdStarts"], &line["Failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(line["_aws"]["Timestamp"], json!(1_767_225_600_000_u64));
    let described = &line["_aws"]["CloudWatchMetrics"][0];
    assert_eq!(described["Namespace"], json!("Millpond"));
    // Zero metrics are omitted, since they would be billed.
    assert!(line.get("Throttled").is_none() && line.get("Lists").is_none());
    // Each declared dimension and metric is present, and only once.
    for dimension in described["Dimensions"][0].as_array().unwrap() {
        assert!(line[dimension.as_str().unwrap()].is_string());
    }
    let names: Vec<_> = described["Metrics"].as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 7);
    for metric in names {
        let name = metric["Name"].as_str().unwrap();
        assert!(line[name].is_number() || line[name].is_array(), "{name}");
    }
    // No lag without a message: CloudWatch would reject an empty list.
    assert!(line.get("TimerLag").is_none());
}

#[test]
fn a_sweep_names_queues_without_a_url_and_fails_only_for_unsent_hints() {
    let sent = |unsent, all| Sent {
        unsent,
        all,
        unknown: [Queue::parse("typo").unwrap()].into(),
    };
    let swept = Swept {
        timers: 3,
        ..Swept::default()
    };
    let whole = answer(&swept, &sent(0, true)).unwrap();
    assert_eq!(whole["timers"], json!(3));
    assert_eq!(whole["unknown_queues"], json!(["typo"]));
    assert!(answer(&swept, &sent(1, true)).is_err());
    assert!(answer(&swept, &sent(0, false)).is_err());
}

#[tokio::test]
async fn d19_a_process_with_work_left_over_exits_after_its_response() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use lambda_runtime::{Service as _, service_fn};
    use millpond::ports::Spawner as _;
    use millpond_host::{InProgress, TokioSpawner};

    static EXITS: AtomicUsize = AtomicUsize::new(0);
    let last = Last::default();
    let responses = AtomicUsize::new(0);
    let service = service_fn(|_: lambda_runtime::LambdaInvocation| async {
        responses.fetch_add(1, Ordering::Relaxed);
        Ok::<_, io::Error>(())
    });
    let mut exiting = last.around(service, || {
        EXITS.fetch_add(1, Ordering::Relaxed);
    });
    let counts = || {
        (
            responses.load(Ordering::Relaxed),
            EXITS.load(Ordering::Relaxed),
        )
    };
    let invocation = || {
        let (parts, ()) = hyper::Response::new(()).into_parts();
        lambda_runtime::LambdaInvocation {
            parts,
            body: bytes::Bytes::new(),
            context: lambda_runtime::Context::default(),
        }
    };
    exiting.call(invocation()).await.unwrap();
    assert_eq!(counts(), (1, 0), "nothing is left over");

    let in_progress = InProgress::default();
    let spawner = TokioSpawner::current().counting(in_progress.clone());
    let brief = Duration::from_millis(5);
    assert!(at_rest(&in_progress, brief).await);
    let (end, may_end) = std::sync::mpsc::channel::<()>();
    spawner.blocking(Box::new(move || {
        let _ = may_end.recv();
    }));
    assert!(
        !at_rest(&in_progress, brief).await,
        "it ignores its cancellation"
    );
    last.set();
    exiting.call(invocation()).await.unwrap();
    assert_eq!(counts(), (2, 1), "after the response");
    drop(end);
    assert!(at_rest(&in_progress, Duration::from_secs(60)).await);
}
