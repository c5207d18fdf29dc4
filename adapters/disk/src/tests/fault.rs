//! What errors of the file system mean.

use std::io::{self, ErrorKind};
use std::sync::atomic::Ordering;

use millpond::ports::{Bucket as _, Expect, Fault, Outcome};

use super::{create, fresh, key};
use crate::DiskBucket;
use crate::fault::fault;

#[cfg(target_os = "linux")]
#[test]
fn each_error_number_means_its_fault() {
    let expected = [
        (1, Fault::Denied),        // EPERM
        (13, Fault::Denied),       // EACCES
        (30, Fault::Denied),       // EROFS
        (28, Fault::Full),         // ENOSPC
        (122, Fault::Full),        // EDQUOT
        (36, Fault::Invalid),      // ENAMETOOLONG
        (27, Fault::Invalid),      // EFBIG
        (20, Fault::Invalid),      // ENOTDIR
        (21, Fault::Invalid),      // EISDIR
        (5, Fault::Unavailable),   // EIO
        (23, Fault::Unavailable),  // ENFILE
        (116, Fault::Unavailable), // ESTALE
    ];
    for (number, meaning) in expected {
        let error = io::Error::from_raw_os_error(number);
        assert_eq!(fault(&error), meaning, "{error}");
    }
}

#[test]
fn an_error_without_a_number_may_pass_by_itself() {
    assert_eq!(fault(&io::Error::other("?")), Fault::Unavailable);
    assert_eq!(fault(&ErrorKind::TimedOut.into()), Fault::Unavailable);
}

#[tokio::test]
async fn a_write_whose_folder_could_not_be_synced_is_unknown_and_there() {
    let (place, _) = fresh();
    let bucket = DiskBucket::open(place.path().join("own"), crate::Options::default()).unwrap();
    bucket
        .store
        .folder_sync_fails
        .store(true, Ordering::Relaxed);
    let outcome = bucket.write(&key("a/b"), "1".into(), Expect::Absent).await;
    assert_eq!(outcome.unwrap(), Outcome::Unknown);
    let found = bucket.read(&key("a/b")).await.unwrap();
    assert_eq!(found.unwrap().body, "1");
}

#[tokio::test]
async fn a_delete_that_could_not_be_synced_is_an_error_though_it_happened() {
    let (place, _) = fresh();
    let bucket = DiskBucket::open(place.path().join("own"), crate::Options::default()).unwrap();
    create(&bucket, "a/b", "1").await;
    bucket
        .store
        .folder_sync_fails
        .store(true, Ordering::Relaxed);
    let error = bucket.delete(&key("a/b")).await.unwrap_err();
    assert_eq!(error.fault, Fault::Unavailable);
    assert_eq!(bucket.read(&key("a/b")).await.unwrap(), None);
}

#[tokio::test]
async fn a_key_below_another_object_is_invalid_to_write_and_otherwise_absent() {
    let (_place, bucket) = fresh();
    create(&bucket, "a/b", "1").await;
    for at in ["a/b/c", "a"] {
        let error = bucket.write(&key(at), "2".into(), Expect::Absent).await;
        let error = error.unwrap_err();
        assert_eq!((error.fault, error.key.as_str()), (Fault::Invalid, at));
        assert_eq!(bucket.read(&key(at)).await.unwrap(), None);
        bucket.delete(&key(at)).await.unwrap();
    }
    assert_eq!(bucket.read(&key("a/b")).await.unwrap().unwrap().body, "1");
    assert_eq!(super::names_in(bucket.path().join("a")), ["b"]);
}
