//! Sends a message to a mailbox.

use bytes::Bytes;

use crate::domain::{ExecutionId, Mail, Queue};
use crate::keys;
use crate::ports::{BucketError, Created, Hint, Ports};
use crate::stored::Document as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Sent {
    New,
    /// A message with this id existed already.
    Existed,
}

/// Creates `mail/{queue}/{sh}/{eid}/{class}.{name}`, then sends a hint. 1 P.
///
/// Crash before the create: nothing happened. After it: the message counts, although the sender has
/// no answer; its retry under the same mid finds it.
///
/// # Errors
/// The store failed; the message may exist.
pub(crate) async fn send(
    ports: &Ports,
    queue: &Queue,
    eid: &ExecutionId,
    mail: &Mail,
) -> Result<Sent, BucketError> {
    let sent = put(ports, queue, eid, mail).await?;
    notify(ports, queue, eid, mail).await;
    Ok(sent)
}

/// Creates the message without a hint, for callers that have more to write before a worker should
/// look. 1 P.
///
/// # Errors
/// The store failed; the message may exist.
pub(crate) async fn put(
    ports: &Ports,
    queue: &Queue,
    eid: &ExecutionId,
    mail: &Mail,
) -> Result<Sent, BucketError> {
    let body = encode(mail);
    Ok(
        match ports
            .create(&keys::mail(queue, eid, &mail.mid), body)
            .await?
        {
            Created::New(_) => Sent::New,
            Created::Existed(_) => Sent::Existed,
        },
    )
}

pub(crate) fn encode(mail: &Mail) -> Bytes {
    mail.encode()
}

/// Sends the hint only.
pub(crate) async fn notify(ports: &Ports, queue: &Queue, eid: &ExecutionId, mail: &Mail) {
    let cause = keys::mail(queue, eid, &mail.mid);
    ports
        .wakeups
        .notify(Hint {
            queue: queue.clone(),
            eid: *eid,
            cause,
            at: None,
        })
        .await;
}
