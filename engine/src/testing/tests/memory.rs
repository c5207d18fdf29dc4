//! Tests of the bucket in memory, and of the request counts.

use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;

use super::{body, clock, key, memory, write};
use crate::keys::Prefix;
use crate::ports::{Bucket, Entropy, Expect, Version};
use crate::testing::{CountingBucket, Counts, MemoryBucket, SeededEntropy};

#[test]
fn a_create_lands_once_and_a_replace_needs_the_newest_version() {
    let bucket = memory();
    let first = write(&*bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(write(&*bucket, "a", "2", Expect::Absent), None);
    let second = write(&*bucket, "a", "2", Expect::At(first.clone())).unwrap();
    assert_eq!(write(&*bucket, "a", "3", Expect::At(first)), None);
    assert_eq!(body(&*bucket, "a").unwrap(), "2");
    assert!(write(&*bucket, "a", "3", Expect::At(second)).is_some());
}

#[test]
fn a_replace_of_nothing_is_refused_and_creates_nothing() {
    let bucket = memory();
    let replaced = write(&*bucket, "a", "1", Expect::At(Version::new("v1")));
    assert_eq!((replaced, bucket.len()), (None, 0));
}

#[test]
fn a_version_never_comes_back_after_a_delete() {
    let bucket = memory();
    let old = write(&*bucket, "a", "1", Expect::Absent).unwrap();
    block_on(bucket.delete(&key("a"))).unwrap();
    assert!(bucket.is_empty());
    write(&*bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(write(&*bucket, "a", "2", Expect::At(old)), None);
}

#[test]
fn lists_are_in_byte_order_under_the_prefix_after_the_key() {
    let bucket = memory();
    for at in ["b", "a/2", "a-b", "a/1", "a/10", "ab", "Z"] {
        write(&*bucket, at, "", Expect::Absent).unwrap();
    }
    let list = |prefix: &str, after: Option<&str>, limit| {
        let (prefix, after) = (Prefix::parse(prefix).unwrap(), after.map(key));
        let page = block_on(bucket.list(&prefix, after.as_ref(), limit)).unwrap();
        let keys: Vec<_> = page.entries.iter().map(|e| e.key.to_string()).collect();
        (keys.join(" "), page.next.is_some())
    };
    assert_eq!(list("", None, 9), ("Z a-b a/1 a/10 a/2 ab b".into(), false));
    assert_eq!(list("a", None, 3), ("a-b a/1 a/10".into(), true));
    assert_eq!(list("a/", None, 3), ("a/1 a/10 a/2".into(), false));
    assert_eq!(list("a/1", Some("a/1"), 9), ("a/10".into(), false));
    assert_eq!(list("a/", Some("Z"), 9), ("a/1 a/10 a/2".into(), false));
    assert_eq!(list("a/", Some("ab"), 9), (String::new(), false));
}

#[test]
fn a_listing_shows_size_and_the_instant_of_the_last_write() {
    let clock = clock();
    let bucket = MemoryBucket::new(clock.clone());
    let version = write(&bucket, "a", "1", Expect::Absent).unwrap();
    clock.advance(Duration::from_secs(5));
    write(&bucket, "a", "four", Expect::At(version)).unwrap();
    let page = block_on(bucket.list(&Prefix::all(), None, 1)).unwrap();
    assert_eq!(page.entries[0].size, 4);
    assert_eq!(page.entries[0].modified.as_second(), 5);
    assert_eq!(bucket.snapshot(), [(key("a"), "four".into())]);
}

#[test]
fn requests_are_counted_and_logged_refused_ones_too() {
    let bucket = CountingBucket::new(memory());
    write(&bucket, "a", "1", Expect::Absent).unwrap();
    let before = bucket.counts();
    assert_eq!(write(&bucket, "a", "1", Expect::Absent), None);
    body(&bucket, "a").unwrap();
    block_on(bucket.list(&Prefix::parse("a").unwrap(), None, 1)).unwrap();
    block_on(bucket.delete(&key("a"))).unwrap();
    let counts = bucket.counts().since(&before);
    let expected = Counts {
        reads: 1,
        writes: 1,
        deletes: 1,
        lists: 1,
        throttled: 0,
    };
    assert_eq!(counts, expected);
    assert_eq!((counts.write_requests(), counts.read_requests()), (2, 1));
    let log: Vec<_> = bucket.log().iter().map(ToString::to_string).collect();
    assert_eq!(
        log,
        ["create a", "create a", "read a", "list a", "delete a"]
    );
}

#[test]
fn one_seed_draws_the_same_bytes_and_another_draws_others() {
    let draw = |seed| {
        let entropy = SeededEntropy::new(seed);
        let mut bytes = [0; 29];
        entropy.fill(&mut bytes);
        let then = (&entropy as &dyn Entropy).u64();
        (bytes, then)
    };
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
    // The published first value of SplitMix64 for the seed 0.
    let zero = Arc::new(SeededEntropy::new(0)) as Arc<dyn Entropy>;
    assert_eq!(zero.u64(), 0xe220_a839_7b1d_cdaf);
}

#[test]
fn a_record_keeps_what_was_overwritten_and_deleted_but_not_what_was_refused() {
    let bucket = memory();
    bucket.record();
    let first = write(&*bucket, "a", "1", Expect::Absent).unwrap();
    assert_eq!(write(&*bucket, "a", "2", Expect::Absent), None);
    write(&*bucket, "a", "3", Expect::At(first)).unwrap();
    block_on(bucket.delete(&key("a"))).unwrap();
    let kept = bucket.recorded();
    assert_eq!(kept, [(key("a"), "1".into()), (key("a"), "3".into())]);
}
