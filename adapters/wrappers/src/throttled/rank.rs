//! Who goes first.

use std::time::Duration;

use millpond::keys::Kind;

use crate::Verb;

/// How urgent a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// A replace of a head: a commit or a renewal. Late, it costs an ownership.
    Commit,
    /// A create or a delete: what a commit has decided, or a segment it needs.
    Effect,
    /// A read.
    Read,
    /// A list: mostly a look for work.
    List,
}

impl Rank {
    /// The rank of a request.
    #[must_use]
    pub const fn of(verb: Verb, kind: Kind) -> Self {
        match (verb, kind) {
            (Verb::Replace, Kind::Head) => Self::Commit,
            (Verb::Create | Verb::Replace | Verb::Delete, _) => Self::Effect,
            (Verb::Read, _) => Self::Read,
            (Verb::List, _) => Self::List,
        }
    }

    /// By how much a request of this rank lets later ones of [`Rank::Commit`] pass.
    #[must_use]
    pub const fn grace(self) -> Duration {
        Duration::from_millis(match self {
            Self::Commit => 0,
            Self::Effect => 500,
            Self::Read => 1_000,
            Self::List => 2_000,
        })
    }
}
