//! Case 14: a 409 is not a refusal.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures::future::join_all;
use millpond::ports::{Bucket as _, Expect, Fault, Outcome, Version};

use super::script::{Answer, Script, key};
use crate::write::ATTEMPTS;

const BODY: Bytes = Bytes::from_static(b"body");

fn conflict() -> Answer {
    Answer::error(409, "ConditionalRequestConflict")
}

#[tokio::test(start_paused = true)]
async fn case14_a_conflict_with_the_key_absent_after_it_ends_in_a_create() {
    let script = Script::of([conflict(), conflict(), Answer::ok("\"mine\"")]);
    let bucket = script.bucket().await;
    let done = bucket.write(&key("a"), BODY, Expect::Absent).await.unwrap();
    assert_eq!(done, Outcome::Landed(Version::new("\"mine\"")));
    assert!(
        script
            .asked()
            .iter()
            .all(|one| one.if_none_match.as_deref() == Some("*"))
    );
}

#[tokio::test(start_paused = true)]
async fn case14_a_conflict_with_the_key_present_after_it_ends_in_a_refusal() {
    let bucket = Script::of([conflict(), Answer::error(412, "PreconditionFailed")]);
    let done = bucket
        .bucket()
        .await
        .write(&key("a"), BODY, Expect::Absent)
        .await;
    assert_eq!(done.unwrap(), Outcome::Refused);
}

#[tokio::test(start_paused = true)]
async fn case14_a_conflict_on_a_replace_is_tried_again_for_the_same_version() {
    let script = Script::of([Answer::error(409, "OperationAborted"), Answer::ok("\"2\"")]);
    let expect = Expect::At(Version::new("\"1\""));
    let done = script.bucket().await.write(&key("a"), BODY, expect).await;
    assert_eq!(done.unwrap(), Outcome::Landed(Version::new("\"2\"")));
    assert!(
        script
            .asked()
            .iter()
            .all(|one| one.if_match.as_deref() == Some("\"1\""))
    );
}

#[tokio::test(start_paused = true)]
async fn case14_after_a_conflict_a_lost_reply_is_unknown() {
    let bucket = Script::of([conflict(), Answer::Breaks]).bucket().await;
    let done = bucket.write(&key("a"), BODY, Expect::Absent).await.unwrap();
    assert_eq!(done, Outcome::Unknown);
}

#[tokio::test(start_paused = true)]
async fn case14_conflicts_without_end_are_an_error_that_may_pass() {
    let script = Script::play(|_| conflict());
    let before = tokio::time::Instant::now();
    let done = script
        .bucket()
        .await
        .write(&key("a"), BODY, Expect::Absent)
        .await;
    let error = done.unwrap_err();
    assert_eq!(
        (error.fault, error.is_transient()),
        (Fault::Unavailable, true)
    );
    assert_eq!(script.asked().len(), ATTEMPTS as usize);
    assert!(
        before.elapsed().as_millis() < 2_500,
        "{:?}",
        before.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn case14_ten_callers_that_all_receive_a_conflict_do_not_all_lose() {
    // Each of the ten receives 409 at first, while the key is absent; then the store serves them.
    let (mut received, mut objects) = (BTreeSet::new(), BTreeMap::new());
    let script = Script::play(move |asked| {
        if received.insert(asked.body.clone()) {
            return conflict();
        }

        let etag = format!("\"{}\"", String::from_utf8_lossy(&asked.body));
        match objects.insert(asked.uri.clone(), etag.clone()) {
            None => Answer::ok(&etag),
            Some(first) => {
                objects.insert(asked.uri.clone(), first);
                Answer::error(412, "PreconditionFailed")
            }
        }
    });
    let (bucket, at) = (script.bucket().await, key("claims/one"));
    let callers = (0..10).map(|caller| {
        let body = Bytes::from(format!("caller {caller}"));
        bucket.write(&at, body, Expect::Absent)
    });
    let ended: Vec<_> = join_all(callers)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let landed = ended.iter().filter(|one| matches!(one, Outcome::Landed(_)));
    assert_eq!(landed.count(), 1, "{ended:?}");
    assert!(!ended.contains(&Outcome::Unknown), "{ended:?}");
}
