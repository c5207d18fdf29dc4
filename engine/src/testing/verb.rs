//! The four operations of the storage port, as values.

use std::fmt;

/// An operation of [`Bucket`](crate::ports::Bucket).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `read`.
    Read,
    /// `write`.
    Write,
    /// `delete`.
    Delete,
    /// `list`.
    List,
}

impl Verb {
    /// Returns the name as used in a `BucketError`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::List => "list",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
