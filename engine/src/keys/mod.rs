//! Object keys: the only code that builds and parses them (docs/protocol.md, Keys).
//!
//! A key uses `[A-Za-z0-9/._~-]` only, has no empty, `.` or `..` component, and is never a folder
//! of another. **\[R\] No key that can be deleted is ever used twice**: each contains the commit or
//! the id that created it.

mod archive;
mod key;
mod kind;
mod layout;
#[cfg(test)]
mod tests;

pub(crate) use archive::{ARCHIVE, ARCHIVE_BLOB, archive_blob, archive_blobs};
pub use archive::{archive, archived, execution, retention};
pub use key::{InvalidKey, Key, MAX_KEY, Prefix};
pub use kind::{Kind, partition};
pub use layout::{
    FEED, MAIL, MailKey, TimerKey, blob, feed, head, lease, log, mail, mail_queue, mailbox,
    segment, timer, timers,
};
pub(crate) use layout::{FeedKey, TIMERS, feed_before, feed_day, mail_shard};

pub(crate) use crate::domain::stamp;
