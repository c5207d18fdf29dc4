//! Archives: written, read, and rejected if their bytes have changed.

mod form;
mod values;

use crate::domain::{
    Actor, Commit, Depth, Digest, Entry, ExecutionId, FrameId, FrameName, Json, Record, Status,
};
use crate::domain::{Channel, Payload, Queue, Workflow};

use super::Archive;

fn eid() -> ExecutionId {
    ExecutionId::new(uuid::Uuid::from_u128(7))
}

fn record(eid: ExecutionId) -> Record {
    Record {
        eid,
        workflow: Workflow::parse("w").unwrap(),
        version: "1".to_owned(),
        args: Json::of("in").unwrap().into(),
        args_digest: Json::of("in").unwrap().digest(),
        queue: Queue::default(),
        parent: None,
        depth: Depth::default(),
        budget: None,
        dispatch_key: None,
        n: 0,
        nonce: None,
        created_by: Actor::system("test").into(),
        created_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        start_at: None,
    }
}

fn message(n: u64, value: Payload) -> Entry {
    Entry::Announced {
        fid: FrameId::root().nth(&FrameName::parse("say").unwrap(), u32::try_from(n).unwrap()),
        kind: Channel::parse("k").unwrap(),
        value,
    }
}

/// An archive with one commit for each list of entries; the last one completes.
fn archive(parts: Vec<Vec<Entry>>) -> Archive {
    let record = record(eid());
    let (mut commits, mut first) = (Vec::new(), 0);
    for (number, entries) in (1..).zip(parts) {
        let count = entries.len() as u64;
        commits.push(Commit {
            commit: number,
            first,
            at: record.created_at,
            by: Actor::system("test").into(),
            frames: None,
            entries,
        });
        first += count;
    }
    Archive {
        status: Status::Completed,
        generation: 0,
        commit: commits.len() as u64,
        at: record.created_at,
        entries: first,
        bytes: 1_000,
        segments: vec![2],
        inlined: 0,
        record,
        commits,
    }
}

fn completed(value: &str) -> Entry {
    Entry::Completed {
        value: Json::parse(value).unwrap().into(),
    }
}

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}
