//! Reads a page of the mailbox, and chooses what is absorbed next.

use std::sync::Arc;

use futures::{StreamExt, stream};

use super::RunError;
use super::batch;
use super::inbox::{Inbox, Message};
use crate::domain::{Class, Mail, MessageId, Payload};
use crate::mailbox::{self, Early, Slot};
use crate::stored::{self, LoadError};

impl Inbox {
    /// Reads what step 3 has listed, except the messages of `early`, and chooses the first batch. 1 G
    /// for each message.
    pub(super) async fn read_first(&mut self, early: &Early, room: usize) -> Result<(), RunError> {
        self.read(early, room).await?;
        self.choose(room);
        Ok(())
    }

    /// Lists the mailbox, reads what is new, and chooses the next batch, of which it reads the large
    /// values: once a message is absorbed, a store failure on such a value would end the run. 1 P, 1 G
    /// for each message and value.
    pub(super) async fn list(&mut self, room: usize) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        let page = core.settings.mailbox_page;
        let listing = mailbox::list(&core.ports, &self.queue, &self.eid, page).await?;
        self.next_listing = core.ports.clock.monotonic() + core.settings.ttl / 3;
        self.search(&listing).await?;
        self.set_listed(listing);
        self.read(&Early::new(), room).await?;
        self.choose(room);
        self.read_values().await
    }

    /// Reads the messages of the page that were not read, the control first: behind a terminate nothing
    /// else is. Messages are read only if there is `room` for one.
    async fn read(&mut self, early: &Early, room: usize) -> Result<(), RunError> {
        let core = Arc::clone(&self.core);
        for control in [true, false] {
            let wanted = |slot: &&Slot| {
                let class = slot.mid.class();
                (class == Class::Control) == control
                    && (class != Class::Message || room > 0)
                    && !self.messages.contains_key(&slot.mid)
            };
            let slots: Vec<Slot> = self.page.values().filter(wanted).cloned().collect();
            let reads = slots.into_iter().map(|slot| async {
                let mail = mailbox::read(&core.ports, &slot, early.get(&slot.key)).await;
                (slot.mid, mail)
            });
            let reads: Vec<_> = reads.collect();
            let mut reads = stream::iter(reads).buffer_unordered(core.settings.concurrency.max(1));
            while let Some((mid, mail)) = reads.next().await {
                let Some(mail) = mail? else {
                    self.page.remove(&mid); // it is gone: another run absorbed it
                    continue;
                };
                let (mail, value) = (Box::new(mail), None);
                self.messages.insert(mid, Message::Read { mail, value });
            }
            if batch::ends(self.page.keys().filter_map(|mid| self.read_mail(mid))) {
                break;
            }
        }
        Ok(())
    }

    fn read_mail(&self, mid: &MessageId) -> Option<&Mail> {
        match self.messages.get(mid) {
            Some(Message::Read { mail, .. }) => Some(mail),
            _ => None,
        }
    }

    fn choose(&mut self, room: usize) {
        let mails = self.page.keys().filter_map(|mid| self.read_mail(mid));
        self.batch = batch::choose(mails, room, &self.core.settings);
    }

    /// Reads the large values of the batch. An unreadable one is reported when it is delivered.
    async fn read_values(&mut self) -> Result<(), RunError> {
        for mid in &self.batch {
            let Some(Message::Read { mail, value }) = self.messages.get_mut(mid) else {
                continue;
            };
            let Some(payload @ Payload::Blob { .. }) = batch::payload(mail) else {
                continue;
            };
            if value.is_none() {
                match stored::resolve(&self.core.ports, &self.eid, payload).await {
                    Ok(found) => *value = Some(found),
                    Err(error @ LoadError::Bucket(_)) => return Err(error.into()),
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }
}
