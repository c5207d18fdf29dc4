//! The output of a command: results on stdout, notes on stderr.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, PoisonError};

use millpond::client::chain;
use millpond::domain::Json;
use serde::Serialize;

use super::exit::Exit;
use super::text;

type Sink = Arc<Mutex<Box<dyn Write + Send>>>;

/// Where results and notes are written. Clones write to the same places.
#[derive(Clone)]
pub struct Streams {
    out: Sink,
    err: Sink,
    color: bool,
    json: bool,
}

impl Streams {
    /// Any two sinks, without color.
    pub fn new(out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Self {
        Self {
            out: Arc::new(Mutex::new(Box::new(out))),
            err: Arc::new(Mutex::new(Box::new(err))),
            color: false,
            json: false,
        }
    }

    /// Those of the process; in color on a terminal.
    pub(crate) fn standard() -> Self {
        let color = io::stdout().is_terminal() && io::stderr().is_terminal();
        Self {
            color,
            ..Self::new(io::stdout(), io::stderr())
        }
    }

    pub(crate) fn set(&mut self, json: bool, no_color: bool) {
        self.json = json;
        self.color &= !json && !no_color;
    }

    /// Whether results are JSON.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether to write in color.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// A line of the result, without control characters.
    pub(crate) fn line(&self, text: impl fmt::Display) -> io::Result<()> {
        self.print(&text::printable(&text.to_string(), self.color))
    }

    fn print(&self, text: &str) -> io::Result<()> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{text}")?;
        out.flush()
    }

    /// The result as bytes.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(bytes)?;
        out.flush()
    }

    /// The result as one JSON document.
    pub(crate) fn document(&self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        self.print(&text::escaped(&text))
    }

    /// One of a stream of JSON documents.
    pub(crate) fn record(&self, value: &impl Serialize) -> io::Result<()> {
        self.print(&text::escaped(&serde_json::to_string(value)?))
    }

    /// A value as JSON text.
    pub(crate) fn value(&self, json: &Json) -> io::Result<()> {
        self.print(&text::escaped(json.as_str()))
    }

    /// A note beside the result. A closed error stream is ignored.
    pub(crate) fn note(&self, text: impl fmt::Display) {
        let text = text::printable(&text.to_string(), self.color);
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(err, "{text}").and_then(|()| err.flush());
    }

    /// Reports why the command line or the environment cannot be used.
    pub(crate) fn refuse(&mut self, error: &dyn StdError) -> Exit {
        self.note(format!("error: {}", chain(error)));
        Exit::Usage
    }
}

impl fmt::Debug for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams")
            .field("color", &self.color)
            .field("json", &self.json)
            .finish_non_exhaustive()
    }
}
