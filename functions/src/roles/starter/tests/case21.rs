//! Case 21: many uploads, reported out of order and more than once.

use std::collections::{BTreeMap, BTreeSet};

use millpond::keys::{Key, Kind};
use serde_json::{Value, json};

use super::super::Outcome;
use super::world::{Stand, again, batch, eid, message, record};

const RULES: &str = r#"
[[trigger]]
name = "uploads"
source = "s3"
via = "events"
bucket = "inbox"
prefix = "in/"
workflow = "keep"
input = { key = "$.detail.object.key", version = "$.detail.object.sequencer" }
"#;

/// Number of events before duplication.
const EVENTS: usize = 10_000;
/// Components of the keys.
const PIECES: [&str; 8] = [" ", "+", "%2F", "🦆", "%", "%2B", "é", "plain"];

/// A seeded random number generator (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

/// Encodes a key as S3's notifications do.
fn encode(key: &str) -> String {
    let mut out = String::new();
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// One event in one of its possible forms of delivery.
fn reports(dice: &mut Dice, name: &str, key: &str, sequencer: &str) -> Value {
    let notification = json!({"Records": [record(name, "inbox", &encode(key), sequencer)]});
    match dice.below(3) {
        0 => notification,
        1 => json!({
            "Type": "Notification", "MessageId": "n", "TopicArn": "arn:aws:sns:x:1:t",
            "Message": notification.to_string(),
        }),
        _ => {
            let created = name.starts_with("ObjectCreated");
            let kind = if created {
                "Object Created"
            } else {
                "Object Deleted"
            };
            let object = json!({"key": key, "etag": "tag", "sequencer": sequencer});
            json!({
                "id": format!("{sequencer}-{name}"), "source": "aws.s3", "detail-type": kind,
                "detail": {"bucket": {"name": "inbox"}, "object": object},
            })
        }
    }
}

#[test]
fn case21_ten_thousand_uploads_in_disorder_start_once_for_each_object_version() {
    let seed = std::env::var("SEED").map_or(21, |seed| seed.parse().unwrap());
    println!("SEED={seed}");
    let mut dice = Dice(seed);
    // The changes: uploads, and occasionally a delete followed by an upload of the same key.
    let (mut bodies, mut versions) = (Vec::new(), BTreeMap::new());
    let mut keys: Vec<String> = Vec::new();
    for n in 0..EVENTS {
        let sequencer = format!("{n:016X}");
        let deletes = !keys.is_empty() && dice.below(5) == 0;
        let name = match (deletes, dice.below(3)) {
            (true, _) => "ObjectRemoved:Delete",
            (false, 0) => "ObjectCreated:Put",
            (false, 1) => "ObjectCreated:Copy",
            (false, _) => "ObjectCreated:CompleteMultipartUpload",
        };
        let old = !keys.is_empty() && (deletes || dice.below(4) == 0);
        let key = if old {
            keys[dice.below(keys.len())].clone()
        } else {
            let mut piece = || PIECES[dice.below(PIECES.len())];
            format!("in/{}{}{n}{}", piece(), piece(), piece())
        };
        for _ in 0..=dice.below(3) {
            bodies.push(reports(&mut dice, name, &key, &sequencer));
        }
        if !deletes {
            versions.insert(
                format!("uploads:inbox/{key}@{sequencer}-tag"),
                (key.clone(), sequencer),
            );
            keys.push(key);
        }
    }
    for n in (1..bodies.len()).rev() {
        bodies.swap(n, dice.below(n + 1));
    }

    let stand = Stand::new(RULES);
    let (mut fresh, mut unmatched) = (BTreeSet::new(), 0);
    for bodies in bodies.chunks(10) {
        let messages: Vec<Value> = bodies.iter().map(|body| message("m", body)).collect();
        let report = stand.handle(batch(&messages));
        assert_eq!(again(&report), Vec::<String>::new());
        for outcome in report.outcomes() {
            match outcome {
                Outcome::Started {
                    eid,
                    fresh: true,
                    differs,
                    ..
                } => {
                    assert!(!differs);
                    assert!(fresh.insert(*eid), "{eid} was started twice");
                }
                Outcome::Started { differs, .. } => assert!(!differs, "{outcome}"),
                Outcome::Unmatched { why, .. } => {
                    assert!(why[0].contains("Object Deleted"), "{why:?}");
                    unmatched += 1;
                }
                other => panic!("{other}"),
            }
        }
    }

    // One execution for each version, and no other; its key decoded exactly once.
    assert!(
        unmatched > 500 && versions.len() > 5_000,
        "{}",
        versions.len()
    );
    assert_eq!(stand.executions(), versions.len());
    assert_eq!(fresh.len(), versions.len());
    let heads = stand.world.memory.snapshot();
    let heads = heads.iter().filter(|(key, _)| Kind::of(key) == Kind::Head);
    let heads: BTreeMap<&Key, &bytes::Bytes> = heads.map(|(key, body)| (key, body)).collect();
    for (dedup, (key, sequencer)) in &versions {
        let eid = eid(dedup);
        assert!(fresh.contains(&eid), "{dedup} was not started");
        let head: Value = serde_json::from_slice(heads[&millpond::keys::head(&eid)]).unwrap();
        let input = &head["record"]["args"]["inline"];
        assert_eq!(*input, json!({"key": key, "version": sequencer}));
    }
}

#[test]
fn case21_objects_of_the_engine_start_nothing_whatever_the_rules() {
    // A rule without any key pattern, and an event that S3 does not send: the rule passes the
    // check.
    let stand = Stand::new(
        r#"
        [[trigger]]
        name = "other"
        source = "s3"
        via = "events"
        bucket = "inbox"
        workflow = "keep"
        "#,
    );
    let own = record("ObjectCreated:Put", "pond", "state/mail/default/x", "1");
    let beside = record("ObjectCreated:Put", "pond", "inbox/x", "1");
    let theirs = record("ObjectCreated:Put", "inbox", "state/mail/default/x", "1");
    let records = json!({"Records": [own, beside, theirs]});
    let eid = "00000000-0000-4000-8000-000000000001";
    let cause = format!("mail/default/01/{eid}/0.start");
    let hint = json!({"millpond": 1, "queue": "default", "eid": eid, "cause": cause});
    // A message of another application that has a field of that name.
    let order = json!({"millpond": "a mill's pond", "queue": "default", "eid": eid});
    let messages = [
        message("a", &records),
        message("b", &hint),
        message("c", &order),
    ];
    let report = stand.handle(batch(&messages));
    let outcomes: Vec<&Outcome> = report.outcomes().collect();
    assert!(matches!(outcomes[0], Outcome::Own { what } if what.contains("state/mail")));
    assert!(matches!(outcomes[1], Outcome::Unmatched { .. }));
    assert!(matches!(outcomes[2], Outcome::Started { .. }));
    assert!(matches!(outcomes[3], Outcome::Own { .. }));
    assert!(matches!(outcomes[4], Outcome::Unmatched { .. }));
    assert_eq!(again(&report), Vec::<String>::new());
    assert_eq!(stand.executions(), 1);
}
