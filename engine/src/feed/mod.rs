//! The feed: the events that executions report to consumers, one object per final commit.
//!
//! `feed/{day}/{instant}-{eid}-{commit:08}`, at least once, identified by (eid, commit): a crash
//! may write a second object under another instant, and readers keep the first. The feed object is
//! the last effect of an outbox (A15), so a consumer that reads the end of an execution may rely on
//! the delivery of its result.
//!
//! Price: 1 P for each run that changes something; a short run costs one.

mod read;
mod write;

pub(crate) use read::{events, read};

/// The kind of the event that reports a deleted execution.
pub(crate) const DELETED: &str = "execution.deleted";

pub(crate) use write::write_at;
pub(crate) use write::{Event, FeedRecord, write};
