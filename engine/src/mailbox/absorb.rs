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
    /// Objects that are not messages: left as they are.
    pub(crate) foreign: Vec<Key>,
}

/// Lists the mailbox of `eid`. 1 P for each 1,000 messages.
///
/// # Errors
/// The store failed.
pub(crate) async fn list(
    ports: &Ports,
    queue: &Queue,
    eid: &ExecutionId,
) -> Result<Listing, BucketError> {
    let mut listing = Listing::default();
    for row in ports.list(&keys::mailbox(queue, eid)).await? {
        match MailKey::parse(&row.key) {
            Some(found) => {
                let (key, modified) = (row.key, row.modified);
                listing.slots.push(Slot {
                    key,
                    mid: found.mid,
                    modified,
                });
            }
            None => listing.foreign.push(row.key),
        }
    }
    Ok(listing)
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
    fetch_rest(ports, slots, concurrency, &Early::new()).await
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

/// As [`fetch`], but does not read the messages of `early` again.
pub(crate) async fn fetch_rest(
    ports: &Ports,
    slots: &[Slot],
    concurrency: usize,
    early: &Early,
) -> Result<Vec<Mail>, LoadError> {
    let reads: Vec<_> = slots
        .iter()
        .map(|slot| one(ports, slot, early.get(&slot.key)))
        .collect();
    let found: Vec<Option<Mail>> = stream::iter(reads)
        .buffered(concurrency.max(1))
        .try_collect()
        .await?;
    Ok(ordered(found.into_iter().flatten().collect()))
}

/// Sorts messages into the order of absorption.
pub(crate) fn ordered(mut mails: Vec<Mail>) -> Vec<Mail> {
    mails.sort_by(|a, b| (a.sent_at, &a.mid).cmp(&(b.sent_at, &b.mid)));
    mails
}

async fn one(ports: &Ports, slot: &Slot, early: Option<&Bytes>) -> Result<Option<Mail>, LoadError> {
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
