//! Processes that share a bucket, and a server that dies.
//!
//! Each child is this test binary again, running the one test [`child`] with a part to play.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use millpond::doors::{Bucket, Expect, Outcome};
use millpond::keys::{Key, Prefix};
use millpond_s3::S3Bucket;
use millpond_servers::{Place, Server};

const PART: &str = "POND_TEST_PART";
const URL: &str = "POND_TEST_URL";
const NUMBER: &str = "POND_TEST_NUMBER";

const CHILDREN: usize = 4;
const ROUNDS: usize = 20;

fn key(text: impl AsRef<str>) -> Key {
    Key::parse(text.as_ref()).expect("tests use good keys")
}

async fn open(place: &Place) -> S3Bucket {
    let options = place.url.parse().expect("it is a good URL");
    let bucket = S3Bucket::open_as(&options, place.id, place.secret).await;
    bucket.expect("the bucket opens")
}

async fn read(bucket: &S3Bucket, at: &Key) -> Option<(String, Expect)> {
    let object = bucket.read(at).await.expect("the read is answered")?;
    let text = String::from_utf8(object.body.into()).expect("tests write text");
    Some((text, Expect::At(object.version)))
}

/// Whether the write landed. Bodies are unlike each other, so that a read tells after no answer.
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

fn start(part: &str, place: &Place, number: usize) -> Child {
    let itself = std::env::current_exe().expect("a test knows its binary");
    Command::new(itself)
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(PART, part)
        .env(URL, &place.url)
        .env(NUMBER, number.to_string())
        // The chain of the SDK finds who they are.
        .envs(place.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test binary starts again")
}

fn all_play(part: &str, place: &Place) {
    let children: Vec<_> = (0..CHILDREN).map(|n| start(part, place, n)).collect();
    for child in children {
        let ended = child.wait_with_output().expect("the child ends");
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "{part}: {said}");
        assert!(said.contains("1 passed"), "nothing was run: {said}");
    }
}

#[test]
#[ignore = "run by the other tests, as processes of their own"]
fn child() {
    let variable = |name| std::env::var(name).expect("only the other tests run this one");
    let (part, url) = (variable(PART), variable(URL));
    let number: usize = variable(NUMBER).parse().expect("a number");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let options = url.parse().expect("it is a good URL");
        let bucket = S3Bucket::open(&options)
            .await
            .expect("the chain finds the key");
        match part.as_str() {
            "count" => count(&bucket, number).await,
            "create" => create(&bucket, number).await,
            other => panic!("no such part: {other}"),
        }
    });
}

/// Adds one to a counter, again and again.
async fn count(bucket: &S3Bucket, number: usize) {
    let at = key("counter");
    for round in 0..ROUNDS {
        loop {
            let (next, expect) = match read(bucket, &at).await {
                None => (1, Expect::Absent),
                Some((text, expect)) => (counted(&text) + 1, expect),
            };
            let body = format!("{next} {number} {round}");
            if lands(bucket, &at, &body, expect).await {
                break;
            }
        }
    }
}

fn counted(text: &str) -> usize {
    let first = text.split(' ').next();
    first
        .and_then(|first| first.parse().ok())
        .expect("a number")
}

/// Races for keys, and notes which it was told to have won.
async fn create(bucket: &S3Bucket, number: usize) {
    for round in 0..ROUNDS {
        let body = number.to_string();
        if lands(bucket, &key(format!("race/{round}")), &body, Expect::Absent).await {
            let note = key(format!("won/{round}/{number}"));
            assert!(lands(bucket, &note, "", Expect::Absent).await);
        }
    }
}

async fn lose_no_count(server: &Server) {
    let place = server.fresh_bucket().await;
    all_play("count", &place);
    let (text, _) = read(&open(&place).await, &key("counter"))
        .await
        .expect("it is there");
    assert_eq!(counted(&text), CHILDREN * ROUNDS);
}

async fn exactly_one_wins(server: &Server) {
    let place = server.fresh_bucket().await;
    all_play("create", &place);
    let bucket = open(&place).await;
    for round in 0..ROUNDS {
        let (winner, _) = read(&bucket, &key(format!("race/{round}")))
            .await
            .expect("it is there");
        let below = Prefix::parse(&format!("won/{round}/")).expect("a good prefix");
        let page = bucket.list(&below, None, 10).await;
        let notes = page.expect("the list is answered").entries;
        let won: Vec<_> = notes.iter().map(|row| row.key.to_string()).collect();
        assert_eq!(won, [format!("won/{round}/{winner}")]);
    }
}

#[tokio::test]
async fn processes_that_count_together_on_localstack_lose_no_count() {
    lose_no_count(&Server::localstack()).await;
}

#[tokio::test]
async fn processes_that_count_together_on_seaweed_lose_no_count() {
    lose_no_count(&Server::seaweed()).await;
}

#[tokio::test]
async fn of_processes_that_create_one_key_on_localstack_exactly_one_wins() {
    exactly_one_wins(&Server::localstack()).await;
}

#[tokio::test]
async fn of_processes_that_create_one_key_on_seaweed_exactly_one_wins() {
    exactly_one_wins(&Server::seaweed()).await;
}

#[tokio::test]
async fn seaweed_killed_and_started_again_keeps_what_it_answered() {
    let mut server = Server::own_seaweed();
    let bucket = open(&server.fresh_bucket().await).await;
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
