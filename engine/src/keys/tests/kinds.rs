//! Each key has one kind, and one partition.

use proptest::prelude::*;

use super::{eids, instants, mids, queues};
use crate::domain::Digest;
use crate::keys::{self, Key, Kind, Prefix, partition};

proptest! {
    #[test]
    fn every_key_of_the_engine_has_its_kind_and_its_partition(
        eid in eids(), queue in queues(), mid in mids(), at in instants(), commit: u64, n in 0_u32..2_000_000,
    ) {
        let (digest, shard) = (Digest::of(b"body"), eid.shard());
        let own = format!("x/{shard}/");
        let mail = format!("mail/{queue}/{shard}/");
        let (archived, values) = (format!("archive/{shard}/"), format!("archive-blob/{shard}/"));
        for (key, kind, part) in [
            (keys::head(&eid), Kind::Head, own.as_str()),
            (keys::segment(&eid, n, digest.sha16()), Kind::Segment, &own),
            (keys::blob(&eid, digest.as_str()), Kind::Blob, &own),
            (keys::mail(&queue, &eid, &mid), Kind::Mail, &mail),
            (keys::timer(at, &queue, &eid, commit), Kind::Timer, "timers/"),
            (keys::feed(at, &eid, commit), Kind::Feed, "feed/"),
            (keys::archive(&eid), Kind::Archive, &archived),
            (keys::archive_blob(&eid, digest.as_str()), Kind::Archive, &values),
            (keys::retention(), Kind::Other, "cursors/"),
        ] {
            prop_assert_eq!(Kind::of(&key), kind);
            prop_assert_eq!(partition(key.as_str()), part);
        }
        for (prefix, kind, part) in [
            (keys::log(&eid), Kind::Segment, own.as_str()),
            (keys::mailbox(&queue, &eid), Kind::Mail, &mail),
            (keys::timers(), Kind::Timer, "timers/"),
            (Prefix::parse(keys::ARCHIVE).unwrap(), Kind::Archive, "archive/"),
            (keys::execution(&eid), Kind::Other, &own),
        ] {
            prop_assert_eq!(Kind::under(&prefix), kind);
            prop_assert_eq!(partition(prefix.as_str()), part);
        }
    }
}

#[test]
fn what_is_none_of_the_engines_is_other() {
    for key in [
        "head",
        "x/head",
        "mail/a",
        "timers/now/q/e.1",
        "feed/20260101/x",
        "doctor/7/a",
        "archive/00/x",
        "archive-blob/00/x/y",
    ] {
        assert_eq!(Kind::of(&Key::parse(key).unwrap()), Kind::Other, "{key}");
    }
    for (prefix, part) in [
        ("", ""),
        ("x/", "x/"),
        ("x/0", "x/0"),
        ("doctor/7/", "doctor/"),
    ] {
        assert_eq!(Kind::under(&Prefix::parse(prefix).unwrap()), Kind::Other);
        assert_eq!(partition(prefix), part);
    }
    let queue = keys::mail_queue(&"default".parse().unwrap());
    assert_eq!(partition(queue.as_str()), queue.as_str());
}
