//! Locks and drafts, as other processes on the folder meet them.

use std::fs::File;
use std::sync::Arc;

use futures::future::{join_all, select};
use millpond::ports::{Bucket as _, Expect, Outcome};

use super::{create, fresh, key, keys, names_in, open};

#[test]
fn writers_that_wait_for_one_lock_leave_threads_to_everybody_else() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (_place, bucket) = fresh();
        create(&bucket, "free", "1").await;
        // Another process holds every lock.
        let locks = bucket.path().join(".millpond/locks");
        let held: Vec<_> = (0..64)
            .map(|n| File::create(locks.join(format!("{n:02}"))).unwrap())
            .collect();
        for file in &held {
            file.lock().unwrap();
        }
        let bucket = Arc::new(bucket);
        let writers: Vec<_> = (0..100)
            .map(|n: u32| {
                let bucket = Arc::clone(&bucket);
                let body = n.to_string().into();
                tokio::spawn(async move {
                    bucket
                        .write(&key("busy"), body, Expect::Absent)
                        .await
                        .unwrap()
                })
            })
            .collect();
        // One thread waits for the lock, 99 tasks for the first: the other thread reads.
        assert!(bucket.read(&key("free")).await.unwrap().is_some());
        assert!(bucket.read(&key("busy")).await.unwrap().is_none());
        drop(held);
        let landed = join_all(writers).await.into_iter();
        let landed = landed.filter(|outcome| matches!(outcome, Ok(Outcome::Landed(_))));
        assert_eq!(landed.count(), 1);
    });
}

#[tokio::test]
async fn a_write_whose_future_is_dropped_frees_its_lock() {
    let (_place, bucket) = fresh();
    let at = key("a");
    {
        let write = bucket.write(&at, "1".into(), Expect::Absent);
        // Polled once, then dropped: it may or may not land.
        let _ = select(write, std::future::ready(())).await;
    }
    let outcome = bucket.write(&at, "2".into(), Expect::Absent).await.unwrap();
    let found = bucket.read(&at).await.unwrap().unwrap().body;
    match outcome {
        Outcome::Landed(_) => assert_eq!(found, "2"),
        Outcome::Refused => assert_eq!(found, "1"),
        Outcome::Unknown => panic!("the second was answered"),
    }
}

#[tokio::test]
async fn drafts_of_the_living_stay_and_drafts_of_the_dead_are_cleared() {
    let (_place, first) = fresh();
    create(&first, "a", "1").await;
    let tmp = first.path().join(".millpond/tmp");
    let desk = tmp.join(&names_in(tmp.clone())[0]);
    std::fs::write(desk.join("99"), "half a bo").unwrap();
    std::fs::create_dir(tmp.join("no-owner-yet")).unwrap();

    let second = open(first.path());
    assert_eq!(names_in(desk.clone()), ["99", "owner"]);
    assert_eq!(
        names_in(tmp.clone()).len(),
        1,
        "a desk without an owner is nobody's"
    );
    create(&first, "b", "1").await;
    create(&second, "c", "1").await;
    assert_eq!(names_in(tmp.clone()).len(), 2);

    drop(first);
    drop(open(second.path()));
    assert!(!desk.exists());
    assert_eq!(names_in(tmp).len(), 1);
    assert_eq!(keys(&second, "").await, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_write_leaves_no_draft_behind_whether_it_lands_or_fails() {
    let (_place, bucket) = fresh();
    create(&bucket, "a", "1").await;
    let _ = bucket.write(&key("a"), "2".into(), Expect::Absent).await;
    let below = bucket.write(&key("a/b"), "2".into(), Expect::Absent).await;
    assert!(below.is_err());
    let tmp = bucket.path().join(".millpond/tmp");
    let desk = tmp.join(&names_in(tmp.clone())[0]);
    assert_eq!(names_in(desk), ["owner"]);
}
