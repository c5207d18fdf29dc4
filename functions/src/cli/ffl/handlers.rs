//! Which executables handle which event facets.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use millpond_ffl::run::{Executable, Handlers, InvalidPattern};

use super::super::error::Error;
use super::super::streams::Streams;
use super::subprocess::Subprocess;

/// What does the work of event facets.
#[derive(Debug, clap::Args)]
pub(super) struct Handling {
    /// A folder with one executable per event facet, named after the facet: `shop.Reserve`, or with an
    /// ending, `shop.Reserve.py`
    #[arg(long, value_name = "DIR")]
    handlers: Option<PathBuf>,
    /// A shell command for an event facet (`shop.Reserve`), for all in a namespace (`shop.*`) or for
    /// all (`*`); repeatable. It comes before the folder, and the longest match counts
    #[arg(long = "handler", value_name = "FACET=COMMAND", value_parser = assignment)]
    commands: Vec<(String, String)>,
}

fn assignment(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((facet, command)) if !command.trim().is_empty() => {
            Ok((facet.trim().to_owned(), command.to_owned()))
        }
        _ => Err("must be FACET=COMMAND, such as shop.Reserve=./reserve.py"),
    }
}

impl Handling {
    /// The handlers of a program. Event facets without one are named in a note: their steps fail.
    ///
    /// # Errors
    /// The folder cannot be read, a file in it is named after a facet but cannot be executed, two
    /// are named after one facet, or the pattern of a command is invalid.
    pub(super) fn of(&self, program: &Executable, streams: &Streams) -> Result<Handlers, Error> {
        let facets = program.event_facets();
        let mut handlers = Handlers::new();
        for (facet, path) in self.files(&facets, streams)? {
            let handler = Subprocess::file(executable(&path)?, streams.clone());
            handlers = handlers
                .register(&facet, handler)
                .map_err(|pattern| invalid(&pattern))?;
        }
        for (pattern, command) in &self.commands {
            let handler = Subprocess::shell(command, streams.clone());
            handlers = handlers
                .register(pattern, handler)
                .map_err(|pattern| invalid(&pattern))?;
        }
        let missing = facets.iter().filter(|facet| handlers.find(facet).is_none());
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            streams.note(format!(
                "warning: event facets without a handler; their steps will fail: add an executable of \
                 that name to --handlers, or --handler FACET=COMMAND: facets={}",
                missing.join(",")
            ));
        }
        Ok(handlers)
    }

    /// The files of the folder by the facet that they are named after. Others are named in a note.
    fn files(
        &self,
        facets: &BTreeSet<String>,
        streams: &Streams,
    ) -> Result<BTreeMap<String, PathBuf>, Error> {
        let mut files = BTreeMap::new();
        for path in self.paths()? {
            let Some(facet) = facet_of(&path, facets) else {
                streams.note(format!(
                    "note: a file in the folder of handlers is not named after an event facet: file={}",
                    path.display()
                ));
                continue;
            };
            if let Some(other) = files.insert(facet.to_owned(), path.clone()) {
                return Err(Error::Usage(format!(
                    "two files are handlers of one event facet: remove one: facet={facet}, files={},{}",
                    other.display(),
                    path.display()
                )));
            }
        }
        Ok(files)
    }

    /// The files of the folder, sorted by name, without hidden ones.
    fn paths(&self) -> Result<Vec<PathBuf>, Error> {
        let Some(folder) = &self.handlers else {
            return Ok(Vec::new());
        };
        let rows = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let rows = rows.map_err(|source| unread(folder, source))?;
        let is_hidden = |row: &DirEntry| row.file_name().as_encoded_bytes().starts_with(b".");
        let shown = rows.iter().filter(|row| !is_hidden(row));
        let mut paths: Vec<PathBuf> = shown.map(DirEntry::path).collect();
        paths.retain(|path| path.is_file());
        paths.sort();
        Ok(paths)
    }
}

/// The event facet that a file is named after, with or without an ending.
fn facet_of<'f>(path: &Path, facets: &'f BTreeSet<String>) -> Option<&'f str> {
    let name = path.file_name()?.to_str()?;
    let without_ending = || facets.get(name.rsplit_once('.')?.0);
    let facet = facets.get(name).or_else(without_ending)?;
    Some(facet)
}

fn unread(path: &Path, source: io::Error) -> Error {
    Error::Input {
        what: path.display().to_string(),
        source,
    }
}

fn invalid(pattern: &InvalidPattern) -> Error {
    Error::Usage(pattern.to_string())
}

/// The whole path of a file that can be executed.
fn executable(path: &Path) -> Result<PathBuf, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = fs::metadata(path).map_err(|source| unread(path, source))?;
        if metadata.permissions().mode() & 0o111 == 0 {
            return Err(Error::Usage(format!(
                "a handler cannot be executed: the file has no permission for it; run chmod +x on it: \
                 file={}",
                path.display()
            )));
        }
    }
    fs::canonicalize(path).map_err(|source| unread(path, source))
}
