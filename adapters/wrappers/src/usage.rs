//! What was asked of a bucket.

use millpond::keys::Kind;

use crate::Verb;

/// Requests of one verb on one kind of object, or sums of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests sent, however they ended.
    pub requests: u64,
    /// Bytes of the bodies that were written, landed or not.
    pub sent: u64,
    /// Bytes of the bodies that were read. What a list answers is not counted.
    pub received: u64,
    /// Writes that the store refused: the key was not as expected.
    pub refused: u64,
    /// Writes whose answer did not come.
    pub unknown: u64,
    /// Requests that the store sent away since they were too many.
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
    /// One verb on one kind of object.
    #[must_use]
    pub const fn of(&self, verb: Verb, kind: Kind) -> &Tally {
        &self.0[verb as usize][kind as usize]
    }

    /// One verb, on whatever object.
    #[must_use]
    pub fn by_verb(&self, verb: Verb) -> Tally {
        let row = self.0[verb as usize].iter();
        row.fold(Tally::default(), |sum, tally| {
            sum.zip(tally, u64::saturating_add)
        })
    }

    /// Everything.
    #[must_use]
    pub fn total(&self) -> Tally {
        let all = self.0.as_flattened().iter();
        all.fold(Tally::default(), |sum, tally| {
            sum.zip(tally, u64::saturating_add)
        })
    }

    /// What object stores charge most for: writes and lists.
    #[must_use]
    pub fn write_requests(&self) -> u64 {
        let of = |verb| self.by_verb(verb).requests;
        of(Verb::Create) + of(Verb::Replace) + of(Verb::List)
    }

    /// What costs about a twelfth of the write ones: reads.
    #[must_use]
    pub fn read_requests(&self) -> u64 {
        self.by_verb(Verb::Read).requests
    }

    /// What was added since `earlier`, counted by the same wrapper.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut added = Self::default();
        for (verb, kind, tally) in self.rows() {
            added.0[verb as usize][kind as usize] =
                tally.zip(earlier.of(verb, kind), u64::saturating_sub);
        }
        added
    }

    /// Every verb on every kind, those that nobody asked for too.
    pub fn rows(&self) -> impl Iterator<Item = (Verb, Kind, &Tally)> {
        Verb::ALL
            .into_iter()
            .flat_map(|verb| Kind::ALL.into_iter().map(move |kind| (verb, kind)))
            .map(|(verb, kind)| (verb, kind, self.of(verb, kind)))
    }
}
