//! Opening the file, and making it on first use.

use std::io;
use std::path::PathBuf;

/// What an answered write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power. Costs one disk flush per group of writes.
    #[default]
    Fsync,
    /// The death of the process, not a loss of power: after that the last writes may be lost,
    /// the latest first; the file stays whole. No flush per group.
    Relaxed,
}

/// How to open a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What an answered write survives. Default: a loss of power.
    pub durability: Durability,
    /// Whether to make the file, and the folders above it, if they are not there. Default: yes.
    pub create: bool,
    /// Whether to read the whole file first, and refuse a damaged one (about a second for a
    /// gigabyte). Default: no.
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
    /// There is no file, and none was to be made.
    #[error("no bucket here: path={}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("the file is no bucket: path={}", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Its pages are damaged, or it was cut off.
    #[error("the bucket is damaged: {why}: path={}; restore it from a copy", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// It has several names, each of which would have a log of its own.
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
    /// A newer build made it.
    #[error(
        "the bucket has a newer format than this build reads: path={}, format={found}, newest={newest}",
        .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest this build reads.
        newest: i64,
    },
    /// The file system refused.
    #[error("the bucket could not be opened: path={}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// SQLite refused.
    #[error("the bucket could not be opened: path={}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
}
