//! Opening and making folders.

use std::fs;
use std::sync::Arc;

use millpond_conformance::{Probe, Scale, Subject};
use millpond_host::TokioSpawner;

use super::{RELAXED, create, fresh, key, names_in};
use crate::format::{Format, probe};
use crate::names::Case;
use crate::{DiskBucket, OpenError, Options};
use millpond::ports::Bucket as _;

#[test]
fn a_bucket_is_made_on_first_use_with_the_folders_above_it() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("not/there/yet");
    let bucket = DiskBucket::open(&path, RELAXED).unwrap();
    assert_eq!(bucket.path(), path);
    let text = fs::read(path.join(".millpond/format")).unwrap();
    let format: Format = serde_json::from_slice(&text).unwrap();
    assert_eq!(format.format, 1);
    assert_eq!(format.case, probe(&path.join(".millpond")).unwrap());
    assert_eq!(names_in(path.join(".millpond")), ["format", "locks"]);
}

#[test]
fn a_folder_without_a_bucket_is_refused_by_who_may_not_make_one() {
    let place = tempfile::tempdir().unwrap();
    let options = Options {
        create: false,
        ..RELAXED
    };
    let error = DiskBucket::open(place.path(), options).unwrap_err();
    assert!(matches!(&error, OpenError::Missing { path } if path == place.path()));
    assert!(error.to_string().contains(place.path().to_str().unwrap()));
    assert!(names_in(place.path().into()).is_empty());
    drop(DiskBucket::open(place.path(), RELAXED).unwrap());
    DiskBucket::open(place.path(), options).unwrap();
}

#[test]
fn a_newer_format_is_refused_by_its_number_whatever_else_it_says() {
    let (_place, bucket) = fresh();
    let path = bucket.path().join(".millpond/format");
    fs::write(&path, r#"{"format":2,"case":["something","new"]}"#).unwrap();
    let error = DiskBucket::open(bucket.path(), RELAXED).unwrap_err();
    let (found, newest) = match &error {
        OpenError::Newer { found, newest, .. } => (*found, *newest),
        other => panic!("another error: {other}"),
    };
    assert_eq!((found, newest), (2, 1));
    assert!(error.to_string().contains(bucket.path().to_str().unwrap()));
}

#[test]
fn a_damaged_format_is_refused_and_not_written_anew() {
    let (_place, bucket) = fresh();
    let path = bucket.path().join(".millpond/format");
    for damaged in [
        "",
        "{",
        r#"{"format":1}"#,
        r#"{"format":1,"case":"upside-down"}"#,
    ] {
        fs::write(&path, damaged).unwrap();
        let error = DiskBucket::open(bucket.path(), RELAXED).unwrap_err();
        assert!(matches!(&error, OpenError::Damaged { path: named, .. } if *named == path));
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn no_bucket_is_made_in_a_folder_that_holds_something_else() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("report.txt"), "mine").unwrap();
    let error = DiskBucket::open(place.path(), RELAXED).unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn a_path_that_is_a_file_is_named_in_the_error() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    fs::write(&path, "").unwrap();
    let error = DiskBucket::open(&path, RELAXED).unwrap_err();
    assert!(matches!(error, OpenError::Io { .. }));
    assert!(error.to_string().contains(path.to_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_on_a_file_system_that_folds_case_passes_every_probe() {
    let (_place, exact) = fresh();
    let format = exact.path().join(".millpond/format");
    fs::write(format, r#"{"format":1,"case":"folds"}"#).unwrap();
    let bucket = Arc::new(DiskBucket::open(exact.path(), RELAXED).unwrap());
    assert_eq!(bucket.store.case, Case::Folds);
    let scale = Scale {
        keys: 100,
        racers: 8,
        rounds: 4,
        ..Scale::default()
    };
    let subject = Subject::new(bucket.clone(), "Probe").scaled(scale);
    let subject = subject.racing_on(Arc::new(TokioSpawner::current()));
    assert_eq!(subject.run().await.unwrap().passed, Probe::ALL);
    create(&bucket, "A/b", "1").await;
    assert_eq!(names_in(bucket.path().into()), ["%a", ".millpond"]);
    assert!(bucket.read(&key("a/b")).await.unwrap().is_none());
}
