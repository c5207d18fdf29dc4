//! Messages to other executions: sent by the commit that decides them.

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Channel, Entry, ExecutionId, Json};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "message";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// A message to send.
pub(crate) struct Plan {
    pub(crate) to: ExecutionId,
    pub(crate) channel: Channel,
    pub(crate) payload: Json,
}

struct Message {
    to: ExecutionId,
    channel: Channel,
}

impl super::Plan for Plan {
    fn value(&self) -> Option<&Json> {
        Some(&self.payload)
    }

    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let message = Message {
            to: self.to,
            channel: self.channel,
        };
        let entry = Entry::Sent {
            fid: site.fid.clone(),
            to: message.to,
            channel: message.channel.clone(),
            payload: self.payload.into(),
        };
        Ok((Box::new(message), Some(entry)))
    }
}

impl Frame for Message {
    fn kind(&self) -> FrameKind {
        FrameKind::Send
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn detail(&self) -> String {
        detail(&self.to, &self.channel)
    }

    fn waits(&self) -> bool {
        false
    }

    /// Another value is no change of the program: only the address is compared.
    fn accept(&mut self, entry: &Entry, _: Option<Json>) -> Accepted {
        match entry {
            Entry::Sent { to, channel, .. } if *to == self.to && *channel == self.channel => {
                Accepted::Decided
            }
            _ => Accepted::Misfit,
        }
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::Sent { to, channel, .. } => Described::new(WORD, Some(detail(to, channel))),
        _ => None,
    }
}

fn detail(to: &ExecutionId, channel: &Channel) -> String {
    format!(" to {to} on {channel}")
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    if let Entry::Sent {
        fid,
        to,
        channel,
        payload,
    } = entry
    {
        let frame = tree.over(fid, FrameKind::Send, at, FrameStatus::Completed);
        frame.about = Some(format!("{channel} of {to}"));
        frame.value = Some(payload.clone());
    }
}
