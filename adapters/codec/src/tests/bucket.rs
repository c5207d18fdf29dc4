//! The bucket wrapper, and the engine on top of it.

use std::sync::Arc;

use bytes::Bytes;
use futures::executor::block_on;
use jiff::Timestamp;
use millpond::ports::{Bucket, Clock, Expect, Fault};
use millpond_conformance::{Finding, Probe, Scale, Subject, Violation};
use millpond_testing::{ManualClock, MemoryBucket, SeededEntropy};

use super::{NEW, OLD, encrypted, key, long};
use crate::{Codec, Coded, Pond, PondId};

fn memory() -> Arc<MemoryBucket> {
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    Arc::new(MemoryBucket::new(clock as Arc<dyn Clock>))
}

fn coded(inner: &Arc<MemoryBucket>, codec: Codec) -> Coded {
    let inner = Arc::clone(inner) as Arc<dyn Bucket>;
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let entropy = Arc::new(SeededEntropy::new(1));
    let pond = Arc::new(Pond::new(
        Arc::clone(&inner),
        clock,
        entropy.clone(),
        codec.clone(),
    ));
    Coded::new(inner, codec, entropy, pond)
}

/// The id of the pond that `coded` has created.
fn pond(inner: &Arc<MemoryBucket>) -> Option<PondId> {
    let found = block_on(inner.read(&key("pond"))).unwrap().unwrap();
    let stored: serde_json::Value = serde_json::from_slice(&found.body).unwrap();
    stored["id"].as_str().map(|id| id.parse().unwrap())
}

#[test]
fn a_coded_bucket_passes_every_probe_but_shows_coded_sizes() {
    for codec in [Codec::new().zstd(3), encrypted(OLD), encrypted(OLD).zstd(3)] {
        let scale = Scale {
            keys: 300,
            ..Scale::default()
        };
        let subject = Subject::new(Arc::new(coded(&memory(), codec)), "p/").scaled(scale);
        for probe in Probe::ALL {
            match block_on(probe.run(&subject)) {
                Ok(()) => {}
                Err(Violation {
                    probe: Probe::Bytes,
                    finding: Finding::Size { .. },
                }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn c3_a_key_that_is_missing_is_denied_and_a_forged_object_is_no_json() {
    let inner = memory();
    let at = key("a");
    let lands = |bucket: &dyn Bucket, body: Bytes| {
        let written = block_on(bucket.write(&at, body, Expect::Absent));
        written.expect("memory is there")
    };
    let _ = lands(&coded(&inner, encrypted(NEW)), long());
    let error = block_on(coded(&inner, encrypted(OLD)).read(&at)).unwrap_err();
    assert_eq!(error.fault, Fault::Denied);
    let source = error.source.expect("it has a source").to_string();
    assert!(source.contains("id=new"), "{source}");

    block_on(inner.delete(&at)).unwrap();
    let _ = lands(
        &*inner,
        r#"{"valid":"json, put there by a stranger"}"#.into(),
    );
    let error = block_on(coded(&inner, encrypted(OLD)).read(&at)).unwrap_err();
    assert_eq!(error.fault, Fault::Denied);

    block_on(inner.delete(&at)).unwrap();
    let elsewhere = encrypted(OLD).encode(&key("b"), pond(&inner), long(), [0; 12]);
    let _ = lands(&*inner, elsewhere.unwrap());
    let found = block_on(coded(&inner, encrypted(OLD)).read(&at)).unwrap();
    let body = found.expect("it is there").body;
    assert!(
        body.starts_with(b"\0"),
        "not what was moved from another key"
    );
}

#[test]
fn equal_bodies_are_coded_differently() {
    let inner = memory();
    let bucket = coded(&inner, encrypted(OLD));
    for at in ["a", "b"] {
        let _ = block_on(bucket.write(&key(at), long(), Expect::Absent)).unwrap();
    }
    let stored = |at| block_on(inner.read(&key(at))).unwrap().unwrap().body;
    assert_ne!(stored("a"), stored("b"));
}
