//! Every key is parsed into the parts it was built from, and all other texts are rejected.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{at, eids, instants, mids, queues};
use crate::domain::{Class, Digest, ExecutionId, MessageId, Queue};
use crate::keys::{self, FeedKey, Key, MailKey, TimerKey};

proptest! {
    #[test]
    fn mail_keys_are_read_back(queue in queues(), eid in eids(), mid in mids()) {
        let key = keys::mail(&queue, &eid, &mid);
        prop_assert_eq!(&Key::parse(key.as_str()).unwrap(), &key);
        prop_assert!(key.is_under(&keys::mailbox(&queue, &eid)));
        prop_assert!(key.is_under(&keys::mail_queue(&queue)));
        prop_assert_eq!(MailKey::parse(&key), Some(MailKey { queue, eid, mid }));
        prop_assert_eq!((TimerKey::parse(&key), FeedKey::parse(&key)), (None, None));
    }

    #[test]
    fn timer_keys_are_read_back(due in instants(), queue in queues(), eid in eids(), commit: u64) {
        let key = keys::timer(due, &queue, &eid, commit);
        prop_assert_eq!(&Key::parse(key.as_str()).unwrap(), &key);
        prop_assert!(key.is_under(&keys::timers()));
        let due = crate::domain::unstamp(&keys::stamp(due)).unwrap();
        prop_assert_eq!(TimerKey::parse(&key), Some(TimerKey { due, queue, eid, commit }));
        prop_assert_eq!((MailKey::parse(&key), FeedKey::parse(&key)), (None, None));
    }

    #[test]
    fn feed_keys_are_read_back(at in instants(), eid in eids(), commit: u64) {
        let key = keys::feed(at, &eid, commit);
        prop_assert_eq!(&Key::parse(key.as_str()).unwrap(), &key);
        let at = crate::domain::unstamp(&keys::stamp(at)).unwrap();
        let day = &keys::stamp(at)[..8];
        prop_assert!(key.is_under(&keys::feed_day(Some(day)).unwrap()));
        prop_assert_eq!(FeedKey::parse(&key), Some(FeedKey { at, eid, commit }));
        prop_assert_eq!((MailKey::parse(&key), TimerKey::parse(&key)), (None, None));
    }

    #[test]
    fn keys_of_an_execution_are_under_its_prefix(eid in eids(), n in 0_u32..1_000_000, body: Vec<u8>) {
        let digest = Digest::of(&body);
        let prefix = format!("x/{}/{eid}/", eid.shard());
        for key in [keys::head(&eid), keys::segment(&eid, n, digest.sha16()), keys::blob(&eid, digest.as_str())] {
            prop_assert_eq!(&Key::parse(key.as_str()).unwrap(), &key);
            prop_assert!(key.as_str().starts_with(&prefix));
            prop_assert_eq!((MailKey::parse(&key), TimerKey::parse(&key), FeedKey::parse(&key)), (None, None, None));
        }
        prop_assert!(keys::segment(&eid, n, digest.sha16()) < keys::segment(&eid, n + 1, "0"));
    }

    #[test]
    fn archive_keys_are_read_back(eid in eids(), body: Vec<u8>) {
        let digest = Digest::of(&body);
        for key in [keys::archive(&eid), keys::archive_blob(&eid, digest.as_str())] {
            prop_assert_eq!(&Key::parse(key.as_str()).unwrap(), &key);
            prop_assert_eq!(keys::archived(&key), Some(eid));
            prop_assert_eq!((MailKey::parse(&key), TimerKey::parse(&key), FeedKey::parse(&key)), (None, None, None));
            prop_assert_eq!(keys::lease(&key), None);
        }
        prop_assert_eq!(keys::archived(&keys::head(&eid)), None);
        prop_assert!(keys::head(&eid).is_under(&keys::execution(&eid)));
    }

    #[test]
    fn events_reported_before_an_instant_sort_before_it(one in instants(), other in instants(), eid in eids(), commit: u64) {
        let key = keys::feed(one, &eid, commit);
        let earlier = keys::stamp(one) < keys::stamp(other);
        prop_assert_eq!(key.as_str() < keys::feed_before(other).as_str(), earlier);
    }

    #[test]
    fn no_key_is_a_folder_of_another(
        queues in prop::collection::vec(queues(), 1..4),
        eids in prop::collection::vec(eids(), 1..4),
        mids in prop::collection::vec(mids(), 1..4),
        due in instants(),
        commit in 0_u64..1_000_000_000,
    ) {
        let mut all = BTreeSet::new();
        for eid in &eids {
            let digest = Digest::of(&commit.to_be_bytes());
            all.extend([keys::head(eid), keys::segment(eid, 1, digest.sha16()), keys::blob(eid, digest.as_str()), keys::feed(due, eid, commit)]);
            all.extend([keys::archive(eid), keys::archive_blob(eid, digest.as_str()), keys::retention()]);
            for queue in &queues {
                all.insert(keys::timer(due, queue, eid, commit));
                all.extend(mids.iter().map(|mid| keys::mail(queue, eid, mid)));
            }
        }
        for key in &all {
            let folder = format!("{key}/");
            prop_assert!(!all.iter().any(|other| other.as_str().starts_with(&folder)), "{}", key);
        }
    }

    #[test]
    fn random_keys_are_read_only_as_what_builds_them(text in "(mail|timers|feed)(/[a-zA-Z0-9.-]{1,12}){1,4}") {
        let Ok(key) = Key::parse(&text) else { return Ok(()) };
        if let Some(MailKey { queue, eid, mid }) = MailKey::parse(&key) {
            prop_assert_eq!(keys::mail(&queue, &eid, &mid), key);
        } else if let Some(TimerKey { due, queue, eid, commit }) = TimerKey::parse(&key) {
            prop_assert_eq!(keys::timer(due, &queue, &eid, commit), key);
        } else if let Some(FeedKey { at, eid, commit }) = FeedKey::parse(&key) {
            prop_assert_eq!(keys::feed(at, &eid, commit), key);
        }
    }
}

const EID: &str = "018f0000-0000-7000-8000-0000000000ab";

#[test]
fn foreign_keys_are_read_as_nothing() {
    let e = EID;
    for text in [
        format!("mail/q/ab/{e}"),
        format!("mail/q/ab/{e}/0.start/x"),
        format!("mail/q/cd/{e}/0.start"), // another shard
        format!("mail/Q/ab/{e}/0.start"),
        format!("mail/q/ab/{}/0.start", e.to_uppercase()),
        format!("mail/q/ab/{e}/start"), // no class
        format!("mail/q/ab/{e}/3.start"),
        format!("mail/q/ab/{e}/2."),
        format!("mails/q/ab/{e}/m"),
        format!("timers/20260101T000000.000000Z/q/{e}"),
        format!("timers/20260101T000000.000000Z/q/{e}.x"),
        format!("timers/20260101T000000.000000Z/q/{e}.007"),
        format!("timers/20260101T000000.000000Z/q/{e}.1/x"),
        format!("timers/20260101T000060.000000Z/q/{e}.1"),
        format!("timers/20260101T000000.000000Z/q/{e}.99999999999999999999"),
        format!("feed/20260102/20260101T000000.000000Z-{e}-00000001"), // another day
        format!("feed/20260101/20260101T000000.000000Z-{e}-1"),
        format!("feed/20260101/20260101T000000.000000Z-{e}-000000001"),
        format!("feed/20260101/20260101T000000.000000Z-{e}-00000001/x"),
        format!("x/ab/{e}/head"),
        format!("leases/{e}"),
    ] {
        let key = Key::parse(&text).unwrap();
        let read = (
            MailKey::parse(&key),
            TimerKey::parse(&key),
            FeedKey::parse(&key),
        );
        assert_eq!(read, (None, None, None), "{text}");
    }
    for text in [
        format!("archive/cd/{e}"), // another shard
        format!("archive/ab/{e}/{}", "0".repeat(64)),
        format!("archive-blob/ab/{e}"),
        format!("archive-blob/ab/{e}/{}", "0".repeat(63)),
        format!("archive-blob/ab/{e}/{}", "G".repeat(64)),
        format!("archive-blob/ab/{e}/{}/x", "0".repeat(64)),
        format!("archives/ab/{e}"),
    ] {
        assert_eq!(keys::archived(&Key::parse(&text).unwrap()), None, "{text}");
    }
}

/// Buckets contain these: another release must build the same.
#[test]
fn the_layout_never_changes() {
    let eid = ExecutionId::parse(EID).unwrap();
    let queue = Queue::parse("q").unwrap();
    let due = at("2026-01-02T03:04:05.678901234Z");
    let x = format!("x/ab/{EID}");
    assert_eq!(keys::head(&eid).as_str(), format!("{x}/head"));
    assert_eq!(
        keys::segment(&eid, 7, "0123456789abcdef").as_str(),
        format!("{x}/log/000007-0123456789abcdef")
    );
    assert_eq!(keys::blob(&eid, "ab").as_str(), format!("{x}/blob/ab"));
    assert_eq!(
        keys::mail(&queue, &eid, &MessageId::start()).as_str(),
        format!("mail/q/ab/{EID}/0.start")
    );
    assert_eq!(
        keys::timer(due, &queue, &eid, 3).as_str(),
        format!("timers/20260102T030405.678901Z/q/{EID}.3")
    );
    assert_eq!(
        keys::feed(due, &eid, 3).as_str(),
        format!("feed/20260102/20260102T030405.678901Z-{EID}-00000003")
    );
    assert_eq!(keys::archive(&eid).as_str(), format!("archive/ab/{EID}"));
    assert_eq!(
        keys::archive_blob(&eid, "ab").as_str(),
        format!("archive-blob/ab/{EID}/ab")
    );
    assert_eq!(keys::retention().as_str(), "cursors/retention");
    let sent = |class| MessageId::sent(class, due, &eid, 41);
    let uuid = eid.uuid();
    for (mid, text) in [
        (MessageId::result(&eid, 0), format!("1.child.{EID}.0")),
        (
            sent(Class::Control),
            "0.20260102T030405.678901Z-80000000000000ab-00000041".to_owned(),
        ),
        (
            sent(Class::Message),
            "2.20260102T030405.678901Z-80000000000000ab-00000041".to_owned(),
        ),
        (
            MessageId::control(due, uuid),
            format!("0.20260102T030405.678901Z-{EID}"),
        ),
        (
            MessageId::message(due, uuid),
            format!("2.20260102T030405.678901Z-{EID}"),
        ),
    ] {
        assert_eq!(mid.as_str(), text);
        assert_eq!(MessageId::parse(&text), Ok(mid));
    }
}

#[test]
fn the_longest_names_make_keys_that_every_store_takes() {
    let queue = Queue::parse(&"q".repeat(128)).unwrap();
    let eid = ExecutionId::parse(EID).unwrap();
    let mid = MessageId::parse(&format!("2.{}", "m".repeat(200))).unwrap();
    // This leaves space for a root prefix.
    assert!(keys::mail(&queue, &eid, &mid).as_str().len() < 512);
    assert!(
        keys::timer(jiff::Timestamp::MAX, &queue, &eid, u64::MAX)
            .as_str()
            .len()
            < 512
    );
}
