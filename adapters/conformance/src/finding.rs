//! The ways in which a bucket violates the port's contract.

use millpond::keys::{InvalidKey, Key};
use millpond::ports::{BucketError, Outcome};

use crate::Probe;

/// A probe that the bucket did not pass.
#[derive(Debug, thiserror::Error)]
#[error("the bucket fails the probe `{probe}`")]
pub struct Violation {
    /// The probe.
    pub probe: Probe,
    /// The finding.
    #[source]
    pub finding: Finding,
}

/// What a probe found.
#[derive(Debug, thiserror::Error)]
pub enum Finding {
    /// The bucket returned an error. It may still conform once it responds.
    #[error("the request to the bucket failed")]
    Failed(#[from] BucketError),
    /// The prefix leaves no room for the probe's keys.
    #[error("the prefix is invalid")]
    Prefix(#[from] InvalidKey),
    /// Objects existed under the prefix before the suite began.
    #[error("the prefix is not empty: key={key}")]
    Occupied {
        /// One of the existing keys.
        key: Key,
    },
    /// A write ended with `Unknown` on every attempt.
    #[error("no write received a reply: key={key}")]
    Undecided {
        /// The key.
        key: Key,
    },
    /// The spawner dropped a task of a race.
    #[error("a racing task did not finish")]
    Dropped,
    /// A write had another outcome than the contract requires.
    #[error("a write to {key} had a wrong outcome: wanted={wanted}, got={got:?}")]
    Ended {
        /// The key.
        key: Key,
        /// The required outcome.
        wanted: &'static str,
        /// The actual outcome.
        got: Outcome,
    },
    /// A read returned other bytes than the last write wrote.
    #[error("a read of {key} returns a wrong body: wanted_bytes={wanted}, got_bytes={got:?}")]
    Body {
        /// The key.
        key: Key,
        /// The length of the written body.
        wanted: usize,
        /// The length of the body read; the same length with other bytes; `None`: no object was
        /// read.
        got: Option<usize>,
    },
    /// An object exists that must not exist.
    #[error("{key} exists, and must not")]
    Present {
        /// The key.
        key: Key,
    },
    /// The version that a write returned is not the one that a read returns.
    #[error("a read of {key} returns another version than the reply to its write")]
    Version {
        /// The key.
        key: Key,
    },
    /// A replace with other bytes did not change the version.
    #[error("a replace of {key} did not change its version")]
    SameVersion {
        /// The key.
        key: Key,
    },
    /// A listing omits an object that existed all the time.
    #[error("a listing lacks {key}")]
    Missing {
        /// The key.
        key: Key,
    },
    /// A listing contains an object that does not exist, or that was not requested.
    #[error("a listing shows {key}, which does not exist or was not requested")]
    Stranger {
        /// The key.
        key: Key,
    },
    /// A listing is not in the order of bytes, or contains a key twice.
    #[error("a listing shows {second} after {first}")]
    Disorder {
        /// The earlier key.
        first: Key,
        /// The key after it.
        second: Key,
    },
    /// A listing reports another size than was written.
    #[error("a listing shows a wrong size of {key}: wanted={wanted}, got={got}")]
    Size {
        /// The key.
        key: Key,
        /// The written size.
        wanted: u64,
        /// The reported size.
        got: u64,
    },
    /// A page has more entries than its limit.
    #[error("a page is too long: limit={limit}, got={got}")]
    Overfull {
        /// The requested limit.
        limit: usize,
        /// The number of entries.
        got: usize,
    },
    /// A page that is not the last continues at its own start.
    #[error("a page that is not the last continues from where it began: prefix={prefix}")]
    Stuck {
        /// The listed prefix.
        prefix: String,
    },
    /// A page continues at another key than its last entry or a later one.
    #[error("a page that ends with {last} continues after {next}")]
    Position {
        /// The last entry.
        last: Key,
        /// The position of the next page.
        next: Key,
    },
    /// Of several creates of one key, not exactly one landed.
    #[error("creators raced for {key}: landed={landed}, wanted=1")]
    Winners {
        /// The key.
        key: Key,
        /// The number of creates reported as landed.
        landed: usize,
    },
    /// An update that landed is missing from the object, or occurs in it twice.
    #[error("updates of {key} raced: update={update}, times_found={times}, wanted=1")]
    Updates {
        /// The key.
        key: Key,
        /// The update.
        update: String,
        /// How often the object contains it.
        times: usize,
    },
    /// Updates were refused more often than concurrent updates explain.
    #[error("updates of {key} were refused repeatedly: attempts={attempts}")]
    Starved {
        /// The key.
        key: Key,
        /// The number of attempts.
        attempts: usize,
    },
}
