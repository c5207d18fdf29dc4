//! What the folder looks like, and what becomes of the bucket when it goes away.

use std::fs;
use std::path::Path;

use futures::future::{Either, select};
use jiff::Timestamp;
use millpond::keys::Prefix;
use millpond::ports::{Bucket as _, Expect, Fault, Outcome};

use super::{create, fresh, key, keys, names_in, open};
use crate::DiskBucket;

#[tokio::test]
async fn an_object_is_a_file_with_exactly_its_body() {
    let (_place, bucket) = fresh();
    create(&bucket, "x/ab/e1/head", "{\"status\":\"running\"}\n").await;
    let file = bucket.path().join("x/ab/e1/head");
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "{\"status\":\"running\"}\n"
    );
    assert_eq!(names_in(bucket.path().into()), [".millpond", "x"]);
}

#[tokio::test]
async fn equal_bodies_have_equal_versions_and_an_edit_by_hand_is_a_new_one() {
    let (_place, bucket) = fresh();
    let version = create(&bucket, "a", "1").await;
    assert_eq!(create(&bucket, "b", "1").await, version);
    fs::write(bucket.path().join("a"), "edited").unwrap();
    let outcome = bucket
        .write(&key("a"), "2".into(), Expect::At(version))
        .await;
    assert_eq!(outcome.unwrap(), Outcome::Refused);
    assert_eq!(
        bucket.read(&key("a")).await.unwrap().unwrap().body,
        "edited"
    );
}

#[tokio::test]
async fn the_last_delete_of_a_folder_takes_the_folder_with_it() {
    let (_place, bucket) = fresh();
    for at in ["m/q/1/a", "m/q/2/b", "m/r"] {
        create(&bucket, at, "").await;
    }
    bucket.delete(&key("m/q/1/a")).await.unwrap();
    assert_eq!(names_in(bucket.path().join("m/q")), ["2"]);
    bucket.delete(&key("m/q/2/b")).await.unwrap();
    assert_eq!(names_in(bucket.path().join("m")), ["r"]);
    bucket.delete(&key("m/r")).await.unwrap();
    assert_eq!(names_in(bucket.path().into()), [".millpond"]);
}

#[tokio::test]
async fn an_empty_folder_that_a_crash_left_is_no_object_and_in_nobodys_way() {
    let (_place, bucket) = fresh();
    fs::create_dir_all(bucket.path().join("a/b")).unwrap();
    assert!(keys(&bucket, "").await.is_empty());
    assert_eq!(bucket.read(&key("a/b")).await.unwrap(), None);
    create(&bucket, "a/b", "1").await;
    assert_eq!(keys(&bucket, "a/").await, ["a/b"]);
}

#[tokio::test]
async fn listings_show_the_time_and_size_of_the_file() {
    let (_place, bucket) = fresh();
    let before = Timestamp::now();
    create(&bucket, "a", "four").await;
    let page = bucket.list(&Prefix::all(), None, 9).await.unwrap();
    assert_eq!(page.entries[0].size, 4);
    // File systems keep time in ticks of some milliseconds.
    let age = page.entries[0].modified.duration_since(before);
    assert!(age.abs().as_secs() < 60, "{age}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_stranger_put_there_is_not_listed_unless_it_could_be_ours() {
    let (_place, bucket) = fresh();
    create(&bucket, "a/1", "").await;
    let at = |name: &str| bucket.path().join("a").join(name);
    for name in ["with space", "50%", "ümlaut", "dot.", "nul"] {
        fs::write(at(name), "").unwrap();
    }
    fs::create_dir_all(at("x y/z")).unwrap();
    std::os::unix::fs::symlink("..", at("loop")).unwrap();
    fs::write(at("by-hand"), "").unwrap();
    assert_eq!(keys(&bucket, "").await, ["a/1", "a/by-hand"]);
}

/// Every verb says that the folder is gone.
async fn is_gone(bucket: &DiskBucket) {
    let (there, none) = (key("x/there"), key("none"));
    let fault = |error: Option<millpond::ports::BucketError>| error.map(|e| e.fault);
    let gone = Some(Fault::Gone);
    assert_eq!(fault(bucket.read(&there).await.err()), gone);
    assert_eq!(fault(bucket.read(&none).await.err()), gone);
    let write = bucket.write(&none, "2".into(), Expect::Absent).await;
    assert_eq!(fault(write.err()), gone);
    assert_eq!(fault(bucket.delete(&there).await.err()), gone);
    assert_eq!(
        fault(bucket.list(&Prefix::all(), None, 9).await.err()),
        gone
    );
    let below = Prefix::parse("x/").unwrap();
    assert_eq!(fault(bucket.list(&below, None, 9).await.err()), gone);
}

async fn works(bucket: &DiskBucket, new: &str) {
    assert_eq!(
        bucket.read(&key("x/there")).await.unwrap().unwrap().body,
        "1"
    );
    create(bucket, new, "2").await;
    assert_eq!(keys(bucket, "x/").await, ["x/there"]);
}

fn move_to(from: &Path, to: &Path) {
    fs::rename(from, to).expect("the folder moves");
}

#[tokio::test]
async fn a_folder_that_goes_away_is_gone_not_empty_and_works_again_when_it_is_back() {
    let (place, bucket) = fresh();
    create(&bucket, "x/there", "1").await;
    let (root, away) = (bucket.path().to_owned(), place.path().join("away"));
    // Once with its locks open, once as a bucket that has only just been opened.
    for (bucket, new) in [(&bucket, "new/1"), (&open(&root), "new/2")] {
        move_to(&root, &away);
        is_gone(bucket).await;
        assert!(!root.exists(), "it was made again");
        // An unmounted disk leaves its empty mount point.
        fs::create_dir(&root).unwrap();
        is_gone(bucket).await;
        assert!(names_in(root.clone()).is_empty(), "something was put there");
        fs::remove_dir(&root).unwrap();
        move_to(&away, &root);
        works(bucket, new).await;
    }
}

#[tokio::test]
async fn another_bucket_moved_into_the_place_is_locked_by_its_own_locks() {
    let (place, bucket) = fresh();
    create(&bucket, "x/there", "1").await;
    let (_other_place, other) = fresh();
    create(&other, "x/there", "1").await;
    move_to(bucket.path(), &place.path().join("away"));
    move_to(other.path(), bucket.path());
    // Somebody else holds all the locks of the new one: our old handles must not do.
    let locks = bucket.path().join(".millpond/locks");
    let held: Vec<_> = (0..64)
        .map(|n| {
            let file = fs::File::create(locks.join(format!("{n:02}"))).unwrap();
            file.lock().unwrap();
            file
        })
        .collect();
    let at = key("x/there");
    let mut delete = bucket.delete(&at);
    for _ in 0..50 {
        let early = select(&mut delete, bucket.read(&at)).await;
        let Either::Right((found, _)) = early else {
            panic!("the lock was passed by");
        };
        assert!(found.unwrap().is_some(), "the lock was passed by");
    }
    drop(held);
    delete.await.unwrap();
    assert_eq!(bucket.read(&at).await.unwrap(), None);
}

#[tokio::test]
async fn a_tidied_tmp_folder_is_made_again() {
    let (_place, bucket) = fresh();
    create(&bucket, "a", "1").await;
    fs::remove_dir_all(bucket.path().join(".millpond/tmp")).unwrap();
    fs::remove_dir_all(bucket.path().join(".millpond/locks")).unwrap();
    create(&bucket, "b", "1").await;
    assert_eq!(keys(&bucket, "").await, ["a", "b"]);
}
