//! One attempt by a process.

use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use millpond::Attempt;
use tokio::process::Command;
use tokio::time::timeout;

use super::failed::Failed;
use super::group::Group;
use super::output::Output;

/// Longest wait for output that was printed before the group was killed.
const DRAIN: Duration = Duration::from_secs(1);

/// What a program printed, and how it ended.
#[derive(Debug)]
pub(in super::super) struct Ran {
    pub(in super::super) printed: Vec<u8>,
    /// The last line of its standard error that is not empty.
    pub(in super::super) last: String,
    pub(in super::super) status: ExitStatus,
}

/// The limits of a program.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Limits {
    /// Maximum size of its standard output, in bytes.
    pub(in super::super) output: u64,
    /// `None`: when the program has exited, all processes that it started are killed. Otherwise
    /// those that hold none of its streams remain, and the others are killed after this time.
    pub(in super::super) linger: Option<Duration>,
}

/// Runs a program in a process group of its own, as one attempt. The group is killed when the
/// attempt is cancelled or dropped. `log` gets each line of standard error.
///
/// # Errors
/// [`Failed`]: there is no complete output.
pub(in super::super) async fn run(
    mut command: Command,
    input: &[u8],
    limits: Limits,
    attempt: &Attempt,
    log: impl Fn(&str),
) -> Result<Ran, Failed> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let group = Group::spawn(command).map_err(Failed::Start)?;
    tokio::select! {
        biased;
        ran = Box::pin(exchange(group, input, limits, log)) => ran,
        () = attempt.cancelled() => Err(Failed::Cancelled),
    }
}

async fn exchange(
    mut group: Group,
    input: &[u8],
    limits: Limits,
    log: impl Fn(&str),
) -> Result<Ran, Failed> {
    let pipes = group.pipes().map_err(Failed::Stream)?;
    let mut output = Output::default();
    let status = {
        let mut copied = pin!(output.copy(input, pipes, limits.output, log));
        // The program may end before its output: the processes that it started can hold that open.
        let exited = tokio::select! {
            biased;
            copied = &mut copied => {
                copied?;
                None
            }
            status = group.exited_for(limits.linger.unwrap_or_default()) => Some(status),
        };
        match exited {
            None => group.exited().await,
            Some(status) => {
                group.kill();
                if let Ok(copied) = timeout(DRAIN, copied).await {
                    copied?;
                }
                status
            }
        }
    };
    if limits.linger.is_some() {
        group.release();
    }
    Ok(Ran {
        status: status.map_err(Failed::Stream)?,
        printed: output.printed,
        last: output.last,
    })
}
