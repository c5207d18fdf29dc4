//! The whole template of `infra/`, deployed with the probe in place of the application.

use aws_sdk_s3::error::ProvideErrorMetadata as _;
use aws_sdk_s3::primitives::ByteStream;
use jiff::Timestamp;
use millpond_cloud::aws;
use millpond_cloud::stack::{Plan, Stack, Template};

use crate::stage::{Stage, until};

async fn deploy(stage: &Stage) -> Stack {
    let bucket = format!("{}-stack", stage.place.bucket);
    let template = Template::expand(&bucket, &bucket, &[]).expect("the template expands");
    let mut plan = Plan::new(env!("CARGO_BIN_EXE_millpond-cloud-probe"), stage.folder());
    plan.environment.extend(stage.ledger());
    let stack = Stack::deploy(stage.server.url(), &template, &plan).await;
    stack.expect("all that the template has is known")
}

#[tokio::test]
async fn the_template_wires_the_bucket_the_queues_and_the_functions() {
    let stage = Stage::new().await;
    let stack = deploy(&stage).await;
    let s3 = aws::s3(stage.server.url());
    for (key, function) in [
        ("pond/mail/default/ab/1/start", "WorkerFunction"),
        ("inbox/a.csv", "StarterFunction"),
    ] {
        let put = s3
            .put_object()
            .bucket(&stack.bucket)
            .key(key)
            .body(ByteStream::from_static(b"{}"));
        put.send().await.expect("it is put");
        let came = || stage.bodies().iter().any(|body| body.contains(key));
        until("the notification came", async || came()).await;
        // The probe writes the body before it answers.
        let reported = || !stack.function(function).reports().is_empty();
        until("the function has answered", async || reported()).await;
    }
    let nobody = s3
        .put_object()
        .bucket(&stack.bucket)
        .key("pond/feed/1")
        .body(ByteStream::from_static(b"{}"));
    nobody.send().await.expect("it is put");
    for schedule in ["SweeperFunctionTick", "RetentionFunctionTick"] {
        let tick = stack.schedule(schedule).tick(Timestamp::now()).await;
        tick.expect("it answers");
    }
    assert!(stage.events().iter().any(|event| event["tick"].is_string()));
    assert!(stack.url("ApiFunctionUrl").starts_with("http://127.0.0.1:"));
    assert!(
        !stage
            .bodies()
            .iter()
            .any(|body| body.contains("pond/feed/1")),
        "nothing is notified"
    );
    until("all are idle", async || {
        stack.functions().all(|name| {
            let function = stack.function(name);
            function.frozen() == function.instances()
        })
    })
    .await;
    assert!(stack.retire().await >= 4);
    assert_eq!(stack.instances(), 0);
}

#[tokio::test]
async fn the_templates_policies_hold_at_each_functions_proxy() {
    let stage = Stage::new().await;
    let stack = deploy(&stage).await;
    let bucket = &stack.bucket;
    let worker = aws::s3(&stack.proxy("WorkerFunction").url());
    let put = || worker.put_object().bucket(bucket).key("pond/x/ab/1/head");
    let unconditional = put().send().await.expect_err("no unconditional write");
    assert_eq!(unconditional.code(), Some("AccessDenied"));
    put()
        .if_none_match("*")
        .send()
        .await
        .expect("a worker creates heads");
    let absent = worker
        .get_object()
        .bucket(bucket)
        .key("pond/x/ab/2/head")
        .send()
        .await;
    assert_eq!(
        absent.expect_err("it is absent").code(),
        Some("NoSuchKey"),
        "and the caller receives the refusal"
    );
    let sweeper = aws::s3(&stack.proxy("SweeperFunction").url());
    let read = sweeper
        .get_object()
        .bucket(bucket)
        .key("pond/x/ab/1/head")
        .send()
        .await;
    assert_eq!(
        read.expect_err("a sweeper reads no heads").code(),
        Some("AccessDenied")
    );
    let list = sweeper
        .list_objects_v2()
        .bucket(bucket)
        .prefix("pond/timers/")
        .send()
        .await;
    list.expect("a sweeper lists timers");
    let refused = Vec::from_iter(stack.refused());
    let arn = format!("arn:aws:s3:::{bucket}/pond/x/ab/1/head");
    let expected = [
        format!("SweeperFunction: s3:GetObject on {arn} is not allowed"),
        format!("WorkerFunction: s3:PutObject on {arn} is denied by Conditional"),
    ];
    assert_eq!(refused, expected);
}
