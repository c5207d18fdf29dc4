use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn record(key: &str) -> Value {
    json!({
        "eventVersion": "2.3", "eventSource": "aws:s3", "awsRegion": "eu-central-1",
        "eventTime": "2026-01-01T00:00:00.000Z", "eventName": "ObjectCreated:Put",
        "s3": {
            "bucket": {"name": "inbox"},
            "object": {"key": key, "size": 3, "eTag": "aa", "sequencer": "0055"},
        },
    })
}

fn one(content: &Content) -> ObjectEvent {
    let mut objects = content.objects().expect("about objects");
    assert_eq!(objects.len(), 1);
    objects.remove(0).expect("well formed")
}

/// Encodes as Java's `URLEncoder` does, which S3 uses: all but the unreserved characters, a space
/// as `+`.
fn encode(key: &str) -> String {
    let mut out = String::new();
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'*' | b'/' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

proptest! {
    #[test]
    fn any_key_comes_back_from_its_notification(key in "\\PC{1,40}") {
        prop_assert_eq!(decode(&encode(&key)), Ok(key));
    }

    #[test]
    fn a_key_of_awkward_pieces_is_decoded_exactly_once(
        pieces in prop::collection::vec(
            prop::sample::select(vec![" ", "+", "%2F", "%", "%2B", "%25", "🦆", "é", "/", "a"]),
            1..12,
        )
    ) {
        let key = pieces.concat();
        let event = ObjectEvent::from_record(&record(&encode(&key)));
        prop_assert_eq!(event.map(|event| event.key), Ok(key.clone()));
        // EventBridge does not encode: nothing may be decoded there.
        let envelope = json!({
            "id": "1", "source": "aws.s3", "detail-type": "Object Created",
            "detail": {"bucket": {"name": "inbox"}, "object": {"key": key}},
        });
        prop_assert_eq!(one(&Content::read(&envelope.to_string())).key, key);
    }

    #[test]
    fn no_text_makes_decoding_panic(text in "\\PC*") {
        let _ = decode(&text);
    }

    #[test]
    fn no_json_makes_reading_panic(text in "\\PC*", name in "(Records|s3|tick|detail|body)") {
        let odd = json!({name.as_str(): text, "Records": [text, 1, null, {name.as_str(): {}}]});
        let _ = Event::read(odd.clone());
        let _ = Content::read(&odd.to_string());
    }
}

#[test]
fn an_invalid_encoding_is_refused_with_its_offset() {
    assert_eq!(decode("a%2"), Err(BadKey::Escape { at: 1 }));
    assert_eq!(decode("%+1"), Err(BadKey::Escape { at: 0 }));
    assert_eq!(decode("%ff"), Err(BadKey::Text));
    assert_eq!(decode("%f0%9F%a6%86").as_deref(), Ok("🦆"));
}

#[test]
fn an_s3_notification_reads_the_same_however_it_is_wrapped() {
    let notification = json!({"Records": [record("a+b%2B1.csv")]});
    let text = notification.to_string();
    let topic = json!({
        "Type": "Notification", "MessageId": "m1", "TopicArn": "arn:aws:sns:x:1:t",
        "Message": text,
    });
    let direct = match Event::read(notification) {
        Event::Objects(mut objects) => objects.remove(0).unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(direct.key, "a b+1.csv");
    assert!(direct.created());
    assert_eq!(one(&Content::read(&text)), direct);
    assert_eq!(one(&Content::read(&topic.to_string())), direct);
    let sns = json!({"Records": [{"EventSource": "aws:sns", "Sns": topic}]});
    match Event::read(sns) {
        Event::Topic(published) => {
            assert_eq!(one(&published[0].as_ref().unwrap().content()), direct);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_upload_has_one_identity_through_s3_and_eventbridge() {
    let bridge = json!({
        "version": "0", "id": "e1", "source": "aws.s3", "detail-type": "Object Created",
        "time": "2026-01-01T00:00:01Z", "region": "eu-central-1",
        "detail": {
            "bucket": {"name": "inbox"}, "reason": "PutObject",
            "object": {"key": "a b+1.csv", "size": 3, "etag": "aa", "sequencer": "0055"},
        },
    });
    let reported = one(&Content::read(&bridge.to_string()));
    let notified = ObjectEvent::from_record(&record("a+b%2B1.csv")).unwrap();
    assert_eq!(reported.identity(), notified.identity());
    assert_eq!(reported.to_json()["detail"], bridge["detail"]);
    assert_eq!(notified.to_json()["detail"], bridge["detail"]);
}

#[test]
fn one_malformed_record_does_not_affect_the_others() {
    let mut bad = record("x");
    bad["s3"]["object"]["key"] = json!(7);
    let mut old = record("x");
    old["eventVersion"] = json!("1.0");
    let records = [record("good"), bad, record("%zz"), old, json!("text")];
    let Event::Objects(read) = Event::read(json!({"Records": records})) else {
        panic!("not objects")
    };
    let why: Vec<String> = read
        .iter()
        .map(|one| {
            one.as_ref()
                .map_or_else(ToString::to_string, |e| e.key.clone())
        })
        .collect();
    assert_eq!(why[0], "good");
    assert_eq!(why[1], "malformed record: its `s3.object.key` is not text");
    assert!(
        why[2].contains("two hexadecimal digits: offset=0"),
        "{}",
        why[2]
    );
    assert!(
        why[3].contains("not 2.0 or later: eventVersion=\"1.0\""),
        "{}",
        why[3]
    );
    assert!(why[4].contains("has no `eventName`"), "{}", why[4]);
}

#[test]
fn later_versions_and_unknown_fields_are_accepted() {
    let mut later = record("k");
    later["eventVersion"] = json!("3.1");
    later["novelty"] = json!({"deep": [1]});
    later["s3"]["object"]["size"] = json!("3");
    later["s3"]["object"]["versionId"] = json!("null");
    let event = ObjectEvent::from_record(&later).unwrap();
    assert_eq!((event.size, event.version_id), (Some(3), None));
    for (name, happened) in [
        ("s3:ObjectCreated:Copy", Happened::Created),
        ("ObjectRemoved:DeleteMarkerCreated", Happened::Deleted),
        ("LifecycleExpiration:Delete", Happened::Deleted),
        ("ObjectTagging:Put", Happened::Other),
    ] {
        later["eventName"] = json!(name);
        assert_eq!(ObjectEvent::from_record(&later).unwrap().happened, happened);
    }
}

#[test]
fn the_test_event_of_s3_is_ignored() {
    let test = json!({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "inbox"});
    assert_eq!(Event::read(test.clone()), Event::Test);
    assert_eq!(Content::read(&test.to_string()).objects(), Some(Vec::new()));
}

#[test]
fn a_batch_of_sqs_keeps_ids_counts_and_instants() {
    let batch = json!({"Records": [
        {
            "messageId": "m1", "receiptHandle": "r", "body": "{\"millpond\":1}",
            "attributes": {"ApproximateReceiveCount": "3", "SentTimestamp": "1767225600000"},
            "messageAttributes": {"kind": {"stringValue": "order", "dataType": "String"}},
            "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:x:1:q",
        },
        {"messageId": "m2", "eventSource": "aws:sqs"},
        {"body": "lost"},
    ]});
    let Event::Queue(read) = Event::read(batch) else {
        panic!("not a batch")
    };
    let first = read[0].as_ref().unwrap();
    assert_eq!((first.id.as_str(), first.received), ("m1", 3));
    assert_eq!(first.sent, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    assert_eq!(first.attributes["kind"], "order");
    assert_eq!(first.content(), Content::Json(json!({"millpond": 1})));
    let id = |one: &Result<Message, Malformed>| one.as_ref().unwrap_err().id.clone();
    assert_eq!(id(&read[1]).as_deref(), Some("m2"));
    assert_eq!(id(&read[2]), None);
}

#[test]
fn a_request_is_read_with_the_bytes_that_were_signed() {
    let event = json!({
        "version": "2.0", "rawPath": "/hooks/git%20hub", "rawQueryString": "a=1",
        "headers": {"X-Hub-Signature-256": "sha256=00"},
        "requestContext": {
            "http": {"method": "POST", "path": "/", "sourceIp": "192.0.2.1"},
            "requestId": "id", "timeEpoch": 1_767_225_600_000_u64,
            "authorizer": {"iam": {"userArn": "arn:aws:iam::1:user/ana"}},
        },
        "body": "/wA=", "isBase64Encoded": true,
    });
    let Event::Request(Ok(request)) = Event::read(event.clone()) else {
        panic!("not a request")
    };
    assert_eq!(&request.body[..], [0xff, 0x00]);
    assert_eq!(request.header("x-hub-SIGNATURE-256"), Some("sha256=00"));
    assert_eq!(request.path, "/hooks/git%20hub");
    assert_eq!(request.caller.as_deref(), Some("arn:aws:iam::1:user/ana"));
    let mut plain = event.clone();
    plain["isBase64Encoded"] = json!(false);
    assert_eq!(&Request::read(&plain).unwrap().body[..], b"/wA=");
    let mut bad = event;
    bad["body"] = json!("not base64!");
    let Event::Request(Err(error)) = Event::read(bad) else {
        panic!("taken")
    };
    assert!(
        error.to_string().contains("`body` is not base64"),
        "{error}"
    );
}

#[test]
fn a_tick_of_the_scheduler_is_its_instant() {
    let at = "2026-01-01T00:00:00Z";
    assert_eq!(
        Event::read(json!({"tick": at})),
        Event::Tick(Ok(at.parse().unwrap()))
    );
    // A schedule with a misspelled placeholder sends it literally.
    let Event::Tick(Err(error)) = Event::read(json!({"tick": "<aws.scheduler.time>"})) else {
        panic!("taken")
    };
    assert!(error.to_string().contains("not a timestamp"), "{error}");
}
