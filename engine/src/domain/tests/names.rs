//! Names that become part of keys, and texts that never do.

use proptest::prelude::*;

use crate::domain::{
    Channel, Class, Digest, ExecutionId, FrameId, FrameName, InvalidName, MessageId, Queue, Text,
    Workflow,
};

const NOT_IN_KEYS: [&str; 16] = [
    "",
    ".",
    "..",
    "a/b",
    "../x",
    "a b",
    "ü",
    "\u{1f996}",
    "a\0",
    "a\n",
    "a:b",
    "a#1",
    "a*",
    "%2e",
    "a~b",
    "\\",
];

fn all(text: &str) -> [Result<(), InvalidName>; 4] {
    [
        Queue::parse(text).map(drop),
        Channel::parse(text).map(drop),
        Workflow::parse(text).map(drop),
        FrameName::parse(text).map(drop),
    ]
}

#[test]
fn names_take_1_to_128_characters() {
    for good in ["a", "0", "-", "_", "a-b_c", &"x".repeat(128)] {
        assert!(all(good).iter().all(Result::is_ok), "{good}");
    }
    assert!(all(&"x".repeat(129)).iter().all(Result::is_err));
    for bad in NOT_IN_KEYS {
        assert!(all(bad).iter().all(Result::is_err), "{bad:?}");
    }
    for dotted in ["a.b", "...", ".a", "v1.2"] {
        let ok: Vec<_> = all(dotted).iter().map(Result::is_ok).collect();
        assert_eq!(ok, [true, true, true, false], "{dotted}");
    }
    let ok: Vec<_> = all("Order").iter().map(Result::is_ok).collect();
    assert_eq!(
        ok,
        [false, false, true, true],
        "workflows and frames keep case"
    );
}

#[test]
fn a_refused_name_is_reported_with_the_rule_it_breaks() {
    let error = Queue::parse(&"X".repeat(5_000)).unwrap_err();
    assert_eq!(error.what, "queue name");
    assert!(error.rule.contains("{1,128}"));
    assert_eq!(error.got.len(), 100);
    let stored = serde_json::from_str::<Queue>("\"a/b\"").unwrap_err();
    assert!(stored.to_string().contains("queue name"), "{stored}");
}

#[test]
fn free_text_takes_1_byte_to_1_kib() {
    for good in [
        "a/b",
        "../x",
        "\u{1f996}",
        "a\nb",
        "\0",
        " ",
        &"x".repeat(1024),
        &"ü".repeat(512),
    ] {
        assert!(Text::parse(good).is_ok(), "{good:?}");
    }
    for bad in [String::new(), "x".repeat(1025), "ü".repeat(513)] {
        assert!(Text::parse(&bad).is_err());
    }
}

#[test]
fn ids_are_read_in_one_spelling_only() {
    let eid = ExecutionId::keyed(&Text::parse("k").unwrap(), 0);
    let text = eid.to_string();
    assert_eq!(ExecutionId::parse(&text), Ok(eid));
    let others = [
        text.to_uppercase(),
        text.replace('-', ""),
        format!("{{{text}}}"),
        format!("urn:uuid:{text}"),
        format!(" {text}"),
    ];
    for other in others {
        assert!(ExecutionId::parse(&other).is_err(), "{other}");
    }
    let digest = Digest::of(b"x");
    let stored = serde_json::to_string(&digest).unwrap();
    assert_eq!(serde_json::from_str::<Digest>(&stored).unwrap(), digest);
    for bad in ["\"\"", "\"../../x\"", &stored.to_uppercase(), "\"é\""] {
        assert!(serde_json::from_str::<Digest>(bad).is_err(), "{bad}");
    }
}

#[test]
fn nfc_and_nfd_are_two_executions() {
    let (nfc, nfd) = (Text::parse("ü").unwrap(), Text::parse("u\u{308}").unwrap());
    assert_ne!(ExecutionId::keyed(&nfc, 0), ExecutionId::keyed(&nfd, 0));
    assert_ne!(MessageId::keyed("c", &nfc), MessageId::keyed("c", &nfd));
    assert_ne!(MessageId::keyed("a", &nfc), MessageId::keyed("b", &nfc));
}

proptest! {
    #[test]
    fn ids_made_of_any_text_are_fit_for_keys(text in ".{1,200}", name in "[A-Za-z0-9_-]{1,128}", n: u32) {
        let text = Text::parse(&text).unwrap();
        let eid = ExecutionId::keyed(&text, 0);
        prop_assert_eq!(ExecutionId::parse(&eid.to_string()), Ok(eid));
        let name = FrameName::parse(&name).unwrap();
        let fid = FrameId::root().scope(&name).nth(&name, n);
        prop_assert_eq!(fid.name(), name.as_str());
        prop_assert_eq!(fid.above().len(), 2);
        let at = jiff::Timestamp::UNIX_EPOCH;
        let mids = [MessageId::keyed("c", &text), MessageId::sent(Class::Message, at, &eid, u64::from(n)), MessageId::sent(Class::Control, at, &eid, u64::from(n)), MessageId::result(&eid, n), MessageId::message(at, eid.uuid()), MessageId::control(at, eid.uuid()), MessageId::start()];
        for mid in mids {
            prop_assert_eq!(&MessageId::parse(mid.as_str()).unwrap(), &mid);
        }
    }
}
