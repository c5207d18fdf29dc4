//! Requests by verb, as in the price list.

use std::fmt;
use std::ops::{Add, Sub};

use crate::proxy::Asked;

/// The number of requests to the services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// PUT and POST to S3: in the write class.
    pub puts: u64,
    /// Lists: in the write class.
    pub lists: u64,
    /// GET and HEAD of objects.
    pub gets: u64,
    /// Deletes: free.
    pub deletes: u64,
    /// Requests to SQS.
    pub queue: u64,
}

impl Counts {
    /// Counts the requests that reached the services.
    #[must_use]
    pub fn of<'a>(asked: impl IntoIterator<Item = &'a Asked>) -> Self {
        let mut counts = Self::default();
        for request in asked
            .into_iter()
            .filter(|request| request.refused.is_none())
        {
            match request.action() {
                "s3:PutObject" => counts.puts += 1,
                "s3:GetObject" | "s3:GetObjectVersion" => counts.gets += 1,
                action if action.starts_with("s3:Delete") => counts.deletes += 1,
                action if action.starts_with("s3:List") => counts.lists += 1,
                action if action.starts_with("sqs:") => counts.queue += 1,
                // The remaining requests concern settings of buckets: S3 prices them as reads.
                _ => counts.gets += 1,
            }
        }
        counts
    }

    /// The write class: the price list's P.
    #[must_use]
    pub const fn write_requests(self) -> u64 {
        self.puts + self.lists
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            puts: self.puts + other.puts,
            lists: self.lists + other.lists,
            gets: self.gets + other.gets,
            deletes: self.deletes + other.deletes,
            queue: self.queue + other.queue,
        }
    }
}

impl Sub for Counts {
    type Output = Self;

    /// The requests since `other` was counted.
    fn sub(self, other: Self) -> Self {
        Self {
            puts: self.puts - other.puts,
            lists: self.lists - other.lists,
            gets: self.gets - other.gets,
            deletes: self.deletes - other.deletes,
            queue: self.queue - other.queue,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            puts,
            lists,
            gets,
            deletes,
            queue,
        } = self;
        write!(
            f,
            "{puts} puts, {lists} lists, {gets} gets, {deletes} deletes, {queue} to queues"
        )
    }
}
