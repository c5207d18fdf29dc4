//! The hints in events.

use millpond::domain::{MessageId, Queue};
use millpond::keys;
use millpond::ports::Hint;
use millpond_wakeups::sqs;

use super::*;

fn mail() -> (ExecutionId, millpond::keys::Key) {
    let eid = ExecutionId::parse("00000000-0000-4000-8000-000000000001").expect("in a test");
    (
        eid,
        keys::mail(&Queue::default(), &eid, &MessageId::start()),
    )
}

#[test]
fn a_notification_names_its_execution_whichever_way_it_comes() {
    let (eid, key) = mail();
    let notified = notification(&format!("team/{key}"));
    let event_bridge = json!({
        "source": "aws.s3",
        "detail-type": "Object Created",
        "detail": {"bucket": {"name": "pond"}, "object": {"key": format!("team/{key}")}},
    });
    let sns = json!({"Type": "Notification", "MessageId": "1", "TopicArn": "arn:x",
        "Message": notified.to_string()});
    let both = json!({"Type": "Notification", "MessageId": "1", "TopicArn": "arn:x",
        "Message": event_bridge.to_string()});
    let hint = Hint {
        queue: Queue::default(),
        eid,
        cause: key.clone(),
        at: None,
    };
    let queued = [
        notified.to_string(),
        event_bridge.to_string(),
        sns.to_string(),
        both.to_string(),
        sqs::body(&hint),
    ];
    for body in queued {
        let all = read(&[super::sqs("a", &body, 2)]);
        assert_eq!(all.malformed, [], "{body}");
        assert_eq!(all.records[0].hints, std::slice::from_ref(&hint), "{body}");
        assert_eq!(all.records[0].message.as_deref(), Some("a"));
        assert_eq!(all.records[0].received, 2);
    }
    for event in [notified, event_bridge] {
        let all = Deliveries::read(Event::read(event), &root());
        assert_eq!(all.records[0].hints, std::slice::from_ref(&hint));
        assert_eq!(all.records[0].message, None);
    }
}

#[test]
fn case26_a_hint_for_no_execution_is_reported_and_acknowledged() {
    let (_, key) = mail();
    let mut elsewhere = notification(&format!("team/{key}"));
    elsewhere["Records"][0]["s3"]["bucket"]["name"] = json!("other");
    let wrong = [
        "no JSON".to_owned(),
        json!({"a": 1}).to_string(),
        elsewhere.to_string(),
        notification(&key.to_string()).to_string(),
        notification("team/x/01/head").to_string(),
        notification("team/%ZZ").to_string(),
    ];
    for body in wrong {
        let all = read(&[super::sqs("a", &body, 1)]);
        assert_eq!(all.malformed.len(), 1, "{body}");
        assert!(all.records[0].hints.is_empty());
        let world = world();
        let done = serve(&world, &[super::sqs("a", &body, 1)]);
        assert_eq!((failed(&done).len(), done.served.len()), (0, 0));
    }
}

#[test]
fn a_test_event_and_a_deleted_mail_are_nothing_to_do_and_nothing_wrong() {
    let (_, key) = mail();
    let mut deleted = notification(&format!("team/{key}"));
    deleted["Records"][0]["eventName"] = json!("ObjectRemoved:Delete");
    let test = json!({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "pond"});
    for body in [deleted, test] {
        let all = read(&[super::sqs("a", &body.to_string(), 1)]);
        assert!(all.malformed.is_empty() && all.records[0].hints.is_empty());
    }
}
