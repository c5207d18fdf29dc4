//! A world with graphs whose the input of an action specifies what it does.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use millpond::client::{App, Frame, Signal};
use millpond::ports::Clock;
use millpond::{ExecutionId, StepError};
use millpond_testing::World;
use serde_json::{Map, Value, json};

use crate::Limits;
use crate::definition::Definition;
use crate::machine::Decision;
use crate::run::{
    Answer, Call, ControlMessage, Graphs, Handlers, Place, Reply, Request, Snapshot, Verb, decide,
    reply, snapshot,
};

/// Graphs on an engine in memory.
pub(super) struct Case {
    pub(super) world: World,
    pub(super) graphs: Arc<Graphs>,
    pub(super) calls: Arc<CallLog>,
}

/// What the handlers of a case do and did.
#[derive(Default)]
pub(super) struct CallLog {
    clock: OnceLock<Arc<dyn Clock>>,
    begun: Mutex<Vec<(Place, String)>>,
    ended: Mutex<Vec<String>>,
}

impl CallLog {
    /// The nodes whose attempts began, in order.
    pub(super) fn begun(&self) -> Vec<String> {
        let begun = self.begun.lock().unwrap();
        begun
            .iter()
            .map(|(place, _)| place.node.to_string())
            .collect()
    }

    /// The places of the attempts that began, with their keys.
    pub(super) fn places(&self) -> Vec<(Place, String)> {
        self.begun.lock().unwrap().clone()
    }

    /// The nodes whose attempts ended, in order.
    pub(super) fn ended(&self) -> Vec<String> {
        self.ended.lock().unwrap().clone()
    }

    fn of(self: &Arc<Self>, call: &Call) -> Arc<Self> {
        let key = call.step.idempotency_key().to_owned();
        let mut begun = self.begun.lock().unwrap();
        begun.push((call.place.clone(), key));
        Arc::clone(self)
    }
}

/// The handlers of all cases.
///
/// `work`: after `wait` milliseconds it fails the first `fail` attempts (for good if `terminal`),
/// halts if `halt`, and returns `{node, got}`, where `got` is the input `give` or the input.
pub(super) fn handlers(calls: &Arc<CallLog>) -> Handlers {
    let own = Arc::clone(calls);
    let work = move |call: Call| {
        let calls = own.of(&call);
        async move { run(&calls, call).await }
    };
    let panics = |_: Call| async move {
        assert!(calls_nothing(), "the handler panics");
        Ok::<_, StepError>(Value::Null)
    };
    Handlers::new().on("work", work).on("panic", panics)
}

/// False, which the compiler does not see.
fn calls_nothing() -> bool {
    std::hint::black_box(false)
}

async fn run(calls: &CallLog, call: Call) -> Result<Answer, StepError> {
    let node = call.place.node.to_string();
    let number = |name: &str| call.input.get(name).and_then(Value::as_u64);
    let is = |name: &str| call.input.get(name) == Some(&Value::Bool(true));
    if let (Some(wait), Some(clock)) = (number("wait"), calls.clock.get()) {
        clock.sleep(Duration::from_millis(wait)).await;
    }
    calls.ended.lock().unwrap().push(node.clone());
    if call.place.attempt <= number("fail").unwrap_or(0) {
        let error = StepError::new("broken", format!("attempt {}", call.place.attempt));
        return Err(if is("terminal") {
            error.terminal()
        } else {
            error
        });
    }
    let got = call.input.get("give").cloned();
    let got = got.unwrap_or_else(|| call.input.clone().into());
    let result = json!({"node": node, "got": got});
    Ok(if is("halt") {
        Answer::halt(result)
    } else {
        result.into()
    })
}

/// An action whose handler is `work`, with these inputs as JSON.
pub(super) fn work(with: Value) -> Value {
    let Value::Object(with) = with else {
        panic!("an object")
    };
    let text = |value: Value| match value {
        Value::String(cel) => cel.into(),
        other => Value::String(other.to_string()),
    };
    let with: Map<String, Value> = with
        .into_iter()
        .map(|(name, value)| (name, text(value)))
        .collect();
    json!({"action": "work", "run": "worker", "with": with, "writes": {"node": "log"}})
}

/// A definition with the list `log` and the keys `a`, `b` and `n`.
pub(super) fn graph(id: &str, entry: &[&str], nodes: Value, edges: Value) -> Value {
    json!({
        "graph": 1, "id": id, "entry": entry, "nodes": nodes, "edges": edges,
        "state": {"log": {"reduce": "append"}, "a": {}, "b": {}, "n": {"reduce": "sum"}},
    })
}

pub(super) fn definition(value: Value) -> Definition {
    serde_json::from_value(value).expect("a valid definition")
}

impl Case {
    pub(super) fn new(definitions: impl IntoIterator<Item = Value>) -> Self {
        Self::limited(definitions, |_| {})
    }

    pub(super) fn limited(
        definitions: impl IntoIterator<Item = Value>,
        change: impl FnOnce(&mut Limits),
    ) -> Self {
        Self::over(definitions, change, World::new)
    }

    /// Another process on the same bucket, with definitions of its own.
    pub(super) fn beside(&self, definitions: impl IntoIterator<Item = Value>) -> Self {
        let over = |app| self.world.beside(app, "w2", 2);
        Self::over(definitions, |_| {}, over)
    }

    fn over(
        definitions: impl IntoIterator<Item = Value>,
        change: impl FnOnce(&mut Limits),
        world: impl FnOnce(App) -> World,
    ) -> Self {
        let calls = Arc::new(CallLog::default());
        let mut limits = Limits::default();
        change(&mut limits);
        let mut graphs = Graphs::new(handlers(&calls)).limits(limits);
        for value in definitions {
            graphs = graphs.with(definition(value)).expect("it can be added");
        }
        let graphs = Arc::new(graphs);
        let world = world(graphs.register(App::new()));
        let clock = Arc::clone(&world.clock) as Arc<dyn Clock>;
        assert!(calls.clock.set(clock).is_ok());
        Self {
            world,
            graphs,
            calls,
        }
    }

    /// Starts a run with an input, without running it.
    pub(super) fn start(&self, id: &str, input: Value) -> ExecutionId {
        self.request(id, Request::input(input.as_object().expect("an object")))
    }

    pub(super) fn request(&self, id: &str, request: Request) -> ExecutionId {
        let start = self.graphs.start(id, request).expect("it can be started");
        self.world.start(start).eid
    }

    /// Starts a run without input and runs it to its end.
    pub(super) fn run(&self, id: &str) -> Result<Value, String> {
        let run = self.start(id, json!({}));
        self.world.skip(Duration::from_secs(3600 * 24 * 400));
        self.world.result(run)
    }

    pub(super) fn frames(&self, run: ExecutionId) -> Frame {
        self.world.block(self.world.engine.frames(run)).unwrap()
    }

    pub(super) fn snapshot(&self, run: ExecutionId) -> Option<Snapshot> {
        self.world.block(snapshot(&self.world.engine, run)).unwrap()
    }

    pub(super) fn reply(&self, run: ExecutionId, id: &str) -> Option<Reply> {
        self.world
            .block(reply(&self.world.engine, run, id))
            .unwrap()
    }

    /// Sends a control message and runs what follows.
    pub(super) fn control(&self, run: ExecutionId, id: &str, verb: Verb) -> Option<Reply> {
        let message = ControlMessage {
            id: id.to_owned(),
            verb,
        };
        self.send(run, message.signal());
        self.reply(run, id)
    }

    /// Decides an interaction and runs what follows.
    pub(super) fn decide(&self, run: ExecutionId, at: (u64, u64), decision: &Decision) {
        self.send(run, decide(at.0, at.1, decision));
    }

    pub(super) fn send(&self, run: ExecutionId, signal: Signal) {
        self.world
            .signal(run, signal)
            .expect("the run takes messages");
        self.world.run_all();
    }
}

/// All frames below one, by id.
pub(super) fn ids(frame: &Frame) -> Vec<String> {
    let mut all = Vec::new();
    for below in &frame.frames {
        all.push(below.fid.to_string());
        all.extend(ids(below));
    }
    all
}
