//! One connection to the file, and whether it is still the file of that name.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::open::{Durability, OpenError, Options};

/// `MPND`, in the header of every file that is a bucket.
const APPLICATION: i64 = 0x4d50_4e44;

/// The newest format this build reads and the one it makes.
const NEWEST: i64 = 1;

const SCHEMA: &str = "
    CREATE TABLE objects (
        key TEXT NOT NULL PRIMARY KEY,
        version TEXT NOT NULL,
        modified INTEGER NOT NULL, -- microseconds since 1970
        body BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    PRAGMA application_id = 1297108548; -- MPND
    PRAGMA user_version = 1;
";

/// Bytes of a page: a head of an ordinary execution stands in one row of one page.
const PAGE: u32 = 16 << 10;

/// Pages of the log that a commit leaves before it brings them into the file: 16 MiB.
const CHECKPOINT: u32 = 1_000;

/// Where the file is and how it is opened.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    durability: Durability,
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) sqlite: Connection,
    identity: Identity,
}

impl Place {
    /// The file `path` names, checked, made if it may be; the first connection to it.
    pub(crate) fn open(path: &Path, options: Options) -> Result<(Self, Handle), OpenError> {
        let failed = |source| OpenError::Io {
            path: path.to_owned(),
            source,
        };
        // Absolute: the process may change its working folder.
        let path = std::path::absolute(path).map_err(failed)?;
        if options.create
            && let Some(folder) = path.parent()
        {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let place = Self {
            path,
            durability: options.durability,
        };
        let handle = place.connect(options.create)?;
        Ok((place, handle))
    }

    /// Whether `handle` is a connection to the file that the path names now (Q4).
    pub(crate) fn is_here(&self, handle: &Handle) -> bool {
        matches!(identity(&self.path), Ok(Some(found)) if found == handle.identity)
    }

    /// Another connection to the file. Where processes make it at once, one enters WAL, and the
    /// others are told that it is busy without being made to wait: they come again.
    pub(crate) fn connect(&self, create: bool) -> Result<Handle, OpenError> {
        let mut times = 0;
        loop {
            match self.try_connect(create) {
                Err(OpenError::Sqlite { source, .. })
                    if source.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && wait(times) =>
                {
                    times += 1;
                }
                done => return done,
            }
        }
    }

    fn try_connect(&self, create: bool) -> Result<Handle, OpenError> {
        let path = &self.path;
        let failed = |source| OpenError::Io {
            path: path.clone(),
            source,
        };
        let there = identity(path).map_err(failed)?;
        if there.is_none() && !create {
            return Err(OpenError::Missing { path: path.clone() });
        }
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
        let mut sqlite = Connection::open_with_flags(path, flags).map_err(|e| self.refused(e))?;
        sqlite
            .busy_handler(Some(wait))
            .map_err(|e| self.refused(e))?;
        let mut handle = Handle {
            sqlite,
            identity: Identity::default(),
        };
        self.check(&mut handle.sqlite, create)?;
        self.tune(&handle.sqlite).map_err(|e| self.refused(e))?;
        let found = identity(path).map_err(failed)?;
        handle.identity = found.ok_or(OpenError::Missing { path: path.clone() })?;
        Ok(handle)
    }

    /// The file is a bucket this build reads; an empty one becomes one.
    fn check(&self, sqlite: &mut Connection, create: bool) -> Result<(), OpenError> {
        let refused = |e| self.refused(e);
        let path = || self.path.clone();
        // An immediate transaction, since of several processes one makes the table.
        if create && number(sqlite, "PRAGMA application_id").map_err(refused)? != APPLICATION {
            // WAL cannot be entered within a transaction.
            let empty = "SELECT count(*) FROM sqlite_schema";
            if number(sqlite, empty).map_err(refused)? == 0 {
                // Before anything is in the file; and WAL cannot be entered in a transaction.
                sqlite
                    .pragma_update(None, "page_size", PAGE)
                    .map_err(refused)?;
                sqlite
                    .pragma_update(None, "journal_mode", "WAL")
                    .map_err(refused)?;
                let making = sqlite
                    .transaction_with_behavior(TransactionBehavior::Immediate)
                    .map_err(refused)?;
                if number(&making, empty).map_err(refused)? == 0 {
                    making.execute_batch(SCHEMA).map_err(refused)?;
                }
                making.commit().map_err(refused)?;
            }
        }
        if number(sqlite, "PRAGMA application_id").map_err(refused)? != APPLICATION {
            return Err(OpenError::Foreign { path: path() });
        }
        let found = number(sqlite, "PRAGMA user_version").map_err(refused)?;
        if found > NEWEST {
            return Err(OpenError::Newer {
                path: path(),
                found,
                newest: NEWEST,
            });
        }
        Ok(())
    }

    fn tune(&self, sqlite: &Connection) -> rusqlite::Result<()> {
        // FULL flushes the log at each commit, NORMAL at checkpoints only.
        let synchronous = match self.durability {
            Durability::Fsync => "FULL",
            Durability::Relaxed => "NORMAL",
        };
        sqlite.pragma_update(None, "synchronous", synchronous)?;
        sqlite.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
        sqlite.pragma_update(None, "journal_size_limit", 64 << 20)?;
        sqlite.pragma_update(None, "temp_store", "MEMORY")?;
        // Only whole scans of the file would gain by it.
        sqlite.pragma_update(None, "mmap_size", 0)
    }

    fn refused(&self, source: rusqlite::Error) -> OpenError {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match source.sqlite_error_code() {
            Some(NotADatabase | DatabaseCorrupt) => OpenError::Foreign {
                path: self.path.clone(),
            },
            _ => OpenError::Sqlite {
                path: self.path.clone(),
                source,
            },
        }
    }
}

fn number(sqlite: &Connection, query: &str) -> rusqlite::Result<i64> {
    sqlite.query_row(query, [], |row| row.get(0))
}

/// Waits for another process's transaction: a fifth of a millisecond first, since a commit takes
/// about as long, and ten seconds in all.
fn wait(times: i32) -> bool {
    const QUICK: i32 = 50;
    const MOST: i32 = QUICK + 2_000;
    sleep(if times < QUICK {
        Duration::from_micros(200)
    } else {
        Duration::from_millis(5)
    });
    times < MOST
}

/// Which file a path names.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    use std::os::unix::fs::MetadataExt as _;
    match fs::metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Elsewhere a file that is open cannot be removed or replaced under its name.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    Ok(path.try_exists()?.then(Identity::default))
}
