//! The tree of frames, as the journal tells it: no workflow code is run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::past::History;
use super::{Engine, EngineError};
use crate::domain::{
    Began, Body, Commit, Entry, ExecutionId, Failure, FrameId, MessageId, Payload, Status, Wait,
};

/// A frame and those below it.
#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    /// Its id.
    pub fid: FrameId,
    /// What it is.
    pub kind: FrameKind,
    /// Where it stands.
    pub status: FrameStatus,
    /// When the journal first speaks of it.
    pub began: Option<Timestamp>,
    /// When it was over.
    pub ended: Option<Timestamp>,
    /// Until when it waits.
    pub due: Option<Timestamp>,
    /// Attempts of a step.
    pub attempts: Vec<AttemptView>,
    /// Its value.
    pub value: Option<Payload>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it waits for or works on, in a word: a channel, a child workflow.
    pub about: Option<String>,
    /// The child execution.
    pub child: Option<ExecutionId>,
    /// Frames below it.
    pub frames: Vec<Frame>,
}

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// The workflow itself.
    Workflow,
    /// A name that groups frames.
    Scope,
    /// A step.
    Step,
    /// A wait for a time.
    Sleep,
    /// A wait for a message.
    Receive,
    /// A child execution.
    Child,
    /// A message to another execution.
    Send,
    /// An announcement.
    Announce,
    /// A recorded instant, uuid or random number.
    Recorded,
}

/// Where a frame stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameStatus {
    /// Under way.
    Running,
    /// Waiting.
    Waiting,
    /// Over, with a value.
    Completed,
    /// Over, with a failure.
    Failed,
    /// Over, since somebody wanted the execution to end.
    Cancelled,
    /// Let go by the workflow.
    Dropped,
    /// Its time came before what it waited for.
    Elapsed,
}

/// One attempt of a step.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptView {
    /// 1, 2, ...
    pub number: u32,
    /// When it began: the commit before its first effect.
    pub began: Option<Timestamp>,
    /// When its end was committed.
    pub ended: Option<Timestamp>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

impl Engine {
    /// The tree of frames of an execution. 1 G, + 1 G for each segment; 2 G where it is archived.
    ///
    /// # Errors
    /// Unknown execution; the store failed, or an object cannot be read.
    pub async fn frames(&self, eid: ExecutionId) -> Result<Frame, EngineError> {
        let History {
            record,
            status,
            at,
            commits,
            ..
        } = self.history(eid, 0).await?;
        let mut tree = Tree::default();
        tree.open(&FrameId::root(), FrameKind::Workflow, record.created_at);
        for commit in &commits {
            tree.read(commit);
        }
        if status.is_terminal() {
            tree.end(at);
        }
        if let Some(root) = tree.frames.get_mut(&FrameId::root()) {
            root.about = Some(format!("{}@{}", record.workflow, record.version));
            root.status = match status {
                // How it ended stands in its archive.
                Status::Completed | Status::Archived => FrameStatus::Completed,
                Status::Failed => FrameStatus::Failed,
                Status::Cancelled => FrameStatus::Cancelled,
                Status::Running | Status::Pending => FrameStatus::Running,
                Status::Suspended | Status::Paused | Status::Blocked => FrameStatus::Waiting,
            };
        }
        Ok(tree.nested())
    }
}

#[derive(Default)]
struct Tree {
    order: Vec<FrameId>,
    frames: BTreeMap<FrameId, Frame>,
    messages: BTreeMap<MessageId, Payload>,
}

impl Tree {
    fn open(&mut self, fid: &FrameId, kind: FrameKind, at: Timestamp) -> &mut Frame {
        if !self.frames.contains_key(fid) {
            self.order.push(fid.clone());
        }
        self.frames.entry(fid.clone()).or_insert_with(|| Frame {
            fid: fid.clone(),
            kind,
            status: FrameStatus::Running,
            began: Some(at),
            ended: None,
            due: None,
            attempts: Vec::new(),
            value: None,
            failure: None,
            about: None,
            child: None,
            frames: Vec::new(),
        })
    }

    /// An execution that is over waits for nothing any more: what was open was let go.
    fn end(&mut self, at: Timestamp) {
        let open = self.frames.values().filter(|frame| frame.ended.is_none());
        let open: Vec<FrameId> = open.map(|frame| frame.fid.clone()).collect();
        for fid in open {
            self.close(&fid, at, FrameStatus::Dropped);
        }
    }

    fn close(&mut self, fid: &FrameId, at: Timestamp, status: FrameStatus) -> Option<&mut Frame> {
        let frame = self.frames.get_mut(fid)?;
        frame.status = status;
        frame.ended = Some(at);
        frame.due = None;
        if let Some(attempt) = frame.attempts.last_mut() {
            attempt.ended.get_or_insert(at);
        }
        Some(frame)
    }

    fn read(&mut self, commit: &Commit) {
        for entry in &commit.entries {
            self.entry(entry, commit.at);
        }
    }

    fn entry(&mut self, entry: &Entry, at: Timestamp) {
        match entry {
            Entry::FrameStarted {
                fid,
                began: Began::Step { attempt, .. },
            } => {
                let frame = self.open(fid, FrameKind::Step, at);
                frame.status = FrameStatus::Running;
                frame.due = None;
                let (number, began) = (*attempt, Some(at));
                frame.attempts.push(AttemptView {
                    number,
                    began,
                    ended: None,
                    failure: None,
                });
            }
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
                let frame = self.open(fid, FrameKind::Child, at);
                frame.child = Some(*eid);
                frame.about = Some(workflow.to_string());
                if !waits {
                    self.close(fid, at, FrameStatus::Completed);
                }
            }
            Entry::FrameCompleted { fid, value } => {
                // Pure steps have no start in the journal.
                self.open(fid, FrameKind::Step, at);
                if let Some(frame) = self.close(fid, at, FrameStatus::Completed) {
                    frame.value = Some(value.clone());
                }
            }
            Entry::FrameRecorded { fid, value } => {
                let frame = self.open(fid, FrameKind::Recorded, at);
                frame.value = Some(Payload::Inline(value.clone()));
                self.close(fid, at, FrameStatus::Completed);
            }
            Entry::FrameFailed { fid, failure } => {
                self.open(fid, FrameKind::Step, at);
                if let Some(frame) = self.close(fid, at, FrameStatus::Failed) {
                    frame.failure = Some(failure.clone());
                    if let Some(attempt) = frame.attempts.last_mut() {
                        attempt.failure = Some(failure.clone());
                    }
                }
            }
            Entry::FrameSuspended { fid, wait } => self.waits(fid, wait, at),
            Entry::FrameFulfilled {
                fid,
                mid: Some(mid),
            } => {
                self.open(fid, FrameKind::Receive, at);
                let value = self.messages.get(mid).cloned();
                if let Some(frame) = self.close(fid, at, FrameStatus::Completed) {
                    frame.value = value;
                }
            }
            Entry::FrameFulfilled { fid, mid: None } => {
                let sleep = self
                    .frames
                    .get(fid)
                    .is_some_and(|f| f.kind == FrameKind::Sleep);
                let status = if sleep {
                    FrameStatus::Completed
                } else {
                    FrameStatus::Elapsed
                };
                self.close(fid, at, status);
            }
            Entry::FrameDropped { fid } => {
                self.close(fid, at, FrameStatus::Dropped);
            }
            Entry::Sent {
                fid,
                to,
                channel,
                payload,
            } => {
                let frame = self.open(fid, FrameKind::Send, at);
                frame.about = Some(format!("{channel} of {to}"));
                frame.value = Some(payload.clone());
                self.close(fid, at, FrameStatus::Completed);
            }
            Entry::Announced { fid, kind, value } => {
                let frame = self.open(fid, FrameKind::Announce, at);
                frame.about = Some(kind.to_string());
                frame.value = Some(value.clone());
                self.close(fid, at, FrameStatus::Completed);
            }
            Entry::Received {
                mid,
                body: Body::Message { payload, .. },
                ..
            } => {
                self.messages.insert(mid.clone(), payload.clone());
            }
            Entry::Received {
                body: Body::Child { fid, outcome },
                ..
            } => {
                let open = self.frames.get(fid).is_some_and(|f| f.ended.is_none());
                let status = if outcome.is_ok() {
                    FrameStatus::Completed
                } else {
                    FrameStatus::Failed
                };
                if open && let Some(frame) = self.close(fid, at, status) {
                    match outcome {
                        Ok(value) => frame.value = Some(value.clone()),
                        Err(failure) => frame.failure = Some(failure.clone()),
                    }
                }
            }
            Entry::Completed { value } => {
                if let Some(root) = self.close(&FrameId::root(), at, FrameStatus::Completed) {
                    root.value = Some(value.clone());
                }
            }
            Entry::Failed { failure } | Entry::Cancelled { failure } => {
                if let Some(root) = self.close(&FrameId::root(), at, FrameStatus::Failed) {
                    root.failure = Some(failure.clone());
                }
            }
            _ => {}
        }
    }

    fn waits(&mut self, fid: &FrameId, wait: &Wait, at: Timestamp) {
        match wait {
            Wait::Sleep { due } => {
                let frame = self.open(fid, FrameKind::Sleep, at);
                (frame.status, frame.due) = (FrameStatus::Waiting, Some(*due));
            }
            Wait::Message { channel, due } => {
                let frame = self.open(fid, FrameKind::Receive, at);
                (frame.status, frame.due) = (FrameStatus::Waiting, *due);
                frame.about = Some(channel.to_string());
            }
            Wait::Retry { due, failure, .. } => {
                let frame = self.open(fid, FrameKind::Step, at);
                (frame.status, frame.due) = (FrameStatus::Waiting, Some(*due));
                if let Some(attempt) = frame.attempts.last_mut() {
                    attempt.ended = Some(at);
                    attempt.failure = Some(failure.clone());
                }
            }
        }
    }

    /// Hangs each frame under its parent, in the order in which the journal speaks of them.
    fn nested(mut self) -> Frame {
        for fid in self.order.clone() {
            let at = self
                .frames
                .get(&fid)
                .and_then(|frame| frame.began)
                .unwrap_or_default();
            for scope in fid.above() {
                if !self.frames.contains_key(&scope) {
                    self.open(&scope, FrameKind::Scope, at).status = FrameStatus::Completed;
                }
            }
        }
        let mut below: BTreeMap<FrameId, Vec<Frame>> = BTreeMap::new();
        for fid in &self.order {
            // The root has nothing above it, and stays.
            if let Some(parent) = fid.above().pop()
                && let Some(frame) = self.frames.remove(fid)
            {
                below.entry(parent).or_default().push(frame);
            }
        }
        let mut root = self
            .frames
            .remove(&FrameId::root())
            .expect("the root was opened first");
        hang(&mut root, &mut below);
        root
    }
}

fn hang(frame: &mut Frame, below: &mut BTreeMap<FrameId, Vec<Frame>>) {
    frame.frames = below.remove(&frame.fid).unwrap_or_default();
    for child in &mut frame.frames {
        hang(child, below);
    }
}
