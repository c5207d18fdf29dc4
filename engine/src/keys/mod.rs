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

pub use archive::{ARCHIVE, ARCHIVE_BLOB, archive, archive_blob, archived, execution, retention};
pub use key::{InvalidKey, Key, MAX_KEY, Prefix};
pub use kind::{Kind, partition};
pub(crate) use layout::mail_shard;
pub use layout::{
    FEED, FeedKey, MAIL, MailKey, TIMERS, TimerKey, blob, feed, feed_before, feed_day, head, lease,
    log, mail, mail_queue, mailbox, segment, timer, timers,
};

pub use crate::domain::{stamp, unstamp};
