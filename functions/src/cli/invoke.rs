//! From a command line to its command.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _};
use millpond::client::{App, chain};
use serde_json::json;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::{Cli, Command};
use super::bill::Till;
use super::control::{self, Verb};
use super::desk::{Desk, Use};
use super::error::Error;
use super::{
    Exit, Streams, bucket, dev, doctor, journal, list, result, retention, show, signal, start,
    triggers, watch, worker, workflows,
};
use crate::environment::Environment;

/// Parses, runs, and says what went wrong.
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
        Err(error) => return misfit(&error, &streams),
    };
    streams.set(cli.globals.json, environment.no_color);
    log(cli.globals.log, streams.color());
    let till = Till::default();
    let ended = command(app, cli, &environment, &streams, &till).await;
    till.tell(&streams);
    match ended {
        Ok(exit) => exit,
        // `... | head` has seen enough.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => complain(&error, &streams),
    }
}

async fn command(
    app: App,
    cli: Cli,
    environment: &Environment,
    streams: &Streams,
    till: &Till,
) -> Result<Exit, Error> {
    let Cli { globals, command } = cli;
    let how = Use {
        creates: matches!(
            command,
            Command::Dev(_) | Command::Worker(_) | Command::Start(_)
        ),
        works: matches!(command, Command::Dev(_) | Command::Worker(_)),
        checks: matches!(
            command,
            Command::Dev(_) | Command::Worker(_) | Command::Doctor(_)
        ),
        stays: matches!(
            command,
            Command::Dev(_) | Command::Worker(_) | Command::Watch(_) | Command::Retention(_)
        ),
    };
    let open = async |app| {
        let desk = Box::pin(Desk::open(app, &globals, environment, streams.clone(), how)).await?;
        till.keep(desk.metered.as_ref());
        Ok::<_, Error>(desk)
    };
    // Boxed: the futures of all commands together are large.
    match command {
        Command::Workflows(args) => workflows::run(&args, &app, streams),
        Command::Triggers(args) => {
            let place = triggers::Place::new(&globals, environment, streams)?;
            if let Some(text) = place.named(&args)? {
                return triggers::run(&args, &place, &app, &text);
            }
            let desk = open(app).await.inspect_err(|_| {
                streams
                    .note("neither FILE nor MILLPOND_TRIGGERS names rules: the bucket's are meant");
            })?;
            let text = triggers::stored(&desk).await?;
            triggers::run(&args, &place, desk.engine.app(), &text)
        }
        Command::Dev(args) => Box::pin(dev::run(args, &open(app).await?)).await,
        Command::Worker(args) => Box::pin(worker::run(args, &open(app).await?)).await,
        Command::Retention(args) => Box::pin(retention::run(args, &open(app).await?)).await,
        Command::Start(args) => Box::pin(start::run(args, &open(app).await?)).await,
        Command::List(args) => list::run(args, &open(app).await?).await,
        Command::Show(args) => show::run(args, &open(app).await?).await,
        Command::Journal(args) => journal::run(args, &open(app).await?).await,
        Command::Watch(args) => watch::run(args, &open(app).await?).await,
        Command::Result(args) => result::run(args, &open(app).await?).await,
        Command::Signal(args) => Box::pin(signal::run(args, &open(app).await?)).await,
        Command::Cancel(args) => control::run(Verb::Cancel, args, &open(app).await?).await,
        Command::Terminate(args) => control::run(Verb::Terminate, args, &open(app).await?).await,
        Command::Pause(args) => control::run(Verb::Pause, args, &open(app).await?).await,
        Command::Resume(args) => control::run(Verb::Resume, args.into(), &open(app).await?).await,
        Command::Doctor(args) => Box::pin(doctor::run(args, &open(app).await?)).await,
        Command::Bucket(args) => Box::pin(bucket::run(args, &open(app).await?)).await,
    }
}

fn misfit(error: &clap::Error, streams: &Streams) -> Exit {
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
    // Help that nobody can read has still been asked for, and given.
    let _ = streams.line(text.trim_end());
    Exit::Done
}

fn complain(error: &Error, streams: &Streams) -> Exit {
    let (exit, text) = (error.exit(), chain(error));
    if streams.json() {
        let error = json!({"kind": exit.as_str(), "message": text, "near": error.near()});
        streams.note(json!({ "error": error }));
    } else {
        streams.note(format!("error: {text}"));
    }
    exit
}

/// Troubles of the store are left out: a command that stays says them itself, once.
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
    // A program that calls `run` may have set its own.
    let _ = subscriber.try_init();
}
