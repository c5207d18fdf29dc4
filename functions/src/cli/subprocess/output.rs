//! The streams of a process.

use std::io;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};

use super::failed::Failed;
use super::group::Pipes;

/// The most bytes of a line of the log; a longer one is shown as several.
const MAX_LINE: u64 = 8 << 10;

/// What a process has printed so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Its standard output.
    pub(super) printed: Vec<u8>,
    /// The last line of its standard error that is not empty.
    pub(super) last: String,
}

impl Output {
    /// Writes the input, and reads both outputs until they end. `log` gets each line of standard
    /// error.
    ///
    /// # Errors
    /// The output cannot be read, or has more than `max` bytes.
    pub(super) async fn copy(
        &mut self,
        input: &[u8],
        pipes: Pipes,
        max: u64,
        log: impl Fn(&str),
    ) -> Result<(), Failed> {
        let Pipes {
            mut stdin,
            stdout,
            stderr,
        } = pipes;
        let write = async move {
            // A program need not read its input.
            let _ = stdin.write_all(input).await;
            drop(stdin);
            Ok::<(), Failed>(())
        };
        let read = read(&mut self.printed, stdout, max);
        let lines = async {
            let lines = lines(&mut self.last, stderr, log).await;
            lines.map_err(Failed::Stream)
        };
        tokio::try_join!(write, read, lines).map(drop)
    }
}

async fn read(
    printed: &mut Vec<u8>,
    stdout: impl AsyncRead + Unpin,
    max: u64,
) -> Result<(), Failed> {
    let mut limited = stdout.take(max + 1);
    let read = limited.read_to_end(printed).await;
    match read.map_err(Failed::Stream)? as u64 > max {
        true => Err(Failed::TooLarge),
        false => Ok(()),
    }
}

async fn lines(
    last: &mut String,
    stderr: impl AsyncRead + Unpin,
    log: impl Fn(&str),
) -> io::Result<()> {
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
