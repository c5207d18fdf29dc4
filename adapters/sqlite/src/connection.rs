//! One connection to the file, with a check that the path still names that file.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::fault::{Trouble, is_damage};
use crate::open::{Durability, OpenError, Options};

/// `MPND`, in the header of every file that is a bucket.
const APPLICATION: i64 = 0x4d50_4e44;

/// The newest format that this build reads, and the one that it creates.
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

/// Page size in bytes: each commit writes whole pages into the log.
const PAGE: u32 = 4 << 10;

/// The number of log pages after which a commit checkpoints them into the file: 4 MiB.
const CHECKPOINT: u32 = 1_000;

/// Where the file is and how it is opened.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// The log beside it.
    log: PathBuf,
    durability: Durability,
    damaged: AtomicBool,
    torn: AtomicBool,
}

#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) sqlite: Connection,
    /// The identities of the file and its log: without the log, the file is incomplete.
    identity: (Identity, Option<Identity>),
}

/// Whether a connection may be used.
pub(crate) enum Standing {
    /// It is a connection to the file at the path.
    Here,
    /// The path names another file, or none.
    Elsewhere,
    /// The file exists, but its log was removed or replaced: a process that opens the file now does
    /// not see the content of the old log.
    Torn,
}

impl Place {
    /// Opens the first connection to the file at `path`, checks the file, and creates it if the
    /// options permit that.
    pub(crate) fn open(path: &Path, options: Options) -> Result<(Self, Handle), OpenError> {
        let failed = |source| OpenError::Io {
            path: path.to_owned(),
            source,
        };
        // Absolute, since the process may change its working folder.
        let path = std::path::absolute(path).map_err(failed)?;
        if options.create
            && let Some(folder) = path.parent()
        {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut log = path.clone().into_os_string();
        log.push("-wal");
        let place = Self {
            path,
            log: log.into(),
            durability: options.durability,
            damaged: AtomicBool::new(false),
            torn: AtomicBool::new(false),
        };
        let handle = place.connect(options.create)?;
        if options.check {
            place.check_whole(&handle)?;
        }
        Ok((place, handle))
    }

    /// Whether `handle` is a connection to the file that the path names now (Q4).
    pub(crate) fn standing(&self, handle: &Handle) -> Standing {
        let (file, log) = handle.identity;
        let is_file = || matches!(identity(&self.path), Ok(Some(found)) if found == file);
        if !is_file() {
            return Standing::Elsewhere;
        }
        match identity(&self.log) {
            Ok(found) if found == log => Standing::Here,
            // A failed check proves nothing.
            Err(_) => Standing::Here,
            // Between the two checks both may have been removed, together with their folder.
            Ok(_) if !is_file() => Standing::Elsewhere,
            Ok(_) => Standing::Torn,
        }
    }

    /// Records damage: this process writes nothing more to the file.
    pub(crate) fn saw(&self, damage: bool) {
        self.damaged.fetch_or(damage, Ordering::Relaxed);
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Returns `kept` if it is still valid, or a new connection (Q4).
    pub(crate) fn current(&self, kept: Option<Handle>) -> Result<Handle, Trouble> {
        if self.is_damaged() {
            return Err(Trouble::Place(OpenError::Damaged {
                path: self.path.clone(),
                why: "an earlier request met a damaged page".to_owned(),
            }));
        }
        match kept.map(|handle| (self.standing(&handle), handle)) {
            Some((Standing::Here, handle)) => Ok(handle),
            Some((Standing::Torn, handle)) => {
                // Closing it would merge the removed log into a file that other processes still
                // use.
                std::mem::forget(handle);
                self.torn.store(true, Ordering::Relaxed);
                Err(self.is_torn())
            }
            Some((Standing::Elsewhere, _)) | None if self.torn.load(Ordering::Relaxed) => {
                Err(self.is_torn())
            }
            Some((Standing::Elsewhere, _)) | None => self.connect(false).map_err(Trouble::Place),
        }
    }

    fn is_torn(&self) -> Trouble {
        Trouble::Place(OpenError::Torn {
            path: self.path.clone(),
        })
    }

    /// Passes the result on, and records damage.
    pub(crate) fn seen<T>(&self, answer: rusqlite::Result<T>) -> Result<T, Trouble> {
        answer.map_err(|error| {
            self.saw(is_damage(&error));
            Trouble::Sqlite(error)
        })
    }

    /// Opens another connection to the file. If processes create the file at the same time, one of
    /// them enters WAL, and the others receive *busy* without waiting: they retry.
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
        if path.is_dir() {
            return Err(OpenError::Foreign { path: path.clone() });
        }
        if links(path) > 1 {
            return Err(OpenError::Linked { path: path.clone() });
        }
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
            identity: (Identity::default(), None),
        };
        self.check(&mut handle.sqlite, create)?;
        self.tune(&handle.sqlite).map_err(|e| self.refused(e))?;
        let found = identity(path).map_err(failed)?;
        let found = found.ok_or(OpenError::Missing { path: path.clone() })?;
        self.check_length(&handle)?;
        // The first read creates the log, if there is none.
        number(&handle.sqlite, "SELECT count(*) FROM sqlite_schema")
            .map_err(|e| self.refused(e))?;
        handle.identity = (found, identity(&self.log).map_err(failed)?);
        Ok(handle)
    }

    /// Rejects a truncated file: its missing objects would read as absent. While pages are in the
    /// log, the file may be shorter than its header specifies.
    fn check_length(&self, handle: &Handle) -> Result<(), OpenError> {
        let damaged = |why| OpenError::Damaged {
            path: self.path.clone(),
            why,
        };
        let length = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        let ask = |query| number(&handle.sqlite, query).map_err(|e| self.refused(e));
        let page = ask("PRAGMA page_size")?.unsigned_abs().max(1);
        let pages = ask("PRAGMA page_count")?.unsigned_abs();
        let file = length(&self.path);
        if !file.is_multiple_of(page) {
            return Err(damaged("it was cut off within a page".to_owned()));
        }
        if length(&self.log) == 0 && file < pages * page {
            return Err(damaged(format!(
                "the file has {file} bytes, and its header gives {}",
                pages * page
            )));
        }
        Ok(())
    }

    /// Reads the whole file to detect damaged pages.
    fn check_whole(&self, handle: &Handle) -> Result<(), OpenError> {
        let verdict: rusqlite::Result<String> =
            handle
                .sqlite
                .query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        let damaged = |why| OpenError::Damaged {
            path: self.path.clone(),
            why,
        };
        match verdict {
            Ok(verdict) if verdict == "ok" => Ok(()),
            Ok(verdict) => Err(damaged(verdict)),
            Err(error) if is_damage(&error) => Err(damaged(error.to_string())),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Checks that the file is a bucket that this build reads; an empty file becomes one.
    fn check(&self, sqlite: &mut Connection, create: bool) -> Result<(), OpenError> {
        let refused = |e| self.refused(e);
        let path = || self.path.clone();
        // An immediate transaction, since only one of several processes creates the table.
        if create && number(sqlite, "PRAGMA application_id").map_err(refused)? != APPLICATION {
            // WAL cannot be entered within a transaction.
            let empty = "SELECT count(*) FROM sqlite_schema";
            if number(sqlite, empty).map_err(refused)? == 0 {
                // While the file is still empty; WAL cannot be entered within a transaction.
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
        // Only scans of the whole file would benefit.
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

/// Waits for another process's transaction: 0.2 ms at first, since a commit takes about as long,
/// and 10 s in all.
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

/// Identifies the file at a path.
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

/// The number of names (hard links) of the file: each has a log of its own.
#[cfg(unix)]
fn links(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map_or(0, |found| found.nlink())
}

#[cfg(not(unix))]
fn links(_: &Path) -> u64 {
    1
}

/// On other systems, an open file cannot be removed or replaced under its name.
#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    Ok(path.try_exists()?.then(Identity::default))
}
