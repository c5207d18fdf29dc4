//! The writing thread: it combines all waiting requests into one transaction.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::channel::oneshot;
use millpond::ports::{BucketError, Outcome, Verb, Version};
use rusqlite::{Connection, ErrorCode};

use crate::apply;
use crate::connection::{Handle, Place};
use crate::fault::{Trouble, is_damage};
use crate::requests::Request;

/// Maximum number of requests in one group: it bounds their wait for each other to milliseconds.
const MAX_REQUESTS: usize = 512;

/// A group of this many bytes accepts no more requests: 8 MiB.
const MAX_SIZE: usize = 8 << 20;

/// After this time without a request, the log is merged into the file, so that an idle bucket is
/// one file.
const QUIET: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(3_600);

#[derive(Debug)]
pub(crate) struct Writer {
    place: Arc<Place>,
    handle: Option<Handle>,
    /// The random name of this opening: the beginning of every version it creates (Q3).
    opening: String,
    count: u64,
}

/// A reply that waits for the commit (Q2).
enum Answer {
    Write(
        oneshot::Sender<Result<Outcome, BucketError>>,
        Result<Outcome, BucketError>,
        Verb,
        String,
    ),
    Delete(
        oneshot::Sender<Result<(), BucketError>>,
        Result<(), BucketError>,
        String,
    ),
}

impl Writer {
    pub(crate) fn new(place: Arc<Place>, handle: Handle) -> rusqlite::Result<Self> {
        let random = "SELECT lower(hex(randomblob(8)))";
        let opening = handle.sqlite.query_row(random, [], |row| row.get(0))?;
        Ok(Self {
            place,
            handle: Some(handle),
            opening,
            count: 0,
        })
    }

    /// Serves requests until all senders are dropped.
    pub(crate) fn serve(mut self, requests: &Receiver<Request>) {
        let mut written = false;
        loop {
            let first = match requests.recv_timeout(if written { QUIET } else { LONG }) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    if std::mem::take(&mut written) {
                        self.checkpoint();
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            written = true;
            let mut size = first.size();
            let mut group = vec![first];
            while group.len() < MAX_REQUESTS && size < MAX_SIZE {
                match requests.try_recv() {
                    Ok(next) => {
                        size += next.size();
                        group.push(next);
                    }
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
            }
            self.group(group);
        }
    }

    /// Runs one transaction. (1) Take SQLite's write lock. (2) Compare and change each row. (3)
    /// Commit: one flush. (4) Reply.
    ///
    /// - **Crash** before (3): nothing happened. After it: the writes exist, unconfirmed.
    fn group(&mut self, group: Vec<Request>) {
        if let Err(trouble) = self.begin() {
            for request in group {
                refuse(request, &trouble);
            }
            return;
        }
        let mut answers = Vec::with_capacity(group.len());
        let mut broken = None;
        for request in group {
            if let Some(trouble) = &broken {
                refuse(request, trouble);
                continue;
            }
            match self.apply(request) {
                Ok(answer) => answers.push(answer),
                Err(ended) => {
                    let (answer, trouble) = *ended;
                    answers.push(answer);
                    broken = Some(trouble);
                }
            }
        }
        let failed = match broken {
            // SQLite has rolled back the whole transaction.
            Some(trouble) => Some((trouble, false)),
            None => self.commit(),
        };
        for answer in answers {
            answer.give(failed.as_ref());
        }
    }

    /// Begins the transaction, on the file that the path names now (Q4).
    fn begin(&mut self) -> Result<(), Trouble> {
        let kept = self.handle.take();
        let handle = self.handle.insert(self.place.current(kept)?);
        self.place.seen(execute(&handle.sqlite, "BEGIN IMMEDIATE"))
    }

    /// The result of one request; with the error, if that ended the transaction.
    fn apply(&mut self, request: Request) -> Result<Answer, Box<(Answer, Trouble)>> {
        let version = self.version();
        let sqlite = &self.handle.as_ref().expect("the group has begun").sqlite;
        let (answer, error) = match request {
            Request::Write {
                key,
                body,
                expect,
                answer,
            } => {
                let done = apply::write(sqlite, &key, &body, &expect, version, now());
                let (verb, key) = (Verb::writing(&expect), key.as_str());
                let (done, error) = split(done, verb, key);
                (Answer::Write(answer, done, verb, key.to_owned()), error)
            }
            Request::Delete { key, answer } => {
                let done = apply::delete(sqlite, &key).map(drop);
                let (done, error) = split(done, Verb::Delete, key.as_str());
                (Answer::Delete(answer, done, key.as_str().to_owned()), error)
            }
        };
        match error {
            // One statement failed, and only that was rolled back: the others continue.
            Some(trouble) if sqlite.is_autocommit() => Err(Box::new((answer, trouble))),
            // An object that cannot be found in a damaged file may exist: no request of the group
            // is kept.
            Some(trouble) if trouble.is_damage() => {
                self.place.saw(true);
                let _undone = execute(sqlite, "ROLLBACK");
                Err(Box::new((answer, trouble)))
            }
            _ => Ok(answer),
        }
    }

    /// Commits; on failure returns the error, and whether the group may have landed nevertheless.
    fn commit(&mut self) -> Option<(Trouble, bool)> {
        let sqlite = &self.handle.as_ref().expect("the group has begun").sqlite;
        let error = execute(sqlite, "COMMIT").err()?;
        // Its last frame may be on the disk, where the next process to open the file finds it.
        self.place.saw(is_damage(&error));
        let unknown = error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure);
        if !sqlite.is_autocommit()
            && let Err(error) = sqlite.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a transaction could not be rolled back: opening the file again");
            self.handle = None;
        }
        if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
            self.checkpoint();
        }
        Some((Trouble::Sqlite(error), unknown))
    }

    /// Merges the log into the file, up to what readers still use; does not wait.
    fn checkpoint(&self) {
        let Some(handle) = &self.handle else { return };
        let done = handle
            .sqlite
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = done {
            tracing::debug!(%error, "the log is brought into the file later");
        }
    }

    fn version(&mut self) -> Version {
        self.count += 1;
        Version::new(format!("{}-{}", self.opening, self.count))
    }
}

impl Answer {
    fn give(self, failed: Option<&(Trouble, bool)>) {
        // The receiver may have been dropped.
        match self {
            Self::Write(to, done, verb, key) => drop(to.send(match (done, failed) {
                (Ok(Outcome::Landed(_)), Some((_, true))) => Ok(Outcome::Unknown),
                (Ok(_), Some((trouble, _))) => Err(trouble.of(verb, &key)),
                (done, _) => done,
            })),
            Self::Delete(to, done, key) => drop(to.send(match (done, failed) {
                (Ok(()), Some((trouble, _))) => Err(trouble.of(Verb::Delete, &key)),
                (done, _) => done,
            })),
        }
    }
}

/// Runs a statement that is parsed once.
fn execute(sqlite: &Connection, statement: &str) -> rusqlite::Result<()> {
    sqlite.prepare_cached(statement)?.execute([]).map(drop)
}

fn refuse(request: Request, trouble: &Trouble) {
    match request {
        Request::Write {
            key,
            expect,
            answer,
            ..
        } => {
            let verb = Verb::writing(&expect);
            drop(answer.send(Err(trouble.of(verb, key.as_str()))));
        }
        Request::Delete { key, answer } => {
            drop(answer.send(Err(trouble.of(Verb::Delete, key.as_str()))));
        }
    }
}

fn split<T>(
    done: rusqlite::Result<T>,
    verb: Verb,
    key: &str,
) -> (Result<T, BucketError>, Option<Trouble>) {
    match done {
        Ok(done) => (Ok(done), None),
        Err(error) => {
            let trouble = Trouble::Sqlite(error);
            (Err(trouble.of(verb, key)), Some(trouble))
        }
    }
}

/// Microseconds since 1970, by this machine's clock, which is the store's clock.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    })
}
