//! Step 6: mail becomes entries, and an operator's word takes effect.

use super::pass::Pass;
use crate::domain::{Blocked, Body, Control, Entry, Mail, Status};
use crate::mailbox::{self, Slot};

/// What a pass has absorbed, in order, not delivered yet.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) entries: Vec<Entry>,
    /// The execution is to end without running its code.
    pub(super) terminate: Option<String>,
}

impl Pass {
    /// Turns mail into entries. From the commit that holds them on, a replay reads no
    /// mailbox (I3), and the objects may go once that commit is settled.
    pub(super) fn absorb(&mut self, mails: Vec<Mail>, status: Status) -> Inbox {
        let mut inbox = Inbox::default();
        if status == Status::Suspended {
            inbox.entries.push(Entry::Resumed);
        }
        for mail in mails {
            self.absorb_one(mail, &mut inbox);
        }
        inbox
    }

    fn absorb_one(&mut self, mail: Mail, inbox: &mut Inbox) {
        if !self.mids.insert(mail.mid.clone()) {
            return;
        }
        let record = &self.journal.head.record;
        let key = crate::keys::mail(&record.queue, &record.eid, &mail.mid);
        self.slots.push(Slot {
            key,
            mid: mail.mid.clone(),
            modified: mail.sent_at,
        });
        let body = match mail.body {
            Body::Start(_) => Body::Start(None), // the head holds the record
            other => other,
        };
        let then = self.effect_of(&body, inbox);
        let Mail {
            mid, sent_at, from, ..
        } = mail;
        inbox.entries.push(Entry::Received {
            mid,
            sent_at,
            from,
            body,
        });
        inbox.entries.extend(then);
    }

    /// What a message does to the execution itself, apart from being delivered.
    fn effect_of(&mut self, body: &Body, inbox: &mut Inbox) -> Option<Entry> {
        match body {
            Body::Control(Control::Terminate { reason }) => {
                inbox.terminate.get_or_insert_with(|| reason.clone());
                None
            }
            Body::Control(Control::Pause { reason }) if self.parked.is_none() => {
                self.parked = Some(Status::Paused);
                Some(Entry::Paused {
                    reason: reason.clone(),
                })
            }
            Body::Control(Control::Resume) => {
                self.stalls = 0;
                self.parked.take().map(|_| Entry::Unpaused)
            }
            Body::Control(Control::Cancel { .. }) if self.parked == Some(Status::Paused) => {
                self.parked = None;
                Some(Entry::Unpaused)
            }
            Body::Unreadable { key, .. } => {
                self.parked = Some(Status::Blocked);
                let message = "it is not a message this release can read".to_owned();
                Some(Entry::Blocked(Blocked::Unreadable {
                    key: key.clone(),
                    message,
                }))
            }
            _ => None,
        }
    }

    /// 10. Lists and absorbs what came while attempts run. 1 P, 1 G for each message.
    pub(super) async fn absorb_meanwhile(&mut self) -> Result<Inbox, super::RunError> {
        let (doors, fan) = (self.core.doors.clone(), self.core.settings.fan);
        self.listed = self.now;
        let record = &self.journal.head.record;
        let listing = mailbox::list(&doors, &record.queue, &record.eid).await?;
        let fresh: Vec<Slot> = listing
            .slots
            .into_iter()
            .filter(|slot| !self.mids.contains(&slot.mid))
            .collect();
        let mails = mailbox::fetch(&doors, &fresh, fan).await?;
        Ok(self.absorb(mails, Status::Running))
    }
}
