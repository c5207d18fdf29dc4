//! From a command line to its command.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};
use millpond::client::{App, chain};
use serde_json::json;

use super::args::Cli;
use super::command::Launch as _;
use super::cost_meter::CostMeter;
use super::error::Error;
use super::exit::Exit;
use super::invocation::Invocation;
use super::log;
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
    let telemetry = log::begin(cli.globals.log, &streams, cli.command.reports());
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
    telemetry.flush();
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
