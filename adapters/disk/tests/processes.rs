//! Processes that share a folder, and die in the middle of it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome};
use millpond_conformance::processes::{self, MANY, Part, all_play, landed, start, whole};
use millpond_disk::{DiskBucket, Durability, Options};

const CHILD: &str = "child";

fn open(folder: &Path) -> DiskBucket {
    // What a killed process may leave does not depend on flushes, and races are tighter without.
    let options = Options {
        durability: Durability::Relaxed,
        ..Options::default()
    };
    DiskBucket::open(folder, options).expect("the folder opens")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the other tests, as processes of their own"]
async fn child() {
    processes::child(async |place| Arc::new(open(place.as_ref())) as Arc<dyn Bucket>).await;
}

/// All children play; the folder is looked at.
async fn plays(part: Part) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    all_play(CHILD, part, &folder.path().to_string_lossy(), MANY);
    part.judge(&open(folder.path()), MANY).await;
    folder
}

#[tokio::test]
async fn processes_that_count_together_lose_no_count() {
    plays(Part::Count).await;
}

#[tokio::test]
async fn of_processes_that_create_one_key_exactly_one_wins() {
    plays(Part::Create).await;
}

#[tokio::test]
async fn processes_that_prune_each_others_folders_lose_nothing() {
    let folder = plays(Part::Share).await;
    let left: Vec<_> = folder.path().read_dir().unwrap().collect();
    assert_eq!(left.len(), 1, "all folders are pruned: {left:?}");
}

#[tokio::test]
async fn an_object_deleted_by_one_process_is_not_brought_back_by_anothers_replace() {
    plays(Part::Erase).await;
}

#[tokio::test]
async fn a_process_killed_in_the_middle_of_writes_leaves_whole_objects_and_all_it_answered() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_string_lossy();
    let key = |text: &str| Key::parse(text).expect("a good key");
    let watcher = open(folder.path());
    let mine = key("mine");
    let written = watcher.write(&mine, Bytes::from("1"), Expect::Absent);
    let Ok(Outcome::Landed(version)) = written.await else {
        panic!("it was not written");
    };
    for life in 0..12 {
        let mut child = start(CHILD, Part::Rewrite, &place, life);
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut answered = said.map_while(Result::ok).filter_map(|line| landed(&line));
        // Kill it at another place each time: it goes on writing while we do.
        let last = answered.nth(5 + life).expect("the child writes");
        for number in (0..4).cycle().take(40) {
            whole(&watcher, &key(&format!("large/{number}"))).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let last = answered.last().unwrap_or(last);

        let bucket = open(folder.path());
        let page = bucket.list(&Prefix::all(), None, 100).await.unwrap();
        let keys: Vec<_> = page.entries.iter().map(|e| e.key.to_string()).collect();
        assert_eq!(keys, ["large/0", "large/1", "large/2", "large/3", "mine"]);
        for entry in &page.entries[..4] {
            let counter = whole(&bucket, &entry.key).await;
            // Of the last four answered, and the one under way, this is one or a later one.
            assert!(counter + 4 > last, "{} lost {last}: {counter}", entry.key);
        }
        // The dead one's drafts are cleared; the watcher's desk is not.
        let desks = folder.path().join(".millpond/tmp").read_dir().unwrap();
        assert_eq!(desks.count(), 1);
    }
    let written = watcher.write(&mine, Bytes::from("2"), Expect::At(version));
    assert!(matches!(written.await, Ok(Outcome::Landed(_))));
}
