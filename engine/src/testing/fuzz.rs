//! Rules that must hold for any bytes in the place of the engine's own objects.
//!
//! Each function takes bytes from a fuzzer, panics if a rule is broken, and returns true if the
//! bytes were accepted as valid. The fuzz targets (`fuzz/` in the repository) and the test that
//! replays the stored corpus call the same functions.
//!
//! No bytes make a reader panic. Accepted bytes are written back in a form that is read as equal;
//! with one byte of that form changed, it is read as equal still, or rejected. An object of another
//! execution, or under another name, is rejected.

use serde_json::Value;

use crate::domain::{
    Body, Channel, Digest, ExecutionId, FrameName, Json, Mail, MessageId, Queue, Text, Workflow,
};
use crate::journal::{FORMAT, Head, Raw, Sealed, segment};
use crate::keys::{self, FeedKey, Key, MAX_KEY, MailKey, Prefix, TimerKey};
use crate::mailbox::{self, Slot};
use crate::stored::Document as _;
use crate::stored::LoadError;

/// One kind of input: its name and its check.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All kinds of input.
pub const TARGETS: [Target; 5] = [
    ("head", head),
    ("json", json),
    ("keys", key),
    ("mail", mail),
    ("segment", segment),
];

/// Checks bytes as the head of the execution that they name.
///
/// # Panics
/// If a rule is broken.
pub fn head(data: &[u8]) -> bool {
    let value = parsed(data);
    let eid = named(value.as_ref().and_then(|value| value.get("record")));
    let key = keys::head(&eid);
    let decoded = Head::decode(&key, &eid, data);
    refused_by_name(value.as_ref(), FORMAT, &decoded);
    let Ok(head) = decoded else { return false };
    assert_eq!(head.format, FORMAT);
    let body = head.encode();
    let taken = |body: &[u8]| Head::decode(&key, &eid, body).map(|head| head.encode());
    assert_eq!(
        taken(&body).ok(),
        Some(body.clone()),
        "read back as another"
    );
    for spoilt in spoilt(data, &body) {
        let same = taken(&spoilt).map_or(true, |now| now == body);
        assert!(same, "another head: {}", spoilt.escape_ascii());
    }
    let other = other(&eid);
    assert!(matches!(
        Head::decode(&keys::head(&other), &other, data),
        Err(LoadError::Corrupt { .. })
    ));
    head.tail.iter().for_each(commit);
    true
}

/// Checks bytes as the message whose id they contain.
///
/// # Panics
/// If a rule is broken.
pub fn mail(data: &[u8]) -> bool {
    let value = parsed(data);
    let mid = value.as_ref().and_then(|value| value.get("mid")?.as_str());
    let mid = mid.and_then(|mid| MessageId::parse(mid).ok());
    let slot = |mid: MessageId| Slot {
        key: keys::mail(&Queue::default(), &named(None), &mid),
        mid,
        modified: jiff::Timestamp::UNIX_EPOCH,
    };
    let own = slot(mid.unwrap_or_else(MessageId::start));
    let decoded = mailbox::decode(&own, data);
    refused_by_name(value.as_ref(), Mail::FORMAT, &decoded);
    let Ok(mail) = decoded else { return false };
    assert_eq!((mail.format, &mail.mid), (Mail::FORMAT, &own.mid));
    if let Body::Unreadable { key, .. } = &mail.body {
        assert_eq!(key, own.key.as_str(), "blames another object");
        return false;
    }
    let body = mailbox::encode(&mail);
    let taken = |slot: &Slot, body: &[u8]| mailbox::decode(slot, body).ok();
    assert_eq!(
        taken(&own, &body).as_ref(),
        Some(&mail),
        "read back as another"
    );
    for spoilt in spoilt(data, &body) {
        let now = taken(&own, &spoilt);
        let same = now.is_none_or(|now| is_refusal(&now) || now == mail);
        assert!(same, "another message: {}", spoilt.escape_ascii());
    }
    let elsewhere = slot(MessageId::result(&named(None), u32::MAX));
    assert!(elsewhere.mid == own.mid || taken(&elsewhere, data).is_none_or(|m| is_refusal(&m)));
    true
}

/// Checks bytes as a segment of the execution that they name, under the key of their digest.
///
/// # Panics
/// If a rule is broken.
pub fn segment(data: &[u8]) -> bool {
    let value = parsed(data);
    let eid = named(value.as_ref());
    let first = value.as_ref().and_then(|value| {
        let commits = value.get("commits")?.as_array()?;
        commits.first()?.get("first")?.as_u64()
    });
    let sealed = |eid: &ExecutionId, body: &[u8]| Sealed {
        key: keys::segment(eid, 0, Digest::of(body).sha16()),
        first: first.unwrap_or_default(),
        end: u64::MAX,
        bytes: body.len() as u64,
    };
    let own = sealed(&eid, data);
    let decoded = segment::decode(&eid, &own, data);
    refused_by_name(value.as_ref(), FORMAT, &decoded);
    let Ok(raws) = decoded else { return false };
    let body = segment::encode(eid, &raws);
    let back = segment::decode(&eid, &sealed(&eid, &body), &body);
    let back = back.map(|raws| segment::encode(eid, &raws));
    assert_eq!(back.ok(), Some(body), "read back as another");
    let corrupt = |eid: &ExecutionId, sealed: &Sealed, body: &[u8]| {
        let read = segment::decode(eid, sealed, body);
        matches!(read, Err(LoadError::Corrupt { key, .. }) if key == sealed.key)
    };
    let other = other(&eid);
    assert!(corrupt(&other, &sealed(&other, data), data), "another's");
    for spoilt in spoilt(data, data) {
        assert!(corrupt(&eid, &own, &spoilt), "other bytes under its name");
    }
    let mut late = own;
    late.first = late.first.wrapping_add(1);
    assert!(corrupt(&eid, &late, data), "not where it is stored");
    raws.iter().for_each(commit);
    true
}

/// Checks text as a key, a name and an instant: a parsed text is formatted as the same text.
///
/// # Panics
/// If a rule is broken.
pub fn key(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    if let Some(at) = crate::domain::unstamp(text) {
        assert_eq!(keys::stamp(at), text);
    }
    if let Ok(eid) = ExecutionId::parse(text) {
        assert_eq!(eid.to_string(), text);
    }
    if let Ok(text) = Text::parse(text) {
        let eid = ExecutionId::keyed(&text, 0);
        assert_eq!(ExecutionId::parse(&eid.to_string()), Ok(eid));
    }
    let names = [
        Queue::parse(text).map(|name| name.to_string()),
        Channel::parse(text).map(|name| name.to_string()),
        Workflow::parse(text).map(|name| name.to_string()),
        FrameName::parse(text).map(|name| name.to_string()),
        MessageId::parse(text).map(|name| name.to_string()),
    ];
    for name in names.into_iter().flatten() {
        assert_eq!(name, text);
    }
    let prefix = Prefix::parse(text);
    match prefix {
        Ok(prefix) => assert_eq!(prefix.as_str(), text),
        // No key exceeds the maximum length.
        Err(_) => assert!(text.len() >= MAX_KEY || Key::parse(text).is_err()),
    }
    let Ok(key) = Key::parse(text) else {
        return false;
    };
    assert_eq!(key.as_str(), text);
    let mut read = keys::lease(&key).is_some();
    if let Some(eid) = keys::lease(&key) {
        let under = format!("x/{}/{eid}/", eid.shard());
        assert!(text.starts_with(&under), "it is stored under {under}");
    }
    if let Some(MailKey { queue, eid, mid }) = MailKey::parse(&key) {
        assert_eq!(keys::mail(&queue, &eid, &mid), key);
        assert!(key.is_under(&keys::mailbox(&queue, &eid)));
        read = true;
    }
    if let Some(timer) = TimerKey::parse(&key) {
        let TimerKey {
            due,
            queue,
            eid,
            commit,
        } = &timer;
        assert_eq!(keys::timer(*due, queue, eid, *commit), key);
        read = true;
    }
    if let Some(FeedKey { at, eid, commit }) = FeedKey::parse(&key) {
        assert_eq!(keys::feed(at, &eid, commit), key);
        read = true;
    }
    read
}

/// Checks text as a value, from outside and as stored.
///
/// # Panics
/// If a rule is broken.
pub fn json(data: &[u8]) -> bool {
    if let Ok(stored) = serde_json::from_slice::<Json>(data) {
        let text = serde_json::to_string(&stored).expect("it is JSON");
        assert_eq!(text, stored.as_str(), "stored otherwise than it is");
        let again: Json = serde_json::from_str(&text).expect("it was read before");
        assert_eq!(again.digest(), stored.digest());
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return false;
    };
    let Ok(value) = Json::parse(text) else {
        return false;
    };
    let again = Json::parse(value.as_str()).expect("what was taken is taken again");
    assert_eq!(again.as_str(), value.as_str(), "taken otherwise than it is");
    let plain: Value = value.get().expect("what was taken can be read");
    let of = Json::of(&plain).expect("what was read can be taken");
    assert_eq!((of.as_str(), of.digest()), (value.as_str(), value.digest()));
    true
}

/// A readable commit is written back in a form that is read as equal.
fn commit(raw: &Raw) {
    if let Ok(commit) = raw.decode() {
        let back = Raw::of(&commit).decode();
        assert_eq!(back.ok(), Some(commit), "read back as another");
    }
}

fn parsed(data: &[u8]) -> Option<Value> {
    serde_json::from_slice(data).ok()
}

/// The execution that an object names, or a default if it names none.
fn named(object: Option<&Value>) -> ExecutionId {
    let value = object.and_then(|object| object.get("eid")?.as_str());
    let value = value.and_then(|value| ExecutionId::parse(value).ok());
    value.unwrap_or_else(|| other(&ExecutionId::new(uuid::Uuid::nil())))
}

fn other(eid: &ExecutionId) -> ExecutionId {
    ExecutionId::new(uuid::Uuid::from_u128(eid.uuid().as_u128() ^ 1))
}

/// If the format is of a later release and the bytes are rejected, the format is the reason.
fn refused_by_name<T>(value: Option<&Value>, known: u32, decoded: &Result<T, LoadError>) {
    let format = value.and_then(|value| value.get("format")?.as_u64());
    match decoded {
        Err(LoadError::Newer { format: named, .. }) => {
            assert!(*named > known);
        }
        Ok(_) => assert!(format.is_none_or(|format| format <= u64::from(known))),
        Err(_) => {}
    }
}

fn is_refusal(mail: &Mail) -> bool {
    matches!(mail.body, Body::Unreadable { .. })
}

/// `body` with one byte changed, and truncated, at positions taken from the input.
fn spoilt(data: &[u8], body: &[u8]) -> Vec<Vec<u8>> {
    let digest = Digest::of(data);
    let draw = u64::from_str_radix(digest.sha16(), 16).expect("a digest is hex digits");
    let place = usize::try_from(draw >> 8).unwrap_or_default() % body.len().max(1);
    let mut changed = body.to_vec();
    let Some(byte) = changed.get_mut(place) else {
        return Vec::new();
    };
    *byte ^= u8::try_from(draw & 0xff).unwrap_or_default().max(1);
    vec![changed, body.get(..place).unwrap_or_default().to_vec()]
}
