//! A handler that is a command: JSON on its standard input, JSON on its standard output.

use std::io::{Write as _, stderr};

use millpond::domain::Json;
use millpond::{Attempt, StepError};
use serde_json::Value;
use tokio::process::Command;

use super::super::subprocess::{self, Failed, Limits, Ran};
use super::super::text::cut;

const LIMITS: Limits = Limits {
    output: 1 << 20,
    linger: None,
};
/// Maximum length of a text of the command in a message, in characters.
const MAX_QUOTE: usize = 200;

/// Runs a shell command in a process group of its own, as one attempt. The group is killed when the
/// shell has ended, and when the attempt is cancelled or dropped: no process of it remains. The error
/// stream is copied to that of this process.
///
/// # Errors
/// A command that cannot be started, or that fails: another attempt may follow. Terminal: a program
/// that does not exist or cannot be executed, output over 1 MiB, and output that is not one
/// JSON value.
pub(super) async fn run(
    command: &str,
    variables: &[(&str, String)],
    input: &Value,
    attempt: &Attempt,
) -> Result<Value, StepError> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command);
    shell.envs(variables.iter().map(|(name, value)| (*name, value)));
    let input = input.to_string();
    // A closed error stream is ignored.
    let log = |line: &str| drop(writeln!(stderr(), "{line}"));
    let ran = subprocess::run(shell, input.as_bytes(), LIMITS, attempt, log).await;
    let ran = ran.map_err(failed)?;
    match ran.status.success() {
        true => value(&ran.printed),
        false => Err(unsuccessful(&ran)),
    }
}

fn failed(failed: Failed) -> StepError {
    match failed {
        Failed::Start(error) => {
            let why = format!("the shell `sh` cannot be started; install it: {error}");
            StepError::new("shell", why)
        }
        Failed::Stream(error) => {
            StepError::new("stream", format!("a stream of the command failed: {error}"))
        }
        Failed::TooLarge => {
            let max = LIMITS.output;
            let why = format!(
                "the command printed more than {max} bytes and was killed; store large values elsewhere, and \
                 print their addresses"
            );
            StepError::new("output", why).terminal()
        }
        Failed::Cancelled => StepError::new("cancelled", "the command was killed"),
    }
}

/// The failure of a command that did not end with 0.
fn unsuccessful(ran: &Ran) -> StepError {
    let last = match ran.last.is_empty() {
        true => String::new(),
        false => format!(": {}", cut(&ran.last, MAX_QUOTE)),
    };
    let status = ran.status;
    match status.code() {
        Some(127) => {
            let why = format!(
                "a program of the command does not exist; install it, or correct the handler: {status}{last}"
            );
            StepError::new("exit", why).terminal()
        }
        Some(126) => {
            let why = format!(
                "a program of the command cannot be executed; correct its permissions: {status}{last}"
            );
            StepError::new("exit", why).terminal()
        }
        _ => StepError::new("exit", format!("the command failed: {status}{last}")),
    }
}

/// The value that a command printed.
fn value(printed: &[u8]) -> Result<Value, StepError> {
    let text = std::str::from_utf8(printed).map_err(|error| {
        let why = format!("the command did not print UTF-8; print its result as JSON: {error}");
        StepError::new("output", why).terminal()
    })?;
    if text.trim().is_empty() {
        let why = "the command printed nothing; print its result as JSON, or null";
        return Err(StepError::new("output", why).terminal());
    }
    let value = Json::parse(text).and_then(|json| json.get());
    value.map_err(|error| {
        let why = format!(
            "the command did not print one JSON value; print the result and nothing else: {error}: printed={:?}",
            cut(text, MAX_QUOTE)
        );
        StepError::new("output", why).terminal()
    })
}
