//! The operations of the storage port, as values.

use super::Expect;

/// An operation of [`Bucket`](super::Bucket). The two forms of a write are distinguished: a create
/// is a new object, and a replace a new version of one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
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

    /// Returns the verb of a write with this precondition.
    #[must_use]
    pub const fn writing(expect: &Expect) -> Self {
        match expect {
            Expect::Absent => Self::Create,
            Expect::At(_) => Self::Replace,
        }
    }

    /// Returns true for a create and a replace.
    #[must_use]
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Create | Self::Replace)
    }
}
