//! The reading connections, beside the writing one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Listed, Object, Page};
use rusqlite::{Connection, params};

use crate::apply;
use crate::connection::{Handle, Place};
use crate::fault::Trouble;

/// Number of idle connections kept open.
const KEPT: usize = 4;

/// The highest character of a key is `~`: this one sorts after all that may follow a prefix.
const AFTER_ALL: char = '\u{7f}';

/// One bound on each side: with two lower bounds, SQLite would seek by one and scan to the other,
/// past every object before the prefix.
pub(crate) const LIST: &str = "SELECT key, modified, length(body) FROM objects \
                    WHERE key >= ?1 AND key < ?2 ORDER BY key";

#[derive(Debug)]
pub(crate) struct Readers {
    place: Arc<Place>,
    idle: Mutex<Vec<Handle>>,
}

impl Readers {
    pub(crate) fn new(place: Arc<Place>) -> Self {
        Self {
            place,
            idle: Mutex::default(),
        }
    }

    /// Closes the idle connections.
    pub(crate) fn close(&self) {
        self.idle().clear();
    }

    pub(crate) fn read(&self, key: &Key) -> Result<Option<Object>, Trouble> {
        self.with(|sqlite| apply::read(sqlite, key))
    }

    pub(crate) fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, Trouble> {
        self.with(|sqlite| list(sqlite, prefix, after, limit))
    }

    /// Runs a query on a connection to the file that the path names now (Q4).
    fn with<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Trouble> {
        let kept = self.idle().pop();
        let handle = self.place.current(kept)?;
        let answer = self.place.seen(ask(&handle.sqlite))?;
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(handle);
        }
        Ok(answer)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Handle>> {
        // A panic under this lock leaves the connections intact.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn list(
    sqlite: &Connection,
    prefix: &Prefix,
    after: Option<&Key>,
    limit: usize,
) -> rusqlite::Result<Page> {
    // No key contains a zero byte: a key followed by one is the key's own successor.
    let after = after.map_or_else(String::new, |key| format!("{key}\0"));
    let begin = after.as_str().max(prefix.as_str());
    let end = format!("{prefix}{AFTER_ALL}");
    let mut statement = sqlite.prepare_cached(LIST)?;
    let mut rows = statement.query(params![begin, end])?;
    // No `LIMIT`: a page with only skipped rows would end the listing.
    let (mut entries, mut more) = (Vec::new(), false);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str()?;
        let Ok(key) = Key::parse(text) else {
            // Only another program can have written such a row.
            tracing::warn!(key = text, "a row with a key that is none");
            continue;
        };
        if entries.len() == limit {
            more = true;
            break;
        }
        let modified = Timestamp::from_microsecond(row.get(1)?).unwrap_or(Timestamp::UNIX_EPOCH);
        let size = row.get::<_, i64>(2)?.unsigned_abs();
        entries.push(Listed {
            key,
            modified,
            size,
        });
    }
    Ok(Page::new(entries, more))
}
