//! Putting a message into a mailbox.

use bytes::Bytes;

use crate::domain::{ExecutionId, Mail, Queue};
use crate::keys;
use crate::ports::{BucketError, Created, Hint, Ports};
use crate::stored::Document as _;

/// How a send ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Sent {
    /// The message is in the mailbox.
    New,
    /// A message of this id was there already.
    Existed,
}

/// Creates `mail/{queue}/{sh}/{eid}/{mid}`, then rings. 1 P.
///
/// Crash before the create: nothing happened. After it: the message counts, the sender does
/// not know; its retry under the same mid finds it.
///
/// # Errors
/// The store failed; the message may or may not be there.
pub(crate) async fn send(
    ports: &Ports,
    queue: &Queue,
    eid: &ExecutionId,
    mail: &Mail,
) -> Result<Sent, BucketError> {
    let sent = put(ports, queue, eid, mail).await?;
    ring(ports, queue, eid, mail).await;
    Ok(sent)
}

/// The create alone: for who has more to write before anybody should look. 1 P.
///
/// # Errors
/// The store failed; the message may or may not be there.
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

/// The bytes of a message.
pub(crate) fn encode(mail: &Mail) -> Bytes {
    mail.encode()
}

/// The hint alone.
pub(crate) async fn ring(ports: &Ports, queue: &Queue, eid: &ExecutionId, mail: &Mail) {
    let cause = keys::mail(queue, eid, &mail.mid);
    ports
        .wakeups
        .ring(Hint {
            queue: queue.clone(),
            eid: *eid,
            cause,
            at: None,
        })
        .await;
}
