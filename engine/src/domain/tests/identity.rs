//! A4: no text that a caller can choose yields an id of another kind.

use proptest::prelude::*;

use crate::domain::{Class, ExecutionId, FrameId, FrameName, MessageId, Text};
use crate::replay::idempotency_key;

fn text(text: &str) -> Text {
    Text::parse(text).unwrap()
}

fn frame(n: u32) -> FrameId {
    FrameId::root().nth(&FrameName::parse("pay").unwrap(), n)
}

/// The bytes that an id is a hash of: each part behind its length.
fn derivation(parts: &[&[u8]]) -> Vec<u8> {
    let framed = parts.iter().map(|part| {
        let length = (part.len() as u64).to_be_bytes();
        [&length[..], part].concat()
    });
    framed.collect::<Vec<_>>().concat()
}

#[test]
fn a19_a_start_key_never_yields_the_id_of_a_child() {
    let parent = ExecutionId::keyed(&text("INV-1"), 0);
    let child = parent.child(0, &frame(0));
    let uuid = *parent.uuid().as_bytes();
    let parts = [&uuid[..], &0_u32.to_be_bytes(), b"root/pay#0"];
    let spelled = [
        format!("{parent}/root/pay#0"),
        format!("{parent}\n0\nroot/pay#0"),
        String::from_utf8_lossy(&derivation(&parts)).into_owned(),
    ];
    for key in &spelled {
        for n in 0..4 {
            assert_ne!(ExecutionId::keyed(&text(key), n), child, "{key:?}");
        }
    }
}

#[test]
fn a19_a_channel_and_a_key_never_yield_the_message_id_of_a_workflow() {
    let sender = ExecutionId::keyed(&text("INV-1"), 0);
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let sent = MessageId::sent(Class::Message, at, &sender, 41);
    for (channel, key) in [
        (sender.to_string(), "root/send#0"),
        ("a".to_owned(), sent.as_str()),
        ("20260102T030405.000000Z".to_owned(), "00000041"),
    ] {
        assert_ne!(MessageId::keyed(&channel, &text(key)), sent);
        assert_ne!(
            MessageId::keyed(&channel, &text(key)),
            MessageId::result(&sender, 0)
        );
    }
}

#[test]
fn a21_each_execution_of_a_key_and_each_generation_has_children_and_keys_of_its_own() {
    let key = text("INV-1");
    let (first, second) = (ExecutionId::keyed(&key, 0), ExecutionId::keyed(&key, 1));
    assert_ne!(first, second);
    assert_ne!(first.child(0, &frame(0)), second.child(0, &frame(0)));
    assert_ne!(first.child(0, &frame(0)), first.child(1, &frame(0)));
    let of = |eid, generation| idempotency_key(eid, generation, &frame(0));
    assert_ne!(of(&first, 0), of(&second, 0));
    assert_ne!(of(&first, 0), of(&first, 1));
}

/// A message id by its kind, from parts that a caller may choose.
fn any_mid() -> impl Strategy<Value = (u8, MessageId)> {
    let parts = (
        "[a-z./-]{1,20}",
        "[ -~]{1,40}",
        any::<u128>(),
        0_u64..1 << 40,
    );
    (0_u8..6, parts).prop_map(|(kind, (channel, key, bits, number))| {
        let uuid = uuid::Uuid::from_u128(bits);
        let eid = ExecutionId::new(uuid);
        let at = jiff::Timestamp::from_second(i64::try_from(number >> 8).unwrap()).unwrap();
        let mid = match kind {
            0 => MessageId::keyed(&channel, &text(&key)),
            1 => MessageId::message(at, uuid),
            2 => MessageId::control(at, uuid),
            3 => MessageId::sent(Class::Message, at, &eid, number),
            4 => MessageId::sent(Class::Control, at, &eid, number),
            _ => MessageId::result(&eid, u32::try_from(number >> 8).unwrap()),
        };
        (kind, mid)
    })
}

proptest! {
    #[test]
    fn message_ids_of_two_kinds_have_two_shapes(one in any_mid(), other in any_mid()) {
        let shape = |mid: &MessageId| {
            let shape = mid.as_str().replace(|c: char| c.is_ascii_hexdigit(), "0");
            format!("{}{shape}", &mid.as_str()[..2])
        };
        prop_assert!(one.0 == other.0 || shape(&one.1) != shape(&other.1), "{one:?} {other:?}");
    }

    #[test]
    fn the_messages_of_one_sender_sort_as_they_were_sent(entry in 0_u64..99_999_999, second in 0_i64..1 << 33) {
        let eid = ExecutionId::keyed(&text("k"), 0);
        let mid = |second, entry| {
            let at = jiff::Timestamp::from_second(second).unwrap();
            MessageId::sent(Class::Message, at, &eid, entry)
        };
        prop_assert!(mid(second, entry) < mid(second, entry + 1));
        prop_assert!(mid(second, entry + 1) < mid(second + 1, entry));
    }
}
