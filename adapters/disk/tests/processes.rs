//! Processes that share a folder, and die in the middle of it.
//!
//! Each child is this test binary again, running the one test [`child`] with a part to play.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use millpond::domain::Digest;
use millpond::doors::{Bucket, Expect, Outcome};
use millpond::keys::{Key, Prefix};
use millpond_disk::{DiskBucket, Durability, Options};

const PART: &str = "POND_TEST_PART";
const FOLDER: &str = "POND_TEST_FOLDER";
const NUMBER: &str = "POND_TEST_NUMBER";

const CHILDREN: usize = 4;
const ROUNDS: usize = 60;

fn open(folder: &Path) -> DiskBucket {
    // What a killed process may leave does not depend on flushes, and races are tighter without.
    let options = Options {
        durability: Durability::Relaxed,
        ..Options::default()
    };
    DiskBucket::open(folder, options).expect("the folder opens")
}

fn key(text: impl AsRef<str>) -> Key {
    Key::parse(text.as_ref()).expect("tests use good keys")
}

async fn read(bucket: &DiskBucket, at: &Key) -> Option<(String, Expect)> {
    let object = bucket.read(at).await.expect("the read is answered")?;
    let text = String::from_utf8(object.body.into()).expect("tests write text");
    Some((text, Expect::At(object.version)))
}

async fn lands(bucket: &DiskBucket, at: &Key, body: impl Into<Bytes>, expect: Expect) -> bool {
    let outcome = bucket.write(at, body.into(), expect).await;
    match outcome.expect("the write is answered") {
        Outcome::Landed(_) => true,
        Outcome::Refused => false,
        Outcome::Unknown => panic!("a folder knows how a write ended: {at}"),
    }
}

/// Starts a child and waits until it says that it is ready; it goes on when told.
fn start(part: &str, folder: &Path, number: usize) -> Child {
    let itself = std::env::current_exe().expect("a test knows its binary");
    let mut child = Command::new(itself)
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(PART, part)
        .env(FOLDER, folder)
        .env(NUMBER, number.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the test binary starts again");
    child.stdin.take().map_or_else(
        || panic!("the child has an input"),
        |mut input| writeln!(input, "go").expect("the child reads"),
    );
    child
}

fn all_play(part: &str, folder: &Path) {
    let children: Vec<_> = (0..CHILDREN).map(|n| start(part, folder, n)).collect();
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
    let (part, folder) = (variable(PART), variable(FOLDER));
    let number = variable(NUMBER).parse().expect("a number");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let bucket = open(folder.as_ref());
        match part.as_str() {
            "count" => count(&bucket).await,
            "create" => create(&bucket, number).await,
            "share" => share(&bucket, number).await,
            "erase" => erase(&bucket, number).await,
            "rewrite" => rewrite(&bucket).await,
            other => panic!("no such part: {other}"),
        }
    });
}

/// Adds one to a counter, again and again.
async fn count(bucket: &DiskBucket) {
    let at = key("counter");
    for _ in 0..ROUNDS {
        loop {
            let (next, expect) = match read(bucket, &at).await {
                None => (1, Expect::Absent),
                Some((text, expect)) => (text.parse::<usize>().expect("a number") + 1, expect),
            };
            if lands(bucket, &at, next.to_string(), expect).await {
                break;
            }
        }
    }
}

#[tokio::test]
async fn processes_that_count_together_lose_no_count() {
    let folder = tempfile::tempdir().unwrap();
    all_play("count", folder.path());
    let (counted, _) = read(&open(folder.path()), &key("counter")).await.unwrap();
    assert_eq!(counted, (CHILDREN * ROUNDS).to_string());
}

/// Races for keys, and notes which it was told to have won.
async fn create(bucket: &DiskBucket, number: usize) {
    for round in 0..ROUNDS {
        let body = number.to_string();
        if lands(bucket, &key(format!("race/{round}")), body, Expect::Absent).await {
            let note = key(format!("won/{round}/{number}"));
            assert!(lands(bucket, &note, "", Expect::Absent).await);
        }
    }
}

#[tokio::test]
async fn of_processes_that_create_one_key_exactly_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    all_play("create", folder.path());
    let bucket = open(folder.path());
    for round in 0..ROUNDS {
        let (winner, _) = read(&bucket, &key(format!("race/{round}"))).await.unwrap();
        let won = Prefix::parse(&format!("won/{round}/")).unwrap();
        let notes = bucket.list(&won, None, 9).await.unwrap().entries;
        let notes: Vec<_> = notes.iter().map(|note| note.key.as_str()).collect();
        assert_eq!(notes, [format!("won/{round}/{winner}")]);
    }
}

/// Makes and deletes objects in folders that others prune at the same moment.
async fn share(bucket: &DiskBucket, number: usize) {
    for round in 0..ROUNDS * 2 {
        let at = key(format!("shared/{}/deep/{number}", round % 2));
        assert!(lands(bucket, &at, "here", Expect::Absent).await);
        let under = Prefix::parse("shared/").expect("a good prefix");
        let page = bucket
            .list(&under, None, 100)
            .await
            .expect("the list is answered");
        assert!(
            page.entries.iter().any(|entry| entry.key == at),
            "{at} is not listed"
        );
        bucket.delete(&at).await.expect("the delete is answered");
        assert_eq!(read(bucket, &at).await, None);
    }
}

#[test]
fn processes_that_prune_each_others_folders_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    all_play("share", folder.path());
    let left: Vec<_> = folder.path().read_dir().unwrap().collect();
    assert_eq!(left.len(), 1, "all folders are pruned: {left:?}");
}

/// The first deletes what the others replace: what it deleted must stay away.
async fn erase(bucket: &DiskBucket, number: usize) {
    let done = key("done");
    if number > 0 {
        let mut round = 0;
        while read(bucket, &done).await.is_none() {
            let at = key(format!("erase/{round}"));
            match read(bucket, &at).await {
                Some((text, expect)) => drop(lands(bucket, &at, text + "+", expect).await),
                None => round = (round + 1) % ROUNDS,
            }
        }
        return;
    }
    for round in 0..ROUNDS {
        let at = key(format!("erase/{round}"));
        assert!(lands(bucket, &at, "1", Expect::Absent).await);
        // Until the others are at it.
        while read(bucket, &at)
            .await
            .is_some_and(|(text, _)| text.len() < 4)
        {}
        bucket.delete(&at).await.expect("the delete is answered");
        assert_eq!(read(bucket, &at).await, None, "{at} came back");
    }
    assert!(lands(bucket, &done, "", Expect::Absent).await);
}

#[tokio::test]
async fn an_object_deleted_by_one_process_is_not_brought_back_by_anothers_replace() {
    let folder = tempfile::tempdir().unwrap();
    all_play("erase", folder.path());
    let page = open(folder.path())
        .list(&Prefix::all(), None, 9)
        .await
        .unwrap();
    let keys: Vec<_> = page.entries.iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["done"]);
}

/// Replaces large objects for ever, and says each write that was answered.
async fn rewrite(bucket: &DiskBucket) {
    for counter in 1_usize.. {
        let at = key(format!("large/{}", counter % 4));
        let expect = read(bucket, &at)
            .await
            .map_or(Expect::Absent, |(_, expect)| expect);
        assert!(lands(bucket, &at, large(counter), expect).await);
        println!("landed {counter}");
    }
}

/// A body that tells whether it is whole, and who wrote it.
fn large(counter: usize) -> String {
    let text = format!("{counter} ").repeat(20_000 + counter % 7 * 10_000);
    let digest = Digest::of(text.as_bytes());
    format!("{text}{digest}")
}

fn is_whole(text: &str) -> bool {
    let counter = text.split(' ').next().and_then(|first| first.parse().ok());
    counter.is_some_and(|counter| text == large(counter))
}

#[tokio::test]
async fn a_process_killed_in_the_middle_of_writes_leaves_whole_objects_and_all_it_answered() {
    let folder = tempfile::tempdir().unwrap();
    let watcher = open(folder.path());
    assert!(lands(&watcher, &key("mine"), "1", Expect::Absent).await);
    for life in 0..12 {
        let mut child = start("rewrite", folder.path(), life);
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut landed = said.map_while(Result::ok).filter_map(|line| {
            let counter = line.split("landed ").nth(1)?;
            counter.parse::<usize>().ok()
        });
        // Kill it at another place each time: it goes on writing while we do.
        let last = landed.nth(5 + life).expect("the child writes");
        for number in (0..4).cycle().take(40) {
            let at = key(format!("large/{number}"));
            let (text, _) = read(&watcher, &at).await.expect("it is there");
            assert!(is_whole(&text), "half of {at} was seen");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let last = landed.last().unwrap_or(last);

        let bucket = open(folder.path());
        let page = bucket.list(&Prefix::all(), None, 100).await.unwrap();
        let keys: Vec<_> = page.entries.iter().map(|e| e.key.to_string()).collect();
        assert_eq!(keys, ["large/0", "large/1", "large/2", "large/3", "mine"]);
        for entry in &page.entries[..4] {
            let (text, _) = read(&bucket, &entry.key).await.unwrap();
            assert!(is_whole(&text), "half of {} is left", entry.key);
            let counter: usize = text.split(' ').next().unwrap().parse().unwrap();
            // Of the last four answered, and the one under way, this is one or a later one.
            assert!(counter + 4 > last, "{} lost {last}: {counter}", entry.key);
        }
        // The dead one's drafts are cleared; the watcher's desk is not.
        let desks = folder.path().join(".millpond/tmp").read_dir().unwrap();
        assert_eq!(desks.count(), 1);
    }
    let (_, expect) = read(&watcher, &key("mine")).await.unwrap();
    assert!(lands(&watcher, &key("mine"), "2", expect).await);
}
