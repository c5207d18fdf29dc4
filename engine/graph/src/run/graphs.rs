//! The graphs of an application, as workflows of the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use millpond::client::{App, Start};
use serde_json::{Map, Value};

use super::envelope::{Beginning, Envelope};
use super::handlers::Handlers;
use super::interpret;
use super::support::{Unsupported, unsupported};
use crate::Limits;
use crate::definition::{Definition, Kind, Name, NodeId, Revision};
use crate::frontier::{Topology, UnknownNode};
use crate::machine::Bound;
use crate::pins::{Pins, Resolver, Wanted};
use crate::program::{CompileError, Program};
use crate::state::StateError;

/// The graphs of an application, by definition id and revision, with the handlers of their actions.
///
/// ```
/// use std::sync::Arc;
///
/// use millpond::StepError;
/// use millpond::client::App;
/// use millpond_graph::run::{Graphs, Handlers, Request};
/// use millpond_testing::World;
/// use serde_json::json;
///
/// let definition = serde_json::from_value(json!({
///     "graph": 1, "id": "greet", "entry": ["hello"],
///     "state": {"name": {}, "greeting": {}},
///     "nodes": {"hello": {"action": "greet", "run": "worker", "with": {"name": "state.name"},
///         "target": "greeting"}},
/// }))?;
/// let handlers = Handlers::new().on("greet", |call| async move {
///     Ok::<_, StepError>(json!(format!("hello, {}", call.input["name"])))
/// });
/// let graphs = Arc::new(Graphs::new(handlers).with(definition)?);
/// let world = World::new(graphs.register(App::new()));
/// let input = json!({"name": "ana"});
/// let start = graphs.start("greet", Request::input(input.as_object().expect("an object")))?;
/// let run = world.start(start).eid;
/// world.run_all();
/// let state: serde_json::Value = world.result(run).expect("the run succeeds");
/// assert_eq!(state["greeting"], "hello, \"ana\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Graphs {
    pub(super) handlers: Handlers,
    pub(super) limits: Limits,
    known: BTreeMap<Name, Vec<Arc<Graph>>>,
}

/// One definition, ready to run.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) program: Arc<Program>,
    pub(super) revision: Revision,
}

/// Why a definition cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// A part of it does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The entry or an edge names a node that it lacks.
    #[error(transparent)]
    Node(#[from] UnknownNode),
    /// It uses what runs do not have yet.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// An action has no handler.
    #[error(
        "an action has no handler; add it with `Handlers::on`, or correct the name: node={node}, \
         handler={handler}"
    )]
    Handler {
        /// The node.
        node: NodeId,
        /// The name of the handler.
        handler: Name,
    },
    /// This revision is there already.
    #[error("added twice: definition={definition}, revision={revision}")]
    Twice {
        /// The definition.
        definition: Name,
        /// The revision.
        revision: Revision,
    },
}

/// Why a run cannot be started. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such definition or revision.
    #[error("unknown definition; add it with `Graphs::with`, or correct the name: definition={0}")]
    Unknown(String),
    /// The input is not one.
    #[error(transparent)]
    Input(#[from] StateError),
    /// The bound names a node that the definition lacks.
    #[error("the bound names an unknown node; correct the name: node={0}")]
    Bound(NodeId),
}

/// What a run is started with.
#[derive(Debug, Clone, Default)]
#[must_use = "give it to `Graphs::start`"]
pub struct Request {
    input: Map<String, Value>,
    revision: Option<Revision>,
    prepared: bool,
    bound: Option<Bound>,
}

impl Request {
    /// A start with this input.
    pub fn input(input: &Map<String, Value>) -> Self {
        Self {
            input: input.clone(),
            ..Self::default()
        }
    }

    /// Starts this revision instead of the one that was added last.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// The run begins paused.
    pub const fn prepared(mut self) -> Self {
        self.prepared = true;
        self
    }

    /// The run pauses by itself.
    pub fn bound(mut self, bound: Bound) -> Self {
        self.bound = Some(bound);
        self
    }
}

impl Graphs {
    /// No graphs, and the handlers of those that are added.
    #[must_use]
    pub fn new(handlers: Handlers) -> Self {
        Self {
            handlers,
            limits: Limits::default(),
            known: BTreeMap::new(),
        }
    }

    /// Changes the bounds of the definitions that are added afterwards, and of all runs.
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a revision of a definition. A start without a revision, and a child that is not pinned,
    /// take the revision of their definition that was added last.
    ///
    /// # Errors
    /// [`GraphError`] if it does not compile, if an action has no handler, or if it uses what runs do
    /// not have yet.
    pub fn with(mut self, definition: Definition) -> Result<Self, GraphError> {
        unsupported(&definition)?;
        Topology::new(&definition)?;
        for (node, spec) in &definition.nodes {
            if let Kind::Action(action) = &spec.kind
                && self.handlers.get(&action.action).is_none()
            {
                return Err(GraphError::Handler {
                    node: node.clone(),
                    handler: action.action.clone(),
                });
            }
        }
        let (id, revision) = (definition.id.clone(), definition.revision());
        if self.find(&id, Some(&revision)).is_some() {
            return Err(GraphError::Twice {
                definition: id,
                revision,
            });
        }
        let program = Arc::new(Program::compile(Arc::new(definition), &self.limits)?);
        let graph = Arc::new(Graph { program, revision });
        self.known.entry(id).or_default().push(graph);
        Ok(self)
    }

    /// Adds every revision to an application: as a workflow with the id of the definition, and with
    /// the revision as its version.
    #[must_use]
    pub fn register(self: &Arc<Self>, mut app: App) -> App {
        for (id, revisions) in &self.known {
            for graph in revisions {
                let (graphs, own) = (Arc::clone(self), Arc::clone(graph));
                let run = move |ctx, envelope: Envelope| {
                    interpret::run(ctx, Arc::clone(&graphs), Arc::clone(&own), envelope)
                };
                app = app.workflow(id.as_str(), graph.revision.as_str(), run);
            }
        }
        app
    }

    /// Makes the start of a run; the engine starts it. The input is validated, and every definition
    /// that the run names is pinned to the revision that was added last.
    ///
    /// # Errors
    /// [`StartError`] if a definition is unknown, or if the input or the bound does not fit.
    pub fn start(&self, definition: &str, request: Request) -> Result<Start, StartError> {
        let unknown = || StartError::Unknown(definition.to_owned());
        let id = Name::parse(definition).map_err(|_| unknown())?;
        let graph = self.find(&id, request.revision.as_ref());
        let graph = graph.ok_or_else(unknown)?;
        graph.program.shape().start(&request.input)?;
        if let Some(Bound::Before(node)) = &request.bound
            && !graph.program.definition().nodes.contains_key(node)
        {
            return Err(StartError::Bound(node.clone()));
        }
        let envelope = Envelope {
            begin: Beginning::Input(request.input),
            pins: self.pins(graph)?,
            prepared: request.prepared,
            bound: request.bound,
            parent: None,
        };
        Ok(Start::new(definition)
            .version(graph.revision.as_str())
            .input(&envelope))
    }

    /// Returns a revision of a definition; without a revision, the one that was added last.
    pub(super) fn find(&self, id: &Name, revision: Option<&Revision>) -> Option<&Arc<Graph>> {
        let mut known = self.known.get(id)?.iter().rev();
        known.find(|graph| revision.is_none_or(|revision| graph.revision == *revision))
    }

    fn pins(&self, graph: &Graph) -> Result<Pins, StartError> {
        let mut resolver = Resolver::start(graph.program.definition());
        loop {
            let found = match resolver.wanted() {
                None => break,
                Some(Wanted::Newest(id)) => self.find(id, None).ok_or(id),
                Some(Wanted::Exactly(id, revision)) => self.find(id, Some(revision)).ok_or(id),
                Some(Wanted::Agent(name)) => Err(name),
            };
            let found = found.map_err(|name| StartError::Unknown(name.to_string()))?;
            resolver.definition(found.program.definition());
        }
        Ok(resolver.finish().expect("nothing is wanted any more"))
    }
}
