//! Where each kind of object lives.

use jiff::Timestamp;

use super::{InvalidKey, Key, Prefix};
use crate::domain::{ExecutionId, MessageId, Queue};

/// First component of mail keys.
pub const MAIL: &str = "mail/";
/// First component of timer keys.
pub const TIMERS: &str = "timers/";
/// First component of feed keys.
pub const FEED: &str = "feed/";

/// `x/{sh}/{eid}/head`: the execution.
#[must_use]
pub fn head(eid: &ExecutionId) -> Key {
    Key::built(format!("x/{}/{eid}/head", eid.shard()))
}

/// `x/{sh}/{eid}/log/{n:06}-{sha16}`: sealed segment `n`, named by its bytes too, so that a
/// stale writer cannot replace it (A7).
#[must_use]
pub fn segment(eid: &ExecutionId, number: u32, sha16: &str) -> Key {
    Key::built(format!("x/{}/{eid}/log/{number:06}-{sha16}", eid.shard()))
}

/// Every segment of one execution.
#[must_use]
pub fn log(eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("x/{}/{eid}/log/", eid.shard()))
}

/// `x/{sh}/{eid}/blob/{sha256}`: a payload too large to inline.
#[must_use]
pub fn blob(eid: &ExecutionId, sha256: &str) -> Key {
    Key::built(format!("x/{}/{eid}/blob/{sha256}", eid.shard()))
}

/// `mail/{queue}/{sh}/{eid}/{mid}`: one message that wakes one execution.
#[must_use]
pub fn mail(queue: &Queue, eid: &ExecutionId, mid: &MessageId) -> Key {
    Key::built(format!("{MAIL}{queue}/{}/{eid}/{mid}", eid.shard()))
}

/// Everything in one execution's mailbox.
#[must_use]
pub fn mailbox(queue: &Queue, eid: &ExecutionId) -> Prefix {
    Prefix::built(format!("{MAIL}{queue}/{}/{eid}/", eid.shard()))
}

/// Every mailbox of one queue.
#[must_use]
pub fn mail_queue(queue: &Queue) -> Prefix {
    Prefix::built(format!("{MAIL}{queue}/"))
}

/// `timers/{due}/{queue}/{eid}.{commit}`: the execution's timer, set by that commit.
#[must_use]
pub fn timer(due: Timestamp, queue: &Queue, eid: &ExecutionId, commit: u64) -> Key {
    Key::built(format!("{TIMERS}{}/{queue}/{eid}.{commit}", stamp(due)))
}

/// Every timer.
#[must_use]
pub fn timers() -> Prefix {
    Prefix::built(TIMERS.to_owned())
}

/// `feed/{day}/{instant}-{eid}-{commit:08}`: what one or more commits mean to the outside.
#[must_use]
pub fn feed(at: Timestamp, eid: &ExecutionId, commit: u64) -> Key {
    let instant = stamp(at);
    Key::built(format!(
        "{FEED}{}/{instant}-{eid}-{commit:08}",
        &instant[..8]
    ))
}

/// What sorts after every feed key of an earlier instant, and before all others: no key itself.
#[must_use]
pub fn feed_before(at: Timestamp) -> String {
    let instant = stamp(at);
    format!("{FEED}{}/{instant}", &instant[..8])
}

/// The feed of one day (`YYYYMMDD`), or all of it.
///
/// # Errors
/// [`InvalidKey`] when `day` is not eight digits.
pub fn feed_day(day: Option<&str>) -> Result<Prefix, InvalidKey> {
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

/// The execution under whose prefix an object stands: a head, a segment, a blob. `None` for
/// any other key.
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

/// What a mail key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailKey {
    /// The queue.
    pub queue: Queue,
    /// The addressee.
    pub eid: ExecutionId,
    /// The message.
    pub mid: MessageId,
}

impl MailKey {
    /// Reads a mail key back; `None` for any other key.
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

/// What a timer key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerKey {
    /// When it is due.
    pub due: Timestamp,
    /// The queue.
    pub queue: Queue,
    /// The execution.
    pub eid: ExecutionId,
    /// The commit that set it.
    pub commit: u64,
}

impl TimerKey {
    /// Reads a timer key back; `None` for any other key.
    #[must_use]
    pub fn parse(key: &Key) -> Option<Self> {
        let mut parts = key.as_str().strip_prefix(TIMERS)?.split('/');
        let due = unstamp(parts.next()?)?;
        let queue = Queue::parse(parts.next()?).ok()?;
        let (eid, commit) = parts.next()?.rsplit_once('.')?;
        let (eid, commit) = (ExecutionId::parse(eid).ok()?, commit.parse().ok()?);
        // One spelling only: what is parsed names the object it was parsed from.
        (*key == timer(due, &queue, &eid, commit)).then_some(Self {
            due,
            queue,
            eid,
            commit,
        })
    }
}

/// What a feed key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedKey {
    /// The instant of the write, by the writer.
    pub at: Timestamp,
    /// The execution.
    pub eid: ExecutionId,
    /// The commit: with the eid the identity of the object.
    pub commit: u64,
}

impl FeedKey {
    /// Reads a feed key back; `None` for any other key.
    #[must_use]
    pub fn parse(key: &Key) -> Option<Self> {
        let (day, rest) = key.as_str().strip_prefix(FEED)?.split_once('/')?;
        let (instant, rest) = rest.split_once('-')?;
        let (eid, commit) = rest.rsplit_once('-')?;
        let at = unstamp(instant)?;
        let (eid, commit) = (ExecutionId::parse(eid).ok()?, commit.parse().ok()?);
        let same = instant.get(..8) == Some(day) && *key == feed(at, &eid, commit);
        same.then_some(Self { at, eid, commit })
    }
}

/// An instant as it stands in keys: `YYYYMMDDTHHMMSS.ffffffZ`, which sorts as text.
///
/// Microseconds, cut; instants before the year 0 are clamped to its begin.
#[must_use]
pub fn stamp(at: Timestamp) -> String {
    let zero = Timestamp::from_second(-62_167_219_200).unwrap_or(Timestamp::MIN);
    at.max(zero).strftime("%Y%m%dT%H%M%S.%6fZ").to_string()
}

/// Reads [`stamp`] back; `None` for any other spelling of an instant.
#[must_use]
pub fn unstamp(text: &str) -> Option<Timestamp> {
    let fixed = text.len() == 23 && text.as_bytes()[8] == b'T' && text.ends_with('Z');
    let spelled = fixed.then(|| {
        format!(
            "{}-{}-{}T{}:{}:{}",
            text.get(..4).unwrap_or_default(),
            text.get(4..6).unwrap_or_default(),
            text.get(6..8).unwrap_or_default(),
            text.get(9..11).unwrap_or_default(),
            text.get(11..13).unwrap_or_default(),
            text.get(13..).unwrap_or_default(),
        )
    })?;
    let at: Timestamp = spelled.parse().ok()?;
    (stamp(at) == text).then_some(at)
}
