//! Tests of the test ports.

mod clock;
mod delayed;
mod fault;
mod memory;
mod mirror;
mod pool;

use std::sync::Arc;

use bytes::Bytes;
use futures::executor::block_on;
use jiff::Timestamp;

use super::{ManualClock, MemoryBucket};
use crate::keys::Key;
use crate::ports::{Bucket, Expect, Outcome, Version};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH))
}

fn memory() -> Arc<MemoryBucket> {
    Arc::new(MemoryBucket::new(clock()))
}

fn key(text: &str) -> Key {
    Key::parse(text).expect("tests use good keys")
}

/// Writes at once; returns the version if the write landed.
fn write(bucket: &dyn Bucket, at: &str, body: &'static str, expect: Expect) -> Option<Version> {
    let body = Bytes::from_static(body.as_bytes());
    match block_on(bucket.write(&key(at), body, expect)).expect("the write is answered") {
        Outcome::Landed(version) => Some(version),
        Outcome::Refused | Outcome::Unknown => None,
    }
}

/// The current body.
fn body(bucket: &dyn Bucket, at: &str) -> Option<Bytes> {
    let object = block_on(bucket.read(&key(at))).expect("the read is answered");
    object.map(|object| object.body)
}
