//! Which texts the paths of a command line name.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::error::Error;
use super::super::input::Input;

/// The texts that the paths name, each once, in the order given; without a path, standard input.
///
/// # Errors
/// A path cannot be read, or is a folder without a text.
pub(super) fn texts(paths: &[PathBuf]) -> Result<Vec<Input>, Error> {
    if paths.is_empty() {
        return Ok(vec![Input::Standard]);
    }
    let mut seen = BTreeSet::new();
    let mut texts = Vec::new();
    for path in paths {
        let found = match Input::of(path) {
            Input::File(path) if is_folder(&path)? => folder(&path)?,
            input => vec![input],
        };
        for input in found {
            if seen.insert(identity(&input)?) {
                texts.push(input);
            }
        }
    }
    Ok(texts)
}

/// The `.ffl` files in a folder and the folders in it, sorted by name. Hidden files and folders, and
/// links to folders, are left out.
///
/// # Errors
/// The folder cannot be read, or has no text.
pub(super) fn folder(path: &Path) -> Result<Vec<Input>, Error> {
    let mut found = Vec::new();
    collect(path, &mut found)?;
    if found.is_empty() {
        return Err(Error::Usage(format!(
            "the folder contains no FFL text: no file in it ends with .ffl; name another folder or a \
             file: path={}",
            path.display()
        )));
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<Input>) -> Result<(), Error> {
    let no = |source| unread(folder, source);
    let rows: io::Result<Vec<_>> = fs::read_dir(folder).map_err(no)?.collect();
    let mut rows = rows.map_err(no)?;
    rows.sort_by_key(fs::DirEntry::file_name);
    for row in rows {
        if row.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = row.path();
        if row.file_type().map_err(no)?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "ffl") && !is_folder(&path)? {
            found.push(Input::File(path));
        }
    }
    Ok(())
}

/// What two names of one text have in common.
fn identity(input: &Input) -> Result<Option<PathBuf>, Error> {
    match input {
        Input::Standard => Ok(None),
        Input::File(path) => {
            let path = fs::canonicalize(path).map_err(|source| unread(path, source))?;
            Ok(Some(path))
        }
    }
}

fn is_folder(path: &Path) -> Result<bool, Error> {
    let known = fs::metadata(path).map_err(|source| unread(path, source))?;
    Ok(known.is_dir())
}

fn unread(path: &Path, source: io::Error) -> Error {
    let what = path.display().to_string();
    Error::Input { what, source }
}
