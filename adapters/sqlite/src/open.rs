//! Opens the file, and creates it on first use.

use std::io;
use std::path::PathBuf;

/// The failures that a confirmed write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power failure. Costs one disk flush per group of writes.
    #[default]
    Fsync,
    /// A crash of the process, but not a power failure: after that the last writes may be lost, the
    /// latest first; the file stays intact. No flush per group.
    Relaxed,
}

/// How to open a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The failures that a confirmed write survives. Default: a power failure.
    pub durability: Durability,
    /// Whether to create the file, and the folders above it, if they do not exist. Default: yes.
    pub create: bool,
    /// Whether to read the whole file first, and reject a damaged one (about 1 s per gigabyte).
    /// Default: no.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            create: true,
            check: false,
        }
    }
}

/// Why a file was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist, and the options do not permit creating it.
    #[error("no bucket here: path={}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a bucket.
    #[error("the file is not a bucket: path={}", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Its pages are damaged, or it was truncated.
    #[error("the bucket is damaged: {why}: path={}; restore it from a copy", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        why: String,
    },
    /// It has several names (hard links), each of which would have a log of its own.
    #[error("the file has several names (hard links): path={}", .path.display())]
    Linked {
        /// The file.
        path: PathBuf,
    },
    /// Its log was removed or replaced while it was open.
    #[error(
        "the bucket's log was removed or replaced while it was in use: path={}-wal; stop every process that uses it",
        .path.display()
    )]
    Torn {
        /// The file.
        path: PathBuf,
    },
    /// A newer build created it.
    #[error(
        "the bucket has a newer format than this build reads: path={}, format={found}, newest={newest}",
        .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this build reads.
        newest: i64,
    },
    /// The file system returned an error.
    #[error("the bucket could not be opened: path={}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Its error.
        source: io::Error,
    },
    /// SQLite returned an error.
    #[error("the bucket could not be opened: path={}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Its error.
        source: rusqlite::Error,
    },
}
