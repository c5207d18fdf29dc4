//! The kinds of objects, and the keys that a store serves together.

use std::fmt;

use super::{
    ARCHIVE, ARCHIVE_BLOB, FEED, FeedKey, Key, MAIL, MailKey, Prefix, TIMERS, TimerKey, archived,
    lease,
};

/// The kind of object that a key names. Requests are counted and priced by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The head of an execution: its commits and renewals.
    Head,
    /// A sealed segment of a journal.
    Segment,
    /// A large value.
    Blob,
    /// A message.
    Mail,
    /// A timer.
    Timer,
    /// A feed object.
    Feed,
    /// The archive of a finished execution, or one of its large values.
    Archive,
    /// An object that the engine did not create.
    Other,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Head,
        Self::Segment,
        Self::Blob,
        Self::Mail,
        Self::Timer,
        Self::Feed,
        Self::Archive,
        Self::Other,
    ];

    /// Returns the kind of the object that `key` names.
    #[must_use]
    pub fn of(key: &Key) -> Self {
        let parsed = match key.as_str().split_once('/') {
            Some(("x", _)) => lease(key).map(|_| Self::below(key.as_str())),
            Some(("mail", _)) => MailKey::parse(key).map(|_| Self::Mail),
            Some(("timers", _)) => TimerKey::parse(key).map(|_| Self::Timer),
            Some(("feed", _)) => FeedKey::parse(key).map(|_| Self::Feed),
            Some(("archive" | "archive-blob", _)) => archived(key).map(|_| Self::Archive),
            _ => None,
        };
        parsed.unwrap_or(Self::Other)
    }

    /// Returns the kind of the objects listed under `prefix`; [`Kind::Other`] if it covers several
    /// kinds.
    #[must_use]
    pub fn under(prefix: &Prefix) -> Self {
        let text = prefix.as_str();
        match text {
            _ if text.starts_with(MAIL) => Self::Mail,
            _ if text.starts_with(TIMERS) => Self::Timer,
            _ if text.starts_with(FEED) => Self::Feed,
            _ if text.starts_with(ARCHIVE) || text.starts_with(ARCHIVE_BLOB) => Self::Archive,
            _ if text.starts_with("x/") => Self::below(text),
            _ => Self::Other,
        }
    }

    /// Classifies by the component after the execution.
    fn below(text: &str) -> Self {
        match text.split('/').nth(3) {
            Some("head") => Self::Head,
            Some("log") => Self::Segment,
            Some("blob") => Self::Blob,
            _ => Self::Other,
        }
    }

    /// Returns the name in lower case.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Segment => "segment",
            Self::Blob => "blob",
            Self::Mail => "mail",
            Self::Timer => "timer",
            Self::Feed => "feed",
            Self::Archive => "archive",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Returns the beginning of a key (or of a prefix) up to the component that spreads load:
/// `x/{sh}/`, `mail/{queue}/{sh}/`, `archive/{sh}/`, else the first component. Stores that
/// partition by prefix split here or above: they throttle one partition while they serve the
/// others.
#[must_use]
pub fn partition(text: &str) -> &str {
    let components = match text.split('/').next() {
        Some("x" | "archive" | "archive-blob") => 2,
        Some("mail") => 3,
        _ => 1,
    };
    let mut ends = text.match_indices('/').map(|(at, _)| at + 1);
    ends.nth(components - 1).map_or(text, |end| &text[..end])
}
