//! Small makers of values.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use jiff::Timestamp;
use serde_json::Value;

use crate::domain::{
    Actor, Body, Channel, Control, Entry, ExecutionId, FrameId, Json, MessageId, Provenance,
};
use crate::ports::Entropy;

pub(super) fn eid() -> ExecutionId {
    "00000000-0000-7000-8000-000000000001".parse().unwrap()
}

pub(super) fn fid(text: &str) -> FrameId {
    serde_json::from_value(text.into()).unwrap()
}

pub(super) fn instant(seconds: usize) -> Timestamp {
    Timestamp::from_second(i64::try_from(seconds).unwrap()).unwrap()
}

pub(super) fn elapsed(name: &str) -> Entry {
    Entry::FrameFulfilled {
        fid: fid(name),
        mid: None,
    }
}

pub(super) fn message(mid: MessageId, channel: &str, value: &Value) -> Entry {
    let channel = Channel::parse(channel).unwrap();
    let payload = Json::of(value).unwrap().into();
    received(mid, Body::Message { channel, payload })
}

pub(super) fn cancel(mid: MessageId) -> Entry {
    let reason = "enough".into();
    received(mid, Body::Control(Control::Cancel { reason }))
}

pub(super) fn received(mid: MessageId, body: Body) -> Entry {
    Entry::Received {
        mid,
        sent_at: instant(0),
        from: Provenance::from(Actor::system("test")),
        nonce: None,
        body,
    }
}

/// Entropy that is the same in each test, and another one in each run.
#[derive(Debug)]
pub(super) struct Counting(pub(super) AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for byte in bytes {
            let n = self.0.fetch_add(1, SeqCst);
            *byte = u8::try_from(n.wrapping_mul(97) % 251).unwrap();
        }
    }
}
