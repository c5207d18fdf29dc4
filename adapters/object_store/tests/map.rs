//! The outcome map, by what goes over the wire to each cloud.

mod support;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Clock, Expect, Fault, Outcome, Verb, Version};
use millpond_host::SystemClock;
use millpond_object_store::{ObjectStoreBucket, Place};
use support::{Answer, Server};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cloud {
    Google,
    Azure,
}

const CLOUDS: [Cloud; 2] = [Cloud::Google, Cloud::Azure];

fn open(cloud: Cloud, server: &Server, time: Duration) -> ObjectStoreBucket {
    let at = server.address;
    let url = match cloud {
        Cloud::Google => format!("gs://pond/root?endpoint=http://{at}"),
        Cloud::Azure => format!("az://acme/pond/root?endpoint=http://{at}"),
    };
    let place: Place = url.parse().expect("a URL");
    let clock = Arc::new(SystemClock::new()) as Arc<dyn Clock>;
    place
        .open_within(clock, Some("token"), time)
        .expect("opened")
}

/// A bucket of `cloud` whose server answers so, and that server.
fn scripted(cloud: Cloud, script: Vec<Answer>) -> (ObjectStoreBucket, Server) {
    let server = Server::start(script);
    (open(cloud, &server, Duration::from_secs(20)), server)
}

fn key() -> Key {
    Key::parse("a/b~c").expect("a key")
}

fn at(version: &str) -> Expect {
    Expect::At(Version::new(version))
}

fn status(status: u16) -> Answer {
    code(status, "Whatever")
}

fn code(status: u16, code: &str) -> Answer {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>");
    Answer::Say(status, Vec::new(), body)
}

/// The answer to a write that landed, and the version it names.
fn landed() -> Answer {
    let headers = vec![
        ("etag", "\"e7\"".to_owned()),
        ("x-goog-generation", "77".to_owned()),
    ];
    Answer::Say(201, headers, String::new())
}

const fn version(cloud: Cloud) -> &'static str {
    match cloud {
        Cloud::Google => "77",
        Cloud::Azure => "\"e7\"",
    }
}

async fn write(bucket: &ObjectStoreBucket, expect: Expect) -> Result<Outcome, BucketError> {
    bucket
        .write(&key(), Bytes::from_static(b"body"), expect)
        .await
}

#[tokio::test]
async fn a_create_and_a_replace_carry_their_condition_and_bring_the_version_back() {
    for cloud in CLOUDS {
        let (bucket, server) = scripted(cloud, vec![landed(), landed()]);
        let new = Outcome::Landed(Version::new(version(cloud)));
        assert_eq!(write(&bucket, Expect::Absent).await.expect("created"), new);
        assert_eq!(write(&bucket, at("\"e6\"")).await.expect("replaced"), new);
        let asked = server.asked();
        let (create, replace) = match cloud {
            Cloud::Google => (
                "x-goog-if-generation-match: 0",
                "x-goog-if-generation-match: \"e6\"",
            ),
            Cloud::Azure => ("if-none-match: *", "if-match: \"e6\""),
        };
        assert!(asked[0].has(create), "{cloud:?}: {asked:?}");
        assert!(asked[1].has(replace), "{cloud:?}: {asked:?}");
        assert!(asked[0].line.starts_with("PUT "), "{asked:?}");
        assert!(asked[0].path().ends_with("/pond/root/a/b~c"), "{asked:?}");
    }
}

#[tokio::test]
async fn what_was_not_as_expected_is_refused_in_one_request() {
    for cloud in CLOUDS {
        for (expect, answer) in [
            (Expect::Absent, status(412)),
            (Expect::Absent, code(409, "BlobAlreadyExists")),
            (at("1"), status(412)),
            (at("1"), code(404, "NoSuchKey")),
        ] {
            let (bucket, server) = scripted(cloud, vec![answer.clone()]);
            let outcome = write(&bucket, expect).await.expect("an outcome");
            assert_eq!(outcome, Outcome::Refused, "{cloud:?}: {answer:?}");
            assert_eq!(server.asked().len(), 1);
        }
    }
}

#[tokio::test]
async fn case14_a_conflict_is_tried_again_and_never_a_lost_claim() {
    for cloud in CLOUDS {
        for expect in [Expect::Absent, at("1")] {
            let script = vec![status(409), status(409), landed()];
            let (bucket, server) = scripted(cloud, script);
            let outcome = write(&bucket, expect.clone()).await.expect("an outcome");
            assert_eq!(outcome, Outcome::Landed(Version::new(version(cloud))));
            assert_eq!(server.asked().len(), 3);
            // The key may be taken meanwhile.
            let (bucket, _server) = scripted(cloud, vec![status(409), status(412)]);
            let outcome = write(&bucket, expect.clone()).await.expect("an outcome");
            assert_eq!(outcome, Outcome::Refused);
            // In vain: it did not happen, and is no refusal.
            let (bucket, server) = scripted(cloud, vec![status(409); 6]);
            let error = write(&bucket, expect).await.expect_err("in vain");
            assert_eq!(error.fault, Fault::Unavailable);
            assert_eq!(server.asked().len(), 6);
        }
    }
}

#[tokio::test]
async fn case13_a_write_that_may_have_happened_is_unknown_and_sent_once() {
    for cloud in CLOUDS {
        for answer in [
            status(500),
            status(502),
            status(504),
            status(408),
            code(503, "InternalError"),
            code(500, "OperationTimedOut"),
            Answer::Hang,
            // Landed, but the version is not returned.
            Answer::Say(200, vec![], String::new()),
        ] {
            for expect in [Expect::Absent, at("1")] {
                let (bucket, server) = scripted(cloud, vec![answer.clone()]);
                let outcome = write(&bucket, expect).await.expect("an outcome");
                assert_eq!(outcome, Outcome::Unknown, "{cloud:?}: {answer:?}");
                assert_eq!(server.asked().len(), 1, "no hidden retry: {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_time_out_is_unknown_to_a_write_and_unavailable_to_a_read() {
    for cloud in CLOUDS {
        let server = Server::start([Answer::Silence, Answer::Silence]);
        let bucket = open(cloud, &server, Duration::from_millis(200));
        let outcome = write(&bucket, Expect::Absent).await.expect("an outcome");
        assert_eq!(outcome, Outcome::Unknown);
        let error = bucket.read(&key()).await.expect_err("no answer");
        assert_eq!(error.fault, Fault::Unavailable);
    }
}

#[tokio::test]
async fn what_was_never_sent_is_no_unknown() {
    for cloud in CLOUDS {
        let mut server = Server::start([]);
        // A port where nobody listens.
        let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        server.address = closed.local_addr().expect("an address");
        drop(closed);
        let bucket = open(cloud, &server, Duration::from_secs(20));
        let error = write(&bucket, Expect::Absent).await.expect_err("not sent");
        assert_eq!(error.fault, Fault::Unavailable, "{cloud:?}");
    }
}

#[tokio::test]
async fn faults_of_writes_are_distinguished() {
    for cloud in CLOUDS {
        for (answer, fault) in [
            (status(401), Fault::Denied),
            (status(403), Fault::Denied),
            (code(404, "NoSuchBucket"), Fault::Gone),
            (code(404, "ContainerNotFound"), Fault::Gone),
            (code(409, "ContainerBeingDeleted"), Fault::Gone),
            (status(400), Fault::Invalid),
            (status(413), Fault::Invalid),
            (status(429), Fault::Throttled),
            (code(503, "SlowDown"), Fault::Throttled),
            (code(503, "ServerBusy"), Fault::Throttled),
        ] {
            let (bucket, server) = scripted(cloud, vec![answer.clone()]);
            let error = write(&bucket, Expect::Absent).await.expect_err("failed");
            assert_eq!(error.fault, fault, "{cloud:?}: {answer:?}: {error:?}");
            assert_eq!((error.verb, server.asked().len()), (Verb::Create, 1));
        }
    }
}

#[tokio::test]
async fn case17_what_a_throttled_store_asks_to_wait_is_passed_on() {
    for cloud in CLOUDS {
        for number in [429, 503] {
            let answer = Answer::Say(
                number,
                vec![("retry-after", "7".to_owned())],
                "<Error><Code>ServerBusy</Code></Error>".to_owned(),
            );
            let (bucket, _server) = scripted(cloud, vec![answer; 3]);
            let errors = [
                write(&bucket, at("1")).await.expect_err("busy"),
                bucket.read(&key()).await.expect_err("busy"),
                bucket
                    .list(&Prefix::all(), None, 9)
                    .await
                    .expect_err("busy"),
            ];
            for error in errors {
                assert_eq!(error.fault, Fault::Throttled, "{cloud:?}: {error:?}");
                assert_eq!(error.wait(), Duration::from_secs(7), "{cloud:?}: {error:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_read_returns_body_and_version_or_none() {
    for cloud in CLOUDS {
        let found = Answer::Say(
            200,
            vec![
                ("etag", "\"e7\"".to_owned()),
                ("x-goog-generation", "77".to_owned()),
                ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()),
            ],
            "the body".to_owned(),
        );
        let script = vec![
            found,
            code(404, "NoSuchKey"),
            code(404, "NoSuchBucket"),
            status(403),
        ];
        let (bucket, _server) = scripted(cloud, script);
        let object = bucket.read(&key()).await.expect("read").expect("found");
        assert_eq!(object.body, "the body");
        assert_eq!(object.version, Version::new(version(cloud)));
        assert_eq!(bucket.read(&key()).await.expect("read"), None);
        let gone = bucket.read(&key()).await.expect_err("gone");
        assert_eq!(gone.fault, Fault::Gone);
        let denied = bucket.read(&key()).await.expect_err("denied");
        assert_eq!(denied.fault, Fault::Denied);
    }
}

/// A page in the cloud's own words.
fn page(cloud: Cloud, names: &[&str], token: Option<&str>) -> Answer {
    let token = token.unwrap_or_default();
    let body = match cloud {
        Cloud::Google => {
            let row = |name: &&str| {
                format!(
                    "<Contents><Key>root/{name}</Key><Size>4</Size>\
                     <LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                     <ETag>\"e\"</ETag></Contents>"
                )
            };
            let rows: String = names.iter().map(row).collect();
            let more = match token {
                "" => String::new(),
                token => format!("<NextContinuationToken>{token}</NextContinuationToken>"),
            };
            format!("<ListBucketResult>{rows}{more}</ListBucketResult>")
        }
        Cloud::Azure => {
            let row = |name: &&str| {
                format!(
                    "<Blob><Name>root/{name}</Name><Properties>\
                     <Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified>\
                     <Content-Length>4</Content-Length><Content-Type>x</Content-Type>\
                     <Etag>e</Etag></Properties></Blob>"
                )
            };
            let rows: String = names.iter().map(row).collect();
            format!(
                "<EnumerationResults><Blobs>{rows}</Blobs>\
                 <NextMarker>{token}</NextMarker></EnumerationResults>"
            )
        }
    };
    Answer::Say(200, Vec::new(), body)
}

#[tokio::test]
async fn a_list_begins_after_its_key_below_any_prefix_and_asks_for_one_page() {
    for cloud in CLOUDS {
        let answer = page(cloud, &["x/01/b", "x/01/c"], Some("more"));
        let (bucket, server) = scripted(cloud, vec![answer]);
        let prefix = Prefix::parse("x/0").expect("a prefix");
        let after = Key::parse("x/01/a").expect("a key");
        let page = bucket.list(&prefix, Some(&after), 2).await.expect("a page");
        let keys: Vec<_> = page.entries.iter().map(|row| row.key.as_str()).collect();
        assert_eq!(keys, ["x/01/b", "x/01/c"], "{cloud:?}");
        assert!(page.next.is_some());
        assert_eq!(page.entries[0].size, 4);
        assert_eq!(page.entries[0].modified.to_string(), "2026-01-01T00:00:00Z");
        let line = server.asked().remove(0).line;
        let (offset, limit) = match cloud {
            Cloud::Google => ("start-after=", "max-keys=3"),
            Cloud::Azure => ("startFrom=", "maxresults=3"),
        };
        for part in [
            "prefix=root%2Fx%2F0&",
            &format!("{offset}root%2Fx%2F01%2Fa"),
            limit,
        ] {
            assert!(
                format!("{line}&").contains(part),
                "{cloud:?}: {part}: {line}"
            );
        }
    }
}

#[tokio::test]
async fn an_empty_page_that_is_not_the_last_is_followed() {
    for cloud in CLOUDS {
        // The second one holds only a name that no key can have.
        let pages: [(&[&str], _); 3] = [(&[], Some("t")), (&["a b"], Some("u")), (&["a"], None)];
        let script = pages
            .map(|(names, token)| page(cloud, names, token))
            .to_vec();
        let (bucket, server) = scripted(cloud, script);
        let page = bucket.list(&Prefix::all(), None, 5).await.expect("a page");
        assert_eq!(
            (page.entries.len(), page.next.is_some()),
            (1, false),
            "{cloud:?}"
        );
        assert_eq!(server.asked().len(), 3);
    }
}

#[tokio::test]
async fn a_store_that_orders_by_folder_is_refused_by_name() {
    for cloud in CLOUDS {
        let answer = page(cloud, &["a/1", "a-b"], None);
        let (bucket, _server) = scripted(cloud, vec![answer]);
        let error = bucket
            .list(&Prefix::all(), None, 5)
            .await
            .expect_err("order");
        assert_eq!(error.fault, Fault::Invalid);
        let reason = error.source.expect("a reason").to_string();
        assert!(reason.contains("order of bytes"), "{reason}");
    }
}

#[tokio::test]
async fn deleting_what_is_not_there_is_success() {
    let (bucket, server) = scripted(
        Cloud::Google,
        vec![status(204), code(404, "NoSuchKey"), status(403)],
    );
    bucket.delete(&key()).await.expect("deleted");
    bucket.delete(&key()).await.expect("was not there");
    let denied = bucket.delete(&key()).await.expect_err("denied");
    assert_eq!(denied.fault, Fault::Denied);
    let asked = server.asked();
    assert!(asked[0].line.starts_with("DELETE "), "{asked:?}");
    assert_eq!(asked[0].path(), "/pond/root/a/b~c");

    // Azure's deletes are batches of one, answered part by part.
    let part = |status: &str, code: &str| {
        let body = format!(
            "--batch_7\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n\
             HTTP/1.1 {status}\r\nx-ms-error-code: {code}\r\n\r\n--batch_7--\r\n"
        );
        let kind = "multipart/mixed; boundary=batch_7".to_owned();
        Answer::Say(202, vec![("content-type", kind)], body)
    };
    let script = vec![
        part("202 Accepted", ""),
        part("404 The specified blob does not exist.", "BlobNotFound"),
        part("403 Forbidden", "AuthorizationFailure"),
    ];
    let (bucket, _server) = scripted(Cloud::Azure, script);
    bucket.delete(&key()).await.expect("deleted");
    bucket.delete(&key()).await.expect("was not there");
    bucket.delete(&key()).await.expect_err("denied");
}
