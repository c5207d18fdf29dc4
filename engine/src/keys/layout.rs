//! The key of each kind of object.

use jiff::Timestamp;

use super::{InvalidKey, Key, Prefix};
use crate::domain::{ExecutionId, MessageId, Queue, stamp, unstamp};

/// The first component of mail keys.
pub const MAIL: &str = "mail/";
/// The first component of timer keys.
pub(crate) const TIMERS: &str = "timers/";
/// The first component of feed keys.
pub const FEED: &str = "feed/";

/// `x/{sh}/{eid}/head`: the head of the execution.
#[must_use]
pub fn head(eid: &ExecutionId) -> Key {
    Key::built(format!("x/{}/{eid}/head", eid.shard()))
}

/// `x/{sh}/{eid}/log/{n:06}-{sha16}`: sealed segment `n`. The key contains the digest of its bytes,
/// so that a stale writer cannot replace it (A7).
#[must_use]
pub fn segment(eid: &ExecutionId, number: u32, sha16: &str) -> Key {
    Key::built(format!("x/{}/{eid}/log/{number:06}-{sha16}", eid.shard()))
}

/// The prefix of all segments of one execution.
#[must_use]
pub fn log(eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("x/{}/{eid}/log/", eid.shard()))
}

/// `x/{sh}/{eid}/blob/{sha256}`: a payload too large to inline.
#[must_use]
pub fn blob(eid: &ExecutionId, sha256: &str) -> Key {
    Key::built(format!("x/{}/{eid}/blob/{sha256}", eid.shard()))
}

/// `mail/{queue}/{sh}/{eid}/{class}.{name}`: one message for one execution. The message id contains
/// the class.
#[must_use]
pub fn mail(queue: &Queue, eid: &ExecutionId, mid: &MessageId) -> Key {
    Key::built(format!("{MAIL}{queue}/{}/{eid}/{mid}", eid.shard()))
}

/// The prefix of one execution's mailbox.
#[must_use]
pub fn mailbox(queue: &Queue, eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("{MAIL}{queue}/{}/{eid}/", eid.shard()))
}

/// The prefix of all mailboxes of one queue.
#[must_use]
pub fn mail_queue(queue: &Queue) -> Prefix {
    Prefix::built(format!("{MAIL}{queue}/"))
}

/// The position in the mail of one queue at which `shard` begins.
#[must_use]
pub(crate) fn mail_shard(queue: &Queue, shard: u8) -> Key {
    Key::built(format!("{MAIL}{queue}/{shard:02x}"))
}

/// `timers/{due}/{queue}/{eid}.{commit}`: the execution's timer, set by that commit.
#[must_use]
pub fn timer(due: Timestamp, queue: &Queue, eid: &ExecutionId, commit: u64) -> Key {
    Key::built(format!("{TIMERS}{}/{queue}/{eid}.{commit}", stamp(due)))
}

/// The prefix of all timers.
#[must_use]
pub fn timers() -> Prefix {
    Prefix::built(TIMERS.to_owned())
}

/// `feed/{day}/{instant}-{eid}-{commit:08}`: the public events of one or more commits.
#[must_use]
pub fn feed(at: Timestamp, eid: &ExecutionId, commit: u64) -> Key {
    let instant = stamp(at);
    Key::built(format!(
        "{FEED}{}/{instant}-{eid}-{commit:08}",
        &instant[..8]
    ))
}

/// A text that sorts after all feed keys of earlier instants and before all others. It is not a key
/// itself.
#[must_use]
pub(crate) fn feed_before(at: Timestamp) -> String {
    let instant = stamp(at);
    format!("{FEED}{}/{instant}", &instant[..8])
}

/// The prefix of the feed of one day (`YYYYMMDD`), or of all days.
///
/// # Errors
/// [`InvalidKey`] if `day` is not eight digits.
pub(crate) fn feed_day(day: Option<&str>) -> Result<Prefix, InvalidKey> {
    match day {
        None => Ok(Prefix::built(FEED.to_owned())),
        Some(day) if day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit()) => {
            Ok(Prefix::built(format!("{FEED}{day}/")))
        }
        Some(day) => Err(InvalidKey {
            key: day.to_owned(),
            why: "a day is YYYYMMDD",
        }),
    }
}

/// The execution whose prefix contains the object: a head, a segment, a blob. `None` for any other
/// key.
#[must_use]
pub fn lease(key: &Key) -> Option<ExecutionId> {
    let (shard, rest) = key.as_str().strip_prefix("x/")?.split_once('/')?;
    let (eid, name) = rest.split_once('/')?;
    let eid = ExecutionId::parse(eid)
        .ok()
        .filter(|eid| eid.shard() == shard)?;
    let hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let known = match name.split_once('/') {
        None => name == "head",
        Some(("blob", digest)) => digest.len() == 64 && hex(digest),
        Some(("log", named)) => named.split_once('-').is_some_and(|(number, digest)| {
            let digits = number.bytes().all(|b| b.is_ascii_digit());
            number.len() >= 6 && digits && digest.len() == 16 && hex(digest)
        }),
        Some(_) => false,
    };
    known.then_some(eid)
}

/// The content of a mail key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailKey {
    /// The queue.
    pub queue: Queue,
    /// The execution that receives the message.
    pub eid: ExecutionId,
    /// The id of the message.
    pub mid: MessageId,
}

impl MailKey {
    /// Parses a mail key; `None` for any other key.
    #[must_use]
    pub fn parse(key: &Key) -> Option<Self> {
        let mut parts = key.as_str().strip_prefix(MAIL)?.split('/');
        let queue = Queue::parse(parts.next()?).ok()?;
        let shard = parts.next()?;
        let eid = ExecutionId::parse(parts.next()?).ok()?;
        let mid = MessageId::parse(parts.next()?).ok()?;
        (parts.next().is_none() && shard == eid.shard()).then_some(Self { queue, eid, mid })
    }
}

/// The content of a timer key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerKey {
    /// The instant at which it is due.
    pub due: Timestamp,
    /// The queue.
    pub queue: Queue,
    /// The execution.
    pub eid: ExecutionId,
    /// The number of the commit that set it.
    pub commit: u64,
}

impl TimerKey {
    /// Parses a timer key; `None` for any other key.
    #[must_use]
    pub fn parse(key: &Key) -> Option<Self> {
        let mut parts = key.as_str().strip_prefix(TIMERS)?.split('/');
        let due = unstamp(parts.next()?)?;
        let queue = Queue::parse(parts.next()?).ok()?;
        let (eid, commit) = parts.next()?.rsplit_once('.')?;
        let (eid, commit) = (ExecutionId::parse(eid).ok()?, commit.parse().ok()?);
        // Only one spelling is accepted, so that the parsed form names the object it was parsed
        // from.
        (*key == timer(due, &queue, &eid, commit)).then_some(Self {
            due: proven(due),
            queue,
            eid,
            commit,
        })
    }
}

/// The content of a feed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeedKey {
    /// The instant of the write, by the writer's clock.
    pub(crate) at: Timestamp,
    /// The execution.
    pub(crate) eid: ExecutionId,
    /// The number of the commit: with the eid the identity of the object.
    pub(crate) commit: u64,
}

impl FeedKey {
    /// Parses a feed key; `None` for any other key.
    #[must_use]
    pub(crate) fn parse(key: &Key) -> Option<Self> {
        let (day, rest) = key.as_str().strip_prefix(FEED)?.split_once('/')?;
        let (instant, rest) = rest.split_once('-')?;
        let (eid, commit) = rest.rsplit_once('-')?;
        let at = unstamp(instant)?;
        let (eid, commit) = (ExecutionId::parse(eid).ok()?, commit.parse().ok()?);
        let same = instant.get(..8) == Some(day) && *key == feed(at, &eid, commit);
        same.then_some(Self { at, eid, commit })
    }
}

/// Returns the instant that a timer of this due time proves. The last microsecond represents the end
/// of time: otherwise a wait for it would never be due.
fn proven(due: Timestamp) -> Timestamp {
    match stamp(due) == stamp(Timestamp::MAX) {
        true => Timestamp::MAX,
        false => due,
    }
}
