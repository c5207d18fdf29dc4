//! Failures, and the stored form of payloads and entries.

use serde_json::Value;

use crate::domain::{Blocked, Entry, Failure, FrameId, Json, Payload};

#[test]
fn huge_error_texts_are_cut_with_a_mark() {
    let whole = 1 << 20;
    let failure = Failure::new("K".repeat(1_000), "é".repeat(whole / 2));
    assert!(failure.message.len() <= 8 * 1024 + 40);
    assert!(
        failure
            .message
            .ends_with(&format!("... [cut, {whole} bytes]"))
    );
    assert!(failure.kind.len() < 300 && failure.kind.contains("[cut, 1000 bytes]"));
    let short = Failure::new("kind", "x".repeat(8 * 1024));
    assert_eq!(short.message.len(), 8 * 1024);
    let again = Failure::new("kind", format!("root/step#0: {}", failure.message));
    assert!(again.message.len() <= 8 * 1024 + 40);
    assert!(
        again
            .message
            .ends_with(&format!("... [cut, {whole} bytes]"))
    );
    assert_eq!(Failure::new("kind", again.message.clone()), again);
    // The cut must not split a character.
    let odd = Failure::new("kind", format!("x{}", "\u{1f996}".repeat(3_000)));
    assert!(odd.message.starts_with("x\u{1f996}"));
}

#[test]
fn payloads_are_stored_as_they_are() {
    let inline = Payload::from(Json::of(&u64::MAX).unwrap());
    let stored = serde_json::to_string(&inline).unwrap();
    assert_eq!(stored, r#"{"inline":18446744073709551615}"#);
    assert_eq!(serde_json::from_str::<Payload>(&stored).unwrap(), inline);
    let bad = r#"{"blob":{"sha256":"../../head","bytes":1}}"#;
    assert!(serde_json::from_str::<Payload>(bad).is_err());
}

#[test]
fn the_kind_of_an_entry_is_the_name_it_is_stored_under() {
    let fid = FrameId::root();
    let value = Payload::from(Json::null());
    let entries = [
        Entry::Started,
        Entry::Completed {
            value: value.clone(),
        },
        Entry::Blocked(Blocked::ForeignAwait {
            message: String::new(),
        }),
        Entry::FrameCompleted {
            fid: fid.clone(),
            value,
        },
        Entry::FrameDropped { fid },
    ];
    let kinds = entries.each_ref().map(Entry::kind);
    assert_eq!(
        kinds,
        [
            "execution.started",
            "execution.completed",
            "execution.blocked",
            "frame.completed",
            "frame.dropped"
        ]
    );
    for entry in &entries {
        let tag = match serde_json::to_value(entry).unwrap() {
            Value::Object(fields) => fields.into_iter().next().unwrap().0,
            other => other.as_str().unwrap().to_owned(),
        };
        assert_eq!(tag, entry.kind());
    }
}
