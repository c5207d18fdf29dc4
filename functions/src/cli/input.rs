//! A text that a command line names: a file, or standard input as `-`.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::Error;

/// Where a text is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Standard,
    File(PathBuf),
}

impl Input {
    /// What a path on the command line names.
    pub(crate) fn of(path: &Path) -> Self {
        if path == Path::new("-") {
            Self::Standard
        } else {
            Self::File(path.to_owned())
        }
    }

    /// Reads the whole text, of at most `max` bytes. No more than that is held in memory.
    ///
    /// # Errors
    /// The input cannot be read, or is larger.
    pub(crate) fn bytes(&self, max: usize) -> Result<Vec<u8>, Error> {
        let read = match self {
            Self::Standard => some(io::stdin().lock(), max),
            Self::File(path) => File::open(path).and_then(|file| some(file, max)),
        };
        let bytes = read.map_err(|source| Error::Input {
            what: self.to_string(),
            source,
        })?;
        if bytes.len() > max {
            return Err(Error::Usage(format!(
                "the text is too large: it has more than {max} bytes; split it: source={self}"
            )));
        }
        Ok(bytes)
    }
}

/// Reads to the end, but at most one byte more than `max`.
fn some(from: impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("<stdin>"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}
