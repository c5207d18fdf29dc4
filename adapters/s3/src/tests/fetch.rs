//! Objects of other buckets.

use millpond::ports::Fault;

use super::script::{Answer, Script};
use crate::{Fetched, Wanted};

fn wanted<'a>(version: Option<&'a str>, etag: Option<&'a str>) -> Wanted<'a> {
    Wanted {
        bucket: "inbox",
        key: "new/a b+ü.csv",
        version,
        etag,
        most: 10,
    }
}

#[tokio::test]
async fn an_object_is_read_by_its_version_or_else_by_its_tag_from_its_own_bucket() {
    let script = Script::of([Answer::body("1234567890"), Answer::body("")]);
    let bucket = script.bucket().await;
    let read = bucket.fetch(wanted(None, Some("e1"))).await.unwrap();
    assert_eq!(read, Fetched::Whole("1234567890".into()));
    let read = bucket.fetch(wanted(Some("v7"), Some("e1"))).await.unwrap();
    assert_eq!(read, Fetched::Whole("".into()));
    let asked = script.asked();
    assert!(asked[0].uri.contains("inbox"), "{}", asked[0].uri);
    assert!(
        asked[0].uri.contains("/new/a%20b%2B%C3%BC.csv"),
        "{}",
        asked[0].uri
    );
    assert!(!asked[0].uri.contains("root"), "{}", asked[0].uri);
    assert_eq!(asked[0].if_match.as_deref(), Some("\"e1\""));
    assert!(asked[1].uri.contains("versionId=v7"), "{}", asked[1].uri);
    assert_eq!(asked[1].if_match, None);
}

#[tokio::test]
async fn missing_changed_and_too_large_objects_are_distinguished_and_trouble_is_an_error() {
    let long = Answer::body("12345678901");
    let promised = Answer::body("").with("content-length", "11");
    for (answer, fetched) in [
        (Answer::error(404, "NoSuchKey"), Fetched::Absent),
        (Answer::error(412, "PreconditionFailed"), Fetched::Changed),
        (long, Fetched::TooLarge { bytes: 11 }),
        (promised, Fetched::TooLarge { bytes: 11 }),
    ] {
        let script = Script::of([answer]);
        let read = script.bucket().await.fetch(wanted(None, Some("e1"))).await;
        assert_eq!(read.unwrap(), fetched);
    }
    for (answer, fault) in [
        (Answer::error(403, "AccessDenied"), Fault::Denied),
        (Answer::error(503, "SlowDown"), Fault::Throttled),
        (Answer::Breaks, Fault::Unavailable),
    ] {
        let script = Script::of([answer]);
        let read = script.bucket().await.fetch(wanted(None, None)).await;
        assert_eq!(read.unwrap_err().fault, fault);
    }
}
