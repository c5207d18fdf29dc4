//! From a command line to its command.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};
use millpond::client::{App, chain};
use serde_json::json;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::Cli;
use super::command::Launch as _;
use super::cost_meter::CostMeter;
use super::error::Error;
use super::exit::Exit;
use super::invocation::Invocation;
use super::streams::Streams;
use crate::environment::Environment;

/// Parses a command line, runs the command and reports its error.
pub(crate) async fn invoke(
    app: App,
    args: Vec<OsString>,
    environment: Environment,
    mut streams: Streams,
) -> Exit {
    let name = args.first().map(Path::new).and_then(Path::file_stem);
    let name = name.map_or_else(|| "millpond".into(), |n| n.to_string_lossy().into_owned());
    let matches = Cli::command().name(name).try_get_matches_from(args);
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return rejected(&error, &streams),
    };
    streams.set(cli.globals.json, environment.no_color);
    log(cli.globals.log, streams.color());
    let meter = CostMeter::default();
    let invocation = Invocation {
        app,
        globals: &cli.globals,
        environment: &environment,
        streams: &streams,
        meter: &meter,
    };
    let ended = cli.command.launch(invocation).await;
    meter.report(&streams);
    match ended {
        Ok(exit) => exit,
        // For example, `head` has closed the pipe.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => failed(&error, &streams),
    }
}

fn rejected(error: &clap::Error, streams: &Streams) -> Exit {
    let text = error.render();
    let text = if streams.color() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    if error.use_stderr() {
        streams.note(text.trim_end());
        return Exit::Usage;
    }
    // The help was requested: if stdout is closed, that is not an error.
    let _ = streams.line(text.trim_end());
    Exit::Done
}

fn failed(error: &Error, streams: &Streams) -> Exit {
    let (exit, text) = (error.exit(), chain(error));
    if streams.json() {
        let error = json!({"kind": exit.as_str(), "message": text, "near": error.near()});
        streams.note(json!({ "error": error }));
    } else {
        streams.note(format!("error: {text}"));
    }
    exit
}

/// Outages of the store are left out: long-running commands report them once themselves.
fn log(level: LevelFilter, color: bool) {
    let filter = Targets::new().with_default(level);
    let filter = match level > LevelFilter::WARN {
        true => filter,
        false => filter.with_target("millpond::store", LevelFilter::OFF),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(color);
    let subscriber = tracing_subscriber::registry().with(filter).with(lines);
    // A program that calls `run` may have set its own subscriber.
    let _ = subscriber.try_init();
}
