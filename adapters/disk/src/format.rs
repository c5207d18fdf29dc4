//! `.millpond/format`: what the folder is, written once when it is made.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::names::Case;

/// The file's name in the folder's own folder.
pub(crate) const FORMAT: &str = "format";

/// The newest format this build reads, and the one it writes.
pub(crate) const NEWEST: u32 = 1;

/// The content of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Format {
    pub(crate) format: u32,
    pub(crate) case: Case,
}

/// Only the number: the rest may mean anything in a newer format.
#[derive(Deserialize)]
pub(crate) struct Number {
    pub(crate) format: u32,
}

/// Finds out whether the file system tells upper from lower case, by a file in `own`.
pub(crate) fn probe(own: &Path) -> io::Result<Case> {
    let (upper, lower) = (own.join("CASE-PROBE"), own.join("case-probe"));
    File::create(&upper)?;
    let found = lower.try_exists();
    fs::remove_file(&upper)?;
    Ok(if found? { Case::Folds } else { Case::Exact })
}

/// Writes the file whole, on the disk before it has its name.
pub(crate) fn write(own: &Path, format: Format) -> io::Result<()> {
    let draft = own.join("format.new");
    let mut file = File::create(&draft)?;
    let mut text = serde_json::to_vec(&format).map_err(io::Error::other)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()?;
    drop(file);
    fs::rename(draft, own.join(FORMAT))
}
