//! From the operating system to a command, and back with an exit code.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use millpond::client::App;

use crate::cli::{self, Exit, Streams};
use crate::environment::Environment;
use crate::triggers::Rules;

/// How long requests and blocking work under way may take when the process is to end.
const LAST: Duration = Duration::from_millis(200);

/// The whole `main` of an application: roles and commands over `app`.
///
/// `--help` documents the commands and the exit codes.
#[must_use = "it is the exit code of the process"]
pub fn main(app: App) -> ExitCode {
    main_with(app, Rules::default())
}

/// The same, with rules in code for the role of the starter, beside those of its file.
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
    // A step that blocks must not keep a process alive that was told to go.
    runtime.shutdown_timeout(LAST);
    exit.into()
}

/// As a function on AWS Lambda.
#[cfg(feature = "lambda")]
fn function(app: App, rules: Rules, environment: &Environment, _: &Streams) -> ExitCode {
    crate::lambda::main(app, rules, environment)
}

#[cfg(not(feature = "lambda"))]
fn function(_: App, _: Rules, _: &Environment, streams: &Streams) -> ExitCode {
    streams.note("error: this build was made without the feature `lambda`");
    Exit::Usage.into()
}

/// Runs one command line (`args` begins with the program's name) against `app`; what it says
/// goes to `streams`. Needs a tokio runtime.
pub async fn run(
    app: App,
    args: impl IntoIterator<Item = OsString>,
    environment: Environment,
    streams: Streams,
) -> Exit {
    let args = args.into_iter().collect();
    Box::pin(cli::invoke(app, args, environment, streams)).await
}
