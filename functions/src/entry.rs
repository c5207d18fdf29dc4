//! From the process's arguments to a command, and back to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use millpond::client::App;

use crate::cli::{self, Exit, Streams};
use crate::environment::Environment;
use crate::triggers::Rules;

/// How long requests and blocking work in progress may take at the end of the process.
const SHUTDOWN: Duration = Duration::from_millis(200);

/// The whole `main` of an application: roles and commands over `app`.
///
/// `--help` documents the commands and the exit codes.
#[must_use = "it is the exit code of the process"]
pub fn main(app: App) -> ExitCode {
    main_with(app, Rules::default())
}

/// The same with rules in code for the starter, in addition to the rules in its file.
#[must_use = "it is the exit code of the process"]
pub fn main_with(app: App, rules: Rules) -> ExitCode {
    let mut streams = Streams::standard();
    let environment = match Environment::read() {
        Ok(environment) => environment,
        Err(error) => return streams.refuse(&error).into(),
    };
    if std::env::var_os("AWS_LAMBDA_RUNTIME_API").is_some() {
        return function(app, rules, &environment, &streams);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return streams.refuse(&error).into(),
    };
    let exit = runtime.block_on(run(app, std::env::args_os(), environment, streams));
    // A blocking step must not delay the end of the process.
    runtime.shutdown_timeout(SHUTDOWN);
    exit.into()
}

/// As a function on AWS Lambda.
#[cfg(feature = "lambda")]
fn function(app: App, rules: Rules, environment: &Environment, _: &Streams) -> ExitCode {
    crate::lambda::main(app, rules, environment)
}

#[cfg(not(feature = "lambda"))]
fn function(_: App, _: Rules, _: &Environment, streams: &Streams) -> ExitCode {
    streams.note("error: cannot run on AWS Lambda: this build lacks the feature `lambda`; enable it and rebuild");
    Exit::Usage.into()
}

/// Runs one command line (`args` begins with the program's name) against `app`, with output to
/// `streams`. Needs a tokio runtime.
pub async fn run(
    app: App,
    args: impl IntoIterator<Item = OsString>,
    environment: Environment,
    streams: Streams,
) -> Exit {
    let args = args.into_iter().collect();
    Box::pin(cli::invoke(app, args, environment, streams)).await
}
