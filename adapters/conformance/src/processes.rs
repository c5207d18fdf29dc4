//! Races between processes, which threads of one process cannot reproduce.
//!
//! A test binary starts itself again, once for each child, as the one ignored test that calls
//! [`child`]; the test that started the children then checks the objects that they left.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use millpond::ports::Bucket;
//! use millpond_testing::{ManualClock, MemoryBucket};
//! use millpond_conformance::processes::{MANY, Part, all_play, child};
//!
//! /// Opens the bucket at `place`. This one represents yours, which processes share.
//! async fn open(place: &str) -> Arc<dyn Bucket> {
//!     let start = place.parse().expect("an instant");
//!     Arc::new(MemoryBucket::new(Arc::new(ManualClock::new(start))))
//! }
//!
//! #[tokio::test]
//! #[ignore = "run by the other tests, as processes of their own"]
//! async fn a_child() {
//!     child(async |place| open(&place).await).await;
//! }
//!
//! #[tokio::test]
//! async fn processes_that_count_together_lose_no_count() {
//!     let place = "where the bucket is";
//!     all_play("a_child", Part::Count, place, MANY);
//!     Part::Count.judge(&*open(place).await, MANY).await;
//! }
//! ```

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use bytes::Bytes;
use millpond::domain::Digest;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome};

const PART: &str = "POND_TEST_PART";
const PLACE: &str = "POND_TEST_PLACE";
const NUMBER: &str = "POND_TEST_NUMBER";

const ROUNDS: &str = "POND_TEST_ROUNDS";

/// Number of concurrent processes.
const CHILDREN: usize = 4;

/// Rounds of each part, for buckets with fast requests.
pub const MANY: usize = 60;

/// The work of each child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Increments one counter repeatedly.
    Count,
    /// Races for keys, and records which of its creates were reported as landed.
    Create,
    /// Creates, lists and deletes objects beside those of other processes.
    Share,
    /// One child deletes what the others replace: a deleted object must stay absent.
    Erase,
    /// Replaces large objects until it is killed, and prints each confirmed write.
    Rewrite,
}

impl Part {
    const ALL: [Self; 5] = [
        Self::Count,
        Self::Create,
        Self::Share,
        Self::Erase,
        Self::Rewrite,
    ];

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Checks the state that the children left after that many rounds.
    ///
    /// # Panics
    /// If the state is not as required.
    pub async fn judge(self, bucket: &dyn Bucket, rounds: usize) {
        match self {
            Self::Count => {
                let (counted, _) = read(bucket, &key("counter")).await.expect("a counter");
                assert_eq!(first(&counted), CHILDREN * rounds);
            }
            Self::Create => {
                for round in 0..rounds {
                    let at = key(format!("race/{round}"));
                    let (winner, _) = read(bucket, &at).await.expect("somebody won");
                    let notes = names(bucket, &format!("won/{round}/")).await;
                    assert_eq!(notes, [format!("won/{round}/{winner}")]);
                }
            }
            Self::Share => assert!(names(bucket, "shared/").await.is_empty()),
            Self::Erase => {
                assert!(names(bucket, "erase/").await.is_empty());
                assert_eq!(names(bucket, "done").await, ["done"]);
            }
            Self::Rewrite => {
                for at in names(bucket, "large/").await {
                    whole(bucket, &key(at)).await;
                }
            }
        }
    }
}

/// The child's half: plays the part it was started for, on the bucket that `open` opens.
///
/// # Panics
/// If the bucket violates the contract.
pub async fn child(open: impl AsyncFnOnce(String) -> Arc<dyn Bucket>) {
    let variable = |name| std::env::var(name).expect("only the other tests run this one");
    let part = variable(PART);
    let [number, rounds] = [NUMBER, ROUNDS].map(|name| first(&variable(name)));
    let bucket = open(variable(PLACE)).await;
    let part = Part::ALL.into_iter().find(|known| known.name() == part);
    match part.expect("a part that is known") {
        Part::Count => count(&*bucket, number, rounds).await,
        Part::Create => create(&*bucket, number, rounds).await,
        Part::Share => share(&*bucket, number, rounds).await,
        Part::Erase => erase(&*bucket, number, rounds).await,
        Part::Rewrite => rewrite(&*bucket).await,
    }
}

/// Starts one child: this test binary again, running the ignored test `name` with a part to play on
/// the bucket at `place`.
///
/// # Panics
/// If the child cannot be started.
#[must_use]
pub fn start(name: &str, part: Part, place: &str, number: usize) -> Child {
    start_for(name, part, place, number, MANY)
}

fn start_for(name: &str, part: Part, place: &str, number: usize, rounds: usize) -> Child {
    let itself = std::env::current_exe().expect("a test has a binary");
    let mut child = Command::new(itself)
        .args([name, "--exact", "--ignored", "--nocapture"])
        .env(PART, part.name())
        .env(PLACE, place)
        .env(NUMBER, number.to_string())
        .env(ROUNDS, rounds.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test binary starts again");
    let mut input = child.stdin.take().expect("the child has an input");
    writeln!(input, "go").expect("the child reads");
    child
}

/// Starts all children for that many rounds, and waits for them to exit.
///
/// # Panics
/// If a child fails.
pub fn all_play(name: &str, part: Part, place: &str, rounds: usize) {
    let children: Vec<_> = (0..CHILDREN)
        .map(|number| start_for(name, part, place, number, rounds))
        .collect();
    for child in children {
        let ended = child.wait_with_output().expect("the child ends");
        let output = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success(), "{part:?}: {output}");
        assert!(output.contains("1 passed"), "nothing was run: {output}");
    }
}

/// Parses the count from a child's line that reports a confirmed write of [`Part::Rewrite`].
#[must_use]
pub fn landed(line: &str) -> Option<usize> {
    line.split("landed ").nth(1)?.parse().ok()
}

/// The count in a large object, whose integrity is checked.
///
/// # Panics
/// If the object is damaged.
pub async fn whole(bucket: &dyn Bucket, at: &Key) -> usize {
    let (text, _) = read(bucket, at).await.expect("it is there");
    let counter = first(&text);
    assert!(text == large(counter), "half of {at} was seen");
    counter
}

/// The number at the start of a text.
fn first(text: &str) -> usize {
    let first = text.split(' ').next().and_then(|word| word.parse().ok());
    first.unwrap_or_else(|| panic!("none of ours: {text:.80}"))
}

async fn count(bucket: &dyn Bucket, number: usize, rounds: usize) {
    let at = key("counter");
    for round in 0..rounds {
        loop {
            let (next, expect) = match read(bucket, &at).await {
                None => (1, Expect::Absent),
                Some((text, expect)) => (first(&text) + 1, expect),
            };
            let body = format!("{next} by {number} in {round}");
            if lands(bucket, &at, body, expect).await {
                break;
            }
        }
    }
}

async fn create(bucket: &dyn Bucket, number: usize, rounds: usize) {
    for round in 0..rounds {
        let at = key(format!("race/{round}"));
        if lands(bucket, &at, number.to_string(), Expect::Absent).await {
            let note = key(format!("won/{round}/{number}"));
            assert!(lands(bucket, &note, "", Expect::Absent).await);
        }
    }
}

async fn share(bucket: &dyn Bucket, number: usize, rounds: usize) {
    for round in 0..rounds * 2 {
        let at = key(format!("shared/{}/deep/{number}", round % 2));
        assert!(lands(bucket, &at, "here", Expect::Absent).await);
        let listed = names(bucket, "shared/").await;
        assert!(listed.contains(&at.to_string()), "{at} is not listed");
        bucket.delete(&at).await.expect("the delete is answered");
        assert_eq!(read(bucket, &at).await, None);
    }
}

async fn erase(bucket: &dyn Bucket, number: usize, rounds: usize) {
    let done = key("done");
    if number > 0 {
        let mut round = 0;
        while read(bucket, &done).await.is_none() {
            let at = key(format!("erase/{round}"));
            match read(bucket, &at).await {
                Some((text, expect)) => drop(lands(bucket, &at, text + "+", expect).await),
                None => round = (round + 1) % rounds,
            }
        }
        return;
    }
    for round in 0..rounds {
        let at = key(format!("erase/{round}"));
        assert!(lands(bucket, &at, "1", Expect::Absent).await);
        // Until the other processes have started.
        while read(bucket, &at)
            .await
            .is_some_and(|(text, _)| text.len() < 4)
        {}
        bucket.delete(&at).await.expect("the delete is answered");
        assert_eq!(read(bucket, &at).await, None, "{at} came back");
    }
    assert!(lands(bucket, &done, "", Expect::Absent).await);
}

async fn rewrite(bucket: &dyn Bucket) {
    for counter in 1_usize.. {
        let at = key(format!("large/{}", counter % 4));
        let found = read(bucket, &at).await;
        let expect = found.map_or(Expect::Absent, |(_, expect)| expect);
        assert!(lands(bucket, &at, large(counter), expect).await);
        println!("landed {counter}");
    }
}

/// A body with its writer's name, whose integrity can be checked.
fn large(counter: usize) -> String {
    let text = format!("{counter} ").repeat(20_000 + counter % 7 * 10_000);
    let digest = Digest::of(text.as_bytes());
    format!("{text}{digest}")
}

fn key(text: impl AsRef<str>) -> Key {
    Key::parse(text.as_ref()).expect("these are good keys")
}

async fn names(bucket: &dyn Bucket, prefix: &str) -> Vec<String> {
    let prefix = Prefix::parse(prefix).expect("a good prefix");
    let page = bucket.list(&prefix, None, 1_000).await;
    let page = page.expect("the list is answered");
    assert!(page.next.is_none(), "a page holds them");
    page.entries.iter().map(|row| row.key.to_string()).collect()
}

async fn read(bucket: &dyn Bucket, at: &Key) -> Option<(String, Expect)> {
    let object = bucket.read(at).await.expect("the read is answered")?;
    let text = String::from_utf8(object.body.into()).expect("these write text");
    Some((text, Expect::At(object.version)))
}

/// Whether the write landed. No two relevant bodies are equal, so a read can determine it after a
/// lost reply. If the read does not find the body, the write may still land, the outcome is
/// unknown, and the test ends here.
async fn lands(bucket: &dyn Bucket, at: &Key, body: impl Into<Bytes>, expect: Expect) -> bool {
    let body = body.into();
    let outcome = bucket.write(at, body.clone(), expect).await;
    match outcome.expect("the write is answered") {
        Outcome::Landed(_) => true,
        Outcome::Refused => false,
        Outcome::Unknown => match read(bucket, at).await {
            Some((found, _)) if found.as_bytes() == body => true,
            _ => panic!("the outcome of the write of {at} is unknown"),
        },
    }
}
