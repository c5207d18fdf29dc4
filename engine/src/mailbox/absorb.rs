//! Reading a mailbox.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;

use crate::domain::{Actor, Body, ExecutionId, Mail, MessageId, Queue};
use crate::keys::{self, Key, MailKey};
use crate::ports::{BucketError, Ports};
use crate::stored::{self, LoadError};

/// One message of a listing, before it is read.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) key: Key,
    pub(crate) mid: MessageId,
    /// The instant of its creation by the store's clock.
    pub(crate) modified: Timestamp,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    /// The messages, in order of key.
    pub(crate) slots: Vec<Slot>,
    /// Whether the mailbox may contain more: the page is full.
    pub(crate) full: bool,
}

/// Lists the first `page` messages of the mailbox of `eid`. Objects that are not messages are left as
/// they are. 1 P; 1 P more for each page of the store that shows none of them.
///
/// # Errors
/// The store failed.
pub(crate) async fn list(
    ports: &Ports,
    queue: &Queue,
    eid: &ExecutionId,
    page: usize,
) -> Result<Listing, BucketError> {
    let (prefix, most) = (keys::mailbox(queue, eid), page.max(2));
    let (mut listing, mut after) = (Listing::default(), None);
    loop {
        let rest = most - listing.slots.len();
        let found = ports.page(&prefix, after.as_ref(), rest).await?;
        for row in found.entries {
            if let Some(found) = MailKey::parse(&row.key) {
                listing.slots.push(Slot {
                    key: row.key,
                    mid: found.mid,
                    modified: row.modified,
                });
            }
        }
        after = found.next;
        listing.full = after.is_some();
        if !listing.full || listing.slots.len() >= most {
            return Ok(listing);
        }
    }
}

/// Reads messages concurrently and returns them in the order of absorption: by (`sent_at`, mid). A
/// message that vanished meanwhile was absorbed by another run. 1 G each.
///
/// An object that cannot be read as mail becomes [`Body::Unreadable`], which parks the execution:
/// it neither blocks other messages nor is lost.
///
/// # Errors
/// The store failed; or a newer release wrote one of the messages, which this release leaves as it
/// is.
pub(crate) async fn fetch(
    ports: &Ports,
    slots: &[Slot],
    concurrency: usize,
) -> Result<Vec<Mail>, LoadError> {
    let reads: Vec<_> = slots.iter().map(|slot| read(ports, slot, None)).collect();
    let found: Vec<Option<Mail>> = stream::iter(reads)
        .buffered(concurrency.max(1))
        .try_collect()
        .await?;
    let mut mails: Vec<Mail> = found.into_iter().flatten().collect();
    mails.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(mails)
}

pub(crate) type Early = BTreeMap<Key, Bytes>;

/// Reads those of `keys` that exist, concurrently; `None` if none exists. A message whose read
/// fails may exist, and is left to the caller that needs it. 1 G each.
pub(crate) async fn read_early(ports: &Ports, keys: &[Key], concurrency: usize) -> Option<Early> {
    let reads: Vec<_> = keys.iter().map(|key| ports.read(key)).collect();
    let found: Vec<_> = stream::iter(reads)
        .buffered(concurrency.max(1))
        .collect()
        .await;
    let gone = found.iter().all(|found| matches!(found, Ok(None)));
    let bodies = keys.iter().zip(found).filter_map(|(key, found)| {
        let body = found.ok().flatten()?.body;
        Some((key.clone(), body))
    });
    (!gone).then(|| bodies.collect())
}

/// Returns the position of a message in the order of absorption.
pub(crate) fn order(mail: &Mail) -> (Timestamp, &MessageId) {
    (mail.sent_at, &mail.mid)
}

/// Reads the message in `slot`, unless `early` holds it; `None` if it has vanished. 1 G.
///
/// # Errors
/// As [`fetch`].
pub(crate) async fn read(
    ports: &Ports,
    slot: &Slot,
    early: Option<&Bytes>,
) -> Result<Option<Mail>, LoadError> {
    if let Some(body) = early {
        return decode(slot, body).map(Some);
    }
    match ports.read(&slot.key).await? {
        Some(found) => decode(slot, &found.body).map(Some),
        None => Ok(None),
    }
}

/// Decodes the message in `slot`; [`Body::Unreadable`] if it is not one.
///
/// # Errors
/// [`LoadError::Newer`] for a form of a later release.
pub(crate) fn decode(slot: &Slot, body: &[u8]) -> Result<Mail, LoadError> {
    let mail = match stored::decode::<Mail>(&slot.key, body) {
        Err(error @ LoadError::Newer { .. }) => return Err(error),
        other => other.ok(),
    };
    // No sender creates an unreadable message: only a reader assigns this kind.
    let own = |mail: &Mail| {
        let sent = !matches!(mail.body, Body::Unreadable { .. });
        sent && mail.format == Mail::FORMAT && mail.mid == slot.mid
    };
    Ok(mail.filter(own).unwrap_or_else(|| unreadable(slot, body)))
}

fn unreadable(slot: &Slot, body: &[u8]) -> Mail {
    let text = String::from_utf8_lossy(body).chars().take(1024).collect();
    Mail {
        format: Mail::FORMAT,
        mid: slot.mid.clone(),
        from: Actor::system("unknown").into(),
        sent_at: slot.modified,
        nonce: None,
        body: Body::Unreadable {
            key: slot.key.to_string(),
            text,
        },
    }
}
