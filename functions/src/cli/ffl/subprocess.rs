//! A handler that is a program: the call as JSON on its standard input, the returns as JSON on its
//! standard output.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use millpond::{Attempt, StepError};
use millpond_ffl::run::{Call, Handler};
use serde_json::Value;
use tokio::process::Command;

use super::super::streams::Streams;
use super::super::subprocess::{Failed, Limits, Ran, run};
use super::super::text;

const LIMITS: Limits = Limits {
    // 16 MiB, which is the limit of a value.
    output: 16 << 20,
    linger: Some(Duration::from_secs(1)),
};

/// The most characters of invalid output in a message.
const EXCERPT: usize = 60;

/// Starts a process per attempt.
#[derive(Clone, Debug)]
pub(super) struct Subprocess {
    program: OsString,
    args: Vec<OsString>,
    streams: Streams,
}

impl Subprocess {
    pub(super) fn file(path: PathBuf, streams: Streams) -> Self {
        Self {
            program: path.into(),
            args: Vec::new(),
            streams,
        }
    }

    pub(super) fn shell(command: &str, streams: Streams) -> Self {
        Self {
            program: "sh".into(),
            args: vec!["-c".into(), command.into()],
            streams,
        }
    }

    fn command(&self, attempt: &Attempt, call: &Call) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env("MILLPOND_FACET", &call.facet)
            .env("MILLPOND_EXECUTION", attempt.eid().to_string())
            .env("MILLPOND_ATTEMPT", attempt.number().to_string())
            .env("MILLPOND_IDEMPOTENCY_KEY", attempt.idempotency_key());
        command
    }

    fn failed(&self, failed: Failed) -> StepError {
        match failed {
            Failed::Start(error) => {
                let program = self.program.to_string_lossy();
                let message = format!("the handler cannot be started: {error}: program={program}");
                StepError::new("HandlerFailed", message)
            }
            Failed::Stream(error) => error.into(),
            Failed::TooLarge => {
                let max = LIMITS.output;
                let message =
                    format!("the handler's standard output is too large: max={max} bytes");
                StepError::new("InvalidReturns", message)
            }
            Failed::Cancelled => StepError::new("cancelled", "the attempt was cancelled"),
        }
    }
}

#[async_trait]
impl Handler for Subprocess {
    async fn handle(&self, attempt: Attempt, call: Call) -> Result<Value, StepError> {
        let input = serde_json::to_vec(&call)?;
        let command = self.command(&attempt, &call);
        let log = |line: &str| self.streams.note(format!("{}: {line}", call.facet));
        let ran = run(command, &input, LIMITS, &attempt, log).await;
        outcome(&ran.map_err(|failed| self.failed(failed))?)
    }
}

/// The returns, or why the call failed.
fn outcome(ran: &Ran) -> Result<Value, StepError> {
    match ran.status.success() {
        true => returns(&ran.printed),
        false => Err(failure(ran)),
    }
}

/// The object on standard output. Nothing is an empty object.
fn returns(bytes: &[u8]) -> Result<Value, StepError> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let start = &bytes[..bytes.len().min(4 * EXCERPT)];
        let start = String::from_utf8_lossy(start);
        let message = format!(
            "the handler's standard output is not one JSON object, logs belong on standard error: \
             {error}: output={:?}",
            text::cut(start.trim(), EXCERPT)
        );
        StepError::new("InvalidReturns", message)
    })
}

/// `{"error", "error_type"}` on standard output, otherwise the last line of the log.
fn failure(ran: &Ran) -> StepError {
    let status = ran.status;
    let printed: Option<Value> = serde_json::from_slice(&ran.printed).ok();
    let field = |name: &str| {
        let text = printed.as_ref()?.get(name)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let message = field("error").unwrap_or_else(|| match ran.last.is_empty() {
        true => format!("the handler failed: {status}"),
        false => format!("{}: {status}", ran.last),
    });
    let kind = field("error_type").unwrap_or_else(|| "HandlerFailed".to_owned());
    StepError::new(kind, message)
}
