//! Children: each is an execution of its own, which this one starts and awaits.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, Stream as _};
use millpond::domain::{ExecutionId, FrameId, FrameName, kind};
use millpond::{Context, FrameError};
use serde_json::{Map, Value};

use super::envelope::{Beginning, Envelope, Parent};
use super::gate::{Gate, GateState};
use super::graphs::{Graph, Graphs};
use super::message::{CONTROL, ControlMessage, Verb};
use super::work::Completion;
use crate::Category;
use crate::definition::{History, NodeId, StateKey, Task, TaskKey};
use crate::frontier::Activation;
use crate::limits::within;
use crate::machine::{Complete, Ending};
use crate::pins::Pins;
use crate::program::{Finished, NodeError, Program};
use crate::state::State;

/// What the children of one activation share.
pub(super) struct Family {
    pub(super) graphs: Arc<Graphs>,
    /// The definition of the parent.
    pub(super) program: Arc<Program>,
    pub(super) pins: Pins,
    /// The parent, as its children see it.
    pub(super) parent: Parent,
    pub(super) control: u64,
    pub(super) node: NodeId,
    /// The scope of the activation, under a shield.
    pub(super) scope: Context,
    pub(super) place: FrameId,
}

/// A child that may begin.
struct Planned {
    key: TaskKey,
    graph: Arc<Graph>,
    begin: Beginning,
}

/// How a child ended: with its final state, or with the kind and the text of its failure.
type End = Result<State, (String, String)>;

/// How a list of children ended.
struct Ends {
    by_index: BTreeMap<usize, End>,
    stopped: bool,
}

/// The failure of a node that runs children.
struct Failure(Category, String);

impl From<Failure> for Ending {
    fn from(Failure(category, message): Failure) -> Self {
        Self::Failed {
            category,
            message,
            retryable: false,
        }
    }
}

impl From<NodeError> for Failure {
    fn from(error: NodeError) -> Self {
        Self(error.category(), error.to_string())
    }
}

/// The id of the scope of an activation.
pub(super) fn place(activation: &Activation) -> FrameId {
    let (node, id) = (&activation.node, activation.id);
    let name =
        |text: String| FrameName::parse(&text).expect("numbers and node ids are frame names");
    let superstep = FrameId::root().scope(&name(format!("s{}", id.superstep)));
    superstep.scope(&name(format!("{node}-{}", id.rank)))
}

/// Runs children, at most `limit` at once. After one has failed no further one begins, and those that
/// have begun run to their end.
pub(super) fn children(
    family: Family,
    tasks: Vec<Task>,
    limit: u64,
) -> (Gate, BoxFuture<'static, Completion>) {
    let gate = Gate::default();
    let watched = gate.clone();
    let work = async move {
        let planned = match family.plan(&tasks) {
            Ok(planned) => planned,
            Err(failure) => return Completion::Ended(family.control, failure.into()),
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let ends = family.run(&watched, 0, planned, limit).await;
        family.over(&tasks, ends, |states| {
            family.program.children(&family.node, states)
        })
    };
    (gate, work.boxed())
}

/// Runs children one after the other. Each begins with the final state of the one before.
pub(super) fn pipeline(family: Family, tasks: Vec<Task>) -> (Gate, BoxFuture<'static, Completion>) {
    let gate = Gate::default();
    let watched = gate.clone();
    let work = async move {
        let planned = match family.plan_first(&tasks) {
            Ok(planned) => planned,
            Err(failure) => return Completion::Ended(family.control, failure.into()),
        };
        let mut all = Ends {
            by_index: BTreeMap::new(),
            stopped: false,
        };
        for (index, mut next) in planned.into_iter().enumerate() {
            if let Some(Ok(before)) = index
                .checked_sub(1)
                .and_then(|before| all.by_index.get(&before))
            {
                let shape = next.graph.program.shape();
                next.begin = match shape.hand_on(before, &tasks[index].input) {
                    Ok(state) => Beginning::State(crate::state::to_object(&state)),
                    Err(error) => {
                        let failure = Failure::from(NodeError::State(error));
                        return Completion::Ended(family.control, failure.into());
                    }
                };
            }
            let ends = family.run(&watched, index, vec![next], 1).await;
            all.stopped = ends.stopped;
            all.by_index.extend(ends.by_index);
            if !matches!(all.by_index.get(&index), Some(Ok(_))) || all.stopped {
                break;
            }
        }
        family.over(&tasks, all, |states| {
            family.program.pipeline(&family.node, states)
        })
    };
    (gate, work.boxed())
}

impl Family {
    /// Decides every child before the first one begins.
    fn plan(&self, tasks: &[Task]) -> Result<Vec<Planned>, Failure> {
        tasks.iter().map(|task| self.planned(task, true)).collect()
    }

    /// The same for a pipeline, in which only the first child begins with its input.
    fn plan_first(&self, tasks: &[Task]) -> Result<Vec<Planned>, Failure> {
        let tasks = tasks.iter().enumerate();
        tasks
            .map(|(index, task)| self.planned(task, index == 0))
            .collect()
    }

    fn planned(&self, task: &Task, input: bool) -> Result<Planned, Failure> {
        let Task {
            workflow,
            revision,
            key,
            inputs,
            init,
            history,
            ..
        } = task;
        let depth = self.graphs.limits.depth;
        within("depth", self.parent.depth as usize, depth).map_err(NodeError::Limit)?;
        let refused = |why: &str| {
            let text =
                format!("the child cannot be started: {why}: key={key}, definition={workflow}");
            Failure(Category::Child, text)
        };
        if !inputs.is_empty() || init.is_some() || *history != History::Keep {
            return Err(refused(
                "runs do not have `inputs`, `init` and `history` yet",
            ));
        }
        let revision = revision
            .as_ref()
            .or_else(|| self.pins.definitions.get(workflow));
        let graph = self.graphs.find(workflow, revision);
        let graph = graph.ok_or_else(|| refused("unknown definition or revision"))?;
        if input {
            graph.program.shape().start(&task.input).map_err(|error| {
                let category = match error.category() {
                    Category::Limit => Category::Limit,
                    _ => Category::Evaluation,
                };
                Failure(
                    category,
                    format!("invalid input of a child: {error}: key={key}"),
                )
            })?;
        }
        Ok(Planned {
            key: key.clone(),
            graph: Arc::clone(graph),
            begin: Beginning::Input(task.input.clone()),
        })
    }

    /// Runs a list of children whose first one has the index `first`.
    async fn run(&self, gate: &Gate, first: usize, planned: Vec<Planned>, limit: usize) -> Ends {
        let mut waiting = planned.into_iter().enumerate();
        let mut open = FuturesUnordered::new();
        // The executions that have begun and have not ended.
        let mut alive: BTreeMap<usize, ExecutionId> = BTreeMap::new();
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        let mut by_index: BTreeMap<usize, End> = BTreeMap::new();
        let mut failed = false;
        let stopped = poll_fn(|cx| {
            loop {
                let state = gate.state(cx.waker());
                if state == GateState::Open {
                    while !failed && alive.len() < limit {
                        let Some((index, child)) = waiting.next() else {
                            break;
                        };
                        let index = first + index;
                        alive.insert(index, self.execution(&child));
                        open.push(self.child(index, child));
                    }
                }
                if state == GateState::Stopped {
                    for (index, run) in &alive {
                        if asked.insert(*index) {
                            self.cancel(*run);
                        }
                    }
                }
                match Pin::new(&mut open).poll_next(cx) {
                    Poll::Ready(Some((index, end))) => {
                        alive.remove(&index);
                        failed |= end.is_err();
                        by_index.insert(index, end);
                    }
                    Poll::Ready(None) | Poll::Pending => {
                        let over = failed || state == GateState::Stopped || waiting.len() == 0;
                        return match alive.is_empty() && over {
                            true => Poll::Ready(state == GateState::Stopped),
                            false => Poll::Pending,
                        };
                    }
                }
            }
        })
        .await;
        Ends { by_index, stopped }
    }

    fn child(&self, index: usize, planned: Planned) -> BoxFuture<'static, (usize, End)> {
        let Planned { key, graph, begin } = planned;
        let envelope = Envelope {
            begin,
            pins: self.pins.clone(),
            prepared: false,
            bound: None,
            parent: Some(self.parent),
        };
        let workflow = graph.program.definition().id.as_str();
        let child = self
            .scope
            .child_named::<Map<String, Value>>(workflow, &envelope);
        let child = child.key(key.as_str()).version(graph.revision.as_str());
        async move {
            let end = match child.await {
                Ok(state) => state_of(state),
                Err(FrameError::ChildFailed { failure, .. }) => {
                    Err((failure.kind, failure.message))
                }
                Err(error) => Err((Category::Execution.name().to_owned(), error.to_string())),
            };
            (index, end)
        }
        .boxed()
    }

    /// The execution of a child: its id follows from its frame.
    fn execution(&self, planned: &Planned) -> ExecutionId {
        let name = planned
            .graph
            .program
            .definition()
            .id
            .as_str()
            .replace('.', "_");
        let name = FrameName::parse(&name).expect("a definition id without dots is a frame name");
        let key = FrameName::parse(planned.key.as_str()).expect("a task key is a frame name");
        let fid = self.place.keyed(&name, &key);
        self.parent.run.child(self.scope.generation(), &fid)
    }

    fn cancel(&self, run: ExecutionId) {
        let message = ControlMessage {
            id: "parent".to_owned(),
            verb: Verb::Cancel { fence: None },
        };
        let sent = self.scope.send(run, CONTROL, &message);
        sent.expect("a small message under a shield is always accepted");
    }

    /// What the end of all children means for the node.
    fn over(
        &self,
        tasks: &[Task],
        ends: Ends,
        finish: impl FnOnce(&[State]) -> Result<Finished, NodeError>,
    ) -> Completion {
        let mut states = Vec::with_capacity(ends.by_index.len());
        for (index, end) in ends.by_index {
            match end {
                Ok(state) => states.push(state),
                // The stop ended it.
                Err((cancelled, _)) if ends.stopped && cancelled == kind::CANCELLED => {}
                Err((kind, message)) => {
                    let Task { key, workflow, .. } = &tasks[index];
                    let text = format!(
                        "a child failed: {kind}: {message}: key={key}, definition={workflow}"
                    );
                    return Completion::Ended(self.control, Failure(Category::Child, text).into());
                }
            }
        }
        if ends.stopped {
            return Completion::Stopped(self.control);
        }
        let ending = match finish(&states) {
            Ok(finished) => Ending::Complete(Complete::from(finished)),
            Err(error) => Failure::from(error).into(),
        };
        Completion::Ended(self.control, ending)
    }
}

fn state_of(values: Map<String, Value>) -> End {
    let mut state = State::new();
    for (key, value) in values {
        let key = StateKey::parse(&key);
        let key =
            key.map_err(|error| (Category::Execution.name().to_owned(), error.to_string()))?;
        state.insert(key, value);
    }
    Ok(state)
}
