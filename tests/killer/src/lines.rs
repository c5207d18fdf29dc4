//! A file of lines that several processes append to, and that a dying process cannot damage.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Appends one line, complete or torn, never mixed with another: each starts on a new line, so the
/// torn line of a killed process does not affect others.
pub(crate) fn append(path: &Path, line: &impl Serialize) -> io::Result<()> {
    let text = format!("\n{}\n", serde_json::to_string(line)?);
    let mut file = File::options().create(true).append(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// The complete lines, in order, and the number of torn ones.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> io::Result<(Vec<T>, usize)> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let lines = text.lines().filter(|line| !line.is_empty());
    let read: Vec<Option<T>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
    let torn = read.iter().filter(|line| line.is_none()).count();
    Ok((read.into_iter().flatten().collect(), torn))
}
