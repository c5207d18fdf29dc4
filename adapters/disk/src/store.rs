//! The folder as the steps see it: where things are, and whether it is there at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use millpond::domain::Digest;
use millpond::keys::Key;
use millpond::ports::Version;

use crate::fault::Trouble;
use crate::format::FORMAT;
use crate::names::{self, Case, OWN};
use crate::open::Durability;
use crate::temp::Temp;

/// An open folder. Everything here blocks.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) root: PathBuf,
    /// `.millpond`, beside the objects.
    pub(crate) own: PathBuf,
    pub(crate) case: Case,
    pub(crate) durability: Durability,
    pub(crate) temp: Temp,
    /// Lets a test see a disk that fails after the rename.
    #[cfg(test)]
    pub(crate) folder_sync_fails: std::sync::atomic::AtomicBool,
}

impl Store {
    pub(crate) fn new(root: PathBuf, case: Case, durability: Durability) -> Self {
        let own = root.join(OWN);
        Self {
            temp: Temp::new(&own),
            root,
            own,
            case,
            durability,
            #[cfg(test)]
            folder_sync_fails: false.into(),
        }
    }

    /// Where the object of `key` is, or would be.
    pub(crate) fn path(&self, key: &Key) -> PathBuf {
        self.root.join(names::path(key, self.case))
    }

    /// Whether the folder is in its place (D4). Where even that cannot be told, the error at
    /// hand says more than a guess.
    pub(crate) fn is_here(&self) -> bool {
        match fs::metadata(self.own.join(FORMAT)) {
            Ok(_) => true,
            Err(error) => !is_absent(&error),
        }
    }

    /// Nothing was found: absent, or is the folder gone?
    pub(crate) fn absent(&self) -> Result<(), Trouble> {
        if self.is_here() {
            Ok(())
        } else {
            Err(Trouble::Gone)
        }
    }

    /// What an error of the file system means.
    pub(crate) fn trouble(&self, error: io::Error) -> Trouble {
        if self.is_here() {
            Trouble::Io(error)
        } else {
            Trouble::Gone
        }
    }

    /// Brings a new file's bytes to the disk.
    pub(crate) fn sync_file(&self, file: &File) -> io::Result<()> {
        match self.durability {
            Durability::Fsync => file.sync_data(),
            Durability::Relaxed => Ok(()),
        }
    }

    /// Brings the names in a folder to the disk. Only Unix can: elsewhere folders are not
    /// opened as files, and the file system sees to it.
    pub(crate) fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        #[cfg(test)]
        if self
            .folder_sync_fails
            .load(std::sync::atomic::Ordering::Relaxed)
        {
            return Err(io::Error::other("a test says so"));
        }
        match self.durability {
            Durability::Fsync if cfg!(unix) => File::open(folder)?.sync_all(),
            Durability::Fsync | Durability::Relaxed => Ok(()),
        }
    }
}

/// The name of a body's version: bodies carry nonces, so equal bodies are one commit.
pub(crate) fn version(body: &[u8]) -> Version {
    Version::new(Digest::of(body).as_str())
}

/// Whether an error says that there is no object at a path: nothing, a folder, or a path
/// through another object's file.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
    )
}

/// Whether `path` names the very file that `file` has open. A lock on a file that was removed
/// or replaced locks nothing that anybody else sees.
#[cfg(unix)]
pub(crate) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be replaced under its name.
#[cfg(not(unix))]
pub(crate) fn is_same(_file: &File, path: &Path) -> bool {
    path.exists()
}
