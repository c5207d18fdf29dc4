//! The verbs of the storage port, as they are counted.

use std::fmt;

use millpond::ports::Expect;

/// A verb of [`Bucket`](millpond::ports::Bucket). Creates and replaces are distinguished: one is a
/// new object, the other a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `read`.
    Read,
    /// `write` of an absent key.
    Create,
    /// `write` over a version.
    Replace,
    /// `delete`.
    Delete,
    /// `list`, one page.
    List,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Create,
        Self::Replace,
        Self::Delete,
        Self::List,
    ];

    /// The verb of a write.
    #[must_use]
    pub const fn writing(expect: &Expect) -> Self {
        match expect {
            Expect::Absent => Self::Create,
            Expect::At(_) => Self::Replace,
        }
    }

    /// The name, in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::List => "list",
        }
    }

    /// The name used in a [`BucketError`](millpond::ports::BucketError).
    #[must_use]
    pub const fn at_the_door(self) -> &'static str {
        match self {
            Self::Create | Self::Replace => "write",
            Self::Read | Self::Delete | Self::List => self.as_str(),
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
