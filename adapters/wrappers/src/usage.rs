//! The requests to a bucket.

use millpond::keys::Kind;
use millpond::ports::Verb;

/// Requests of one verb on one kind of object, or sums of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests sent, whatever their outcome.
    pub requests: u64,
    /// Bytes of the written bodies, landed or not.
    pub sent: u64,
    /// Bytes of the bodies read. The replies to lists are not counted.
    pub received: u64,
    /// Writes that the store refused: the state of the key was not as expected.
    pub refused: u64,
    /// Writes without a reply.
    pub unknown: u64,
    /// Requests that the store throttled.
    pub throttled: u64,
    /// Requests that failed in any other way.
    pub failed: u64,
}

impl Tally {
    fn zip(&self, other: &Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            requests: with(self.requests, other.requests),
            sent: with(self.sent, other.sent),
            received: with(self.received, other.received),
            refused: with(self.refused, other.refused),
            unknown: with(self.unknown, other.unknown),
            throttled: with(self.throttled, other.throttled),
            failed: with(self.failed, other.failed),
        }
    }
}

/// Requests by verb and by kind of object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage(pub(crate) [[Tally; Kind::ALL.len()]; Verb::ALL.len()]);

impl Usage {
    /// The requests of one verb on one kind of object.
    #[must_use]
    pub const fn of(&self, verb: Verb, kind: Kind) -> &Tally {
        &self.0[verb as usize][kind as usize]
    }

    /// The requests of one verb, on any object.
    #[must_use]
    pub fn by_verb(&self, verb: Verb) -> Tally {
        let row = self.0[verb as usize].iter();
        row.fold(Tally::default(), |sum, tally| {
            sum.zip(tally, u64::saturating_add)
        })
    }

    /// All requests.
    #[must_use]
    pub fn total(&self) -> Tally {
        let all = self.0.as_flattened().iter();
        all.fold(Tally::default(), |sum, tally| {
            sum.zip(tally, u64::saturating_add)
        })
    }

    /// The write-class requests, the most expensive on object stores: writes and lists.
    #[must_use]
    pub fn write_requests(&self) -> u64 {
        let of = |verb| self.by_verb(verb).requests;
        of(Verb::Create) + of(Verb::Replace) + of(Verb::List)
    }

    /// The read-class requests, which cost about a twelfth of the write-class ones: reads.
    #[must_use]
    pub fn read_requests(&self) -> u64 {
        self.by_verb(Verb::Read).requests
    }

    /// The requests since `earlier`, which the same wrapper counted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut added = Self::default();
        for (verb, kind, tally) in self.rows() {
            added.0[verb as usize][kind as usize] =
                tally.zip(earlier.of(verb, kind), u64::saturating_sub);
        }
        added
    }

    /// Every verb on every kind, including those without requests.
    pub fn rows(&self) -> impl Iterator<Item = (Verb, Kind, &Tally)> {
        Verb::ALL
            .into_iter()
            .flat_map(|verb| Kind::ALL.into_iter().map(move |kind| (verb, kind)))
            .map(|(verb, kind)| (verb, kind, self.of(verb, kind)))
    }
}
