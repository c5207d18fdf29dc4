//! The feed: what executions tell the outside, one object per final commit.
//!
//! `feed/{day}/{instant}-{eid}-{commit:08}`, at least once, identified by (eid, commit): a
//! crash may write a second object under another instant, and readers keep the first. The
//! feed object is the last effect of an outbox (A15), so whoever reads that an
//! execution ended may rely on its result having been sent.
//!
//! Price: 1 P for each run that changes something; a short run costs one.

mod read;
mod write;

pub(crate) use read::{events, read};
pub(crate) use write::write_at;
pub(crate) use write::{Event, FeedRecord, write};
