//! The price list (docs/operations.md): what a start and an entry of a journal cost.

use serde::Serialize;

use crate::domain::{Body, Entry, Payload, Record};

/// Requests by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Price {
    /// The write class: PUT and LIST.
    pub write_requests: u64,
    /// The read class: GET.
    pub read_requests: u64,
}

impl Price {
    /// The price of the start of an execution: mail and head, and the read of a key. A key that was
    /// used before: `next` is written, and from its second use on also read.
    pub(crate) fn of_start(record: &Record) -> Self {
        Self {
            write_requests: 2 + u64::from(record.n > 0) + blob(&record.args),
            read_requests: u64::from(record.dispatch_key.is_some()) + u64::from(record.n > 1),
        }
    }

    /// The price of an entry, apart from its share of the commit.
    pub(crate) fn of_entry(entry: &Entry) -> Self {
        let mut price = Self {
            write_requests: entry.payload().map_or(0, blob),
            read_requests: 0,
        };
        match entry {
            Entry::Received { body, .. } => {
                price.read_requests += 1;
                if matches!(body, Body::Message { .. } | Body::Control(_)) {
                    price.write_requests += 1;
                    price.read_requests += 1;
                }
            }
            Entry::Sent { .. } | Entry::ChildClosed { .. } | Entry::Sliced => {
                price.write_requests += 1;
            }
            // The head of the child was read to decide that.
            Entry::ChildRetried { .. } => {
                price.write_requests += 1;
                price.read_requests += 1;
            }
            _ => {}
        }
        price
    }

    /// The number of requests.
    pub(crate) const fn requests(self) -> u64 {
        self.write_requests + self.read_requests
    }
}

impl std::ops::Add for Price {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            write_requests: self.write_requests + other.write_requests,
            read_requests: self.read_requests + other.read_requests,
        }
    }
}

fn blob(payload: &Payload) -> u64 {
    u64::from(matches!(payload, Payload::Blob { .. }))
}
