//! `start`: starts an execution.

use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use millpond::client::{EngineError, Start, Started, chain};
use millpond::domain::Json;
use serde_json::json;

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::find::near;
use super::needs::Needs;
use super::text;

/// Start an execution
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name of the workflow
    workflow: String,
    /// `-` reads the input from stdin
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with_all = ["input", "input_file"])]
    stdin: Option<String>,
    /// The input as JSON [default: null]
    #[arg(
        long,
        value_name = "JSON",
        conflicts_with = "input_file",
        allow_hyphen_values = true
    )]
    input: Option<String>,
    /// A file with the input as JSON (`-`: stdin)
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
    /// Idempotency key: a key that is in use returns the existing execution
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The version [default: the one registered last]
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// The queue whose workers run it [default: default]
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    /// Do not run before this time (2026-01-31T09:00:00Z)
    #[arg(long, value_name = "INSTANT", value_parser = crate::instant::parse)]
    at: Option<Timestamp>,
    /// Requests that it, and each of its children, may make in a day
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// Wait up to this time for the end, and print the result
    #[arg(long, value_name = "SECS", value_parser = crate::environment::seconds)]
    wait: Option<Duration>,
}

impl Run for Args {
    const NEEDS: Needs = Needs {
        create: true,
        ..Needs::ONE_SHOT
    };

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let mut start = Start::new(&self.workflow).actor(context.actor.clone());
        if let Some(input) = self.input()? {
            start = start.json(input);
        }
        if let Some(key) = &self.key {
            start = start.key(key);
        }
        if let Some(version) = &self.version {
            start = start.version(version);
        }
        if let Some(queue) = &self.queue {
            start = start.queue(queue);
        }
        if let Some(at) = self.at {
            start = start.at(at);
        }
        if let Some(budget) = self.budget {
            start = start.budget(budget);
        }
        if context.ephemeral {
            context
                .streams
                .note("warning: memory: ends with this command; the execution is lost with it");
        }
        let started = match context.engine.start(start).await {
            Ok(started) => started,
            Err(error) => return Err(unknown(context, error)),
        };
        let Started {
            eid,
            fresh,
            differs,
        } = started;
        if context.streams.json() {
            let report = json!({"eid": eid, "fresh": fresh, "differs": differs});
            if self.wait.is_none() {
                context.streams.document(&report)?;
            }
        } else {
            context.streams.line(eid)?;
            if !fresh {
                context
                    .streams
                    .note("note: this key had already started an execution");
            }
        }
        if differs {
            context
                .streams
                .note("warning: the key had started another workflow, or another input");
        }
        match self.wait {
            None => Ok(Exit::Done),
            Some(wait) => super::result::show(context, eid, wait).await,
        }
    }
}

impl Args {
    fn input(&self) -> Result<Option<Json>, Error> {
        let stdin = self.stdin.is_some()
            || self
                .input_file
                .as_deref()
                .is_some_and(|f| f.as_os_str() == "-");
        let text = if stdin {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(|source| Error::Input {
                what: "the input from stdin".to_owned(),
                source,
            })?;
            Some(text)
        } else if let Some(file) = &self.input_file {
            let read = std::fs::read_to_string(file);
            Some(read.map_err(|source| Error::Input {
                what: format!("the input in {}", file.display()),
                source,
            })?)
        } else {
            self.input.clone()
        };
        text.map(|text| parse("input", &text)).transpose()
    }
}

/// Reads JSON from the command line.
pub(crate) fn parse(what: &str, text: &str) -> Result<Json, Error> {
    Json::parse(text).map_err(|error| {
        // The shell removes quotes: the message shows the text that arrived.
        let (why, text) = (chain(&error), text::cut(text, 60));
        Error::Usage(format!("the {what} is not valid JSON: {why}: got={text}"))
    })
}

fn unknown(context: &CommandContext, error: EngineError) -> Error {
    let EngineError::UnknownWorkflow { workflow, .. } = &error else {
        return error.into();
    };
    let known = context.engine.app().all();
    let mut names: Vec<String> = known.map(|known| known.name.to_string()).collect();
    names.dedup();
    let mut near = near(workflow, &names);
    near.retain(|name| name != workflow);
    let what = error.to_string();
    Error::NotFound { what, near }
}
