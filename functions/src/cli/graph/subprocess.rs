//! A handler that is a command: JSON on its standard input, JSON on its standard output.

use std::io::Write as _;
use std::process::{ExitStatus, Stdio};

use millpond::domain::Json;
use millpond::{Attempt, StepError};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::super::text::cut;

/// Maximum size of the output of a command, in bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// How much of the end of the error stream is kept for a message, in bytes.
const MAX_TAIL: usize = 4096;
/// Maximum length of a text of the command in a message, in characters.
const MAX_QUOTE: usize = 200;

/// What a command printed, and how it ended.
struct Ran {
    printed: Vec<u8>,
    /// The end of its error stream.
    tail: Vec<u8>,
    status: ExitStatus,
}

/// Runs a shell command in a process group of its own, as one attempt. The group is killed when the
/// shell has ended, and when the attempt is cancelled or dropped: no process of it remains.
///
/// # Errors
/// A command that cannot be started, or that fails: another attempt may follow. Terminal: a program
/// that does not exist or cannot be executed, output over [`MAX_OUTPUT`], and output that is not one
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
    shell.stdin(Stdio::piped()).stdout(Stdio::piped());
    shell.stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    shell.process_group(0);
    let child = shell.spawn().map_err(|error| {
        let why = format!("the shell `sh` cannot be started; install it: {error}");
        StepError::new("shell", why)
    })?;
    let ran = tokio::select! {
        biased;
        () = attempt.cancelled() => return Err(StepError::new("cancelled", "the command was killed")),
        ran = exchange(child, input) => ran?,
    };
    if !ran.status.success() {
        return Err(unsuccessful(&ran));
    }
    value(&ran.printed)
}

/// Writes the input and reads both streams until the command has ended.
async fn exchange(mut child: Child, input: &Value) -> Result<Ran, StepError> {
    let mut group = Group::of(&child);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = async {
        let status = child.wait().await.map_err(|error| broken(&error));
        // A process that the shell has left behind may hold the streams open.
        group.kill();
        status
    };
    let ((), printed, tail, status) = tokio::try_join!(
        write(stdin, input.to_string()),
        read(stdout),
        relay(stderr),
        ended
    )?;
    Ok(Ran {
        printed,
        tail,
        status,
    })
}

async fn write(stdin: Option<ChildStdin>, input: String) -> Result<(), StepError> {
    let Some(mut stdin) = stdin else {
        return Ok(());
    };
    match stdin.write_all(input.as_bytes()).await {
        // A command need not read its input.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| broken(&error)),
    }
}

async fn read(stdout: Option<ChildStdout>) -> Result<Vec<u8>, StepError> {
    let mut printed = Vec::new();
    if let Some(stdout) = stdout {
        let mut limited = stdout.take(MAX_OUTPUT + 1);
        limited
            .read_to_end(&mut printed)
            .await
            .map_err(|error| broken(&error))?;
    }
    if printed.len() as u64 > MAX_OUTPUT {
        let why = format!(
            "the command printed more than {MAX_OUTPUT} bytes and was killed; store large values elsewhere, and \
             print their addresses"
        );
        return Err(StepError::new("output", why).terminal());
    }
    Ok(printed)
}

/// Copies the error stream to that of this process, and returns its end.
async fn relay(stderr: Option<ChildStderr>) -> Result<Vec<u8>, StepError> {
    let mut tail = Vec::new();
    let Some(mut stderr) = stderr else {
        return Ok(tail);
    };
    let mut chunk = [0; MAX_TAIL];
    loop {
        let length = stderr
            .read(&mut chunk)
            .await
            .map_err(|error| broken(&error))?;
        if length == 0 {
            return Ok(tail);
        }
        // A closed error stream is ignored.
        let _ = std::io::stderr().write_all(&chunk[..length]);
        tail.extend_from_slice(&chunk[..length]);
        tail.drain(..tail.len().saturating_sub(MAX_TAIL));
    }
}

fn broken(error: &std::io::Error) -> StepError {
    StepError::new("stream", format!("a stream of the command failed: {error}"))
}

/// The failure of a command that did not end with 0.
fn unsuccessful(ran: &Ran) -> StepError {
    let tail = String::from_utf8_lossy(&ran.tail);
    let last = tail.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.map_or_else(String::new, |line| format!(": {}", cut(line, MAX_QUOTE)));
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

/// The process group of a command. It is killed when this is dropped.
struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there are no groups"))]
    fn of(child: &Child) -> Self {
        Self {
            #[cfg(unix)]
            id: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(rustix::process::Pid::from_raw),
        }
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.id.take() {
            // It may have ended already.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
