//! A handler that is a program: the call as JSON on its standard input, the returns as JSON on its
//! standard output.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use millpond::{Attempt, StepError};
use millpond_ffl::run::{Call, Handler};
use serde_json::Value;
use tokio::process::Command;

use super::super::streams::Streams;
use super::group::Group;
use super::output::{self, Output};

/// How long a program that has exited waits for what it started and left with its output.
const LINGER: Duration = Duration::from_secs(1);

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

    fn start(&self, attempt: &Attempt, call: &Call) -> io::Result<Group> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .env("MILLPOND_FACET", &call.facet)
            .env("MILLPOND_EXECUTION", attempt.eid().to_string())
            .env("MILLPOND_ATTEMPT", attempt.number().to_string())
            .env("MILLPOND_IDEMPOTENCY_KEY", attempt.idempotency_key())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Group::spawn(command)
    }

    async fn attempt(&self, attempt: &Attempt, call: &Call) -> Result<Value, StepError> {
        let input = serde_json::to_vec(call)?;
        let mut group = self.start(attempt, call).map_err(|error| {
            let program = self.program.to_string_lossy();
            let message = format!("the handler cannot be started: {error}: program={program}");
            StepError::new("HandlerFailed", message)
        })?;
        let mut output = Output::default();
        let log = |line: &str| self.streams.note(format!("{}: {line}", call.facet));
        let pipes = group.pipes()?;
        // The program may end before its output: what it started can hold that open.
        let status = tokio::select! {
            biased;
            copied = output.copy(&input, pipes, log) => {
                copied?;
                group.exited().await?
            }
            status = group.exited_for(LINGER) => {
                let status = status?;
                group.kill();
                status
            }
        };
        group.release();
        output::outcome(status, &output)
    }
}

#[async_trait]
impl Handler for Subprocess {
    async fn handle(&self, attempt: Attempt, call: Call) -> Result<Value, StepError> {
        tokio::select! {
            biased;
            returns = Box::pin(self.attempt(&attempt, &call)) => returns,
            () = attempt.cancelled() => Err(StepError::new("cancelled", "the attempt was cancelled")),
        }
    }
}
