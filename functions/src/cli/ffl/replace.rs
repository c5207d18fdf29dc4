//! Replaces a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::super::error::Error;

/// Writes a file beside `path`, and renames it: readers find the old bytes or the new ones, and a
/// failure leaves the old ones. Permissions are kept, and so is a link to the file.
///
/// # Errors
/// The file cannot be written, or `path` is not a regular file, such as a device: that one would be
/// removed by the rename.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    attempt(path, bytes).map_err(|source| Error::Unwritten {
        what: path.display().to_string(),
        source,
    })
}

fn attempt(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, old) = match fs::canonicalize(path) {
        Ok(target) => {
            let old = fs::metadata(&target)?;
            (target, Some(old))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    let beside = beside(&target)?;
    let file = File::options().write(true).create_new(true).open(&beside)?;
    let done = fill(file, bytes, old.as_ref()).and_then(|()| fs::rename(&beside, &target));
    if done.is_err() {
        // The error that is reported is the one that caused it.
        let _ = fs::remove_file(&beside);
    }
    done
}

fn fill(mut file: File, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// A hidden name in the same folder, of this process alone.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::other("the path has no file name"))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(target.with_file_name(hidden))
}
