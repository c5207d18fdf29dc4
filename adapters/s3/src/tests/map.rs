//! The table of `fault.rs`, row by row.

use bytes::Bytes;
use millpond::ports::{Bucket as _, BucketError, Expect, Fault, Outcome, Version};

use super::script::{Answer, Script, key, prefix};

/// The outcome of a request, reduced to its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    Landed,
    Refused,
    Unknown,
    Absent,
    Done,
    Trouble(Fault),
}

use Came::{Absent, Done, Landed, Refused, Trouble, Unknown};
use Fault::{Denied, Full, Gone, Invalid, Throttled, Unavailable};

fn trouble<T>(answer: Result<T, BucketError>, good: impl Fn(T) -> Came) -> Came {
    answer.map_or_else(|error| Trouble(error.fault), good)
}

/// Create, replace, read, delete, list: each called once, each with the reply `answer`.
async fn ask(answer: impl Fn() -> Answer) -> [Came; 5] {
    let written = |outcome| match outcome {
        Outcome::Landed(_) => Landed,
        Outcome::Refused => Refused,
        Outcome::Unknown => Unknown,
    };
    let mut came = [Done; 5];
    for (at, came) in came.iter_mut().enumerate() {
        let script = Script::of([answer()]);
        let bucket = script.bucket().await;
        let (k, body) = (key("a/b"), Bytes::from_static(b"body"));
        let at_version = Expect::At(Version::new("\"v\""));
        *came = match at {
            0 => trouble(bucket.write(&k, body, Expect::Absent).await, written),
            1 => trouble(bucket.write(&k, body, at_version).await, written),
            2 => trouble(bucket.read(&k).await, |o| {
                if o.is_some() { Done } else { Absent }
            }),
            3 => trouble(bucket.delete(&k).await, |()| Done),
            _ => trouble(bucket.list(&prefix("a/"), None, 10).await, |_| Done),
        };
        assert_eq!(script.asked().len(), 1, "each call is one request");
    }
    came
}

fn all(fault: Fault) -> [Came; 5] {
    [Trouble(fault); 5]
}

/// The row of any reply that leaves the outcome of a write unknown.
const OPEN: [Came; 5] = [
    Unknown,
    Unknown,
    Trouble(Unavailable),
    Trouble(Unavailable),
    Trouble(Unavailable),
];

#[tokio::test(start_paused = true)]
async fn every_answer_has_the_meaning_of_the_table() {
    let invalid = Trouble(Invalid);
    let away = Trouble(Unavailable);
    let rows = [
        (
            412,
            "PreconditionFailed",
            [Refused, Refused, invalid, invalid, invalid],
        ),
        (404, "NoSuchBucket", all(Gone)),
        (404, "NoSuchKey", [away, Refused, Absent, Done, away]),
        (404, "", [away, Refused, away, away, away]),
        (503, "SlowDown", all(Throttled)),
        (503, "SlowDownWrite", all(Throttled)),
        (429, "", all(Throttled)),
        (400, "ThrottlingException", all(Throttled)),
        (507, "XMinioStorageFull", all(Full)),
        (403, "QuotaExceeded", all(Full)),
        (400, "RequestTimeout", all(Unavailable)),
        (501, "NotImplemented", all(Invalid)),
        (500, "InternalError", OPEN),
        (503, "ServiceUnavailable", OPEN),
        (502, "", OPEN),
        (403, "RequestTimeTooSkewed", all(Unavailable)),
        (403, "AccessDenied", all(Denied)),
        (401, "", all(Denied)),
        (400, "ExpiredToken", all(Denied)),
        (301, "PermanentRedirect", all(Denied)),
        (400, "AuthorizationHeaderMalformed", all(Denied)),
        (400, "EntityTooLarge", all(Invalid)),
        (400, "KeyTooLongError", all(Invalid)),
        (405, "MethodNotAllowed", all(Invalid)),
    ];
    for (status, code, wanted) in rows {
        let answer = || match code {
            "" => Answer::bare(status),
            code => Answer::error(status, code),
        };
        assert_eq!(ask(answer).await, wanted, "{status} {code}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_answer_and_an_answer_without_a_version_leave_a_write_open() {
    assert_eq!(ask(|| Answer::Breaks).await, OPEN);
    assert_eq!(ask(|| Answer::Hangs).await, OPEN);
    let no_version = ask(|| Answer::bare(200)).await;
    assert_eq!(no_version[..3], OPEN[..3]);
}

#[tokio::test(start_paused = true)]
async fn a_write_is_conditional_and_gives_the_version_as_the_store_does() {
    let etag = "\"9b2c-7\"";
    let script = Script::of([Answer::ok(etag), Answer::ok("\"next\"")]);
    let bucket = script.bucket().await;
    let body = Bytes::from_static(b"body");
    let first = bucket
        .write(&key("a/b"), body.clone(), Expect::Absent)
        .await;
    let Outcome::Landed(version) = first.unwrap() else {
        panic!("it landed");
    };
    assert_eq!(version.as_str(), etag);
    let second = bucket.write(&key("a/b"), body, Expect::At(version)).await;
    assert_eq!(second.unwrap(), Outcome::Landed(Version::new("\"next\"")));
    let asked = script.asked();
    assert_eq!(asked[0].if_none_match.as_deref(), Some("*"));
    assert_eq!(
        (&asked[0].if_match, &asked[1].if_none_match),
        (&None, &None)
    );
    assert_eq!(asked[1].if_match.as_deref(), Some(etag));
    for one in asked {
        assert_eq!(
            (one.method.as_str(), one.body.as_slice()),
            ("PUT", &b"body"[..])
        );
        assert!(
            one.uri.contains("/root/a/b"),
            "under the prefix: {}",
            one.uri
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_breaks_off_is_an_error_and_no_short_object() {
    let whole = Script::of([Answer::body("whole").with("content-length", "5")]);
    let object = whole.bucket().await.read(&key("a")).await.unwrap().unwrap();
    assert_eq!(
        (&object.body[..], object.version.as_str()),
        (&b"whole"[..], "\"v\"")
    );

    let broken = Script::of([Answer::body("who").with("content-length", "5")]);
    let error = broken.bucket().await.read(&key("a")).await.unwrap_err();
    assert_eq!(error.fault, Unavailable);
    assert!(error.is_transient());
}

#[tokio::test(start_paused = true)]
async fn case17_how_long_a_store_wants_to_be_left_alone_is_passed_on() {
    let slow = || Answer::error(503, "SlowDown");
    let date = "Fri, 27 Nov 2026 10:00:00 GMT";
    let later = "Fri, 27 Nov 2026 10:00:07 GMT";
    for (answer, wanted) in [
        (slow().with("retry-after", "9"), Some(9)),
        (
            slow().with("date", date).with("retry-after", later),
            Some(7),
        ),
        (
            slow().with("date", later).with("retry-after", date),
            Some(0),
        ),
        (slow().with("retry-after", "soon"), None),
        (slow(), None),
    ] {
        let bucket = Script::of([answer]).bucket().await;
        let error = bucket.read(&key("a")).await.unwrap_err();
        assert_eq!(error.retry_after.map(|wait| wait.as_secs()), wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_contains_the_reply_of_the_store() {
    let answer = Answer::error(403, "AccessDenied").with("x-amz-request-id", "R1");
    let bucket = Script::of([answer]).bucket().await;
    let error = bucket.read(&key("a")).await.unwrap_err();
    let text = error.source.unwrap().to_string();
    assert_eq!(
        text,
        "the store answers 403, AccessDenied, in words (request R1)"
    );
}
