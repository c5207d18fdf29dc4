//! The actions of rules, and their failures.

use std::time::Duration;

use millpond::ports::Clock as _;
use millpond_testing::{Injection, Rule};
use serde_json::{Value, json};

use super::super::{Outcome, starter};
use super::world::{Stand, again, batch, eid, message, record};
use crate::events::Event;

const RULES: &str = r#"
[[trigger]]
name = "orders"
source = "sqs"
pattern = { body = { kind = ["order"] } }
workflow = "keep"
input = "$.body"
key = "order ${$.body.id}"

[[trigger]]
name = "counts"
source = "sqs"
pattern = { body = { kind = ["count"] } }
workflow = "count"
input = "$.body.n"

[[trigger]]
name = "listeners"
source = "sqs"
pattern = { body = { kind = ["listen"] } }
workflow = "listen"
key = "order ${$.body.id}"

[[trigger]]
name = "paid"
source = "eventbridge"
pattern = { source = ["com.acme.bank"], detail = { state = ["paid"] } }
signal = { channel = "text", to = "order ${$.detail.order}", payload = "$.detail.sum" }

[[trigger]]
name = "patient"
source = "eventbridge"
pattern = { source = ["com.acme.bank"], detail = { state = ["wait"] } }
signal = { channel = "text", to = "order ${$.detail.order}", absent = "retry" }

[[trigger]]
name = "careless"
source = "eventbridge"
pattern = { source = ["com.acme.bank"], detail = { state = ["ignore"] } }
signal = { channel = "text", to = "order ${$.detail.order}", absent = "ignore" }

[[trigger]]
name = "first"
source = "eventbridge"
pattern = { source = ["com.acme.bank"], detail = { state = ["start"] } }
workflow = "listen"
[trigger.signal]
channel = "text"
to = "order ${$.detail.order}"
payload = "$.detail.sum"
absent = "start"
"#;

fn order(id: u64) -> Value {
    json!({"kind": "order", "id": id})
}

fn bank(state: &str, order: u64, sum: u64) -> Value {
    json!({
        "id": format!("{state}-{order}-{sum}"), "source": "com.acme.bank", "detail-type": "State",
        "detail": {"state": state, "order": order, "sum": sum},
    })
}

#[test]
fn only_failed_messages_are_redelivered() {
    let stand = Stand::new(RULES);
    let failing = eid("order 2");
    let head = millpond::keys::head(&failing);
    stand
        .world
        .faults
        .add(Rule::new(Injection::NotSent).under(head.as_str()).always());
    let messages = [
        message("good", &order(1)),
        message("fails", &order(2)),
        message("unmatched", &json!({"kind": "other"})),
        message("text", &json!("not JSON at all")),
        message("misfit", &json!({"kind": "order"})),
        message("wrong input", &json!({"kind": "count", "n": "three"})),
        message("also good", &order(3)),
        json!({"messageId": "no body", "eventSource": "aws:sqs"}),
        json!({"eventSource": "aws:sqs", "body": "no id"}),
        message(
            "test",
            &json!({"Event": "s3:TestEvent", "Service": "Amazon S3"}),
        ),
    ];
    let report = stand.handle(batch(&messages));
    assert_eq!(again(&report), ["fails"]);
    let of = |id: &str| {
        let mut records = report.records.iter();
        let record = records.find(|record| record.id.as_deref() == Some(id));
        record.unwrap().outcomes.first().unwrap()
    };
    assert!(matches!(of("good"), Outcome::Started { fresh: true, .. }));
    assert!(matches!(
        of("also good"),
        Outcome::Started { fresh: true, .. }
    ));
    assert!(matches!(of("unmatched"), Outcome::Unmatched { .. }));
    assert!(matches!(of("text"), Outcome::Unmatched { .. }));
    assert!(of("misfit").to_string().contains("no value at `$.body.id`"));
    assert!(
        of("wrong input")
            .to_string()
            .contains("the input does not fit count")
    );
    assert!(of("no body").to_string().contains("no text as its `body`"));
    assert!(
        report.records[8].outcomes[0]
            .to_string()
            .contains("no `messageId`")
    );
    assert!(report.records[9].outcomes.is_empty());

    stand.world.faults.heal();
    assert_eq!(again(&stand.handle(batch(&messages))), Vec::<String>::new());
    assert_eq!(stand.executions(), 3);
}

#[test]
fn one_group_of_a_fifo_queue_keeps_its_order() {
    let stand = Stand::new(RULES);
    let head = millpond::keys::head(&eid("order 1"));
    stand
        .world
        .faults
        .add(Rule::new(Injection::NotSent).under(head.as_str()).always());
    let of = |id: &str, group: &str, order_id: u64| {
        let mut message = message(id, &order(order_id));
        message["attributes"] = json!({"MessageGroupId": group});
        message
    };
    let report = stand.handle(batch(&[
        of("a1", "a", 1),
        of("b1", "b", 2),
        of("a2", "a", 3),
        of("b2", "b", 4),
    ]));
    assert_eq!(again(&report), ["a1", "a2"]);
    assert_eq!(stand.executions(), 2);
}

#[test]
fn a_signal_finds_its_execution_by_key_and_is_received_once() {
    let stand = Stand::new(RULES);
    stand.handle(batch(&[message("m", &json!({"kind": "listen", "id": 7}))]));
    stand.world.run_all();
    let report = stand.handle(bank("paid", 7, 99));
    assert!(matches!(
        report.records[0].outcomes[0],
        Outcome::Signalled { known: false, .. }
    ));
    let report = stand.handle(bank("paid", 7, 99));
    assert!(matches!(
        report.records[0].outcomes[0],
        Outcome::Signalled { known: true, .. }
    ));
    assert_eq!(report.payload(), Ok(Value::Null));
    stand.world.run_all();
    assert_eq!(stand.world.result(eid("order 7")), Ok(99));
    // The execution has ended: there is nothing to signal.
    let report = stand.handle(bank("paid", 7, 1));
    let why = report.records[0].outcomes[0].to_string();
    assert!(
        why.starts_with("refused by trigger paid") && why.contains("is over"),
        "{why}"
    );
}

#[test]
fn a_signal_without_execution_follows_the_rule() {
    let stand = Stand::new(RULES);
    let outcome = |event: Value| {
        let report = stand.handle(event);
        (
            report.payload().is_ok(),
            report.records[0].outcomes[0].clone(),
        )
    };
    let (ok, reported) = outcome(bank("paid", 1, 2));
    assert!(
        ok && reported.to_string().contains("key=\"order 1\""),
        "{reported}"
    );
    assert!(matches!(
        outcome(bank("ignore", 1, 2)),
        (true, Outcome::Ignored { .. })
    ));
    assert!(matches!(
        outcome(bank("wait", 1, 2)),
        (false, Outcome::Failed { .. })
    ));
    assert!(matches!(
        outcome(bank("start", 1, 2)),
        (true, Outcome::Signalled { .. })
    ));
    assert!(matches!(
        outcome(bank("start", 1, 2)),
        (true, Outcome::Signalled { known: true, .. })
    ));
    // Messages of one instant are received in the order of their ids.
    stand.world.clock.advance(Duration::from_secs(1));
    assert!(matches!(
        outcome(bank("wait", 1, 2)),
        (true, Outcome::Signalled { .. })
    ));
    stand.world.run_all();
    assert_eq!(stand.executions(), 1);
    assert_eq!(stand.world.result(eid("order 1")), Ok(2));
}

#[test]
fn events_that_cannot_fail_alone_fail_together() {
    let stand = Stand::new(
        r#"
        [[trigger]]
        name = "all"
        source = "s3"
        bucket = "inbox"
        workflow = "keep"
        key = "${$.detail.object.key}"
        "#,
    );
    let head = millpond::keys::head(&eid("b"));
    stand
        .world
        .faults
        .add(Rule::new(Injection::NotSent).under(head.as_str()).always());
    let of = |key: &str| record("ObjectCreated:Put", "inbox", key, "1");
    let event = json!({"Records": [of("a"), of("b"), of("%zz")]});
    let error = stand.handle(event.clone()).payload().unwrap_err();
    assert_eq!((error.failed, error.all), (1, 3));
    assert!(
        error
            .to_string()
            .starts_with("1 of 3 records failed: failed by trigger all")
    );
    stand.world.faults.heal();
    assert_eq!(stand.handle(event).payload(), Ok(Value::Null));
    assert_eq!(stand.executions(), 2);
}

#[test]
fn nothing_begins_without_time_left() {
    let stand = Stand::new(RULES);
    let event = Event::read(batch(&[message("m", &order(1))]));
    let now = stand.world.clock.now();
    let late = starter(&stand.starter, event.clone(), Some(now));
    let report = stand.world.block(late);
    assert_eq!(again(&report), ["m"]);
    assert!(
        report.records[0].outcomes[0]
            .to_string()
            .contains("no time is left")
    );
    assert_eq!(stand.executions(), 0);
    let soon = now + std::time::Duration::from_secs(1);
    let report = stand
        .world
        .block(starter(&stand.starter, event, Some(soon)));
    assert_eq!(again(&report), Vec::<String>::new());
}

#[test]
fn payloads_that_are_not_events_are_reported() {
    let stand = Stand::new(RULES);
    for odd in [
        json!({"tick": "2026-01-01T00:00:00Z"}),
        json!({"a": 1}),
        json!(null),
    ] {
        let report = stand.handle(odd);
        assert_eq!(report.payload(), Ok(Value::Null));
        assert!(matches!(
            report.records[0].outcomes[0],
            Outcome::Refused { rule: None, .. }
        ));
    }
    let test = json!({"Event": "s3:TestEvent", "Service": "Amazon S3"});
    assert!(stand.handle(test).records.is_empty());
}

#[test]
fn a_redelivered_start_costs_one_read() {
    let stand = Stand::new(RULES);
    let event = || batch(&[message("m", &order(1))]);
    let (_, first) = stand.world.counted(|_| stand.handle(event()));
    let (_, second) = stand.world.counted(|_| stand.handle(event()));
    assert_eq!((first.reads, first.writes), (1, 2));
    assert_eq!((second.reads, second.writes), (1, 0));
}

/// Issue 14, item 16.
#[test]
fn a_message_is_an_event_of_s3_or_eventbridge_only_if_a_rule_names_its_queue_or_topic() {
    let queue = "arn:aws:sqs:eu-central-1:123456789012:events";
    let topic = "arn:aws:sns:eu-central-1:123456789012:uploads";
    let upload = json!({"Records": [record("ObjectCreated:Put", "inbox", "a", "1")]});
    let published = |message: &Value| {
        json!({"Type": "Notification", "MessageId": "n", "TopicArn": topic,
            "Message": message.to_string()})
    };
    let through_topic = json!({"Records": [{"EventSource": "aws:sns", "Sns": published(&upload)}]});
    let of_bank = bank("paid", 1, 2);
    let carried = [
        batch(&[message("m", &upload)]),
        batch(&[message("m", &of_bank)]),
        batch(&[message("m", &published(&upload))]),
        batch(&[message("m", &published(&of_bank))]),
        batch(&[message("m", &published(&json!("text")))]),
    ];
    let rules = |via: &str| {
        Stand::new(&format!(
            r#"
            [[trigger]]
            name = "uploads"
            source = "s3"
            bucket = "inbox"
            workflow = "keep"
            {via}
            [[trigger]]
            name = "bank"
            source = "eventbridge"
            pattern = {{ source = ["com.acme.bank"] }}
            workflow = "keep"
            {via}
            [[trigger]]
            name = "topics"
            source = "sns"
            pattern = {{ message = ["text"] }}
            workflow = "keep"
            {via}
            "#
        ))
    };
    for via in [
        "",
        "via = []",
        "via = \"other\"",
        "via = [\"vents\", \"arn:aws:sqs:x:1:events\"]",
    ] {
        let stand = rules(via);
        for event in carried.iter().chain([&through_topic]) {
            let report = stand.handle(event.clone());
            let outcome = report.outcomes().next().unwrap().to_string();
            assert!(
                outcome.contains("in `via` of a trigger"),
                "{via}: {outcome}"
            );
        }
        // The topic named in a message may differ from the one that invoked the function.
        let claimed = rules(&format!("via = {topic:?}"));
        claimed.handle(carried[2].clone());
        assert_eq!((stand.executions(), claimed.executions()), (0, 0), "{via}");
        // Without a name, rules also accept the other sources.
        stand.handle(upload.clone());
        stand.handle(of_bank.clone());
        assert_eq!(stand.executions(), 2, "{via}");
    }
    for via in [
        "via = \"events\"".to_owned(),
        format!("via = [\"x\", {queue:?}]"),
    ] {
        let stand = rules(&via);
        for event in &carried {
            let report = stand.handle(event.clone());
            let outcome = report.outcomes().next().unwrap();
            assert!(
                matches!(outcome, Outcome::Started { .. }),
                "{via}: {outcome}"
            );
        }
        assert_eq!(stand.executions(), 3, "{via}");
    }
    let stand = rules("via = \"uploads\"");
    stand.handle(through_topic);
    assert_eq!(stand.executions(), 1);
}
