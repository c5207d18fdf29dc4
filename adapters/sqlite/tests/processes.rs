//! Processes that share a file, and die in the middle of it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, Expect, Outcome};
use millpond_conformance::processes::{self, MANY, Part, all_play, landed, start, whole};
use millpond_sqlite::{Options, SqliteBucket};

const CHILD: &str = "child";

fn open(file: &Path) -> SqliteBucket {
    SqliteBucket::open(file, Options::default()).expect("the file opens")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the other tests, as processes of their own"]
async fn child() {
    processes::child(async |place| Arc::new(open(place.as_ref())) as Arc<dyn Bucket>).await;
}

async fn plays(part: Part) {
    let folder = tempfile::tempdir().expect("the system has a temporary folder");
    let file = folder.path().join("pond.db");
    all_play(CHILD, part, &file.to_string_lossy(), MANY);
    part.judge(&open(&file), MANY).await;
}

#[tokio::test]
async fn q1_processes_that_count_together_lose_no_count() {
    plays(Part::Count).await;
}

#[tokio::test]
async fn q1_of_processes_that_create_one_key_exactly_one_wins() {
    plays(Part::Create).await;
}

#[tokio::test]
async fn processes_see_what_each_other_wrote_and_deleted() {
    plays(Part::Share).await;
}

#[tokio::test]
async fn q1_an_object_deleted_by_one_process_is_not_brought_back_by_anothers_replace() {
    plays(Part::Erase).await;
}

#[tokio::test]
async fn q2_a_process_killed_in_the_middle_of_writes_leaves_whole_objects_and_all_it_answered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pond.db");
    let watcher = open(&file);
    let mine = Key::parse("mine").unwrap();
    let written = watcher.write(&mine, "1".into(), Expect::Absent).await;
    let Ok(Outcome::Landed(version)) = written else {
        panic!("it was not written: {written:?}");
    };
    for life in 0..8 {
        let mut child = start(CHILD, Part::Rewrite, &file.to_string_lossy(), life);
        let text = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut answered = text.map_while(Result::ok).filter_map(|line| landed(&line));
        let last = answered.nth(5 + life).expect("the child writes");
        for number in (0..4).cycle().take(40) {
            let at = Key::parse(&format!("large/{number}")).unwrap();
            whole(&watcher, &at).await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let last = answered.last().unwrap_or(last);
        let bucket = open(&file);
        let page = bucket.list(&Prefix::all(), None, 100).await.unwrap();
        let keys: Vec<_> = page.entries.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys, ["large/0", "large/1", "large/2", "large/3", "mine"]);
        for entry in &page.entries[..4] {
            let counter = whole(&bucket, &entry.key).await;
            // Of the last four answered, and the one under way, this is one or a later one.
            assert!(counter + 4 > last, "{} lost {last}: {counter}", entry.key);
        }
    }
    let written = watcher.write(&mine, "2".into(), Expect::At(version)).await;
    assert!(matches!(written, Ok(Outcome::Landed(_))), "{written:?}");
}
