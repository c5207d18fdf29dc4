//! A frame comes to be: its id, its slot, its first entry.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;

use super::slot::{Phase, Slot, What};
use super::table::State;
use crate::domain::{
    Began, Channel, Eid, Entry, Fid, FrameName, Json, OnClose, Payload, Queue, Wait, Workflow,
};
use crate::sdk::{FrameError, StepOptions, Thunk};

/// Where a frame stands.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Below this.
    pub(crate) parent: Fid,
    /// Called this.
    pub(crate) name: FrameName,
    /// Told from its siblings by this, not by counting.
    pub(crate) key: Option<FrameName>,
    /// Whether cancellation passes it by.
    pub(crate) shielded: bool,
}

/// What a frame is to be.
pub(crate) enum Plan {
    /// A step.
    Step {
        /// Its work.
        thunk: Thunk,
        /// What it was asked to be.
        options: StepOptions,
        /// A `call`'s input.
        input: Option<Json>,
    },
    /// A wait of this length.
    Sleep(Duration),
    /// A wait for this instant.
    SleepUntil(Timestamp),
    /// A wait for a message.
    Receive {
        /// Where.
        channel: Channel,
        /// How long.
        timeout: Option<Duration>,
    },
    /// A child execution.
    Child {
        /// Its type.
        workflow: Workflow,
        /// The version asked for.
        version: Option<String>,
        /// Its queue, if not this execution's.
        queue: Option<Queue>,
        /// What happens to it when this execution ends first.
        on_close: OnClose,
        /// Its input.
        args: Json,
        /// Whether the frame waits for the result.
        waits: bool,
    },
    /// A message to another execution.
    Send {
        /// To whom.
        to: Eid,
        /// Where.
        channel: Channel,
        /// The value.
        payload: Json,
    },
    /// A word to the feed.
    Announce {
        /// Which.
        kind: Channel,
        /// The value.
        value: Json,
    },
}

/// Why a frame did not come to be.
pub(crate) enum Refused {
    /// The workflow is told.
    Error(FrameError),
    /// The drive is over or about to be: the workflow is told nothing any more.
    Halted,
}

impl From<FrameError> for Refused {
    fn from(error: FrameError) -> Self {
        Self::Error(error)
    }
}

impl State {
    /// Registers a frame. What is refused registers nothing and counts nothing.
    pub(super) fn register(&mut self, place: &Place, plan: Plan) -> Result<Fid, Refused> {
        self.check_values(place, &plan)?;
        let fid = self.next_fid(place)?;
        let silent = self.cancelled && !place.shielded;
        let (what, entry) = self.design(place, &fid, plan)?;
        let waits = match &what {
            What::Step { .. } | What::Sleep { .. } | What::Receive { .. } => true,
            What::Child { waits, .. } => *waits,
            What::Recorded | What::Sent { .. } | What::Announced { .. } => false,
        };
        self.insert(fid.clone(), place, what, waits && !silent);
        if silent {
            return Err(FrameError::Cancelled { fid }.into());
        }
        self.decided.extend(entry);
        Ok(fid)
    }

    /// Registers a recorded value: the journal's, or else a fresh one. `None` when the drive is
    /// over or about to be.
    pub(super) fn record(&mut self, place: &Place) -> Option<Fid> {
        let fid = self.next_fid(place).ok()?;
        self.insert(fid.clone(), place, What::Recorded, false);
        Some(fid)
    }

    /// The id a frame gets. Nothing is counted yet.
    fn next_fid(&mut self, place: &Place) -> Result<Fid, Refused> {
        if self.closed {
            return Err(Refused::Halted);
        }
        let fid = match &place.key {
            Some(key) => place.parent.keyed(&place.name, key),
            None => {
                let count = self.counts.get(&count_key(place)).copied();
                place.parent.nth(&place.name, count.unwrap_or_default())
            }
        };
        if self.slots.contains_key(&fid) {
            return Err(FrameError::Duplicate { fid }.into());
        }
        if self.slots.len() >= self.limits.max_frames as usize {
            self.overflow = true;
            return Err(Refused::Halted);
        }
        Ok(fid)
    }

    fn insert(&mut self, fid: Fid, place: &Place, what: What, open: bool) {
        if place.key.is_none() {
            *self.counts.entry(count_key(place)).or_default() += 1;
        }
        let order = self.frames();
        if open {
            self.open.insert(order, fid.clone());
        }
        let slot = Slot {
            order,
            what,
            shielded: place.shielded,
            waker: None,
            outcome: None,
            settled: !open,
            known: false,
        };
        self.slots.insert(fid, slot);
        self.progress += 1;
    }

    /// Frames registered so far.
    pub(super) fn frames(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    fn check_values(&self, place: &Place, plan: &Plan) -> Result<(), FrameError> {
        let value = match plan {
            Plan::Child { args, .. } => args,
            Plan::Send { payload, .. } => payload,
            Plan::Announce { value, .. } => value,
            Plan::Step { .. } | Plan::Sleep(_) | Plan::SleepUntil(_) | Plan::Receive { .. } => {
                return Ok(());
            }
        };
        let (bytes, most) = (value.as_str().len(), self.limits.max_value);
        if bytes <= most {
            return Ok(());
        }
        Err(FrameError::PayloadTooLarge {
            frame: place.name.to_string(),
            bytes,
            most,
        })
    }

    /// The slot and the first entry of what is planned.
    fn design(
        &self,
        place: &Place,
        fid: &Fid,
        plan: Plan,
    ) -> Result<(What, Option<Entry>), FrameError> {
        let after = |wait: Duration| {
            self.now.checked_add(wait).map_err(|_| FrameError::Instant {
                frame: place.name.to_string(),
            })
        };
        Ok(match plan {
            Plan::Step {
                thunk,
                options,
                input,
            } => {
                let what = What::Step {
                    phase: Phase::Fresh,
                    lost: 0,
                    options: Arc::new(options),
                    input: input.map(|input| input.digest()),
                    thunk: Some(Arc::new(Mutex::new(thunk))),
                };
                (what, None)
            }
            Plan::Sleep(wait) => sleep(fid, after(wait)?),
            Plan::SleepUntil(due) => sleep(fid, due),
            Plan::Receive { channel, timeout } => {
                let what = What::Receive {
                    channel,
                    due: timeout.map(after).transpose()?,
                    suspended: false,
                };
                (what, None)
            }
            Plan::Child {
                workflow,
                version,
                queue,
                on_close,
                args,
                waits,
            } => {
                let eid = self.eid.child(fid);
                let input = args.digest();
                let began = Began::Child {
                    eid,
                    workflow: workflow.clone(),
                    version: self.code.version(&workflow, version),
                    queue: queue.unwrap_or_else(|| self.queue.clone()),
                    args: Payload::Inline(args),
                    input: input.clone(),
                    waits,
                    on_close,
                };
                let what = What::Child {
                    eid,
                    workflow,
                    input,
                    waits,
                };
                let fid = fid.clone();
                (what, Some(Entry::FrameStarted { fid, began }))
            }
            Plan::Send {
                to,
                channel,
                payload,
            } => {
                let entry = Entry::Sent {
                    fid: fid.clone(),
                    to,
                    channel: channel.clone(),
                    payload: payload.into(),
                };
                (What::Sent { to, channel }, Some(entry))
            }
            Plan::Announce { kind, value } => {
                let entry = Entry::Announced {
                    fid: fid.clone(),
                    kind: kind.clone(),
                    value: value.into(),
                };
                (What::Announced { kind }, Some(entry))
            }
        })
    }
}

fn sleep(fid: &Fid, due: Timestamp) -> (What, Option<Entry>) {
    let entry = Entry::FrameSuspended {
        fid: fid.clone(),
        wait: Wait::Sleep { due },
    };
    (What::Sleep { due }, Some(entry))
}

fn count_key(place: &Place) -> String {
    format!("{}/{}", place.parent, place.name)
}
