//! The proxy: what is allowed goes on, what is not is refused in the services' words and noted.

use aws_sdk_s3::error::ProvideErrorMetadata as _;
use aws_sdk_s3::primitives::ByteStream;
use millpond_cloud::aws;
use millpond_cloud::policy::Policy;
use millpond_cloud::proxy::{Counts, Proxy};
use serde_json::{Value, json};

use crate::stage::Stage;

async fn proxy(stage: &Stage, statements: Value) -> Proxy {
    let mut policy = Policy::of("arn:aws:iam::000000000000:role/probe");
    policy
        .add(&json!({"Statement": statements}))
        .expect("it is well-formed");
    Proxy::start(stage.server.url(), policy)
        .await
        .expect("a port is free")
}

#[tokio::test]
async fn requests_within_the_policy_are_the_servers_and_are_counted() {
    let stage = Stage::new().await;
    let bucket = &stage.place.bucket;
    let arn = format!("arn:aws:s3:::{bucket}");
    let statements = json!([
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], "Resource": format!("{arn}/x/*")},
        {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": arn},
    ]);
    let proxy = proxy(&stage, statements).await;
    let s3 = aws::s3(&proxy.url());
    let put = || {
        s3.put_object()
            .bucket(bucket)
            .key("x/1/head")
            .body(ByteStream::from_static(b"one"))
    };
    put().if_none_match("*").send().await.expect("it is absent");
    let again = put()
        .if_none_match("*")
        .send()
        .await
        .expect_err("it is there");
    assert_eq!(
        again.raw_response().map(|answer| answer.status().as_u16()),
        Some(412)
    );
    let read = s3
        .get_object()
        .bucket(bucket)
        .key("x/1/head")
        .send()
        .await
        .expect("it is there");
    assert_eq!(
        read.body
            .collect()
            .await
            .expect("it comes")
            .into_bytes()
            .as_ref(),
        b"one"
    );
    let absent = s3
        .get_object()
        .bucket(bucket)
        .key("x/2")
        .send()
        .await
        .expect_err("it is absent");
    assert_eq!(absent.code(), Some("NoSuchKey"));
    let list = s3
        .list_objects_v2()
        .bucket(bucket)
        .prefix("x/")
        .send()
        .await
        .expect("it lists");
    assert_eq!(list.key_count(), Some(1));
    s3.delete_object()
        .bucket(bucket)
        .key("x/1/head")
        .send()
        .await
        .expect("it is deleted");
    let expected = Counts {
        puts: 2,
        lists: 1,
        gets: 2,
        deletes: 1,
        queue: 0,
    };
    assert_eq!(proxy.counts(), expected);
    assert!(proxy.refused().is_empty(), "{:?}", proxy.refused());
    let actions: Vec<_> = proxy.actions().into_iter().collect();
    assert_eq!(
        actions,
        [
            "s3:DeleteObject",
            "s3:GetObject",
            "s3:ListBucket",
            "s3:PutObject"
        ]
    );
}

#[tokio::test]
async fn what_the_policy_does_not_allow_is_refused_and_noted() {
    let stage = Stage::new().await;
    let bucket = &stage.place.bucket;
    let arn = format!("arn:aws:s3:::{bucket}");
    let statements = json!([
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": format!("{arn}/*")},
        {"Sid": "Unconditional", "Effect": "Deny", "Action": "s3:PutObject", "Resource": format!("{arn}/x/*/head"),
         "Condition": {"Null": {"s3:if-match": "true", "s3:if-none-match": "true"}}},
        {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": arn, "Condition": {"StringLike": {"s3:prefix": "mail/*"}}},
    ]);
    let proxy = proxy(&stage, statements).await;
    let s3 = aws::s3(&proxy.url());
    let put = || s3.put_object().bucket(bucket).key("x/1/head");
    let unconditional = put().send().await.expect_err("it is unconditional");
    assert_eq!(unconditional.code(), Some("AccessDenied"));
    put()
        .if_none_match("*")
        .send()
        .await
        .expect("it is conditional");
    s3.list_objects_v2()
        .bucket(bucket)
        .prefix("mail/a")
        .send()
        .await
        .expect("it lists");
    let list = s3
        .list_objects_v2()
        .bucket(bucket)
        .prefix("x/")
        .send()
        .await;
    assert_eq!(
        list.expect_err("another prefix").code(),
        Some("AccessDenied")
    );
    let delete = s3
        .delete_object()
        .bucket(bucket)
        .key("x/1/head")
        .send()
        .await;
    assert_eq!(
        delete.expect_err("not allowed").code(),
        Some("AccessDenied")
    );
    // Who may not list may not learn what is not there.
    let absent = s3.get_object().bucket(bucket).key("x/2").send().await;
    assert_eq!(
        absent.expect_err("it is absent").code(),
        Some("AccessDenied")
    );
    let refused = Vec::from_iter(proxy.refused());
    let expected = [
        format!("{arn}/x/2 does not exist, and s3:ListBucket on {arn} is not allowed"),
        format!("s3:DeleteObject on {arn}/x/1/head is not allowed"),
        format!("s3:ListBucket on {arn} is not allowed"),
        format!("s3:PutObject on {arn}/x/1/head is denied by Unconditional"),
    ];
    assert_eq!(refused, expected);
    assert_eq!(
        proxy.counts(),
        Counts {
            puts: 1,
            lists: 1,
            ..Counts::default()
        }
    );
}

#[tokio::test]
async fn messages_may_be_sent_to_the_queues_of_the_policy_only() {
    let stage = Stage::new().await;
    let (mine, other) = (
        stage.queue("mine", &[]).await,
        stage.queue("other", &[]).await,
    );
    let proxy = proxy(
        &stage,
        json!([{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": mine.arn}]),
    )
    .await;
    let sqs = aws::sqs(&proxy.url());
    let send = |url: &str| {
        sqs.send_message()
            .queue_url(url)
            .message_body("hint")
            .send()
    };
    send(&mine.url).await.expect("it is allowed");
    let refused = send(&other.url).await.expect_err("it is not allowed");
    assert_eq!(refused.code(), Some("AccessDeniedException"));
    assert_eq!(
        (mine.depth().await.visible, other.depth().await.visible),
        (1, 0)
    );
    assert_eq!(proxy.counts().queue, 1);
}
