//! Processes that share a bucket, and a server that dies.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome};
use millpond_conformance::processes::{self, Part, all_play};
use millpond_s3::S3Bucket;
use millpond_servers::{Place, Server};

const CHILD: &str = "child";

/// Both servers take milliseconds for a request, and longer for one that races.
const ROUNDS: usize = 20;

fn key(text: impl AsRef<str>) -> Key {
    Key::parse(text.as_ref()).expect("tests use good keys")
}

async fn open(url: &str) -> S3Bucket {
    let options = url.parse().expect("it is a good URL");
    let bucket = S3Bucket::open_as(&options, Place::ID, Place::SECRET).await;
    bucket.expect("the bucket opens")
}

async fn read(bucket: &S3Bucket, at: &Key) -> Option<(String, Expect)> {
    let object = bucket.read(at).await.expect("the read is answered")?;
    let text = String::from_utf8(object.body.into()).expect("tests write text");
    Some((text, Expect::At(object.version)))
}

/// Whether the write landed. Bodies are unlike each other, so that a read shows it after a lost reply.
async fn lands(bucket: &S3Bucket, at: &Key, body: &str, expect: Expect) -> bool {
    let outcome = bucket.write(at, Bytes::from(body.to_owned()), expect).await;
    match outcome.expect("the write is answered") {
        Outcome::Landed(_) => true,
        Outcome::Refused => false,
        Outcome::Unknown => read(bucket, at)
            .await
            .is_some_and(|(found, _)| found == body),
    }
}

#[tokio::test]
#[ignore = "run by the other tests, as processes of their own"]
async fn child() {
    processes::child(async |url| Arc::new(open(&url).await) as Arc<dyn Bucket>).await;
}

async fn plays(part: Part, server: &Server) {
    let place = server.fresh_bucket().await;
    all_play(CHILD, part, &place.url, ROUNDS);
    part.judge(&open(&place.url).await, ROUNDS).await;
}

#[tokio::test]
async fn processes_that_count_together_on_localstack_lose_no_count() {
    plays(Part::Count, &Server::localstack()).await;
}

#[tokio::test]
async fn processes_that_count_together_on_seaweed_lose_no_count() {
    plays(Part::Count, &Server::seaweed()).await;
}

#[tokio::test]
async fn of_processes_that_create_one_key_on_localstack_exactly_one_wins() {
    plays(Part::Create, &Server::localstack()).await;
}

#[tokio::test]
async fn of_processes_that_create_one_key_on_seaweed_exactly_one_wins() {
    plays(Part::Create, &Server::seaweed()).await;
}

#[tokio::test]
async fn processes_see_what_each_other_wrote_and_deleted_on_localstack() {
    plays(Part::Share, &Server::localstack()).await;
}

#[tokio::test]
async fn an_object_deleted_on_seaweed_is_not_brought_back_by_anothers_replace() {
    plays(Part::Erase, &Server::seaweed()).await;
}

#[tokio::test]
async fn seaweed_killed_and_started_again_keeps_what_it_answered() {
    let mut server = Server::own_seaweed();
    let bucket = open(&server.fresh_bucket().await.url).await;
    for number in 0..40 {
        let at = key(format!("kept/{number:02}"));
        assert!(lands(&bucket, &at, &format!("first {number}"), Expect::Absent).await);
        if number % 2 == 0 {
            let (_, expect) = read(&bucket, &at).await.unwrap();
            assert!(lands(&bucket, &at, &format!("second {number}"), expect).await);
        }
    }
    server.crash();
    // Connections from before are broken, and its parts find each other after it answers.
    let (at, mut tries) = (key("kept/00"), 0);
    while let Err(error) = bucket.read(&at).await {
        tries += 1;
        assert!(tries < 300, "it does not serve again: {error:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let below = Prefix::parse("kept/").unwrap();
    let page = bucket.list(&below, None, 100).await.unwrap();
    assert_eq!(page.entries.len(), 40);
    for number in 0..40 {
        let at = key(format!("kept/{number:02}"));
        let word = if number % 2 == 0 { "second" } else { "first" };
        let (text, expect) = read(&bucket, &at).await.unwrap();
        assert_eq!(text, format!("{word} {number}"));
        // And its versions are the ones from before, as good as new.
        assert!(!lands(&bucket, &at, "again", Expect::Absent).await);
        assert!(lands(&bucket, &at, &format!("third {number}"), expect).await);
    }
}
