//! Proxies and mappings that are closed on purpose.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aws_sdk_s3::primitives::ByteStream;
use millpond_cloud::aws;
use millpond_cloud::policy::Policy;
use millpond_cloud::proxy::{Injection, Proxy};
use millpond_cloud::queue::{Mapping, Settings};
use serde_json::json;

use crate::stage::{Stage, until};

#[tokio::test]
async fn a_proxy_is_cut_at_one_request_before_or_after_it_is_served() {
    let stage = Stage::new().await;
    let bucket = &stage.place.bucket;
    let arn = format!("arn:aws:s3:::{bucket}");
    let mut policy = Policy::of("arn:aws:iam::000000000000:role/probe");
    let statement =
        json!({"Effect": "Allow", "Action": "s3:*", "Resource": [arn, format!("{arn}/*")]});
    policy
        .add(&json!({"Statement": [statement]}))
        .expect("it is well-formed");
    for (injection, dies, lands) in [
        (Injection::NotSent, true, false),
        (Injection::LandedAndDied, true, true),
        (Injection::ReplyLost, false, true),
    ] {
        let proxy = Proxy::start(stage.server.url(), policy.clone()).await;
        let proxy = proxy.expect("a port is free");
        let s3 = aws::s3(&proxy.url());
        let put = async |key: &str| {
            let put = s3.put_object().bucket(bucket).key(key).if_none_match("*");
            let sent = put.body(ByteStream::from_static(b"one")).send().await;
            sent.map_err(|error| error.raw_response().map(|answer| answer.status().as_u16()))
        };
        let killed = Arc::new(AtomicBool::new(false));
        let kill = Arc::clone(&killed);
        proxy.cut(1, injection, move || kill.store(true, Ordering::SeqCst));
        assert!(
            put(&format!("{injection:?}/a")).await.is_ok(),
            "the one before it"
        );
        assert!(!killed.load(Ordering::SeqCst));
        // The client tries again by itself: what has landed is in its own way.
        let second = put(&format!("{injection:?}/b")).await;
        assert_eq!(second.is_ok(), !lands, "{injection:?}: {second:?}");
        if lands {
            assert_eq!(second.expect_err("it is there"), Some(412));
        }
        assert_eq!(killed.load(Ordering::SeqCst), dies, "{injection:?}");
        assert_eq!(
            proxy.counts().puts,
            if lands { 3 } else { 2 },
            "what reached the server"
        );
        assert!(!proxy.heal(), "there is none to come");
        proxy.cut(1, injection, || {});
        assert!(proxy.heal(), "it is still to come");
        assert!(put(&format!("{injection:?}/c")).await.is_ok());
    }
}

#[tokio::test]
async fn messages_wait_for_a_mapping_that_is_not_enabled() {
    let stage = Stage::new().await;
    let (queue, _dead) = stage.queues(5, 3).await;
    let settings = Settings {
        enabled: false,
        ..Settings::default()
    };
    let mapping = Mapping::start(queue.clone(), stage.function.clone(), settings);
    queue.send("waits", Duration::ZERO).await;
    // Longer than a poll would take.
    assert!(
        tokio::time::timeout(
            Duration::from_millis(1_500),
            until("it came", async || !stage.events().is_empty())
        )
        .await
        .is_err()
    );
    assert_eq!(queue.depth().await.visible, 1);
    mapping.enable(true);
    until("it is done with", async || {
        mapping.counts().acknowledged == 1
    })
    .await;
    assert_eq!(stage.bodies(), ["waits"]);
}
