//! Children: executions that this one starts, and whose result it may wait for.

use jiff::Timestamp;

use super::frame::{Accepted, Begun, Frame, Outcome, Site};
use super::kind::{Described, FrameKind, Reader};
use crate::domain::{
    Began, Body, Digest, Entry, ExecutionId, Json, OnClose, Payload, Queue, Workflow,
};
use crate::replay::FrameError;
use crate::replay::tree::{FrameStatus, Tree};

const WORD: &str = "child";

pub(in crate::replay) const READER: Reader = Reader { describe, show };

/// An execution to start.
pub(crate) struct Plan {
    pub(crate) workflow: Workflow,
    pub(crate) version: Option<String>,
    /// Its queue, if not this execution's.
    pub(crate) queue: Option<Queue>,
    /// What happens to it when this execution ends first.
    pub(crate) on_close: OnClose,
    /// Its input.
    pub(crate) args: Json,
    /// Whether the frame waits for the result.
    pub(crate) waits: bool,
}

struct Child {
    eid: ExecutionId,
    /// The generation of the child whose result it awaits, or a later one.
    generation: u32,
    workflow: Workflow,
    input: Digest,
    waits: bool,
    /// Whether the journal has its beginning: another one is that of a retry.
    begun: bool,
}

impl super::Plan for Plan {
    fn value(&self) -> Option<&Json> {
        Some(&self.args)
    }

    fn queue(&self) -> Option<&Queue> {
        self.queue.as_ref()
    }

    /// **\[R\] N26** A child below the bound of its tree is refused. The bound is in the record: a
    /// replay decides the same with other settings.
    fn begin(self, site: &Site<'_>) -> Result<Begun, FrameError> {
        if site.depth.is_max() {
            return Err(FrameError::TooDeep {
                workflow: self.workflow,
                max: site.depth.max,
            });
        }
        let child = Child {
            eid: site.eid.child(site.generation, site.fid),
            generation: 0,
            begun: false,
            input: self.args.digest(),
            workflow: self.workflow,
            waits: self.waits,
        };
        let began = Began::Child {
            eid: child.eid,
            workflow: child.workflow.clone(),
            version: site.code.version(&child.workflow, self.version),
            queue: self.queue.unwrap_or_else(|| site.queue.clone()),
            args: Payload::Inline(self.args),
            input: child.input.clone(),
            waits: child.waits,
            on_close: self.on_close,
        };
        let fid = site.fid.clone();
        let entry = Entry::FrameStarted { fid, began };
        Ok((Box::new(child), Some(entry)))
    }
}

impl Frame for Child {
    fn kind(&self) -> FrameKind {
        FrameKind::Child
    }

    fn word(&self) -> &'static str {
        WORD
    }

    fn detail(&self) -> String {
        detail(&self.workflow, &self.input, self.waits)
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn awaits(&self, child: &ExecutionId, generation: u32) -> bool {
        self.waits && *child == self.eid && generation >= self.generation
    }

    fn accept(&mut self, entry: &Entry, value: Option<Json>) -> Accepted {
        match entry {
            Entry::FrameStarted {
                began:
                    Began::Child {
                        eid,
                        workflow,
                        input,
                        waits,
                        ..
                    },
                ..
            } if *workflow == self.workflow && *input == self.input && *waits == self.waits => {
                self.eid = *eid; // the journal's counts
                self.generation = 0;
                match std::mem::replace(&mut self.begun, true) {
                    false => Accepted::Decided,
                    true => Accepted::Noted,
                }
            }
            Entry::Received {
                body:
                    Body::Child {
                        eid,
                        generation,
                        outcome,
                        ..
                    },
                ..
            } if self.awaits(eid, *generation) => match outcome {
                Ok(_) => Accepted::value(value),
                Err(failure) => Accepted::Outcome(Outcome::Failed(failure.clone())),
            },
            Entry::ChildRetried { generation, .. } => {
                self.generation = *generation;
                Accepted::Noted
            }
            Entry::FrameFailed { failure, .. } => {
                Accepted::Outcome(Outcome::Failed(failure.clone()))
            }
            _ => Accepted::Misfit,
        }
    }

    fn child(&self) -> Option<(ExecutionId, &Workflow)> {
        Some((self.eid, &self.workflow))
    }
}

fn describe(entry: &Entry) -> Option<Described> {
    match entry {
        Entry::FrameStarted {
            began:
                Began::Child {
                    workflow,
                    input,
                    waits,
                    ..
                },
            ..
        } => Described::new(WORD, Some(detail(workflow, input, *waits))),
        Entry::Received {
            body: Body::Child { .. },
            ..
        } => Described::new("result of a child", None),
        _ => None,
    }
}

fn detail(workflow: &Workflow, input: &Digest, waits: bool) -> String {
    let spawned = if waits { "" } else { ", spawned" };
    format!(" of {workflow} with input {}{spawned}", input.sha16())
}

fn show(entry: &Entry, at: Timestamp, tree: &mut Tree) {
    match entry {
        Entry::FrameStarted {
            fid,
            began:
                Began::Child {
                    eid,
                    workflow,
                    waits,
                    ..
                },
        } => {
            let frame = tree.open(fid, FrameKind::Child, at);
            frame.child = Some(*eid);
            frame.about = Some(workflow.to_string());
            if !waits {
                tree.close(fid, at, FrameStatus::Completed);
            }
        }
        // Any other result was not delivered.
        Entry::Received {
            body: Body::Child {
                fid, eid, outcome, ..
            },
            ..
        } if tree.awaits(fid, eid) => {
            let status = match outcome {
                Ok(_) => FrameStatus::Completed,
                Err(_) => FrameStatus::Failed,
            };
            let frame = tree.over(fid, FrameKind::Child, at, status);
            match outcome {
                Ok(value) => frame.value = Some(value.clone()),
                Err(failure) => frame.failure = Some(failure.clone()),
            }
        }
        _ => {}
    }
}
