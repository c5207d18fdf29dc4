//! One journal entry meets the program: it is news for a frame, or it must fit what the
//! workflow decided by itself.

use super::slot::{Outcome, Slot, What};
use super::table::{Loose, State};
use super::trouble::{Position, Trouble};
use crate::domain::{Body, Channel, Control, Entry, FrameId, Json, MessageId, Payload};

impl State {
    /// Takes one entry in. `value` is its payload when that is a blob.
    pub(super) fn deliver(
        &mut self,
        at: Position,
        entry: &Entry,
        value: Option<Json>,
        loose: &mut Loose,
    ) -> Result<(), Trouble> {
        if let Some(slot) = entry.fid().and_then(|fid| self.slots.get_mut(fid)) {
            slot.known = true;
        }
        match entry {
            Entry::Received { mid, body, .. } => self.receive(at, entry, mid, body, value, loose),
            Entry::FrameCompleted { fid, value: payload } => match self.slots.get(fid) {
                Some(slot) if matches!(slot.what, What::Step { .. }) => {
                    let value = self.resolve(at, entry, payload, value)?;
                    self.dispatch(fid, Outcome::Value(value), loose);
                    Ok(())
                }
                _ => Err(self.misfit(at, entry)),
            },
            Entry::FrameRecorded { value, .. } => self.expect(
                at,
                entry,
                |own| matches!(own, Entry::FrameRecorded { value: own, .. } if own == value),
            ),
            Entry::FrameFailed { fid, failure } => match self.slots.get(fid).map(|s| &s.what) {
                Some(What::Step { .. } | What::Child { .. }) => {
                    self.dispatch(fid, Outcome::Failed(failure.clone()), loose);
                    Ok(())
                }
                _ => Err(self.misfit(at, entry)),
            },
            Entry::FrameFulfilled { fid, mid: None } => match self.slots.get(fid).map(|s| &s.what) {
                Some(What::Sleep { .. } | What::Receive { due: Some(_), .. }) => {
                    self.dispatch(fid, Outcome::Elapsed, loose);
                    Ok(())
                }
                _ => Err(self.misfit(at, entry)),
            },
            Entry::FrameFulfilled { mid: Some(mid), .. } => self.expect(at, entry, |own| {
                matches!(own, Entry::FrameFulfilled { mid: Some(own), .. } if own == mid)
            }),
            Entry::FrameStarted { fid, began } => self.began(at, entry, fid, began),
            Entry::FrameSuspended { fid, wait } => self.suspended(at, entry, fid, wait),
            Entry::FrameDropped { .. } => {
                self.expect(at, entry, |own| matches!(own, Entry::FrameDropped { .. }))
            }
            Entry::Sent { to, channel, .. } => self.expect(at, entry, |own| {
                matches!(own, Entry::Sent { to: t, channel: c, .. } if t == to && c == channel)
            }),
            Entry::Announced { kind, .. } => self.expect(
                at,
                entry,
                |own| matches!(own, Entry::Announced { kind: own, .. } if own == kind),
            ),
            Entry::Started
            | Entry::Suspended
            | Entry::Resumed
            | Entry::Paused { .. }
            | Entry::Unpaused
            | Entry::Blocked(_)
            | Entry::Completed { .. }
            | Entry::Failed { .. }
            | Entry::Cancelled { .. }
            | Entry::ChildClosed { .. }
            | Entry::Sliced => Ok(()),
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
            Body::Message { channel, payload } => {
                let value = self.resolve(at, entry, payload, value)?;
                self.put(channel, mid.clone(), value, loose);
            }
            // A result for a frame that does not exist is no frame's news; a frame that is
            // missing from the program shows at its `frame.started`.
            Body::Child { fid, outcome } => {
                let slot = self.slots.get(fid).map(|slot| &slot.what);
                if matches!(slot, Some(What::Child { .. })) {
                    let outcome = match outcome {
                        Ok(payload) => Outcome::Value(self.resolve(at, entry, payload, value)?),
                        Err(failure) => Outcome::Failed(failure.clone()),
                    };
                    self.dispatch(fid, outcome, loose);
                }
            }
            Body::Control(Control::Cancel { .. }) => self.cancel(loose),
            Body::Control(Control::Terminate { .. } | Control::Pause { .. } | Control::Resume)
            | Body::Start(_)
            | Body::Slice
            | Body::Unreadable { .. } => {}
        }
        Ok(())
    }

    /// A message comes in; only those who wait on its channel are woken.
    fn put(&mut self, channel: &Channel, mid: MessageId, value: Json, loose: &mut Loose) {
        let inbox = self.inbox.entry(channel.clone()).or_default();
        inbox.push_back((mid, value));
        for fid in self.open.values() {
            if let Some(slot) = self.slots.get_mut(fid)
                && matches!(&slot.what, What::Receive { channel: own, .. } if own == channel)
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
            if matches!(slot.what, What::Step { .. }) {
                dropped.push(fid.clone());
            }
            false
        });
    }

    fn resolve(
        &self,
        at: Position,
        entry: &Entry,
        payload: &Payload,
        value: Option<Json>,
    ) -> Result<Json, Trouble> {
        match (payload, value) {
            (Payload::Inline(json), _) => Ok(json.clone()),
            (Payload::Blob { .. }, Some(json)) => Ok(json),
            (Payload::Blob { .. }, None) => {
                debug_assert!(false, "the caller loads blobs before it delivers");
                Err(self.misfit(at, entry))
            }
        }
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
