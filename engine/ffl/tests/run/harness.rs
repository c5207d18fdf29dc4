//! Runs a program on an engine in memory, with one handler for all event facets.

use std::sync::{Arc, Mutex};

use millpond::client::{App, Start};
use millpond::domain::ExecutionId;
use millpond::{Attempt, StepError};
use millpond_ffl::json::{Detail, Document};
use millpond_ffl::program::{SourceDigest, compile};
use millpond_ffl::run::{Call, Executable, Handler, Handlers};
use millpond_ffl::source::{Origin, Sources};
use millpond_testing::World;
use serde_json::{Value, json};

/// A program and its input.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) program: Executable,
    pub(crate) workflow: String,
    pub(crate) input: Value,
}

/// How a program ended, and what it called.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) outcome: Result<Value, String>,
    /// The path of each call with its facet and parameters, sorted.
    pub(crate) calls: Vec<(String, String)>,
    pub(crate) world: World,
    pub(crate) eid: ExecutionId,
}

/// The calls of all attempts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Universal {
    pub(crate) calls: Arc<Mutex<Vec<(String, String)>>>,
}

impl Setup {
    pub(crate) fn of(text: &str) -> Self {
        let mut sources = Sources::new();
        sources
            .add("case.ffl", Origin::Primary, text)
            .expect("a case is small");
        let program = match compile(&sources, Detail::FULL) {
            Ok(compiled) => compiled.program,
            Err(found) => panic!("{found:?} in:\n{text}"),
        };
        let program = Executable::new(Document::new(program, SourceDigest::of(&sources)));
        let at = text.find("workflow ").expect("a workflow");
        let name = text[at..].split([' ', '(']).nth(1).expect("a name");
        let all = program.workflows();
        let mut named = all
            .iter()
            .filter(|full| full.ends_with(&format!(".{name}")));
        let input = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// input: "));
        Self {
            workflow: named.next().expect("the workflow").clone(),
            input: input.map_or_else(|| json!({}), |text| text.parse().expect("JSON")),
            program,
        }
    }

    pub(crate) fn app(&self, handler: &Universal) -> App {
        let handlers = Handlers::new()
            .register("*", handler.clone())
            .expect("a pattern");
        self.program.register(App::new(), handlers)
    }

    pub(crate) fn start(&self) -> Start {
        Start::new(&self.workflow).input(&self.input)
    }
}

pub(crate) fn run(setup: &Setup) -> Ran {
    let handler = Universal::default();
    let world = World::new(setup.app(&handler));
    let eid = world.start(setup.start()).eid;
    world.run_all();
    let outcome = world.result(eid);
    let calls = handler.sorted();
    Ran {
        outcome,
        calls,
        world,
        eid,
    }
}

impl Universal {
    pub(crate) fn sorted(&self) -> Vec<(String, String)> {
        let mut calls = self.calls.lock().expect("no panic").clone();
        calls.sort();
        calls
    }
}

/// What the handler of all event facets does.
pub(crate) fn outcome(call: &Call) -> Result<Value, (String, String)> {
    let params = call.params.to_json();
    if let Some(message) = params["fail"].as_str() {
        let kind = params["kind"].as_str().unwrap_or("Boom");
        return Err((kind.to_owned(), message.to_owned()));
    }
    if let Some(prompt) = &call.prompt {
        return Ok(json!({"prompt": prompt}));
    }
    match &params["returns"] {
        Value::Null => Ok(params),
        returns => Ok(returns.clone()),
    }
}

/// The path of a step by its frame.
pub(crate) fn path_of(fid: &str) -> String {
    let path = fid.strip_prefix("root/").expect("below the root");
    let (step, _) = path
        .rsplit_once("/do#")
        .expect("the frame of an event facet");
    step.to_owned()
}

#[async_trait::async_trait]
impl Handler for Universal {
    async fn handle(&self, attempt: Attempt, call: Call) -> Result<Value, StepError> {
        let path = path_of(attempt.fid().as_str());
        let shown = format!("{}{}", call.facet, call.params.to_json());
        self.calls.lock().expect("no panic").push((path, shown));
        outcome(&call).map_err(|(kind, message)| StepError::new(kind, message))
    }
}
