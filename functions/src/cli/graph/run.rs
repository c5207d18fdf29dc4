//! `graph run`: runs a graph whose actions are commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use millpond::ExecutionId;
use millpond::client::{EngineError, Notice, WorkerEvent};
use millpond_graph::definition::Definition;
use millpond_graph::run::{Call, Graphs, Handlers, Request, Snapshot, snapshot};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::super::command::Launch;
use super::super::context::CommandContext;
use super::super::error::Error;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::super::needs::Needs;
use super::super::result;
use super::super::serve::{Serving, serve};
use super::super::streams::Streams;
use super::load::{self, Text};
use super::{report, show, subprocess};

/// Run a graph in this process, with commands as its actions, and print its final state
///
/// The bucket keeps the run: with --key, the same command line continues it after a crash. What the
/// run asks for is printed as it asks; answer it with `graph resolve` from another process.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    text: Text,
    /// The input, a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}")]
    input: String,
    /// The handler of an action: a shell command that reads the input of the action as JSON on its
    /// standard input and prints its result as JSON; may be repeated
    #[arg(long = "handler", value_name = "NAME=COMMAND", value_parser = handler)]
    handlers: Vec<(String, String)>,
    /// A definition that the graph runs as a child; may be repeated
    #[arg(long = "child", value_name = "FILE")]
    children: Vec<PathBuf>,
    /// Idempotency key: a key that is in use continues the existing run
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Begin paused, until `graph resume`
    #[arg(long)]
    prepared: bool,
    #[command(flatten)]
    serving: Serving,
}

fn handler(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => {
            Ok((name.to_owned(), command.to_owned()))
        }
        _ => Err("must be NAME=COMMAND"),
    }
}

impl Launch for Args {
    async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
        let Some(definitions) = self.definitions(invocation.streams)? else {
            return Ok(Exit::Failed);
        };
        let mut graphs = Graphs::new(handlers(&self.handlers));
        let id = definitions[0].id.to_string();
        for definition in definitions {
            graphs = graphs.with(definition).map_err(usage)?;
        }
        let graphs = Arc::new(graphs);
        let mut request = Request::input(&self.object()?);
        if self.prepared {
            request = request.prepared();
        }
        let mut start = graphs.start(&id, request).map_err(usage)?;
        if let Some(key) = &self.key {
            start = start.key(key);
        }
        if let Some(queue) = self.serving.queues.first() {
            start = start.queue(queue.as_str());
        }
        let invocation = Invocation {
            app: graphs.register(invocation.app),
            ..invocation
        };
        let context = Box::pin(CommandContext::open(invocation, Needs::WORKER)).await?;
        let started = context
            .engine
            .start(start.actor(context.actor.clone()))
            .await?;
        if started.differs {
            let what = "the key started a run with another revision or input; pass another --key";
            return Err(Error::Usage(what.to_owned()));
        }
        context.streams.note(format!("run: eid={}", started.eid));
        Box::pin(work(&context, self.serving, started.eid)).await
    }
}

impl Args {
    /// Reads the definitions, the one that is run first; nothing if one has an error.
    fn definitions(&self, streams: &Streams) -> Result<Option<Vec<Definition>>, Error> {
        let mut checked = vec![self.text.check()?];
        for path in &self.children {
            checked.push(load::of_path(path, None)?);
        }
        let mut all = Vec::new();
        for (name, found) in checked {
            report::note(&name, &found.findings, streams);
            let valid = found.is_valid();
            match found.definition.filter(|_| valid) {
                Some(definition) => all.push(definition),
                None => return Ok(None),
            }
        }
        Ok(Some(all))
    }

    fn object(&self) -> Result<Map<String, Value>, Error> {
        serde_json::from_str(&self.input).map_err(|error| {
            Error::Usage(format!(
                "the input is not a JSON object: {error}; pass --input '{{...}}'"
            ))
        })
    }
}

fn usage(error: impl std::fmt::Display) -> Error {
    Error::Usage(error.to_string())
}

fn handlers(commands: &[(String, String)]) -> Handlers {
    let mut handlers = Handlers::new();
    for (name, command) in commands {
        let command: Arc<str> = command.as_str().into();
        handlers = handlers.on(name, move |call: Call| {
            let command = Arc::clone(&command);
            async move {
                let variables = variables(&call);
                let input = Value::Object(call.input);
                subprocess::run(&command, &variables, &input, &call.step).await
            }
        });
    }
    handlers
}

/// What the environment of a command contains of its attempt.
fn variables(call: &Call) -> Vec<(&'static str, String)> {
    let place = &call.place;
    let mut variables = vec![
        ("MILLPOND_KEY", call.step.idempotency_key().to_owned()),
        ("MILLPOND_DEFINITION", place.definition.to_string()),
        ("MILLPOND_REVISION", place.revision.to_string()),
        ("MILLPOND_RUN", place.run.to_string()),
        ("MILLPOND_NODE", place.node.to_string()),
        ("MILLPOND_ATTEMPT", place.attempt.to_string()),
        ("MILLPOND_ORDINAL", place.ordinal.to_string()),
        ("MILLPOND_BASE", place.base.to_string()),
    ];
    variables.extend(
        place
            .parent
            .map(|parent| ("MILLPOND_PARENT", parent.to_string())),
    );
    variables
}

/// Works until the run has ended, and prints its end. An interrupt hands the run over.
async fn work(context: &CommandContext, serving: Serving, run: ExecutionId) -> Result<Exit, Error> {
    let (send, events) = unbounded_channel();
    let watch = Arc::new(move |event: &WorkerEvent| {
        // The receiver is dropped only when the process ends.
        let _ = send.send(event.clone());
    });
    let stop = Notice::new();
    let watching = async {
        tokio::select! {
            () = ended(context, run) => stop.set(),
            () = stop.wait() => {}
        }
    };
    let beside = async {
        tokio::join!(watching, report(context, run, events, &stop));
    };
    match serve(serving, context, Some(watch), stop.clone(), beside).await? {
        Exit::Done => result::show(context, run, Duration::ZERO).await,
        killed => Ok(killed),
    }
}

/// Returns when a run has ended, or cannot be read.
async fn ended(context: &CommandContext, run: ExecutionId) {
    let hour = Duration::from_secs(3600);
    while let Err(EngineError::NotYet { .. }) = context.engine.result(run, hour).await {}
}

/// Prints what people see of a run whenever it has changed, until the worker stops.
async fn report(
    context: &CommandContext,
    run: ExecutionId,
    mut events: UnboundedReceiver<WorkerEvent>,
    stop: &Notice,
) {
    let mut last: Option<Snapshot> = None;
    loop {
        let event = tokio::select! {
            biased;
            event = events.recv() => event,
            () = stop.wait() => None,
        };
        match event {
            Some(WorkerEvent::Ended(eid, _)) if eid == run => {}
            Some(_) => continue,
            None => return,
        }
        // What cannot be read now is read after the next event.
        let Ok(Some(shown)) = snapshot(&context.engine, run).await else {
            continue;
        };
        if last.as_ref() != Some(&shown) {
            note(&context.streams, &shown);
            last = Some(shown);
        }
    }
}

/// Prints a snapshot beside the result.
fn note(streams: &Streams, shown: &Snapshot) {
    if streams.json() {
        streams.note(json!({"snapshot": shown}));
        return;
    }
    if shown.interactions.is_empty() {
        streams.note(format!("{}: sequence={}", shown.status, shown.sequence));
    }
    for asked in &shown.interactions {
        streams.note(show::question(asked));
    }
}
