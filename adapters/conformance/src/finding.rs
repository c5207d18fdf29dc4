//! What a bucket did wrong.

use millpond::keys::{InvalidKey, Key};
use millpond::ports::{BucketError, Outcome};

use crate::Probe;

/// A probe that the bucket did not pass.
#[derive(Debug, thiserror::Error)]
#[error("the bucket fails the probe `{probe}`")]
pub struct Violation {
    /// The probe.
    pub probe: Probe,
    /// What it found.
    #[source]
    pub finding: Finding,
}

/// What a probe found.
#[derive(Debug, thiserror::Error)]
pub enum Finding {
    /// The bucket gave an error. It may be fine once it answers.
    #[error("the bucket could not be asked")]
    Failed(#[from] BucketError),
    /// The prefix leaves no room for the probe's keys.
    #[error("the prefix is not usable")]
    Prefix(#[from] InvalidKey),
    /// There was something under the prefix before the suite began.
    #[error("the prefix is not empty: key={key}")]
    Occupied {
        /// What was there.
        key: Key,
    },
    /// A write was answered `Unknown` again and again.
    #[error("no write was ever answered: key={key}")]
    Undecided {
        /// The key.
        key: Key,
    },
    /// A task of a race was dropped by the spawner.
    #[error("a racing task did not come to its end")]
    Dropped,
    /// A write ended in another way than it had to.
    #[error("a write to {key} ended wrong: wanted={wanted}, got={got:?}")]
    Ended {
        /// The key.
        key: Key,
        /// What it had to do.
        wanted: &'static str,
        /// What it did.
        got: Outcome,
    },
    /// A read gave other bytes than were written last.
    #[error("{key} reads wrong: wanted_bytes={wanted}, got_bytes={got:?}")]
    Body {
        /// The key.
        key: Key,
        /// The length of what was written.
        wanted: usize,
        /// The length of what came; the same length with other bytes; `None`: nothing came.
        got: Option<usize>,
    },
    /// There is an object where there must be none.
    #[error("{key} is there, and must not be")]
    Present {
        /// The key.
        key: Key,
    },
    /// The version that a write answered is not the one a read gives.
    #[error("{key} reads with another version than its write was answered")]
    Version {
        /// The key.
        key: Key,
    },
    /// A replace with other bytes left the version as it was.
    #[error("a replace of {key} did not change its version")]
    SameVersion {
        /// The key.
        key: Key,
    },
    /// A listing lacks an object that was there all the time.
    #[error("a listing lacks {key}")]
    Missing {
        /// The key.
        key: Key,
    },
    /// A listing shows what is not there, or not asked for.
    #[error("a listing shows {key}, which is not there or was not asked for")]
    Stranger {
        /// The key.
        key: Key,
    },
    /// A listing is not in the order of bytes, or shows a key twice.
    #[error("a listing shows {second} after {first}")]
    Disorder {
        /// What came first.
        first: Key,
        /// What came next.
        second: Key,
    },
    /// A listing shows another size than was written.
    #[error("a listing shows a wrong size of {key}: wanted={wanted}, got={got}")]
    Size {
        /// The key.
        key: Key,
        /// The size of what was written.
        wanted: u64,
        /// The size shown.
        got: u64,
    },
    /// A page has more entries than were asked for.
    #[error("a page is too long: limit={limit}, got={got}")]
    Overfull {
        /// What was asked for.
        limit: usize,
        /// What came.
        got: usize,
    },
    /// A page that is not the last goes on from where it began.
    #[error("a page that is not the last goes on from where it began: prefix={prefix}")]
    Stuck {
        /// The prefix listed.
        prefix: String,
    },
    /// A page goes on from another key than its last entry, or one behind it.
    #[error("a page that ends with {last} goes on after {next}")]
    Position {
        /// The last entry.
        last: Key,
        /// Where the next page begins.
        next: Key,
    },
    /// Of several creates of one key not exactly one landed.
    #[error("creators raced for {key}: landed={landed}, wanted=1")]
    Winners {
        /// The key.
        key: Key,
        /// How many were told that theirs landed.
        landed: usize,
    },
    /// An update that landed is not in the object, or is in it twice.
    #[error("updates of {key} raced: update={update}, times_found={times}, wanted=1")]
    Updates {
        /// The key.
        key: Key,
        /// The update.
        update: String,
        /// How often the object shows it.
        times: usize,
    },
    /// Updates were refused more often than others' updates explain.
    #[error("an update of {key} was refused without end: attempts={attempts}")]
    Starved {
        /// The key.
        key: Key,
        /// How often it was tried.
        attempts: usize,
    },
}
