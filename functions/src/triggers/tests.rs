use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::events::{Content, Envelope, ObjectEvent, Request};

fn parse(text: &str) -> Rules {
    Rules::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn object(bucket: &str, key: &str) -> TriggerEvent {
    let event = json!({
        "id": "e1", "source": "aws.s3", "detail-type": "Object Created",
        "detail": {"bucket": {"name": bucket}, "object": {"key": key, "sequencer": "01"}},
    });
    let object = Envelope::read(&event).unwrap().object().unwrap().unwrap();
    TriggerEvent::of_object(object)
}

fn only(rules: &Rules) -> &Rule {
    rules.iter().next().unwrap()
}

const INVOICES: &str = r#"
[[trigger]]
name = "invoices"
source = "s3"
bucket = "inbox"
prefix = "in/"
suffix = ".csv"
workflow = "invoice"
version = "3"
input = { key = "$.detail.object.key", from = "s3://${$.detail.bucket.name}" }
queue = "slow"
"#;

#[test]
fn a_rule_in_a_file_equals_the_same_rule_in_code() {
    let mut code = Rules::default();
    let trigger = Trigger::s3("invoices")
        .bucket("inbox")
        .prefix("in/")
        .suffix(".csv")
        .start("invoice")
        .version("3")
        .input(json!({"key": "$.detail.object.key", "from": "s3://${$.detail.bucket.name}"}))
        .queue("slow");
    code.add(trigger).unwrap();
    let file = parse(INVOICES);
    let plan = |rules: &Rules| {
        let (rule, event) = (only(rules), object("inbox", "in/a.csv"));
        assert_eq!(rule.mismatch(&event), None);
        rule.plan(&event.value, &event.identity).unwrap()
    };
    assert_eq!(plan(&file), plan(&code));
    assert_eq!(
        plan(&file),
        Plan {
            rule: "invoices".to_owned(),
            key: "invoices:inbox/in/a.csv@01".to_owned(),
            action: Action::Start(Starts {
                workflow: "invoice".to_owned(),
                version: Some("3".to_owned()),
                input: json!({"key": "in/a.csv", "from": "s3://inbox"}),
                queue: Some("slow".to_owned()),
            }),
        }
    );
    let twice = code.merge(file).unwrap_err().to_string();
    assert_eq!(
        twice,
        "line 3, column 1: trigger invoices: duplicate `name`: another trigger has it; choose another \
         name"
    );
}

#[test]
fn a_mismatch_has_a_reason() {
    let rules = parse(INVOICES);
    let why = |event: &TriggerEvent| only(&rules).mismatch(event).unwrap();
    assert!(why(&object("other", "in/a.csv")).starts_with("detail.bucket.name is \"other\""));
    assert!(why(&object("inbox", "out/a.csv")).contains("begins with \"in/\""));
    assert!(why(&object("inbox", "in/a.txt")).contains("ends with \".csv\""));
    let mut deleted = object("inbox", "in/a.csv");
    deleted.value["detail-type"] = json!("Object Deleted");
    assert!(why(&deleted).starts_with("detail-type is \"Object Deleted\""));
    let request = json!({"requestContext": {"http": {"method": "POST"}}});
    let request = TriggerEvent::of_request(Request::read(&request).unwrap());
    assert_eq!(
        why(&request),
        "the trigger's source is s3, the event's is webhook"
    );
}

#[test]
fn every_error_of_a_file_is_reported_with_its_position() {
    let text = r#"
[[trigger]]
name = "one"
sorce = "s3"
bucket = "b"
workflow = "w"

[[trigger]]
name = "two"
source = "eventbridge"
pattern = { source = "aws.s3" }
workflow = "w"
input = { a = "$.a[b" }
queue = "a/b"

[[trigger]]
name = "three"
source = "webhook"
workflow = "w"
[trigger.signature]
scheme = "hex"
secrett = "s"

[[trigger]]
name = "four"
source = "s3"
prefix = "x"
on = "creatd"
[trigger.signal]
channel = "c"
to = "$.line.x"

[[trigger]]
name = "a b"
source = "sqs"
bucket = "b"
  max_lines = 3
via = "q"

[triger]

[[trigger]]
workflow = 3
name = "five"
max_bytes = 3
input = { a = nan }
source = "s3"
pattern = '{"source": ["x"]}'

[trigger.signal]
channel = "A"
absent = "start"
"#;
    let error = Rules::parse(text).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    let wanted = [
        "line 2, column 1: trigger one: missing field `source`: one of eventbridge, s3,",
        "line 4, column 1: trigger one: unknown field `sorce`; did you mean `source`?: known=name,",
        "line 11, column 1: trigger two: invalid `pattern`: at source: values must be in an array",
        "line 13, column 1: trigger two: invalid `input`: invalid path: at position",
        "line 14, column 1: trigger two: invalid `queue`: invalid queue name: `[a-z0-9",
        "line 16, column 1: trigger three: missing field `path`",
        "line 20, column 10: trigger three: missing field `signature.secret`",
        "line 20, column 10: trigger three: missing field `signature.header`",
        "line 22, column 1: trigger three: unknown field `signature.secrett`; did you mean `secret`?",
        "line 24, column 1: trigger four: missing field `bucket`: name the bucket, here or in",
        "line 28, column 1: trigger four: invalid `on`: unknown variant `creatd`, expected one of \
         `created`, `deleted`, `any`; did you mean `created`?",
        "line 31, column 1: trigger four: invalid `signal.to`: `$.line.x` requires `each`",
        "line 33, column 1: trigger a b: missing field `workflow`",
        "line 34, column 1: trigger a b: invalid `name`: it must be 1 to 64 of",
        "line 36, column 1: trigger a b: misplaced field `bucket`: it requires source = \"s3\"",
        "line 37, column 3: trigger a b: misplaced field `max_lines`: it requires source = \"s3\"",
        "line 38, column 1: trigger a b: misplaced field `via`: it requires source = ",
        "line 40, column 2: unknown field `triger`; did you mean `trigger`?",
        "line 43, column 1: trigger five: invalid `workflow`: invalid type: integer `3`",
        "line 45, column 1: trigger five: misplaced field `max_bytes`: it requires `each`",
        "line 46, column 1: trigger five: invalid `input`: JSON has no such number: nan",
        "line 50, column 10: trigger five: missing field `signal.to`",
        "line 51, column 1: trigger five: invalid `signal.channel`: invalid channel name",
    ];
    for wanted in wanted {
        assert!(
            lines.iter().any(|line| line.starts_with(wanted)),
            "{wanted}\n---\n{error}"
        );
    }
    assert_eq!(lines.len(), wanted.len(), "{error}");
}

/// Issue 14, item 16.
#[test]
fn a_signed_rule_takes_its_key_from_what_is_signed() {
    let hook = || {
        Trigger::webhook("hook", "/hook")
            .signature(Signature::new(Scheme::Github, "github"))
            .start("invoice")
    };
    let add = |trigger: Trigger| Rules::default().add(trigger).map_err(|e| e.to_string());
    for unsigned in [
        "push-${$.headers['x-github-delivery']}",
        "${$.body.id}-${$.query.n?}",
        "$.path",
        "$['method']",
        "${$..id}",
    ] {
        let error = add(hook().key(unsigned)).expect_err(unsigned);
        assert!(
            error.contains("invalid `key`: `$") && error.contains("not covered"),
            "{error}"
        );
        let signal = SignalAction::new("c", unsigned).absent(Absent::Start);
        let error = add(hook().signal(signal)).expect_err(unsigned);
        assert!(error.contains("invalid `signal.to`: `$"), "{error}");
    }
    for signed in ["push-${$.body.id}", "$['body'].id", "push"] {
        assert_eq!(add(hook().key(signed)), Ok(()));
    }
    let open = Trigger::webhook("hook", "/hook")
        .unsigned()
        .start("invoice");
    assert_eq!(add(open.key("$.headers.id")), Ok(()));
}

/// Issue 14, item 14.
#[test]
fn long_numbers_keep_their_digits_in_keys() {
    let rules = parse(
        r#"
        [[trigger]]
        name = "orders"
        source = "sqs"
        workflow = "w"
        key = "order-${$.body.id}"
        "#,
    );
    let key = |body: &str| {
        let message = json!({"messageId": "m", "body": body});
        let message = crate::events::Message::from_record(&message).unwrap();
        let event = TriggerEvent::of_message(message, &rules).remove(0).unwrap();
        only(&rules)
            .plan(&event.value, &event.identity)
            .unwrap()
            .key
    };
    for number in [
        "12345678901234567890123",
        "12345678901234567890124",
        "-9223372036854775809",
        "-9223372036854775808",
        "18446744073709551616",
        "18446744073709551615",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740995.5",
        "1e-400",
        "0.10000000000000000001",
    ] {
        assert_eq!(
            key(&format!("{{\"x\": [[]], \"id\" : {number} }}")),
            format!("order-{number}")
        );
    }
    let pattern = json!(r#"{"id": [12345678901234567890123]}"#);
    let pattern = Pattern::try_from(pattern).unwrap();
    let event = |id: &str| crate::events::parse(&format!("{{\"id\": {id}}}")).unwrap();
    assert!(pattern.matches(&event("12345678901234567890123")));
    assert!(!pattern.matches(&event("12345678901234567890124")));
}

#[test]
fn invalid_toml_is_reported_with_its_position() {
    let error = Rules::parse("[[trigger]]\nname = \"a\nsource = 3").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("line 2, column 10: invalid TOML: "),
        "{error}"
    );
    let error = Rules::parse("[trigger]\nname = \"a\"").unwrap_err();
    assert!(
        error.to_string().contains("write each under [[trigger]]"),
        "{error}"
    );
    let long = "#".repeat(300_000);
    assert!(
        Rules::parse(&long)
            .unwrap_err()
            .to_string()
            .contains("max=262144")
    );
    assert!(Rules::parse("").unwrap().is_empty());
}

#[test]
fn case21_a_rule_that_covers_the_engines_own_prefix_is_refused() {
    let own = |prefix| Own::new("pond", prefix);
    let bridge = |pattern: Value| Trigger::eventbridge("t").pattern(pattern).start("w");
    let key = |matcher: Value| {
        let object = json!({"bucket": {"name": ["pond"]}, "object": {"key": [matcher]}});
        Trigger::s3("t")
            .pattern(json!({"detail": object}))
            .start("w")
    };
    let s3 = || Trigger::s3("t").bucket("pond").start("w");
    let refused = |trigger: Trigger, own: Own| {
        let mut rules = Rules::default();
        rules.add(trigger).unwrap();
        match rules.check_own(&own) {
            Ok(()) => false,
            Err(error) => {
                let place = format!("engine={own}");
                assert!(error.to_string().contains(&place), "{error}");
                true
            }
        }
    };
    // With the state at a prefix, all objects there belong to the engine.
    assert!(refused(s3(), own("state")));
    assert!(refused(s3().prefix("st"), own("state/")));
    assert!(refused(s3().prefix("state/in/"), own("state")));
    assert!(refused(s3().suffix(".csv"), own("state")));
    assert!(refused(s3().on(On::Deleted), own("state")));
    assert!(refused(key(json!({"wildcard": "*.csv"})), own("state")));
    assert!(refused(
        key(json!({"anything-but": {"prefix": "state/mail/"}})),
        own("state")
    ));
    assert!(!refused(s3().prefix("inbox/"), own("state")));
    assert!(!refused(s3().prefix("state2/"), own("state")));
    assert!(!refused(
        key(json!({"anything-but": {"prefix": "state/"}})),
        own("state")
    ));
    assert!(!refused(
        Trigger::s3("t").bucket("other").start("w"),
        own("state")
    ));
    // With the state at the root, only the engine's own kinds of objects do.
    assert!(refused(s3(), own("")));
    assert!(refused(s3().prefix("mail/"), own("")));
    assert!(refused(s3().prefix("m"), own("")));
    assert!(!refused(s3().prefix("inbox/"), own("")));
    // The same through EventBridge, and through CloudTrail's events.
    assert!(refused(bridge(json!({"source": ["aws.s3"]})), own("state")));
    assert!(refused(
        bridge(json!({"source": [{"prefix": "aws."}]})),
        own("state")
    ));
    assert!(refused(
        bridge(json!({"detail-type": ["Object Created"]})),
        own("state")
    ));
    assert!(!refused(
        bridge(json!({"source": ["com.acme"]})),
        own("state")
    ));
    let trail = |bucket: &str| {
        bridge(json!({
            "source": ["aws.s3"], "detail-type": ["AWS API Call via CloudTrail"],
            "detail": {"requestParameters": {"bucketName": [bucket]}},
        }))
    };
    assert!(refused(trail("pond"), own("state")));
    assert!(!refused(trail("other"), own("state")));
}

#[test]
fn events_of_the_engines_own_objects_are_recognized() {
    let own = Own::new("pond", "state");
    assert!(own.concerns(&object("pond", "state/mail/default/x").value));
    assert!(!own.concerns(&object("pond", "inbox/x").value));
    assert!(!own.concerns(&object("other", "state/mail/default/x").value));
    let trail = json!({"detail": {"requestParameters": {"bucketName": "pond", "key": "state/x"}}});
    assert!(own.concerns(&trail));
    let root = Own::new("pond", "");
    assert!(root.contains("pond", "mail/q/x") && !root.contains("pond", "inbox/mail/x"));
}

#[test]
fn item_9_a_rule_for_a_queue_that_nothing_serves_is_refused() {
    let rule = |queue: &str| {
        let other = format!("queue = \"{queue}\"");
        parse(&INVOICES.replace("queue = \"slow\"", &other))
    };
    let served = ["default", "slow"].map(|name| name.parse().unwrap()).into();
    assert_eq!(rule("slow").check_queues(&served), Ok(()));
    assert_eq!(rule("solw").check_queues(&BTreeSet::new()), Ok(()));
    let error = rule("solw").check_queues(&served).unwrap_err().to_string();
    let why = "serves the queue `solw`; did you mean `slow`?: served=default,slow";
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_rule_for_an_unknown_workflow_or_secret_is_refused() {
    let app = millpond::client::App::new().workflow("invoice", "3", nothing);
    assert_eq!(parse(INVOICES).check_app(&app), Ok(()));
    let other = parse(&INVOICES.replace("\"invoice\"", "\"invioce\""));
    let error = other.check_app(&app).unwrap_err().to_string();
    assert!(
        error.starts_with("line 8, column 1: trigger invoices: unknown workflow `invioce@3`"),
        "{error}"
    );
    assert!(
        error.contains("did you mean `invoice`?: registered=invoice@3"),
        "{error}"
    );
    let older = parse(&INVOICES.replace("\"3\"", "\"2\""));
    assert!(older.check_app(&app).is_err());

    let hook = Trigger::webhook("hook", "/hook")
        .signature(Signature::new(Scheme::Github, "gihub"))
        .start("invoice");
    let mut rules = Rules::default();
    rules.add(hook).unwrap();
    let secrets = Secrets::parse(r#"{"github": "x"}"#).unwrap();
    let error = rules.check_secrets(&secrets).unwrap_err().to_string();
    assert!(
        error.contains("unknown secret `gihub`; did you mean `github`?"),
        "{error}"
    );
    assert!(rules.check_secrets(&Secrets::default()).is_err());
}

async fn nothing(_: millpond::Context, (): ()) -> Result<(), millpond::Failed> {
    Ok(())
}

#[test]
fn each_source_has_its_own_form_and_identity() {
    let sqs = json!({"messageId": "m1", "body": "{\"a\": 1}", "eventSourceARN": "q",
        "messageAttributes": {"k": {"stringValue": "v"}}});
    let message = crate::events::Message::from_record(&sqs).unwrap();
    let event = TriggerEvent::of_message(message, &Rules::default())
        .remove(0)
        .unwrap();
    assert_eq!(
        (event.source, event.identity.as_str()),
        (SourceKind::Sqs, "m1")
    );
    let seen = json!({"message_id": "m1", "body": {"a": 1}, "queue": "q",
        "attributes": {"k": "v"}});
    assert_eq!(event.value, seen);

    let sns = json!({"Type": "Notification", "MessageId": "n1", "TopicArn": "t",
        "Subject": "s", "Message": "plain"});
    let Content::Published(published) = Content::read(&sns.to_string()) else {
        panic!("not of SNS")
    };
    let event = TriggerEvent::of_published(published, &Rules::default())
        .remove(0)
        .unwrap();
    assert_eq!(
        (event.source, event.identity.as_str()),
        (SourceKind::Sns, "n1")
    );
    assert_eq!(event.value["message"], "plain");

    let request = json!({"rawPath": "/h", "rawQueryString": "a=x+y&b", "body": "[1]",
        "headers": {"X-A": "1"}, "requestContext": {"http": {"method": "POST"}}});
    let event = TriggerEvent::of_request(Request::read(&request).unwrap());
    assert_eq!(event.value["query"], json!({"a": "x y", "b": ""}));
    assert_eq!(event.value["headers"], json!({"x-a": "1"}));
    assert_eq!(event.value["body"], json!([1]));

    // S3 through EventBridge has both sources; without an id, the event itself identifies it.
    let event = object("inbox", "k").value;
    let both = TriggerEvent::of_envelope(Envelope::read(&event).unwrap());
    let both: Vec<TriggerEvent> = both.into_iter().map(Result::unwrap).collect();
    assert_eq!(
        (both[0].source, both[1].source),
        (SourceKind::EventBridge, SourceKind::S3)
    );
    let mut other = event;
    other["detail"]["object"]["key"] = json!("l");
    let other = TriggerEvent::of_envelope(Envelope::read(&other).unwrap()).remove(0);
    assert_ne!(both[0].identity, other.unwrap().identity);
}

#[test]
fn a_long_default_key_is_a_digest_and_a_long_key_of_a_template_is_refused() {
    let rules = parse(INVOICES);
    let long = format!("in/{}.csv", "🦆".repeat(255));
    let event = object("inbox", &long);
    let plan = |rules: &Rules, o: &TriggerEvent| only(rules).plan(&o.value, &o.identity);
    let key = plan(&rules, &event).unwrap().key;
    assert!(key.starts_with("invoices:") && key.len() < 100, "{key}");
    let other = object("inbox", &long.replace(".csv", "x.csv"));
    assert_ne!(plan(&rules, &other).unwrap().key, key);
    let asked = parse(&format!("{INVOICES}\nkey = \"k${{$.detail.object.key}}\""));
    let error = plan(&asked, &event).unwrap_err().to_string();
    assert!(error.starts_with("`key`: "), "{error}");
}

#[test]
fn different_events_of_one_object_have_different_keys() {
    let rules = parse(INVOICES);
    let key = |event: &TriggerEvent| {
        let plan = only(&rules).plan(&event.value, &event.identity);
        plan.unwrap().key
    };
    let first = object("inbox", "in/a.csv");
    let again = ObjectEvent {
        sequencer: Some("02".to_owned()),
        ..first.object.clone().unwrap()
    };
    let versioned = ObjectEvent {
        version_id: Some("v".to_owned()),
        ..again.clone()
    };
    assert_ne!(key(&first), key(&TriggerEvent::of_object(again)));
    assert_eq!(
        key(&TriggerEvent::of_object(versioned)),
        "invoices:inbox/in/a.csv@v"
    );
}
