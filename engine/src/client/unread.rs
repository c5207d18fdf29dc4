//! Messages that no `receive` has consumed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::{Engine, EngineError};
use crate::domain::{
    Body, Channel, Commit, Entry, ExecutionId, Mail, MessageId, Payload, Provenance,
};
use crate::journal;
use crate::mailbox;

/// Messages of a mailbox that are read.
const MAX_MAIL: usize = 100;

/// A message that no `receive` has consumed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unread {
    /// Its id.
    pub mid: MessageId,
    /// Its channel.
    pub channel: Channel,
    /// When it was sent, by the sender's clock.
    pub sent_at: Timestamp,
    /// The sender.
    pub from: Provenance,
    /// The value.
    pub payload: Payload,
    /// Whether the journal contains it. Otherwise no run has read it since it was sent.
    pub absorbed: bool,
}

impl Engine {
    /// Returns the messages to an execution that no `receive` has consumed, in the order of
    /// absorption: those of the journal, and the first 100 messages of the mailbox. 1 G, + 1 G for
    /// each segment and for each of the 100 messages, + 1 P; 2 G if it is archived.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or an object cannot be read.
    pub async fn unread(&self, eid: ExecutionId) -> Result<Vec<Unread>, EngineError> {
        let history = self.history(eid, 0).await?;
        let mut unread = of_journal(&history.commits);
        if history.status.is_terminal() {
            return Ok(unread);
        }
        let (ports, queue) = (&self.core.ports, &history.record.queue);
        let mut slots = mailbox::list(ports, queue, &eid, self.core.settings.mailbox_page)
            .await?
            .slots;
        let entries = history.commits.iter().flat_map(|commit| &commit.entries);
        let known: Vec<&MessageId> = entries
            .filter_map(|entry| match entry {
                Entry::Received { mid, .. } => Some(mid),
                _ => None,
            })
            .collect();
        slots.retain(|slot| !known.contains(&&slot.mid));
        slots.truncate(MAX_MAIL);
        let mails = mailbox::fetch(ports, &slots, self.core.settings.concurrency).await?;
        unread.extend(mails.into_iter().filter_map(of_mail));
        Ok(unread)
    }
}

/// Returns the messages of a journal that no `receive` has consumed.
pub(super) fn of_journal(commits: &[Commit]) -> Vec<Unread> {
    let (mut open, mut received) = (BTreeMap::new(), BTreeSet::new());
    for (at, line) in journal::lines(commits).into_iter().enumerate() {
        match line.entry {
            Entry::Received {
                mid,
                sent_at,
                from,
                body: Body::Message { channel, payload },
                ..
            // A message is absorbed twice if the segment that contains it cannot be read (I3).
            } if received.insert(mid) => {
                let message = Unread {
                    mid: mid.clone(),
                    channel: channel.clone(),
                    sent_at: *sent_at,
                    from: from.clone(),
                    payload: payload.clone(),
                    absorbed: true,
                };
                open.insert(mid, (at, message));
            }
            Entry::FrameFulfilled { mid: Some(mid), .. } => drop(open.remove(mid)),
            _ => {}
        }
    }
    let mut unread: Vec<_> = open.into_values().collect();
    unread.sort_by_key(|(at, _)| *at);
    unread.into_iter().map(|(_, message)| message).collect()
}

fn of_mail(mail: Mail) -> Option<Unread> {
    let Body::Message { channel, payload } = mail.body else {
        return None;
    };
    Some(Unread {
        mid: mail.mid,
        channel,
        sent_at: mail.sent_at,
        from: mail.from,
        payload,
        absorbed: false,
    })
}
