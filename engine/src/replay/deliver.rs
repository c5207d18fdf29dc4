//! One journal entry reaches the program: it is news for a frame, or it must fit what the
//! workflow decided by itself.

use std::mem::discriminant;

use super::frames::{Accepted, Outcome};
use super::slot::Slot;
use super::table::{Loose, State};
use super::trouble::{Position, Trouble};
use crate::domain::{
    Body, Channel, Control, Entry, ExecutionId, FrameId, Json, MessageId, Payload,
};

impl State {
    /// Takes one entry in. `blob` is its value when that is a blob.
    pub(super) fn deliver(
        &mut self,
        at: Position,
        entry: &Entry,
        blob: Option<Json>,
        loose: &mut Loose,
    ) -> Result<(), Trouble> {
        self.at = at.number;
        let value = match entry.payload() {
            Some(Payload::Inline(json)) => Some(json.clone()),
            Some(Payload::Blob { .. }) => blob,
            None => None,
        };
        if let Some(slot) = entry.fid().and_then(|fid| self.slots.get_mut(fid)) {
            slot.known = true;
        }
        match entry {
            Entry::Received { mid, body, .. } => self.receive(at, entry, mid, body, value, loose),
            Entry::FrameDropped { .. } => self.expect(at, entry),
            // The end of the execution decides it, not the workflow.
            Entry::ChildClosed { .. } => Ok(()),
            Entry::Retried(retried) => {
                self.retry(retried, loose);
                Ok(())
            }
            _ => match entry.fid() {
                Some(fid) => self.accept(at, entry, fid, value, loose),
                // The lifecycle of the execution, which the workflow does not see.
                None => Ok(()),
            },
        }
    }

    /// An entry about a frame: the frame decides what it means.
    fn accept(
        &mut self,
        at: Position,
        entry: &Entry,
        fid: &FrameId,
        value: Option<Json>,
        loose: &mut Loose,
    ) -> Result<(), Trouble> {
        let slot = self.slots.get_mut(fid);
        match slot.map_or(Accepted::Misfit, |slot| slot.frame.accept(entry, value)) {
            Accepted::Decided => self.expect(at, entry),
            Accepted::Noted => Ok(()),
            Accepted::Outcome(outcome) => {
                self.dispatch(fid, outcome, loose);
                Ok(())
            }
            Accepted::Misfit => Err(self.misfit(at, entry)),
        }
    }

    /// The workflow must have decided the same; that is then no news to the journal.
    fn expect(&mut self, at: Position, entry: &Entry) -> Result<(), Trouble> {
        let same =
            |own: &Entry| own.fid() == entry.fid() && discriminant(own) == discriminant(entry);
        match self.decided.iter().position(same) {
            Some(index) => {
                self.decided.remove(index);
                Ok(())
            }
            None => Err(self.misfit(at, entry)),
        }
    }

    fn receive(
        &mut self,
        at: Position,
        entry: &Entry,
        mid: &MessageId,
        body: &Body,
        value: Option<Json>,
        loose: &mut Loose,
    ) -> Result<(), Trouble> {
        match body {
            Body::Message { channel, .. } => {
                let Some(value) = value else {
                    debug_assert!(false, "the caller loads blobs before it delivers");
                    return Err(self.misfit(at, entry));
                };
                self.put(channel, mid.clone(), value, loose);
            }
            // Only an open frame that waits for that child takes its result. A frame that is
            // missing from the program shows at its `frame.started`.
            Body::Child {
                fid,
                eid,
                generation,
                ..
            } => {
                if self.awaits(fid, eid, *generation) {
                    return self.accept(at, entry, fid, value, loose);
                }
            }
            Body::Control(Control::Cancel { .. }) => self.cancel(loose),
            Body::Control(
                Control::Terminate { .. }
                | Control::Pause { .. }
                | Control::Resume { .. }
                | Control::Retry(_),
            )
            | Body::Start(_)
            | Body::Slice
            | Body::Unreadable { .. } => {}
        }
        Ok(())
    }

    /// Whether the frame is open and waits for the result of this child, as it ended in this
    /// generation.
    pub(super) fn awaits(&self, fid: &FrameId, child: &ExecutionId, generation: u32) -> bool {
        let open = |slot: &&Slot| self.open.contains_key(&slot.order);
        let slot = self.slots.get(fid).filter(open);
        slot.is_some_and(|slot| slot.frame.awaits(child, generation))
    }

    /// A message comes in; only frames that wait on its channel are woken.
    fn put(&mut self, channel: &Channel, mid: MessageId, value: Json, loose: &mut Loose) {
        let inbox = self.inbox.entry(channel.clone()).or_default();
        inbox.push_back((mid, value));
        for fid in self.open.values() {
            if let Some(slot) = self.slots.get_mut(fid)
                && slot.frame.channel() == Some(channel)
            {
                loose.wake.extend(slot.waker.take());
            }
        }
    }

    /// Hands a frame its outcome. One that has its outcome, or was dropped, reads no other.
    fn dispatch(&mut self, fid: &FrameId, outcome: Outcome, loose: &mut Loose) {
        if let Some(slot) = self.slots.get_mut(fid)
            && !slot.dispatched
        {
            slot.dispatch(outcome, loose);
            self.open.remove(&slot.order);
        }
    }

    /// Every open frame that is not shielded yields `Cancelled`. A second time does nothing.
    fn cancel(&mut self, loose: &mut Loose) {
        if std::mem::replace(&mut self.cancelled, true) {
            return;
        }
        let (slots, dropped) = (&mut self.slots, &mut self.dropped);
        self.open.retain(|_, fid| {
            let Some(slot) = slots.get_mut(fid).filter(|slot| !slot.shielded) else {
                return true;
            };
            slot.dispatch(Outcome::Cancelled, loose);
            if slot.frame.step().is_some() {
                dropped.push(fid.clone());
            }
            false
        });
    }
}

impl Slot {
    fn dispatch(&mut self, outcome: Outcome, loose: &mut Loose) {
        loose.wake.extend(self.waker.take());
        self.loosen(loose);
        self.outcome = Some(outcome);
        self.dispatched = true;
    }
}
