//! Old mail. Keys are sorted by queue, so a backlog would hide the queues after it.
//!
//! Each queue is visited once, and a visit ends with a page: the rest of the queue follows when all others
//! have been visited, in turns of one page.

use std::time::Duration;

use super::position::{MailAt, next_of};
use super::{PAGE, Sweeper, Swept};
use crate::domain::Queue;
use crate::keys::{self, Key, MAIL, MailKey, Prefix};
use crate::ports::{BucketError, Hint, Listed};

impl Sweeper {
    /// Reads one page of mail; returns whether more may follow.
    pub(super) async fn mail(&self, swept: &mut Swept) -> Result<bool, BucketError> {
        let ports = &self.core.ports;
        let at = &swept.position.mail;
        if !at.visited {
            let mail = Prefix::parse(MAIL).expect("a constant of the key layout");
            let page = ports.page(&mail, at.all.as_ref(), PAGE).await?;
            for row in page.entries {
                self.old(&row, swept).await;
                swept.position.mail.all = Some(row.key);
            }
            let at = &mut swept.position.mail;
            at.visited = page.next.is_none();
            at.all = page.next;
            // The queue at the end of the page has had its visit.
            if let Some(next) = at.all.take_if(|next| queue_of(next).is_some())
                && let Some(queue) = queue_of(&next)
            {
                at.all = Some(after(&queue));
                at.of.insert(queue, next);
            }
        } else if let Some((queue, position)) = next_of(&at.of, at.turn.as_ref()) {
            let (queue, position) = (queue.clone(), position.clone());
            let prefix = keys::mail_queue(&queue);
            let page = ports.page(&prefix, Some(&position), PAGE).await?;
            for row in page.entries {
                self.old(&row, swept).await;
                swept.position.mail.of.insert(queue.clone(), row.key);
            }
            let at = &mut swept.position.mail;
            match page.next {
                Some(next) => drop(at.of.insert(queue.clone(), next)),
                None => drop(at.of.remove(&queue)),
            }
            at.turn = Some(queue);
        }
        let at = &mut swept.position.mail;
        let more = !at.visited || !at.of.is_empty();
        if !more {
            *at = MailAt::default();
        }
        Ok(more)
    }

    /// Reports a message that is older than a lease.
    async fn old(&self, row: &Listed, swept: &mut Swept) {
        let ports = &self.core.ports;
        let now = ports.clock.now();
        let age = now.duration_since(row.modified);
        let old = Duration::try_from(age).is_ok_and(|age| age > self.core.settings.ttl);
        let Some(mail) = MailKey::parse(&row.key).filter(|_| old) else {
            return;
        };
        if self.is_time(age.unsigned_abs(), now) {
            let hint = Hint {
                queue: mail.queue,
                eid: mail.eid,
                cause: row.key.clone(),
                at: None,
            };
            ports.wakeups.notify(hint).await;
            swept.reported += 1;
        }
        swept.stale_mail += 1;
    }
}

/// The queue of a key, which need not be that of a message.
fn queue_of(key: &Key) -> Option<Queue> {
    let (queue, _) = key.as_str().strip_prefix(MAIL)?.split_once('/')?;
    Queue::parse(queue).ok()
}

/// A key that sorts after all mail of `queue` and before that of all later queues: `0` follows `/`.
fn after(queue: &Queue) -> Key {
    Key::parse(&format!("{MAIL}{queue}0")).expect("a queue is a component of a key")
}
