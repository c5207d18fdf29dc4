//! Mappings: batches, partial failures, redelivery, dead letters, delays, and what is made worse.

use std::time::{Duration, Instant};

use aws_sdk_s3::types::{Event, NotificationConfiguration, QueueConfiguration};
use millpond_cloud::aws;
use millpond_cloud::queue::{Chaos, Mapping, Queue, Settings};
use serde_json::Value;

use crate::stage::{Stage, until};

const NOW: Duration = Duration::ZERO;

fn map(stage: &Stage, queue: &Queue, settings: Settings) -> Mapping {
    Mapping::start(queue.clone(), stage.function.clone(), settings)
}

async fn until_empty(queue: &Queue) {
    until("the queue is empty", async || {
        queue.depth().await.all() == 0
    })
    .await;
}

/// Takes all messages of a queue.
async fn drain(queue: &Queue) -> Vec<String> {
    let mut bodies = Vec::new();
    loop {
        let some = queue.receive(10, NOW).await;
        if some.is_empty() {
            return bodies;
        }
        bodies.extend(some.into_iter().map(|message| message.body));
    }
}

#[tokio::test]
async fn exactly_what_is_reported_comes_back_until_it_is_a_dead_letter() {
    let stage = Stage::new().await;
    let (queue, dead) = stage.queues(1, 3).await;
    let poison = r#"{"do":"fail"}"#;
    for number in 0..9 {
        queue.send(&number.to_string(), NOW).await;
    }
    queue.send(poison, NOW).await;
    let mapping = map(&stage, &queue, Settings::default());
    until("it is a dead letter", async || {
        dead.depth().await.visible == 1
    })
    .await;
    until_empty(&queue).await;
    let bodies = stage.bodies();
    for number in 0..9 {
        let times = bodies
            .iter()
            .filter(|&body| *body == number.to_string())
            .count();
        assert_eq!(times, 1, "message {number}");
    }
    assert_eq!(bodies.iter().filter(|&body| body == poison).count(), 3);
    assert_eq!(drain(&dead).await, [poison]);
    let counts = mapping.counts();
    assert_eq!(
        (counts.acknowledged, counts.reported, counts.failed),
        (9, 3, 0)
    );
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_or_a_crash_brings_the_whole_batch_back() {
    for what in ["stranger", "exit"] {
        let stage = Stage::new().await;
        let (queue, dead) = stage.queues(1, 2).await;
        let poison = format!(r#"{{"do":"{what}"}}"#);
        queue.send("innocent", NOW).await;
        queue.send(&poison, NOW).await;
        let mapping = map(
            &stage,
            &queue,
            Settings {
                concurrency: 1,
                ..Settings::default()
            },
        );
        until("both are dead letters", async || {
            dead.depth().await.visible == 2
        })
        .await;
        let counts = mapping.counts();
        assert_eq!((counts.acknowledged, counts.failed), (0, 4), "{counts:?}");
        assert_eq!(counts.errors.len(), 2);
    }
}

#[tokio::test]
async fn a_message_comes_again_while_its_first_invocation_still_runs() {
    let stage = Stage::with(|mut spec| {
        spec.timeout = Duration::from_secs(20);
        spec
    })
    .await;
    let (queue, _dead) = stage.queues(1, 5).await;
    queue.send(r#"{"wait_ms":4000}"#, NOW).await;
    let mapping = map(&stage, &queue, Settings::default());
    until("it came twice", async || stage.events().len() >= 2).await;
    assert_eq!(mapping.counts().acknowledged, 0, "the first still runs");
    until_empty(&queue).await;
    let records = stage.events();
    let count =
        |event: &Value| event["Records"][0]["attributes"]["ApproximateReceiveCount"].clone();
    assert_eq!(
        (count(&records[0]), count(&records[1])),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn a_delayed_message_is_not_delivered_before_its_time() {
    let stage = Stage::new().await;
    let (queue, _dead) = stage.queues(5, 3).await;
    let mapping = map(&stage, &queue, Settings::default());
    let sent = Instant::now();
    queue.send("later", Duration::from_secs(2)).await;
    assert_eq!(queue.depth().await.delayed, 1);
    queue.send("now", NOW).await;
    until("both came", async || mapping.counts().acknowledged == 2).await;
    assert!(sent.elapsed() >= Duration::from_secs(2));
    assert_eq!(stage.bodies(), ["now", "later"]);
}

#[tokio::test]
async fn messages_may_come_several_times_and_in_any_order() {
    let stage = Stage::new().await;
    let (queue, dead) = stage.queues(20, 3).await;
    let sent: Vec<_> = (0..40).map(|number| number.to_string()).collect();
    for body in &sent {
        queue.send(body, NOW).await;
    }
    let chaos = Chaos {
        seed: 7,
        copies: 3,
        shuffle: 40,
        lost_percent: 0,
    };
    let mapping = map(
        &stage,
        &queue,
        Settings {
            chaos,
            ..Settings::default()
        },
    );
    until("all are acknowledged", async || {
        let counts = mapping.counts();
        counts.received == 40 && counts.acknowledged == counts.received + counts.copies
    })
    .await;
    until_empty(&queue).await;
    let bodies = stage.bodies();
    let times = |body: &String| bodies.iter().filter(|each| *each == body).count();
    let times: Vec<_> = sent.iter().map(times).collect();
    assert!(
        times.iter().all(|times| (1..=3).contains(times)),
        "{times:?}"
    );
    assert!(
        times.contains(&1) && times.contains(&2) && times.contains(&3),
        "{times:?}"
    );
    let mut first = Vec::new();
    for body in bodies {
        if !first.contains(&body) {
            first.push(body);
        }
    }
    assert_ne!(first, sent, "they came in another order");
    assert_eq!(dead.depth().await.all(), 0);
}

#[tokio::test]
async fn a_lost_message_is_never_delivered() {
    let stage = Stage::new().await;
    let (queue, dead) = stage.queues(1, 3).await;
    let chaos = Chaos {
        lost_percent: 100,
        ..Chaos::default()
    };
    let mapping = map(
        &stage,
        &queue,
        Settings {
            chaos,
            ..Settings::default()
        },
    );
    queue.send("gone", NOW).await;
    until("it is lost", async || mapping.counts().lost == 1).await;
    until_empty(&queue).await;
    assert_eq!((stage.bodies().len(), dead.depth().await.all()), (0, 0));
}

#[tokio::test]
async fn no_more_invocations_run_at_once_than_the_mapping_may_have() {
    let stage = Stage::new().await;
    let (queue, _dead) = stage.queues(20, 3).await;
    for _ in 0..6 {
        queue.send(r#"{"wait_ms":200}"#, NOW).await;
    }
    let settings = Settings {
        batch: 1,
        concurrency: 2,
        ..Settings::default()
    };
    let mapping = map(&stage, &queue, settings);
    until("all are done", async || mapping.counts().acknowledged == 6).await;
    let reports = stage.function.reports();
    let running = |at| {
        let runs = |report: &&millpond_cloud::lambda::Report| {
            report.begun <= at && at < report.begun + report.took
        };
        reports.iter().filter(runs).count()
    };
    let most = reports.iter().map(|report| running(report.begun)).max();
    assert_eq!(most, Some(2));
}

#[tokio::test]
async fn an_object_that_is_put_wakes_the_function_through_its_queue() {
    let stage = Stage::new().await;
    let (queue, _dead) = stage.queues(5, 3).await;
    let s3 = aws::s3(stage.server.url());
    let wake = QueueConfiguration::builder()
        .queue_arn(&queue.arn)
        .events(Event::S3ObjectCreated);
    let wake = wake.build().expect("it has an ARN and events");
    let notify = NotificationConfiguration::builder()
        .queue_configurations(wake)
        .build();
    let set = s3
        .put_bucket_notification_configuration()
        .bucket(&stage.place.bucket);
    set.notification_configuration(notify)
        .send()
        .await
        .expect("it is set");
    let _mapping = map(&stage, &queue, Settings::default());
    let put = s3
        .put_object()
        .bucket(&stage.place.bucket)
        .key("mail/a b+ü");
    put.send().await.expect("it is put");
    let mut keys = Vec::new();
    until("it came", async || {
        let bodies = stage.bodies();
        let bodies = bodies
            .iter()
            .map(|body| serde_json::from_str::<Value>(body).expect("JSON"));
        keys = bodies
            .map(|body| body["Records"][0]["s3"]["object"]["key"].clone())
            .collect();
        keys.iter().any(|key| !key.is_null())
    })
    .await;
    // As S3 does: encoded as in a form.
    assert!(keys.contains(&"mail/a+b%2B%C3%BC".into()), "{keys:?}");
}
