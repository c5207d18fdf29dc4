//! Opening a folder, and making it on first use.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::format::{self, FORMAT, Format, NEWEST, Number};
use crate::lock::{self, LOCKS};
use crate::names::{Case, OWN};
use crate::store::Store;

/// What an answered write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power. Costs two to four disk flushes per write, one per delete.
    #[default]
    Fsync,
    /// The death of the process, not a loss of power: after that the last seconds' writes may
    /// be lost, out of order, or be empty files. No flushes: for tests and what may be lost.
    Relaxed,
}

/// How to open a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What an answered write survives. Default: a loss of power.
    pub durability: Durability,
    /// Whether to make what is not there yet. Default: yes.
    pub create: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            create: true,
        }
    }
}

/// Why a folder was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no bucket, and none was to be made.
    #[error("no bucket in this folder: path={}", .path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something else: a bucket is made only where nothing is.
    #[error("no bucket, and not empty: path={}", .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
    },
    /// A newer build made it.
    #[error(
        "the bucket has a newer format than this build reads: path={}, format={found}, newest={newest}",
        .path.display()
    )]
    Newer {
        /// The folder.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest this build reads.
        newest: u32,
    },
    /// Its description cannot be read.
    #[error("the bucket's format file is damaged: path={}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The file system refused.
    #[error("the bucket could not be opened: path={}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// Opens the folder, makes it if it may, and clears what dead processes left.
pub(crate) fn open(path: &Path, options: Options) -> Result<Store, OpenError> {
    let failed = |source| OpenError::Io {
        path: path.to_owned(),
        source,
    };
    // Absolute: the process may change its working folder.
    let root = std::path::absolute(path).map_err(failed)?;
    let own = root.join(OWN);
    let format = match load(&own)? {
        Some(format) => format,
        None if options.create && is_foreign(&root).map_err(failed)? => {
            return Err(OpenError::Foreign { path: root });
        }
        None if options.create => {
            create(&own).map_err(failed)?;
            load(&own)?.ok_or(OpenError::Missing { path: root.clone() })?
        }
        None => return Err(OpenError::Missing { path: root }),
    };
    let store = Store::new(root, format.case, options.durability);
    store.temp.clear();
    Ok(store)
}

/// Whether a folder without a bucket has anything else in it.
fn is_foreign(root: &Path) -> io::Result<bool> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let name = entry?.file_name();
        // What a crash left of a bucket in the making; what a mount point brings along.
        if name != OWN && name != "lost+found" {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads `format`; `None` where there is none.
fn load(own: &Path) -> Result<Option<Format>, OpenError> {
    let path = own.join(FORMAT);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OpenError::Io { path, source }),
    };
    let damaged = |source| OpenError::Damaged {
        path: path.clone(),
        source,
    };
    // The number first: a newer format is refused by name, whatever else it says.
    let number: Number = serde_json::from_slice(&text).map_err(damaged)?;
    if number.format > NEWEST {
        return Err(OpenError::Newer {
            path: own.parent().unwrap_or(own).to_owned(),
            found: number.format,
            newest: NEWEST,
        });
    }
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// Makes the folder's own folder. Of several processes one writes `format`, under a lock.
fn create(own: &Path) -> io::Result<()> {
    fs::create_dir_all(own.join(LOCKS))?;
    let lock_file = File::create(own.join(LOCKS).join(FORMAT))?;
    lock::lock(&lock_file)?;
    if own.join(FORMAT).try_exists()? {
        return Ok(());
    }
    let case: Case = format::probe(own)?;
    format::write(
        own,
        Format {
            format: NEWEST,
            case,
        },
    )?;
    // Once in a bucket's life, so whatever the durability: its name, and that of its folder.
    if cfg!(unix) {
        File::open(own)?.sync_all()?;
        for folder in own.ancestors().skip(1).take(2) {
            File::open(folder)?.sync_all()?;
        }
    }
    Ok(())
}
