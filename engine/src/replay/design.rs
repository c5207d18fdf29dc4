//! The slot and the first entry of a frame to be.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;

use super::plan::{Place, Plan};
use super::slot::{Phase, What};
use super::table::State;
use crate::domain::{Began, Entry, FrameId, Payload, Wait};
use crate::sdk::FrameError;

impl State {
    /// The slot and the first entry of what is planned.
    pub(super) fn design(
        &self,
        place: &Place,
        fid: &FrameId,
        plan: Plan,
    ) -> Result<(What, Option<Entry>), FrameError> {
        let after = |wait: Duration| {
            self.now.checked_add(wait).map_err(|_| FrameError::Instant {
                frame: place.name.to_string(),
            })
        };
        Ok(match plan {
            Plan::Step {
                step_body,
                options,
                input,
            } => {
                let what = What::Step {
                    phase: Phase::Fresh,
                    lost: 0,
                    options: Arc::new(options),
                    input: input.map(|input| input.digest()),
                    step_body: Some(Arc::new(Mutex::new(step_body))),
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

fn sleep(fid: &FrameId, due: Timestamp) -> (What, Option<Entry>) {
    let entry = Entry::FrameSuspended {
        fid: fid.clone(),
        wait: Wait::Sleep { due },
    };
    (What::Sleep { due }, Some(entry))
}
