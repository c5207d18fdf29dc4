//! The tree of frames that a journal describes: no workflow code runs.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::frames::{FrameKind, READERS};
use crate::domain::{Entry, ExecutionId, Failure, FrameId, MessageId, Payload};
use crate::journal::Line;

/// A frame and those below it.
#[derive(Debug, Clone, Serialize)]
pub struct Frame {
    /// Its id.
    pub fid: FrameId,
    /// What it is.
    pub kind: FrameKind,
    /// Its state.
    pub status: FrameStatus,
    /// The commit with its first entry.
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
    /// What it waits for or works on: a channel, a child workflow.
    pub about: Option<String>,
    /// The child execution.
    pub child: Option<ExecutionId>,
    /// Frames below it.
    pub frames: Vec<Frame>,
}

/// The state of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameStatus {
    /// A child that has not begun. Only its own head shows this, so [`Engine::frames`] reports it as
    /// running.
    ///
    /// [`Engine::frames`]: crate::client::Engine::frames
    Pending,
    /// Under way.
    Running,
    /// Waiting.
    Waiting,
    /// Over, with a value.
    Completed,
    /// Over, with a failure.
    Failed,
    /// Over, because the execution was cancelled or terminated.
    Cancelled,
    /// The workflow dropped it.
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

impl Frame {
    fn new(fid: FrameId, kind: FrameKind, at: Timestamp) -> Self {
        Self {
            fid,
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
        }
    }

    /// What its last attempt came to is void; the next one is about to begin.
    fn begin_again(&mut self, at: Timestamp) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended.get_or_insert(at);
        }
        self.status = FrameStatus::Waiting;
        (self.ended, self.due, self.failure) = (None, None, None);
    }

    fn end(&mut self, at: Timestamp, status: FrameStatus) {
        self.status = status;
        self.ended = Some(at);
        self.due = None;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended.get_or_insert(at);
        }
    }
}

/// Frames by id, until all commits are read.
pub(crate) struct Tree {
    /// In order of their first entries.
    order: Vec<FrameId>,
    frames: BTreeMap<FrameId, Frame>,
    /// The values of messages: the entry that consumes one has only its id.
    messages: BTreeMap<MessageId, Payload>,
}

impl Tree {
    /// The workflow of an execution created at `at`, without frames.
    pub(crate) fn new(at: Timestamp) -> Self {
        let root = Frame::new(FrameId::root(), FrameKind::Workflow, at);
        Self {
            order: vec![FrameId::root()],
            frames: BTreeMap::from([(FrameId::root(), root)]),
            messages: BTreeMap::new(),
        }
    }

    /// Adds the next entry that a replay reads.
    pub(crate) fn read(&mut self, line: &Line<&Entry>) {
        // A fact about a frame that a retry has made void, too.
        let unknown = |fid| !self.frames.contains_key(fid);
        if line.fact && line.entry.fid().is_some_and(unknown) {
            return;
        }
        self.entry(line.entry, line.at);
        for reader in &READERS {
            (reader.show)(line.entry, line.at, self);
        }
    }

    /// Entries that are not about frames of one kind.
    fn entry(&mut self, entry: &Entry, at: Timestamp) {
        match entry {
            Entry::FrameDropped { fid } => self.close(fid, at, FrameStatus::Dropped),
            // The frames of each part have ids of their own; only those of the newest are shown.
            Entry::Continued { .. } => {
                let messages = std::mem::take(&mut self.messages);
                *self = Self {
                    messages,
                    ..Self::new(at)
                };
            }
            Entry::Completed { value } => {
                let root = self.over(
                    &FrameId::root(),
                    FrameKind::Workflow,
                    at,
                    FrameStatus::Completed,
                );
                root.value = Some(value.clone());
            }
            Entry::Failed { failure } | Entry::Cancelled { failure } => {
                let root = self.over(
                    &FrameId::root(),
                    FrameKind::Workflow,
                    at,
                    FrameStatus::Failed,
                );
                root.failure = Some(failure.clone());
            }
            Entry::Retried(retried) => {
                for again in &retried.again {
                    if let Some(frame) = self.frames.get_mut(&again.fid) {
                        frame.begin_again(at);
                    }
                }
            }
            _ => {}
        }
    }

    /// The frame, which begins here if no entry was about it before.
    pub(super) fn open(&mut self, fid: &FrameId, kind: FrameKind, at: Timestamp) -> &mut Frame {
        let order = &mut self.order;
        self.frames.entry(fid.clone()).or_insert_with_key(|fid| {
            order.push(fid.clone());
            Frame::new(fid.clone(), kind, at)
        })
    }

    /// The same; from here on it waits.
    pub(super) fn wait(
        &mut self,
        fid: &FrameId,
        kind: FrameKind,
        at: Timestamp,
        due: Option<Timestamp>,
    ) -> &mut Frame {
        let frame = self.open(fid, kind, at);
        (frame.status, frame.due) = (FrameStatus::Waiting, due);
        frame
    }

    /// The same; here it is over.
    pub(super) fn over(
        &mut self,
        fid: &FrameId,
        kind: FrameKind,
        at: Timestamp,
        status: FrameStatus,
    ) -> &mut Frame {
        let frame = self.open(fid, kind, at);
        frame.end(at, status);
        frame
    }

    /// Ends a frame, if it began.
    pub(super) fn close(&mut self, fid: &FrameId, at: Timestamp, status: FrameStatus) {
        if let Some(frame) = self.frames.get_mut(fid) {
            frame.end(at, status);
        }
    }

    pub(super) fn is(&self, fid: &FrameId, kind: FrameKind) -> bool {
        self.frames.get(fid).is_some_and(|frame| frame.kind == kind)
    }

    /// Whether the frame is open and waits for the result of this child.
    pub(super) fn awaits(&self, fid: &FrameId, child: &ExecutionId) -> bool {
        let frame = self.frames.get(fid);
        frame.is_some_and(|frame| frame.ended.is_none() && frame.child == Some(*child))
    }

    /// Keeps the value of a message for the receive that consumes it.
    pub(super) fn keep(&mut self, mid: &MessageId, value: &Payload) {
        self.messages.insert(mid.clone(), value.clone());
    }

    pub(super) fn message(&self, mid: &MessageId) -> Option<Payload> {
        self.messages.get(mid).cloned()
    }

    /// The execution is over: what is still open was dropped.
    pub(crate) fn end(&mut self, at: Timestamp) {
        let open = self.frames.values_mut().filter(|f| f.ended.is_none());
        open.for_each(|frame| frame.end(at, FrameStatus::Dropped));
    }

    /// Puts each frame under its parent, in order of their first entries.
    pub(crate) fn nested(mut self) -> Frame {
        for fid in self.order.clone() {
            let began = self.frames.get(&fid).and_then(|frame| frame.began);
            for scope in fid.above() {
                if !self.frames.contains_key(&scope) {
                    let frame = self.open(&scope, FrameKind::Scope, began.unwrap_or_default());
                    frame.status = FrameStatus::Completed;
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
        let root = self.frames.remove(&FrameId::root());
        let mut root = root.expect("a tree begins with its root");
        nest(&mut root, &mut below);
        root
    }
}

fn nest(frame: &mut Frame, below: &mut BTreeMap<FrameId, Vec<Frame>>) {
    frame.frames = below.remove(&frame.fid).unwrap_or_default();
    for child in &mut frame.frames {
        nest(child, below);
    }
}
