//! Receives: a wait for a message, which one poll consumes.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Inbox, Outcome, Polled, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{Body, Channel, Entry, FrameId, Json, MessageId, Wait};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "receive";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// A wait for a message.
pub(crate) struct Plan {
    pub(crate) channel: Channel,
    /// How long it waits; for ever if absent.
    pub(crate) timeout: Option<Duration>,
}

struct Receive {
    channel: Channel,
    due: Option<Timestamp>,
    /// Whether a poll has found no message before.
    suspended: bool,
    consumed: Option<MessageId>,
}

impl super::Plan for Plan {
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        let receive = Receive {
            channel: self.channel,
            due: self.timeout.map(|wait| site.after(wait)),
            suspended: false,
            consumed: None,
        };
        Ok((Box::new(receive), None))
    }
}

impl Frame for Receive {
    fn kind(&self) -> FrameKind {
        FrameKind::Receive
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn detail(&self) -> String {
        detail(&self.channel, self.due.is_some())
    }

    fn waits(&self) -> bool {
        true
    }

    fn due(&self) -> Option<Timestamp> {
        self.due
    }

    fn accept(&mut self, entry: &Entry, _: Option<Json>) -> Accepted {
        match entry {
            // The time-out may change between versions: the instant in the journal counts.
            Entry::FrameSuspended {
                wait: Wait::Message { channel, due },
                ..
            } if *channel == self.channel && due.is_some() == self.due.is_some() => {
                self.due = *due;
                Accepted::Decided
            }
            Entry::FrameFulfilled { mid: Some(mid), .. } if self.consumed.as_ref() == Some(mid) => {
                Accepted::Decided
            }
            Entry::FrameFulfilled { mid: None, .. } if self.due.is_some() => {
                Accepted::Outcome(Outcome::Elapsed)
            }
            _ => Accepted::Misfit,
        }
    }

    fn channel(&self) -> Option<&Channel> {
        Some(&self.channel)
    }

    /// The poll that yields a message consumes it: a receive that is dropped loses none.
    fn poll(&mut self, fid: &FrameId, inbox: &mut Inbox) -> Polled {
        let message = inbox.get_mut(&self.channel).and_then(VecDeque::pop_front);
        let fid = fid.clone();
        if let Some((mid, value)) = message {
            self.consumed = Some(mid.clone());
            let mid = Some(mid);
            return Polled {
                outcome: Some(Outcome::Value(value)),
                entry: Some(Entry::FrameFulfilled { fid, mid }),
            };
        }
        if std::mem::replace(&mut self.suspended, true) {
            return Polled::default();
        }
        let wait = Wait::Message {
            channel: self.channel.clone(),
            due: self.due,
        };
        Polled {
            outcome: None,
            entry: Some(Entry::FrameSuspended { fid, wait }),
        }
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::FrameSuspended {
            wait: Wait::Message { channel, due },
            ..
        } => Described::new(WORD, Some(detail(channel, due.is_some()))),
        Entry::FrameFulfilled { mid: Some(_), .. } => {
            Described::with_verb("message consumed by", WORD)
        }
        _ => None,
    }
}

fn detail(channel: &Channel, timed: bool) -> String {
    let timed = if timed { " with a time-out" } else { "" };
    format!(" on {channel}{timed}")
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    match entry {
        Entry::Received {
            mid,
            body: Body::Message { payload, .. },
            ..
        } => tree.keep(mid, payload),
        Entry::FrameSuspended {
            fid,
            wait: Wait::Message { channel, due },
        } => {
            let frame = tree.wait(fid, FrameKind::Receive, at, *due);
            frame.about = Some(channel.to_string());
        }
        Entry::FrameFulfilled {
            fid,
            mid: Some(mid),
        } => {
            let value = tree.message(mid);
            let frame = tree.over(fid, FrameKind::Receive, at, FrameStatus::Completed);
            frame.value = value;
        }
        Entry::FrameFulfilled { fid, mid: None } if tree.is(fid, FrameKind::Receive) => {
            tree.close(fid, at, FrameStatus::Elapsed);
        }
        _ => {}
    }
}
