//! A host that records what the interpreter decides, and whose event facets end when their outcomes
//! are delivered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::BoxFuture;
use jiff::Timestamp;

use super::node::{Node, Reached};
use super::{ObjectType, State};
use crate::run::{Call, Event, Fault, Host, Place};
use crate::value::Value;

type Outcome = Result<Value, Fault>;

#[derive(Debug)]
pub(super) struct Recorder(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    now: Timestamp,
    /// By path, with the order in which they began.
    nodes: BTreeMap<Arc<str>, (usize, Node)>,
    open: BTreeMap<Arc<str>, (Call, oneshot::Sender<Outcome>)>,
    cancelled: bool,
}

impl Recorder {
    pub(super) fn new(now: Timestamp) -> Self {
        Self(Mutex::new(Inner {
            now,
            nodes: BTreeMap::new(),
            open: BTreeMap::new(),
            cancelled: false,
        }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_now(&self, now: Timestamp) {
        self.inner().now = now;
    }

    /// The event facets whose outcomes are missing, by path.
    pub(super) fn open(&self) -> Vec<(String, Call)> {
        let inner = self.inner();
        let open = inner.open.iter();
        open.map(|(path, (call, _))| (path.to_string(), call.clone()))
            .collect()
    }

    /// Ends an event facet; false if it does not wait for an outcome.
    pub(super) fn deliver(&self, path: &str, outcome: Outcome) -> bool {
        let open = self.inner().open.remove(path);
        // Sent without the lock: it wakes the interpreter.
        open.is_some_and(|(_, sender)| sender.send(outcome).is_ok())
    }

    /// Ends all event facets, those that begin later, too.
    pub(super) fn cancel(&self) {
        let open = {
            let mut inner = self.inner();
            inner.cancelled = true;
            std::mem::take(&mut inner.open)
        };
        for (path, (_, sender)) in open {
            // Nothing else receives it.
            let _ = sender.send(Err(Fault::cancelled(&path)));
        }
    }

    /// The tree below the workflow; `None` before it exists.
    pub(super) fn tree(&self) -> Option<Node> {
        let mut nodes: Vec<(usize, Node)> = self.inner().nodes.values().cloned().collect();
        // Inner nodes begin after the nodes around them: from the last, each is complete.
        nodes.sort_by_key(|(order, _)| *order);
        let mut children: BTreeMap<String, Vec<Node>> = BTreeMap::new();
        while let Some((_, mut node)) = nodes.pop() {
            node.children = children.remove(&node.path).unwrap_or_default();
            node.children.reverse();
            if node.path.is_empty() {
                return Some(node);
            }
            children
                .entry(self.around(&node.path))
                .or_default()
                .push(node);
        }
        None
    }

    /// The path of the node around a node: a prefix that is a node.
    fn around(&self, path: &str) -> String {
        let inner = self.inner();
        let mut outer = path;
        while let Some((rest, _)) = outer.rsplit_once('/') {
            if inner.nodes.contains_key(rest) {
                return rest.to_owned();
            }
            outer = rest;
        }
        String::new()
    }
}

impl Host for Recorder {
    fn transmit(&self, place: &Place, call: Call, _: Duration) -> BoxFuture<'_, Outcome> {
        let (sender, receiver) = oneshot::channel();
        let mut inner = self.inner();
        let path = Arc::clone(place.path());
        if inner.cancelled {
            return Box::pin(std::future::ready(Err(Fault::cancelled(&path))));
        }
        inner.open.insert(Arc::clone(&path), (call, sender));
        drop(inner);
        Box::pin(async move {
            match receiver.await {
                Ok(outcome) => outcome,
                Err(oneshot::Canceled) => std::future::pending().await,
            }
        })
    }

    fn observe(&self, place: &Place, event: Event<'_>) {
        let mut inner = self.inner();
        let (now, order) = (inner.now, inner.nodes.len());
        if let Event::Created {
            object,
            name,
            facet,
        } = &event
        {
            let node = created(place, *object, name, *facet);
            inner.nodes.insert(Arc::clone(place.path()), (order, node));
            return;
        }
        let Some((_, node)) = inner.nodes.get_mut(place.path()) else {
            return; // nothing is observed of what was not created
        };
        match event {
            Event::Created { .. } => {}
            Event::Entered(state) => {
                if state == State::Complete {
                    node.error = None;
                }
                node.states.push(Reached { state, at: now });
            }
            Event::Params(value) => node.params = Some(value.clone()),
            Event::Returns(value) => node.returns = Some(value.clone()),
            Event::Failed(fault) => node.error = Some(fault.clone()),
            Event::Note(note) => node.notes.push(note.to_owned()),
        }
    }
}

fn created(place: &Place, object: ObjectType, name: &str, facet: Option<&str>) -> Node {
    Node {
        path: place.path().to_string(),
        object,
        name: name.to_owned(),
        facet: facet.map(str::to_owned),
        states: Vec::new(),
        params: None,
        returns: None,
        error: None,
        notes: Vec::new(),
        children: Vec::new(),
    }
}
