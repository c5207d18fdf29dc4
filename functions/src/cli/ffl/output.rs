//! What a handler's process prints, and what that means.

use std::process::ExitStatus;

use millpond::StepError;
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};

use super::super::text;
use super::group::Pipes;

/// The most bytes of returns: 16 MiB, which is the limit of a value.
const MAX_RETURNS: u64 = 16 << 20;

/// The most bytes of a line of the log; a longer one is shown as several.
const MAX_LINE: u64 = 8 << 10;

/// The most characters of invalid output in a message.
const EXCERPT: usize = 60;

/// What a process has printed so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Its standard output.
    returns: Vec<u8>,
    /// The last line of its standard error that is not empty.
    last: String,
}

impl Output {
    /// Writes the input, and reads both outputs until they end. `log` gets each line of standard
    /// error.
    ///
    /// # Errors
    /// The output cannot be read, or is too large.
    pub(super) async fn copy(
        &mut self,
        input: &[u8],
        pipes: Pipes,
        log: impl Fn(&str),
    ) -> Result<(), StepError> {
        let Pipes {
            mut stdin,
            stdout,
            stderr,
        } = pipes;
        let write = async move {
            // A handler need not read its input.
            let _ = stdin.write_all(input).await;
            drop(stdin);
            Ok::<(), StepError>(())
        };
        let read = read(&mut self.returns, stdout);
        let lines = lines(&mut self.last, stderr, log);
        tokio::try_join!(write, read, lines).map(drop)
    }
}

async fn read(returns: &mut Vec<u8>, stdout: impl AsyncRead + Unpin) -> Result<(), StepError> {
    stdout.take(MAX_RETURNS + 1).read_to_end(returns).await?;
    if returns.len() as u64 > MAX_RETURNS {
        let message =
            format!("the handler's standard output is too large: max={MAX_RETURNS} bytes");
        return Err(StepError::new("InvalidReturns", message));
    }
    Ok(())
}

async fn lines(
    last: &mut String,
    stderr: impl AsyncRead + Unpin,
    log: impl Fn(&str),
) -> Result<(), StepError> {
    let mut stderr = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        let mut part = (&mut stderr).take(MAX_LINE);
        if part.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if !text.is_empty() {
            log(text);
            text.clone_into(last);
        }
    }
}

/// The returns, or why the call failed.
pub(super) fn outcome(status: ExitStatus, output: &Output) -> Result<Value, StepError> {
    match status.success() {
        true => returns(&output.returns),
        false => Err(failure(status, output)),
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
fn failure(status: ExitStatus, output: &Output) -> StepError {
    let printed: Option<Value> = serde_json::from_slice(&output.returns).ok();
    let field = |name: &str| {
        let text = printed.as_ref()?.get(name)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let message = field("error").unwrap_or_else(|| match output.last.is_empty() {
        true => format!("the handler failed: {status}"),
        false => format!("{}: {status}", output.last),
    });
    let kind = field("error_type").unwrap_or_else(|| "HandlerFailed".to_owned());
    StepError::new(kind, message)
}
